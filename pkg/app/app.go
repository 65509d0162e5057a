// Package app wires the bakery: the same services whatever table, scheduler
// and clock they stand on. It decides nothing.
package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"pocbakery/pkg/access"
	"pocbakery/pkg/account"
	"pocbakery/pkg/admission"
	"pocbakery/pkg/alarm"
	"pocbakery/pkg/api"
	"pocbakery/pkg/bakery"
	"pocbakery/pkg/calendar"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/limit"
	"pocbakery/pkg/live"
	"pocbakery/pkg/planner"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/sandbox"
	"pocbakery/pkg/store"
	"pocbakery/pkg/traffic"
	"pocbakery/pkg/web"
)

// Config is what the bakery stands on.
type Config struct {
	Table  store.Store // an adapter
	Alarms alarm.Scheduler
	Clock  func() time.Time // wall time
	// Secrets are the masters of the key ring: the first signs, all verify.
	Secrets [][]byte
	Random  io.Reader     // of ids and keys; cryptographic
	Marks   func() uint64 // of the table's write marks; need not be
	// WipeGrace is how long after a pass over a sandbox the next comes: longer
	// than the longest request.
	WipeGrace time.Duration
	Settings  admission.Settings
	SignIn    *SignIn // nil where nobody can sign in
	// Human is the human check, and SiteKey of the widget that the pages show for
	// it; empty for a box that stands in.
	Human   admission.Human
	SiteKey string
	// Refuse is what the stage refuses everything with, because it is not set up;
	// nil for a stage that is.
	Refuse error
	// Sides are the other sides of calendars, by kind, and Mail what briefings are
	// sent by; nil for none.
	Sides map[string]calendar.Side
	Mail  planner.Mailer
	// Google lets a person's calendars in, and Address is where it reaches us; nil
	// for none. FreeCode is a consent that nobody has to be asked for, which there
	// is in a local run alone.
	Google   calendar.Grantor
	Address  func() string
	FreeCode string
	Log      *slog.Logger
	Stage    string    // of the deployment, the metrics' one dimension; empty of a local run
	Metrics  io.Writer // gets a line of CloudWatch's embedded metric format for each data point
	// Sockets carry what is told live; nil where nothing does. LiveURL is where
	// they are connected to, empty for this very host.
	Sockets live.Poster
	LiveURL string
	// Left is how long a request may still take; nil for as long as it likes.
	Left func(context.Context) time.Duration
}

// App is the bakery at work.
type App struct {
	Engine  *hub.Engine
	Shop    *bakery.Shop
	Boxes   *sandbox.Service
	Desk    *admission.Desk
	People  *account.Service
	Traffic *traffic.Service
	Planner *planner.Service
	Limits  *limit.Limits
	Handler http.Handler // what there is over HTTP; nil of a bakery that is only woken

	// Lines are the live connections; nil where nothing carries them.
	Lines *live.Lines

	ring *access.Keyring
}

// New wires the bakery with everything over HTTP.
func New(c Config) *App {
	a := services(c)
	a.Handler = a.site(c)
	return a
}

// NewAdmission wires the bakery with admission alone over HTTP, so that a flood
// of it is a flood of nothing else.
func NewAdmission(c Config) *App {
	a := services(c)
	a.Handler = api.New(api.Config{
		Desk: a.Desk, Sessions: a.ring.Sessions(), Accounts: vouching{people: a.People}, Limits: a.Limits, Clock: c.Clock, Log: c.Log, Only: api.AdmissionRoutes(), Refuse: c.Refuse,
	})
	return a
}

// vouching is the one thing of accounts that admission asks for. The rest it does
// not have, and so needs no right to wipe anything.
type vouching struct {
	api.Accounts // nil: of what only other routes ask
	people       *account.Service
}

// Vouch refuses who was signed out everywhere since.
func (v vouching) Vouch(ctx context.Context, i access.Identity) error { return v.people.Vouch(ctx, i) }

// NewHub wires the bakery for what wakes it: one-shots and the rule. It has
// nothing over HTTP.
func NewHub(c Config) *App { return services(c) }

// services wires what decides.
func services(c Config) *App {
	ring := access.NewKeyring(c.Secrets...)
	points := &metrics{w: c.Metrics, clock: c.Clock, stage: c.Stage}
	report := func(event string, id hub.ID, err error) {
		if event == hub.SetAside {
			points.aside()
		}
		c.Log.Error(event, "event", event, "hub", string(id), "error", err.Error())
	}
	engine := hub.New(store.NewTable(c.Table, c.Marks), c.Alarms, c.Clock, report)
	engine.Left = c.Left
	engine.Overslept = points.overslept
	a := &App{
		Engine: engine,
		Shop:   bakery.NewShop(engine, bakery.DefaultHours(), bakery.SeededMenu(), ring.MAC),
		Boxes:  sandbox.New(engine, c.Alarms, c.WipeGrace, ring.MAC, points.wiped),
		Desk:   admission.NewDesk(engine, c.Alarms, ring, c.Human, c.Settings, c.Random),
		ring:   ring,
	}
	if c.Sockets != nil {
		a.Lines = live.New(engine, ring, c.Sockets, api.LiveMessages(a.Shop), c.Random)
		a.Boxes.Erasing = a.Lines.Erasing
	}
	a.Traffic = traffic.New(engine, a.Shop, bakery.SeededMenu(), c.Random)
	a.People = account.New(engine, a.Boxes, ring, c.Random)
	engine.Gate = a.Desk.Gate
	a.Planner = planner.New(planner.Config{
		Engine: engine, MAC: ring.MAC, Random: c.Random, Pickups: pickups{a.Shop}, Sides: c.Sides, Mail: c.Mail,
		Google: c.Google, Seals: seals{ring, c.Random}, Address: c.Address, FreeCode: c.FreeCode,
	})
	a.Limits = limit.New(c.Random, func(event string, err error) { report(event, "", err) })
	a.Limits.Off(c.Settings.RateLimit == admission.Off)
	a.Desk.Limits = a.Limits
	a.People.Ending = a.Planner.LetGo
	return a
}

