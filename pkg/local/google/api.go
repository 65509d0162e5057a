package google

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// pageSize is small, so that paging is what usually happens.
const pageSize = 7

// notWithToken are the parameters that a listing by sync token does not take.
var notWithToken = []string{"iCalUID", "orderBy", "privateExtendedProperty", "q", "sharedExtendedProperty", "timeMin", "timeMax", "updatedMin"}

// Handler serves consent, tokens and the API. The API is under /calendar/v3.
func (c *Calendars) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /o/oauth2/v2/auth", c.consent)
	mux.HandleFunc("POST /o/oauth2/v2/auth", c.consented)
	mux.HandleFunc("POST /token", c.token)
	mux.HandleFunc("POST /revoke", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("GET /calendar/v3/users/me/calendarList", c.signedIn(c.calendarList))
	mux.HandleFunc("GET /calendar/v3/calendars/{id}/events", c.signedIn(c.events))
	mux.HandleFunc("POST /calendar/v3/calendars/{id}/events/watch", c.signedIn(c.watch))
	mux.HandleFunc("POST /calendar/v3/channels/stop", c.signedIn(c.stop))
	return mux
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.MarshalWrite(w, v)
}

// fail answers as the API does.
func fail(w http.ResponseWriter, status int, reason string) {
	write(w, status, map[string]any{"error": map[string]any{
		"code": status, "message": reason, "errors": []map[string]string{{"domain": "calendar", "reason": reason}},
	}})
}

var consentPage = template.Must(template.New("").Parse(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Demo calendar</title>
<h1>The demo calendar</h1><p>This stands in for Google: it has one person, and no password.</p>
<form method="post"><input type="hidden" name="to" value="{{.To}}"><input type="hidden" name="state" value="{{.State}}"><input type="hidden" name="challenge" value="{{.Challenge}}">
<button name="may" value="yes">Let the planner read it</button> <button name="may" value="no">Do not</button></form></html>`))

func (c *Calendars) consent(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("redirect_uri") == "" {
		http.Error(w, "invalid_request", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = consentPage.Execute(w, map[string]string{"To": q.Get("redirect_uri"), "State": q.Get("state"), "Challenge": q.Get("code_challenge")})
}

func (c *Calendars) consented(w http.ResponseWriter, r *http.Request) {
	to, err := url.Parse(r.FormValue("to"))
	if err != nil {
		http.Error(w, "invalid_request", http.StatusBadRequest)
		return
	}
	q := to.Query()
	q.Set("state", r.FormValue("state"))
	if r.FormValue("may") == "yes" {
		c.mu.Lock()
		c.next++
		code := fmt.Sprintf("code-%s-%d", c.run, c.next)
		c.codes[code] = r.FormValue("challenge")
		c.mu.Unlock()
		q.Set("code", code)
	} else {
		q.Set("error", "access_denied")
	}
	to.RawQuery = q.Encode()
	http.Redirect(w, r, to.String(), http.StatusSeeOther)
}

// LocalCode is the code that needs no consent.
const LocalCode = "local-code"

const (
	refreshPrefix = "local-refresh-"
	accessPrefix  = "local-access-"
)

// token is the token endpoint. Refresh tokens outlive this process.
func (c *Calendars) token(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.Token++
	c.next++
	out := map[string]any{"access_token": fmt.Sprintf("%s%s-%d", accessPrefix, c.run, c.next), "token_type": "Bearer", "expires_in": 3600}
	switch r.FormValue("grant_type") {
	case "authorization_code":
		if !c.spend(r.FormValue("code"), r.FormValue("code_verifier")) {
			write(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
			return
		}
		out["refresh_token"] = fmt.Sprintf("%s%s-%d", refreshPrefix, c.run, c.next)
	case "refresh_token":
		if !strings.HasPrefix(r.FormValue("refresh_token"), refreshPrefix) || c.faults.List == "401" {
			write(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
			return
		}
	default:
		write(w, http.StatusBadRequest, map[string]string{"error": "unsupported_grant_type"})
		return
	}
	write(w, http.StatusOK, out)
}

// spend takes a code, which is good once and with its verifier.
func (c *Calendars) spend(code, verifier string) bool {
	if code == LocalCode {
		return true
	}
	challenge, ok := c.codes[code]
	delete(c.codes, code)
	sum := sha256.Sum256([]byte(verifier))
	return ok && base64.RawURLEncoding.EncodeToString(sum[:]) == challenge
}

func (c *Calendars) signedIn(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		broken := c.faults.List == "401"
		c.mu.Unlock()
		if broken || !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer "+accessPrefix) {
			fail(w, http.StatusUnauthorized, "authError")
			return
		}
		h(w, r)
	}
}

func (c *Calendars) calendarList(w http.ResponseWriter, _ *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	items := []map[string]any{}
	for id, b := range c.books {
		item := map[string]any{"id": id, "summary": b.name}
		if id == primary {
			item["primary"] = true
		}
		items = append(items, item)
	}
	slices.SortFunc(items, func(a, b map[string]any) int { return strings.Compare(a["id"].(string), b["id"].(string)) })
	write(w, http.StatusOK, map[string]any{"items": items})
}

// events is events.list.
func (c *Calendars) events(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.List++
	q := r.URL.Query()
	token, page := q.Get("syncToken"), q.Get("pageToken")
	b := c.book(r.PathValue("id"))
	switch {
	case c.faults.List == "429":
		fail(w, http.StatusTooManyRequests, "rateLimitExceeded")
		return
	case c.faults.List == "500":
		fail(w, http.StatusInternalServerError, "backendError")
		return
	case b == nil:
		fail(w, http.StatusNotFound, "notFound")
		return
	case token != "" && slices.ContainsFunc(notWithToken, q.Has):
		fail(w, http.StatusBadRequest, "syncTokenWithNonDefaultOrdering")
		return
	case token != "" && (c.faults.List == "410" || c.faults.List == "410-mid-page" && page != ""):
		fail(w, http.StatusGone, "fullSyncRequired")
		return
	}
	l := listing{until: b.seq}
	if token != "" {
		run, after, ok := strings.Cut(token, "_")
		n, err := strconv.Atoi(after)
		if !ok || err != nil || run != c.run || n > b.seq {
			fail(w, http.StatusGone, "fullSyncRequired")
			return
		}
		l.after = n
	}
	if page != "" {
		var ok bool
		if l, ok = listingOf(page); !ok {
			fail(w, http.StatusBadRequest, "invalid")
			return
		}
	}
	write(w, http.StatusOK, c.page(b, l, q.Get("maxResults")))
}

// page is a page of a listing.
func (c *Calendars) page(b *book, l listing, most string) map[string]any {
	size := pageSize
	if n, err := strconv.Atoi(most); err == nil && n > 0 && n < size {
		size = n
	}
	if c.faults.List == "410-mid-page" { // so that there is a middle
		size = 1
	}
	items := []Event{}
	out := map[string]any{"kind": "calendar#events", "summary": b.name, "timeZone": "Europe/Stockholm"}
	for _, e := range b.list(l.after) {
		if e.ID <= l.from {
			continue
		}
		if len(items) == size {
			l.from = items[size-1].ID
			out["nextPageToken"] = l.token()
			break
		}
		items = append(items, e.Event)
	}
	if _, more := out["nextPageToken"]; !more {
		out["nextSyncToken"] = fmt.Sprintf("%s_%d", c.run, l.until)
	}
	out["items"] = items
	return out
}
