package human

import "slices"

// TestToken is what the test site keys make and the test secrets take.
const TestToken = "XXXX.DUMMY.TOKEN.XXXX"

// The published test secrets: the token passes, it fails, it was spent before.
const (
	AlwaysPasses = "1x0000000000000000000000000000000AA"
	AlwaysFails  = "2x0000000000000000000000000000000AA"
	AlreadySpent = "3x0000000000000000000000000000000AA"
)

// TestSecrets are the published test secrets.
var TestSecrets = []string{AlwaysPasses, AlwaysFails, AlreadySpent}

// TestSiteKeys are the published test site keys: passes and fails, visible and
// not, and one that asks for a click.
var TestSiteKeys = []string{
	"1x00000000000000000000AA", "2x00000000000000000000AB", "1x00000000000000000000BB", "2x00000000000000000000BB", "3x00000000000000000000FF",
}

// RealSiteKey reports whether a site key is somebody's own: there is a widget
// to show for it.
func RealSiteKey(key string) bool { return key != "" && !slices.Contains(TestSiteKeys, key) }
