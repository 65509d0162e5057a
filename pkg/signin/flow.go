package signin

import (
	"crypto/subtle"
	"encoding/base64"
	"io"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"pocbakery/pkg/refusal"
)

const (
	flowCookie  = "__Host-sign-in"
	flowFor     = 10 * time.Minute
	flowPurpose = "sign-in"
)

// flow is one sign-in under way.
type flow struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"`
	Next     string `json:"to"`
	Began    int64  `json:"at"` // unix ms
}

// begin draws a sign-in and gives it to the browser.
func (d *Door) begin(w http.ResponseWriter, next string) (flow, error) {
	f := flow{Next: next, Began: d.Clock().UnixMilli()}
	for _, into := range []*string{&f.State, &f.Nonce, &f.Verifier} {
		var b [32]byte
		if _, err := io.ReadFull(d.Random, b[:]); err != nil {
			return flow{}, err
		}
		*into = base64.RawURLEncoding.EncodeToString(b[:])
	}
	text, err := json.Marshal(f)
	if err != nil {
		return flow{}, err
	}
	sealed, err := d.Ring.Seal(d.Random, flowPurpose, flowCookie, text)
	if err != nil {
		return flow{}, err
	}
	setFlow(w, sealed, int(flowFor/time.Second))
	return f, nil
}

// resume is the sign-in that a browser began, if the answer is to that.
func (d *Door) resume(r *http.Request) (f flow, err error) {
	stale := refusal.New(refusal.SignInFailed, "This is no answer to a sign-in that this browser began within the last 10 minutes. Sign in again.")
	cookies := r.CookiesNamed(flowCookie)
	if len(cookies) != 1 {
		return flow{}, stale
	}
	text, ok := d.Ring.Unseal(flowPurpose, flowCookie, cookies[0].Value)
	if !ok || json.Unmarshal(text, &f) != nil {
		return flow{}, stale
	}
	age := d.Clock().Sub(time.UnixMilli(f.Began))
	state := r.URL.Query().Get("state")
	if age < 0 || age >= flowFor || subtle.ConstantTimeCompare([]byte(state), []byte(f.State)) != 1 {
		return flow{}, stale
	}
	return f, nil
}

// setFlow gives the browser a sign-in under way, or with 0 seconds takes it.
func setFlow(w http.ResponseWriter, sealed string, seconds int) {
	c := &http.Cookie{Name: flowCookie, Value: sealed, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: true, SameSite: http.SameSiteLaxMode}
	if seconds == 0 {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}
