package api

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"pocbakery/pkg/access"
	"pocbakery/pkg/admission"
	"pocbakery/pkg/bakery"
	"pocbakery/pkg/calendar"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/limit"
	"pocbakery/pkg/localtime"
	"pocbakery/pkg/planner"
	"pocbakery/pkg/sandbox"
	"pocbakery/pkg/traffic"
)

// Shop sells: menu, slots, orders and what happened to them. *bakery.Shop is one.
type Shop interface {
	Zone() string
	Menu(ctx context.Context, who hub.Who) (bakery.Menu, error)
	SetAvailable(ctx context.Context, who hub.Who, sku string, available bool) (bakery.Product, error)
	Slots
	Orders
	Events(ctx context.Context, who hub.Who, q bakery.EventQuery) (events []hub.Event, next string, err error)
}

// Slots are the pickup slots.
type Slots interface {
	Days(ctx context.Context, who hub.Who, from bakery.Date, days int) ([]bakery.Day, error)
	Slot(ctx context.Context, who hub.Who, id bakery.SlotID) (bakery.SlotView, error)
	// SetCapacity takes the revision the editor saw, or none.
	SetCapacity(ctx context.Context, who hub.Who, id bakery.SlotID, capacity int, ifRev string) (bakery.SlotView, error)
}

// Orders are the orders. An order that replays is the one an earlier request
// with this key made.
type Orders interface {
	Place(ctx context.Context, who hub.Who, key string, p bakery.Placement) (order bakery.OrderView, replayed bool, err error)
	Order(ctx context.Context, who hub.Who, ref bakery.OrderRef) (bakery.OrderView, error)
	Orders(ctx context.Context, who hub.Who, q bakery.OrderQuery) (bakery.OrderPage, error)
	Pay(ctx context.Context, who hub.Who, ref bakery.OrderRef, key string, amount bakery.Money) (payment bakery.Payment, order bakery.OrderView, replayed bool, err error)
	Cancel(ctx context.Context, who hub.Who, ref bakery.OrderRef) (bakery.OrderView, error)
	Collect(ctx context.Context, who hub.Who, ref bakery.OrderRef) (bakery.OrderView, error)
}

// Sandboxes are the hubs that were lent. *sandbox.Service is one.
type Sandboxes interface {
	Read(ctx context.Context, who hub.Who) (hub.View, error)
	Wipe(ctx context.Context, who hub.Who) error
	Advance(ctx context.Context, who hub.Who, by time.Duration, key string) (sandbox.Advanced, error)
}

// Desk lends sandboxes. *admission.Desk is one.
type Desk interface {
	Admit(ctx context.Context, r admission.Request) (admission.Admitted, error)
	Status(ctx context.Context) (admission.Status, error)
}

// Sessions reads what people show at the door. *access.Sessions is one.
type Sessions interface {
	// Verify refuses what is forged as unauthenticated, and what is past its
	// end as a sandbox that has ended.
	Verify(token string, now time.Time) (access.Session, error)
	// Token refuses an API token that is forged; whether the hub still knows it
	// is asked there.
	Token(text string) (hub.Who, error)
	// Identity refuses what is forged or too old as unauthenticated.
	Identity(token string, now time.Time) (access.Identity, error)
}

// Tokens are a hub's API tokens. *access.Tokens is one.
type Tokens interface {
	Make(ctx context.Context, who hub.Who, name string) (made hub.Token, text string, err error)
	List(ctx context.Context, who hub.Who) ([]hub.Token, error)
	Revoke(ctx context.Context, who hub.Who, id string) error
}

// Traffic is simulated. *traffic.Service is one.
type Traffic interface {
	Read(ctx context.Context, who hub.Who) (traffic.Traffic, error)
	Start(ctx context.Context, who hub.Who, minutes, perMinute int) (traffic.Traffic, error)
	Stop(ctx context.Context, who hub.Who) (traffic.Traffic, error)
}

// Live makes tickets for live connections. *live.Lines is one.
type Live interface {
	Ticket(ctx context.Context, who hub.Who) (ticket string, ends time.Time, err error)
}

// Accounts are people's own hubs. *account.Service is one.
type Accounts interface {
	// Enter lets who signed in into their hub, made at first use, and Visit
	// whoever else has a credential of one; both note that they are here.
	Enter(ctx context.Context, i access.Identity) (hub.Who, error)
	Visit(ctx context.Context, who hub.Who) error
	// Vouch refuses who was signed out everywhere since.
	Vouch(ctx context.Context, i access.Identity) error
	Session(ctx context.Context, i access.Identity) (s access.Session, token string, err error)
	SignOutEverywhere(ctx context.Context, who hub.Who) error
	End(ctx context.Context, who hub.Who) error
}

