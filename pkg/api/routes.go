package api

import (
	"fmt"
	"net/http"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/refusal"
)

// may says who has a route. This table is the one place where roles count.
type may int

const (
	open   may = iota // everybody, with a session or without
	signed            // whoever has signed in: by an identity, or a session of their own hub
	anyone            // whoever has a session
	baker             // who works behind the counter
)

// route is one line of the table.
type route struct {
	method, path string
	id           string // the operation's name in the OpenAPI document
	about        string // one line for the reader of the document
	who          may
	on           place // the hub it acts on
	noTokens     bool  // of whoever has it, not by an API token
	key          keyRule
	status       int // of a success that is no replay
	endpoint
	refuses []refusal.Code // what the service can refuse, beside what every route can
}

// AdmissionRoutes are the ids of the routes that admit, and say whether they
// would.
func AdmissionRoutes() []string { return []string{"admit", "status"} }

// routes is every route there is.
func routes() []route {
	return append(shopRoutes(), plannerRoutes()...)
}

// shopRoutes are those of sandboxes and their shops.
func shopRoutes() []route {
	return []route{
		{method: http.MethodPost, path: "/v1/sandboxes", id: "admit", about: "Borrow a sandbox until the next 10:00 UTC", who: open, key: keySecret, status: http.StatusCreated, endpoint: takes((*server).admit),
			refuses: []refusal.Code{refusal.Unauthenticated, refusal.SandboxEnded, refusal.DayFull, refusal.GuestShareFull, refusal.DemoFull, refusal.AdmissionsOff, refusal.ReadOnly,
				refusal.RateLimited, refusal.AccountLimit, refusal.AddressLimit, refusal.TurnstileMissing, refusal.TurnstileFailed, refusal.TurnstileUnavailable, refusal.Misconfigured}},
		{method: http.MethodGet, path: "/v1/status", id: "status", about: "How many sandboxes of the day are lent", who: open, status: http.StatusOK, endpoint: gives((*server).status)},
		{method: http.MethodGet, path: "/v1/sandbox", id: "sandbox", about: "The sandbox of this session, and its clocks", who: anyone, status: http.StatusOK, endpoint: gives((*server).sandbox)},
		{method: http.MethodDelete, path: "/v1/sandbox", id: "wipe", about: "End the sandbox now, with everything in it", who: anyone, noTokens: true, status: http.StatusNoContent, endpoint: does((*server).wipe)},
		{method: http.MethodPost, path: "/v1/sandbox/clock/advance", id: "advance-clock", about: "Move the sandbox's clock forward and settle everything that comes due on the way", who: baker, key: keyOptional, status: http.StatusOK, endpoint: takes((*server).advance),
			refuses: []refusal.Code{refusal.AdvanceRunning, refusal.KeyReused}},
		{method: http.MethodGet, path: "/v1/session", id: "session", about: "Who this is; never 401", who: open, status: http.StatusOK, endpoint: gives((*server).session)},
		{method: http.MethodDelete, path: "/v1/session", id: signOutID, about: "End this session, and leave the sandbox", who: anyone, on: anyHub, status: http.StatusNoContent, endpoint: does((*server).signOut)},
		{method: http.MethodPost, path: "/v1/session", id: "return", about: "Return to the own hub of who signed in, without a sandbox", who: signed, status: http.StatusCreated, endpoint: takes((*server).enter),
			refuses: []refusal.Code{refusal.AccountEnding}},
		{method: http.MethodPost, path: "/v1/logout", id: logOutID, about: "Take both cookies, and end the session of one; with everywhere, every session and sign-in of the account", who: open, status: http.StatusNoContent, endpoint: told((*server).logout),
			refuses: []refusal.Code{refusal.Unauthenticated, refusal.SandboxEnded, refusal.Forbidden}},
		{method: http.MethodDelete, path: "/v1/account", id: "end-account", about: "End the own hub of an account now, with everything in it, and sign everybody of it out", who: signed, status: http.StatusNoContent, endpoint: does((*server).endAccount),
			refuses: []refusal.Code{refusal.ReadOnly}},

		{method: http.MethodGet, path: "/v1/tokens", id: "tokens", about: "The API tokens of this hub, without their secrets", who: baker, on: anyHub, status: http.StatusOK, endpoint: gives((*server).tokens)},
		{method: http.MethodPost, path: "/v1/tokens", id: "make-token", about: "Make an API token; the answer is the one place where it is shown", who: baker, on: anyHub, noTokens: true, status: http.StatusCreated, endpoint: takes((*server).makeToken),
			refuses: []refusal.Code{refusal.TooMany}},
		{method: http.MethodDelete, path: "/v1/tokens/{id}", id: "revoke-token", about: "End an API token at once", who: baker, on: anyHub, status: http.StatusNoContent, endpoint: does((*server).revokeToken),
			refuses: []refusal.Code{refusal.NoSuchToken}},

		{method: http.MethodPost, path: "/v1/live-tickets", id: "live-ticket", about: "A ticket for one WebSocket connection that tells what happens, as it happens", who: baker, status: http.StatusCreated, endpoint: gives((*server).liveTicket)},

		{method: http.MethodGet, path: "/v1/traffic", id: "traffic", about: "The simulated traffic: the run under way, or what became of the last", who: baker, status: http.StatusOK, endpoint: gives((*server).traffic)},
		{method: http.MethodPost, path: "/v1/traffic", id: "start-traffic", about: "Send simulated people into the shop for some of the day's minutes", who: baker, status: http.StatusCreated, endpoint: takes((*server).startTraffic),
			refuses: []refusal.Code{refusal.TrafficRunning, refusal.TrafficSpent, refusal.Forbidden}},
		{method: http.MethodDelete, path: "/v1/traffic", id: "stop-traffic", about: "Stop the traffic; the minutes it has not begun come back", who: baker, status: http.StatusOK, endpoint: gives((*server).stopTraffic)},

		{method: http.MethodGet, path: "/v1/menu", id: "menu", about: "What there is to buy", who: anyone, status: http.StatusOK, endpoint: gives((*server).menu)},
		{method: http.MethodPatch, path: "/v1/menu/{sku}", id: "edit-item", about: "Take an item off the menu, or put it back", who: baker, status: http.StatusOK, endpoint: takes((*server).editItem),
			refuses: []refusal.Code{refusal.UnknownSKU}},
		{method: http.MethodGet, path: "/v1/slots", id: "slots", about: "The pickup slots of a local date, or of up to 14 in a row", who: anyone, status: http.StatusOK, endpoint: asks((*server).slots)},
		{method: http.MethodGet, path: "/v1/slots/{slot}", id: "slot", about: "One pickup slot", who: anyone, status: http.StatusOK, endpoint: gives((*server).slot),
			refuses: []refusal.Code{refusal.NoSuchSlot}},
		{method: http.MethodPatch, path: "/v1/slots/{slot}", id: "edit-slot", about: "Change how many places a slot has", who: baker, status: http.StatusOK, endpoint: takes((*server).editSlot),
			refuses: []refusal.Code{refusal.NoSuchSlot, refusal.ChangedMeanwhile}},

		{method: http.MethodPost, path: "/v1/orders", id: "place-order", about: fmt.Sprintf("Order for a pickup slot; a place is held for %d minutes", bakery.HoldFor/time.Minute), who: anyone, key: keyRequired, status: http.StatusCreated, endpoint: takes((*server).placeOrder),
			refuses: []refusal.Code{refusal.HubFull, refusal.SlotFull, refusal.HoldLost, refusal.SlotPast, refusal.NoSuchSlot, refusal.UnknownSKU, refusal.SoldOut, refusal.KeyReused}},
		{method: http.MethodGet, path: "/v1/orders", id: "orders", about: "The orders, latest pickup first", who: anyone, status: http.StatusOK, endpoint: asks((*server).orders)},
		{method: http.MethodGet, path: "/v1/orders/{ref}", id: "order", about: "One order, and what happened to it", who: anyone, status: http.StatusOK, endpoint: gives((*server).order),
			refuses: []refusal.Code{refusal.NoSuchOrder}},
		{method: http.MethodPost, path: "/v1/orders/{ref}/payments", id: "pay", about: "Pay an order", who: anyone, key: keyRequired, status: http.StatusOK, endpoint: takes((*server).pay),
			refuses: []refusal.Code{refusal.NoSuchOrder, refusal.AmountMismatch, refusal.TooManyPayments, refusal.KeyReused}},
		{method: http.MethodPost, path: "/v1/orders/{ref}/cancel", id: "cancel", about: "Cancel an order; a paid one asks for its refund", who: anyone, status: http.StatusOK, endpoint: gives((*server).cancel),
			refuses: []refusal.Code{refusal.NoSuchOrder, refusal.OrderFinal}},
		{method: http.MethodPost, path: "/v1/orders/{ref}/collect", id: "collect", about: "Hand a paid order over", who: baker, status: http.StatusOK, endpoint: gives((*server).collect),
			refuses: []refusal.Code{refusal.NoSuchOrder, refusal.OrderNotPaid, refusal.OrderFinal}},
		{method: http.MethodGet, path: "/v1/events", id: "events", about: "What happened in the hub, in the order of the ids", who: baker, status: http.StatusOK, endpoint: asks((*server).events)},
	}
}
