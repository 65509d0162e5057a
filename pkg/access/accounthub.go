package access

import (
	"crypto/hmac"
	"crypto/sha256"

	"pocbakery/pkg/hub"
)

// accountHubChars is how long the id of a person's own hub is: 160 bits. No
// other hub has an id of this length, so that a credential tells without a read
// what it is of.
const accountHubChars = 32

// Hub is the id of the person's own hub. It is derived from no master secret,
// so that no rotation loses anybody their hub; and it is no secret: whoever
// knows it can ask nothing with it.
func (i Identity) Hub() hub.ID {
	h := hmac.New(sha256.New, []byte("pocbakery account hub"))
	h.Write([]byte(i.Account()))
	return hub.ID(sessionIDText.EncodeToString(h.Sum(nil))[:accountHubChars])
}

// IsAccountHub reports whether a hub is some person's own, by its id.
func IsAccountHub(id hub.ID) bool { return len(id) == accountHubChars }