// Revoker signs sessions out. *hub.Engine is one.
type Revoker interface {
	Revoke(ctx context.Context, who hub.Who) error
}

// Planner plans a person's days. *planner.Service is one.
type Planner interface {
	Days
	Tasks
	Blocks
	Calendars
}

// Days are how a person works, and what comes of it.
type Days interface {
	Profile(ctx context.Context, who hub.Who) (planner.ProfileView, error)
	SaveProfile(ctx context.Context, who hub.Who, p planner.Profile) (planner.ProfileView, error)
	NewFeedKey(ctx context.Context, who hub.Who) (planner.ProfileView, error)
	// Plans takes the zero Date for today.
	Plans(ctx context.Context, who hub.Who, from localtime.Date, days int) ([]planner.Plan, error)
	Briefings(ctx context.Context, who hub.Who, limit int) ([]planner.Briefing, error)
	Events(ctx context.Context, who hub.Who, after string, limit int) (events []hub.Event, next string, err error)
	// Unsubscribe ends the briefings by mail, for whoever has a mail's key.
	Unsubscribe(ctx context.Context, key string) error
	// Feed is the plan as a file, for whoever has its key.
	Feed(ctx context.Context, key string) (string, error)
}

// Tasks are a person's tasks. One that replays is the one that an earlier
// request with this key made.
type Tasks interface {
	Tasks(ctx context.Context, who hub.Who, q planner.TaskQuery) (tasks []planner.TaskView, next string, err error)
	AddTask(ctx context.Context, who hub.Who, key string, n planner.NewTask) (task planner.TaskView, replayed bool, err error)
	EditTask(ctx context.Context, who hub.Who, id string, e planner.TaskEdit) (planner.TaskView, error)
	DeleteTask(ctx context.Context, who hub.Who, id string) error
}

// Blocks are the pieces of a plan. Each command answers with the plan of the
// block's date.
type Blocks interface {
	StartBlock(ctx context.Context, who hub.Who, key, id string) (day planner.Plan, replayed bool, err error)
	FinishBlock(ctx context.Context, who hub.Who, key, id string, minutes int) (day planner.Plan, replayed bool, err error)
	ExtendBlock(ctx context.Context, who hub.Who, key, id string, minutes int) (day planner.Plan, replayed bool, err error)
}

// Calendars are the calendars that a plan goes around.
type Calendars interface {
	Calendars(ctx context.Context, who hub.Who) ([]planner.Calendar, error)
	Connect(ctx context.Context, who hub.Who, key string, n planner.NewCalendar) (c planner.Calendar, replayed bool, err error)
	// GoogleLogin begins the way to Google's consent; Offered are what else can be
	// connected after it.
	GoogleLogin(ctx context.Context, who hub.Who) (planner.Login, error)
	Offered(ctx context.Context, who hub.Who) ([]calendar.Listed, error)
	// Push takes what it does not know for nothing.
	Push(ctx context.Context, channel, token string) error
	EditCalendar(ctx context.Context, who hub.Who, id string, e planner.CalendarEdit) (planner.Calendar, error)
	Disconnect(ctx context.Context, who hub.Who, id string) error
}

// Config is what the HTTP layer stands on.
type Config struct {
	Shop      Shop
	Sandboxes Sandboxes
	Desk      Desk
	Sessions  Sessions
	Accounts  Accounts
	Revoker   Revoker
	Tokens    Tokens
	Traffic   Traffic
	Limits    *limit.Limits // nil for none
	Planner   Planner
	Live      Live
	// LiveURL is where live connections are made, to which a ticket is added;
	// empty for this very host.
	LiveURL string
	Clock   func() time.Time // wall time
	Log     *slog.Logger
	// Only are the ids of the routes there are; nil for all. What no route that
	// is left asks may be nil too.
	Only []string
	// SignIn gets /v1/login and its callback; nil where nobody can sign in.
	SignIn http.Handler
	// Pages gets whatever is neither under /v1 nor the OpenAPI document; nil
	// for an API without pages.
	Pages http.Handler
	// Refuse is what a stage that is not set up refuses everything with; nil for
	// one that is.
	Refuse error
	// PageProblem writes a problem as a page, for a page that panicked; nil
	// for JSON there too.
	PageProblem func(http.ResponseWriter, *http.Request, Problem)
}
