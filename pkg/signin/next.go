package signin

import (
	"net/url"
	"strings"
)

// maxNext bounds the address to go to afterwards.
const maxNext = 1024

// pathOfOurs is the path to go to, or the front door. Browsers take a backslash
// for a slash and drop control characters, so neither may appear: one leading
// slash has to stay one.
func pathOfOurs(next string) string {
	if len(next) > maxNext || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.ContainsFunc(next, func(r rune) bool { return r == '\\' || r < ' ' || r == 0x7f || r == 0xfffd }) {
		return "/"
	}
	if u, err := url.Parse(next); err != nil || u.Host != "" || u.Scheme != "" {
		return "/"
	}
	return next
}
