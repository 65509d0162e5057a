package api

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"pocbakery/pkg/refusal"
)

func header(about string, s *huma.Schema) *huma.Param {
	return &huma.Param{Description: about, Schema: s}
}

// What the document says of the headers of answers.
var (
	aText = &huma.Schema{Type: huma.TypeString}

	dateHeader         = header("The wall time at which the request was judged", aText)
	replayedHeader     = header("true where an earlier request under this key did it", &huma.Schema{Type: huma.TypeString, Enum: []any{"true"}})
	locationHeader     = header("The path of what was made", &huma.Schema{Type: huma.TypeString, Format: "uri-reference"})
	tagHeader          = header("The slot's rev in quotes", aText)
	wayBackHeader      = header("By which the way back is known, for 10 minutes", aText)
	planTagHeader      = header("For If-None-Match", aText)
	sessionHeader      = header("The session as a cookie, where the answer hands one out", aText)
	signedOutHeader    = header("Takes the session's cookie away", aText)
	authenticateHeader = header("Bearer", aText)
	retryHeader        = header("In how many seconds to ask again, where that is known", &huma.Schema{Type: huma.TypeInteger})
)

// successHeaders are those of a route's success, made now or earlier.
func successHeaders(rt route) map[string]*huma.Param {
	h := map[string]*huma.Param{"Date": dateHeader}
	if rt.status == http.StatusCreated {
		h["Location"] = locationHeader
	}
	if rt.status == http.StatusSeeOther {
		h["Location"], h["Set-Cookie"] = locationHeader, wayBackHeader
	}
	switch rt.answer {
	case reflect.TypeFor[slotJSON]():
		h["ETag"] = tagHeader
	case reflect.TypeFor[planFile]():
		h["ETag"] = planTagHeader
	case reflect.TypeFor[admittedJSON](), reflect.TypeFor[returnedJSON]():
		h["Set-Cookie"] = sessionHeader
	}
	if rt.id == signOutID || rt.id == logOutID || rt.id == "end-account" {
		h["Set-Cookie"] = signedOutHeader
	}
	return h
}

// signOutID is the operation that takes the cookie, also of who has no session
// any more.
const signOutID = "sign-out"

// logOutID is the operation that takes both cookies.
const logOutID = "log-out"

// waits are the refusals that can say when to come back.
var waits = map[refusal.Code]bool{
	refusal.TableUnavailable: true, refusal.AdvanceRunning: true, refusal.AccountEnding: true, refusal.SlotFull: true,
	refusal.TrafficSpent: true, refusal.DayFull: true, refusal.GuestShareFull: true, refusal.DemoFull: true,
	refusal.RateLimited: true, refusal.AccountLimit: true, refusal.AddressLimit: true, refusal.HubFull: true,
}

// problemHeaders adds those that come with a code.
func problemHeaders(h map[string]*huma.Param, rt route, code refusal.Code) {
	h["Date"] = dateHeader
	if waits[code] {
		h["Retry-After"] = retryHeader
	}
	if code == refusal.Unauthenticated {
		h["WWW-Authenticate"] = authenticateHeader
	}
	if rt.id == signOutID && (code == refusal.Unauthenticated || code == refusal.SandboxEnded) {
		h["Set-Cookie"] = signedOutHeader
	}
}