// site is everything over HTTP: the routes, the document and the pages.
func (a *App) site(c Config) http.Handler {
	sessions := a.ring.Sessions()
	door := api.NewDoor(sessions, a.People, c.Clock)
	var account func(*http.Request) (string, string, bool)
	if c.SignIn != nil {
		account = a.account(door)
	}
	// Made by the first who asks for a page: a start that answers a program does
	// not pay for the templates.
	pages := sync.OnceValue(func() *web.Site {
		return web.New(web.Config{
			Account: account, SignOut: a.signOut(door),
			Shop: a.Shop, Sandboxes: a.Boxes, Desk: a.Desk,
			Console: a.console(c),
			Who:     visitor(door), Planner: a.Planner, PlannerWho: planning(door), CrossOrigin: api.CrossOrigin, SetSession: api.SetSessionCookie, Status: status, SiteKey: c.SiteKey,
			Now: c.Clock, Random: c.Random, Log: c.Log, OfferedDays: bakery.DefaultHours().Days,
		})
	})
	return api.New(api.Config{
		SignIn: a.signIn(c, pages),
		Shop:   a.Shop, Sandboxes: a.Boxes, Desk: a.Desk, Planner: a.Planner, Sessions: sessions, Accounts: a.People, Revoker: a.Engine,
		Tokens: access.NewTokens(a.Engine, a.ring, c.Random), Traffic: a.Traffic, Limits: a.Limits, Live: a.live(), LiveURL: c.LiveURL,
		Clock: c.Clock, Log: c.Log, Pages: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { pages().ServeHTTP(w, r) }), Refuse: c.Refuse, PageProblem: brokenPage(pages),
	})
}

// pickups are what a planner sees of a shop.
type pickups struct{ shop *bakery.Shop }

// Pickups are the shop's.
func (p pickups) Pickups(ctx context.Context, id hub.ID, from, until time.Time) ([]planner.Pickup, error) {
	all, err := p.shop.Pickups(ctx, id, from, until)
	out := make([]planner.Pickup, len(all))
	for i, v := range all {
		out[i] = planner.Pickup{Slot: string(v.Slot), At: v.At, Orders: v.Orders}
	}
	return out, err
}

// live is who makes tickets; nil where nothing is told live.
func (a *App) live() api.Live {
	if a.Lines == nil {
		return nil
	}
	return a.Lines
}

// seals keeps secrets by the key ring.
type seals struct {
	ring   *access.Keyring
	random io.Reader
}

// Seal is the ring's.
func (s seals) Seal(purpose, plain string, bound ...string) (string, error) {
	return s.ring.Seal(s.random, purpose, fmt.Sprintf("%q", bound), []byte(plain))
}

// Unseal is the ring's.
func (s seals) Unseal(purpose, sealed string, bound ...string) (string, bool) {
	plain, ok := s.ring.Unseal(purpose, fmt.Sprintf("%q", bound), sealed)
	return string(plain), ok
}

// visitor reads a request's credential for the pages, to which nobody signed in
// is no error.
func visitor(d *api.Door) func(*http.Request) (hub.Who, bool, error) {
	return func(r *http.Request) (hub.Who, bool, error) {
		who, _, err := d.Credential(r)
		if refusal.Is(err, refusal.Unauthenticated) || access.IsAccountHub(who.Hub) { // whose hub has no shop
			return hub.Who{}, false, nil
		}
		return who, err == nil, err
	}
}

// planning is whose planner a page is about.
func planning(d *api.Door) func(*http.Request) (hub.Who, bool, error) {
	return func(r *http.Request) (hub.Who, bool, error) {
		who, err := d.Planner(r.Context(), r)
		if refusal.Is(err, refusal.Unauthenticated) {
			return hub.Who{}, false, nil
		}
		return who, err == nil, err
	}
}

// brokenPage answers for a page that panicked.
func brokenPage(pages func() *web.Site) func(http.ResponseWriter, *http.Request, api.Problem) {
	return func(w http.ResponseWriter, r *http.Request, p api.Problem) {
		pages().Refuse(w, r, refusal.New(p.Code, p.Detail).After(p.RetryAfter))
	}
}

// status is the HTTP status of an error, for a page.
func status(err error) int { return api.ProblemOf(err).Status }

// Sweep runs the safety nets that are due: what the one rule drives.
func (a *App) Sweep(ctx context.Context) error {
	return a.Engine.Dispatch(ctx, a.Engine.SweepJobs())
}

// Close switches admission off, until an operator switches it on again.
func (a *App) Close(ctx context.Context) error {
	off := admission.Off
	return a.Desk.Edit(ctx, admission.Edit{Flag: &off})
}

// Wake runs the hub that a one-shot names.
func (a *App) Wake(ctx context.Context, s alarm.Schedule) error {
	_, err := a.Engine.Run(ctx, s)
	return err
}
