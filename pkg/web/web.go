package web

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"pocbakery/pkg/admission"
	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/sandbox"
)

// Shop is where orders are taken.
type Shop interface {
	Menu(ctx context.Context, who hub.Who) (bakery.Menu, error)
	Days(ctx context.Context, who hub.Who, from bakery.Date, days int) ([]bakery.Day, error)
	Place(ctx context.Context, who hub.Who, key string, p bakery.Placement) (o bakery.OrderView, replayed bool, err error)
	Order(ctx context.Context, who hub.Who, ref bakery.OrderRef) (bakery.OrderView, error)
	Orders(ctx context.Context, who hub.Who, q bakery.OrderQuery) (bakery.OrderPage, error)
	Pay(ctx context.Context, who hub.Who, ref bakery.OrderRef, key string, amount bakery.Money) (p bakery.Payment, o bakery.OrderView, replayed bool, err error)
	Cancel(ctx context.Context, who hub.Who, ref bakery.OrderRef) (bakery.OrderView, error)
	Zone() string // IANA name
}

// Sandboxes is the life of the visitor's sandbox.
type Sandboxes interface {
	Read(ctx context.Context, who hub.Who) (hub.View, error)
	Advance(ctx context.Context, who hub.Who, by time.Duration, key string) (sandbox.Advanced, error)
	Wipe(ctx context.Context, who hub.Who) error
	Health(ctx context.Context) (sandbox.Health, error)
}

// Desk lends sandboxes.
type Desk interface {
	Admit(ctx context.Context, r admission.Request) (admission.Admitted, error)
	Status(ctx context.Context) (admission.Status, error)
}

// CheckAction is what the human check's tokens are made for on these pages:
// who checks a token holds it to that.
const CheckAction = "enter"

// Config is what the pages stand on.
type Config struct {
	Shop      Shop
	Sandboxes Sandboxes
	Desk      Desk
	Console   Console
	Planner   Planner // nil for pages without one

	// PlannerWho is Who for the planner: an identity outranks the session.
	PlannerWho func(*http.Request) (who hub.Who, ok bool, err error)
	// Who reads the request's credential. ok is false where there is none that
	// counts; the error may be the refusal of a sandbox that has ended.
	Who func(*http.Request) (who hub.Who, ok bool, err error)
	// Account is who has signed in: a name to call them by, and their account; ok
	// is false for nobody. Nil where nobody can sign in.
	Account func(*http.Request) (name, account string, ok bool)
	// SignOut takes what a browser has of both, and ends its session.
	SignOut func(http.ResponseWriter, *http.Request) error
	// CrossOrigin reports whether an unsafe request comes from another site.
	CrossOrigin func(*http.Request) bool
	// SetSession puts the session's cookie into the answer.
	SetSession func(w http.ResponseWriter, token string, ends time.Time)
	// Status is the HTTP status of an error: of a refusal its code's, else 500.
	Status func(error) int

	// SiteKey is of the human check's widget, as Cloudflare knows it. Without one
	// a plain box stands in for it, whose token only test secrets take.
	SiteKey string

	Now    func() time.Time // wall time
	Random io.Reader        // of forms' keys; nil for the system's
	Log    *slog.Logger     // nil for none
	// OfferedDays is how many days can be ordered for, today included; 0 for 14.
	OfferedDays int
}

// maxForm bounds a form's body, in bytes.
const maxForm = 16 << 10

// Site is the pages at work.
type Site struct {
	Config
	words  words
	assets assets
	pages  pages

	handler http.Handler
}

// New is the pages' handler: everything outside /v1 and /openapi.json. It
// panics where the program was put together wrongly: a zone without data, a
// template or module that does not fit.
func New(c Config) *Site {
	if c.Random == nil {
		c.Random = rand.Reader
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.OfferedDays == 0 {
		c.OfferedDays = 14
	}
	s := &Site{Config: c, words: wordsIn(c.Shop.Zone()), assets: loadAssets()}
	s.assets.missing = s.refuse
	s.pages = loadPages(s.assets)
	s.handler = s.headed(s.routes())
	return s
}

// ServeHTTP answers for a page, a form or an asset.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Refuse answers with a page that says what err refuses, or that something
// broke: for those in front of the pages who have to turn a browser away.
func (s *Site) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	s.headed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.refuse(w, r, err) })).ServeHTTP(w, r)
}

// routes are all addresses of this package.
func (s *Site) routes() http.Handler {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	on := func(method, path string, h http.HandlerFunc) {
		mux.HandleFunc(method+" "+path, h)
		methods[path] = append(methods[path], method)
	}
	get := func(path string, h http.HandlerFunc) { on(http.MethodGet, path, h) }
	post := func(path string, h http.HandlerFunc) { on(http.MethodPost, path, s.form(h)) }

	get("/{$}", s.frontDoor)
	get("/sign-in", s.signIn)
	post("/sign-in", s.admit)
	post("/sign-out", s.signOut)
	get("/status", s.status)
	get("/shop", s.storefront)
	post("/shop", s.place)
	get("/orders/{ref}", s.order)
	post("/orders/{ref}/pay", s.pay)
	post("/orders/{ref}/cancel", s.cancel)
	post("/clock/advance", s.advance)
	post("/sandbox/end", s.end)
	s.consoleRoutes(get, post)
	if s.Planner != nil {
		get(plannerPath, s.planner)
		s.plannerForms(post)
	}
	get("/problems", s.problems)
	get("/problems/{code}", s.problem)
	get("/look", s.look)
	get("/look/{piece}", s.look)
	get("/assets/{name}", s.assets.serve)

	for path, allowed := range methods {
		allow := strings.Join(allowed, ", ")
		if allowed[0] == http.MethodGet {
			allow = strings.Replace(allow, "GET", "GET, HEAD", 1)
		}
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", allow)
			s.refuse(w, r, refusal.New(refusal.MethodNotAllowed, "This address takes "+allow+"."))
		})
	}
	mux.HandleFunc("/", s.notFound)
	return mux
}

// policy lets a page load its own files and talk to its own site, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// widgetPolicy also lets a page load the human check's widget, which is a
// script and a frame of its maker's.
var widgetPolicy = strings.Replace(policy, "script-src 'self';", "script-src 'self' "+widgetHost+"; frame-src "+widgetHost+";", 1)

const widgetHost = "https://challenges.cloudflare.com"

// headed puts on every answer what every answer has.
func (s *Site) headed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Date", s.Now().UTC().Format(http.TimeFormat))
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}
