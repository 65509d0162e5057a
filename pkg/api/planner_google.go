package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"pocbakery/pkg/planner"
)

// googleCookie carries what the way back from a consent is known by.
const googleCookie = "__Host-google"

// elsewhere is an answer that sends a browser to another site.
type elsewhere string

// Schema is never shown: such an answer has no body.
func (elsewhere) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

func (s *server) googleLogin(c *call) (elsewhere, error) {
	l, err := s.Planner.GoogleLogin(c.ctx, c.who)
	if err != nil {
		return "", err
	}
	http.SetCookie(c.writer, &http.Cookie{Name: googleCookie, Value: l.Cookie, Path: "/", MaxAge: int(planner.LoginFor.Seconds()),
		HttpOnly: true, Secure: true, SameSite: http.SameSiteLaxMode})
	return elsewhere(l.URL), nil
}

// sendElsewhere answers with nothing but where to go.
func sendElsewhere(w http.ResponseWriter, to elsewhere) {
	h := w.Header()
	h["Cache-Control"], h["X-Content-Type-Options"] = noStore, noSniff
	h["Location"], h["Content-Length"] = []string{string(to)}, []string{"0"}
	w.WriteHeader(http.StatusSeeOther)
}

type offeredJSON struct {
	Calendars []offeredCalendarJSON `json:"calendars"`
}

type offeredCalendarJSON struct {
	ID      string `json:"id" doc:"For calendar_id"`
	Name    string `json:"name"`
	Primary bool   `json:"primary"`
}

func (s *server) offered(c *call) (out offeredJSON, err error) {
	all, err := s.Planner.Offered(c.ctx, c.who)
	out.Calendars = make([]offeredCalendarJSON, len(all))
	for i, l := range all {
		out.Calendars[i] = offeredCalendarJSON(l)
	}
	return out, err
}

// pushed is Google telling of a change. It is answered alike whatever it is, so
// that nobody learns which channels there are. The first message of a channel
// says only that it is open.
func (s *server) pushed(c *call) error {
	h := c.request.Header
	channel := c.path("channel")
	if h.Get("X-Goog-Resource-State") == "sync" || h.Get("X-Goog-Channel-Id") != channel {
		return nil
	}
	return s.Planner.Push(c.ctx, channel, h.Get("X-Goog-Channel-Token"))
}
