package web

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

//go:embed templates
var templateFiles embed.FS

// pages are the templates, by page.
type pages map[string]*template.Template

// loadPages parses every page over the frame and the pieces.
func loadPages(a assets) pages {
	base := template.Must(template.New("frame").Funcs(template.FuncMap{"asset": a.url, "action": func() string { return CheckAction }, "held": func() string { return holdWords }}).
		ParseFS(templateFiles, "templates/frame.html", "templates/pieces/*.html"))
	entries, err := templateFiles.ReadDir("templates")
	if err != nil {
		panic("web: " + err.Error())
	}
	p := pages{}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".html"); ok && name != "frame" {
			p[name] = template.Must(template.Must(base.Clone()).ParseFS(templateFiles, "templates/"+e.Name()))
		}
	}
	return p
}

// frame is what stands around every page's body.
type frame struct {
	Title  string
	At     string // which entry of the navigation this is
	Signed bool   // there is a session
	Baker  bool   // of somebody behind the counter
	Now    string // the instant the page's clock stands at
	Here   string // the page to come back to, where the answer to a form shows it
	Strip  *strip
	Body   any
}

// strip is the line of the shop's clock and the sandbox's end.
type strip struct {
	Clock   string
	Day     string
	Zone    string
	Ahead   string // how far the clock was moved; empty for not at all
	Offset  int64  // the same, in seconds
	Ends    string // when the sandbox ends; empty for never
	EndsIn  string
	Advance *command // nil for who may not move the clock
	Form    string   // the id of the form that keeps what is in it when the clock is moved
	Page    string   // where this page is asked for again
}

// command is a small form.
type command struct {
	Action string
	Key    string
	Next   string
	Fields []field
	Label  string
	// Primary is for what can be done now; there is one on a page.
	Primary bool
}

// field is a hidden value of a form.
type field struct{ Name, Value string }

// visit is somebody with a sandbox, and the instant they came at.
type visit struct {
	who  hub.Who
	root hub.Root
	now  time.Time // business
	wall time.Time
}

// personal marks what no cache may keep: it has somebody's things in it, or a
// form's key.
func personal(w http.ResponseWriter) { w.Header().Set("Cache-Control", "no-store") }

// render writes a page.
func (s *Site) render(w http.ResponseWriter, r *http.Request, status int, page string, f frame) {
	if f.Now == "" {
		f.Now = instant(s.Now())
	}
	var b bytes.Buffer
	if err := s.pages[page].ExecuteTemplate(&b, "frame.html", f); err != nil {
		s.Log.Error("page_failed", "page", page, "error", err)
		http.Error(w, "This page could not be made.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if w.Header().Get("Cache-Control") == "" {
		personal(w)
	}
	send(w, r, status, b.Bytes(), func() []byte { return zip(b.Bytes()) })
}

// asker finds who asks; where nobody does, or their sandbox is over, it has
// answered.
func (s *Site) asker(w http.ResponseWriter, r *http.Request, back string) (hub.Who, bool) {
	who, ok, err := s.Who(r)
	if err == nil && !ok {
		err = refusal.New(refusal.Unauthenticated, "Nobody is signed in.")
	}
	if err != nil {
		s.turnedAway(w, r, err, back)
		return hub.Who{}, false
	}
	return who, true
}

// visit finds who asks and opens their sandbox.
func (s *Site) visit(w http.ResponseWriter, r *http.Request, back string) (visit, bool) {
	who, ok := s.asker(w, r, back)
	if !ok {
		return visit{}, false
	}
	v, err := s.open(r, who)
	if err != nil {
		s.turnedAway(w, r, err, back)
		return visit{}, false
	}
	return v, true
}

func (s *Site) open(r *http.Request, who hub.Who) (visit, error) {
	view, err := s.Sandboxes.Read(r.Context(), who)
	return visit{who: who, root: view.Root, now: view.Now.Business, wall: view.Now.Wall}, err
}

// turnedAway answers who has no business here: to the sign-in where nobody is
// signed in, with the end of the sandbox where it is over.
func (s *Site) turnedAway(w http.ResponseWriter, r *http.Request, err error, back string) {
	switch {
	case refusal.Is(err, refusal.Unauthenticated):
		personal(w)
		http.Redirect(w, r, "/sign-in?next="+url.QueryEscape(back), http.StatusSeeOther)
	case refusal.Is(err, refusal.SandboxEnded):
		s.over(w, r)
	default:
		s.refuse(w, r, err)
	}
}

// frame is the frame of a visitor's page.
func (s *Site) frame(v visit, title, at string, body any, back string) frame {
	f := frame{Title: title, At: at, Signed: true, Baker: v.who.Role == hub.Baker, Now: instant(v.now), Body: body}
	f.Strip = &strip{Clock: s.words.clock(v.now), Day: s.words.day(v.now), Zone: s.words.zone.String(),
		Offset: int64(v.root.Offset / time.Second), Page: back}
	if !v.root.EndsAt.IsZero() {
		f.Strip.Ends = s.words.at(v.root.EndsAt, v.wall)
		f.Strip.EndsIn = about(v.root.EndsAt.Sub(v.wall))
		if v.root.Offset > 0 {
			f.Strip.Ahead = exactly(v.root.Offset)
		}
		if v.who.Role == hub.Baker {
			if key, err := s.newKey(); err == nil {
				f.Strip.Advance = &command{Action: "/clock/advance", Key: key, Next: back,
					Fields: []field{{"seconds", strconv.Itoa(int(step / time.Second))}}, Label: "Move the clock " + exactly(step)}
			}
		}
	}
	return f
}
