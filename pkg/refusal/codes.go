package refusal

// Code names a kind of refusal. Clients act on it; it never changes its meaning.
type Code string

// Every code the bakery can answer with.
const (
	MalformedBody    Code = "malformed-body"
	UnknownField     Code = "unknown-field"
	KeyMissing       Code = "idempotency-key-missing"
	KeyInvalid       Code = "idempotency-key-invalid"
	KeyReused        Code = "idempotency-key-reused"
	Invalid          Code = "invalid"
	Unauthenticated  Code = "unauthenticated"
	Forbidden        Code = "forbidden"
	CrossOrigin      Code = "cross-origin"
	NoSuchRoute      Code = "no-such-route"
	NoSuchSlot       Code = "no-such-slot"
	NoSuchOrder      Code = "no-such-order"
	MethodNotAllowed Code = "method-not-allowed"
	UnsupportedMedia Code = "unsupported-media-type"
	BodyTooLarge     Code = "body-too-large"
	SandboxEnded     Code = "sandbox-ended"
	TableUnavailable Code = "table-unavailable"
	Internal         Code = "internal"
	NotYet           Code = "not-yet"
	SlotFull         Code = "slot-full"
	SlotPast         Code = "slot-past"
	HoldLost         Code = "hold-lost"
	UnknownSKU       Code = "unknown-sku"
	SoldOut          Code = "sold-out"
	ChangedMeanwhile Code = "changed-meanwhile"
	AmountMismatch   Code = "amount-mismatch"
	TooManyPayments  Code = "too-many-payments"
	OrderFinal       Code = "order-final"
	OrderNotPaid     Code = "order-not-paid"
	TooMany          Code = "too-many"
	NoSuchToken      Code = "no-such-token"
	TrafficRunning   Code = "traffic-running"
	TrafficSpent     Code = "traffic-minutes-spent"
	AdvanceRunning   Code = "advance-running"
	NoShop           Code = "no-shop"
	AccountEnding    Code = "account-ending"
	SignInFailed     Code = "sign-in-failed"

	SignInUnavailable Code = "sign-in-unavailable"
	DayFull           Code = "day-full"
	GuestShareFull    Code = "guest-share-full"
	DemoFull          Code = "demo-full"
	AdmissionsOff     Code = "admissions-off"
	ReadOnly          Code = "read-only"

	RateLimited          Code = "rate-limited"
	AccountLimit         Code = "account-limit"
	AddressLimit         Code = "address-limit"
	HubFull              Code = "hub-full"
	TurnstileMissing     Code = "turnstile-missing"
	TurnstileFailed      Code = "turnstile-failed"
	TurnstileUnavailable Code = "turnstile-unavailable"
	Misconfigured        Code = "misconfigured"

	NoSuchTask     Code = "no-such-task"
	NoSuchBlock    Code = "no-such-block"
	NoSuchCalendar Code = "no-such-calendar"
	BlockFinal     Code = "block-final"
	PinConflict    Code = "pin-conflict"
	CalendarURL    Code = "calendar-url"
)

// Meaning is what a code's page says.
type Meaning struct {
	Title string // a few words, the same for every refusal of this code
	Text  string // what happened and what can be done
}

// Meanings has one entry a code.
var Meanings = map[Code]Meaning{
	MalformedBody:     {"The body could not be read", "The request's body is not one JSON value as the bakery reads it: valid UTF-8, no key twice (also not in another case), nothing after it, at most 32 levels deep, no control characters in text. Nothing was done. Correct the body and send it again."},
	UnknownField:      {"The body has a field nobody asked for", "The bakery refuses fields it does not know, so that a misspelt one is not silently ignored. The answer names it. Take it out, or look it up in the reference."},
	KeyMissing:        {"The Idempotency-Key is missing", "Requests that create something carry an Idempotency-Key, so that a repeat after a lost answer finds the first answer instead of creating a second thing. Send one of your own making: 8 to 128 visible characters, a new one for each thing you want."},
	KeyInvalid:        {"The Idempotency-Key cannot be used", "A key is 8 to 128 visible characters. The key of a new sandbox is also a secret, because repeating it hands out a session: it has at least 22 characters, of at least 8 kinds."},
	KeyReused:         {"The key belongs to another request", "This Idempotency-Key was used before, with another body. A repeat must say the same thing. Use a new key for a new request."},
	Invalid:           {"A value is not allowed", "The request was understood, and one of its values is out of bounds. The answer names the field and the bounds."},
	Unauthenticated:   {"Nobody is signed in", "The request carries no credential, or one that is forged, revoked or of a sandbox long gone. Start a sandbox, or send its session token."},
	Forbidden:         {"Not yours to do", "Your role does not include this. In a sandbox a baker may do everything, a customer may order, pay and cancel."},
	CrossOrigin:       {"The command came from another site", "A page of another site tried to act with your cookie. The bakery only takes commands from its own pages, or from programs that send a token themselves."},
	NoSuchRoute:       {"There is nothing here", "No page and no route has this address."},
	NoSuchSlot:        {"There is no such slot", "Pickup slots exist from today through the next 13 days, in the opening hours, every quarter of an hour. The id is the slot's start in UTC, such as 20261205T0915Z."},
	NoSuchOrder:       {"There is no such order", "No order of this shop has that ref."},
	MethodNotAllowed:  {"The address exists, the method does not", "The Allow header lists the methods this address takes."},
	UnsupportedMedia:  {"The body is not JSON", "Send the body as application/json."},
	BodyTooLarge:      {"The body is too large", "A body has at most 16 KB."},
	SandboxEnded:      {"This sandbox is over", "Every sandbox ends at the first 10:00 UTC after its birth, or when its visitor wipes it. Everything in it is gone. Start another whenever you like."},
	TableUnavailable:  {"The order book did not answer", "The table behind the bakery did not answer in time. What you asked for may or may not have been done: ask again under the same key, and you will get the one true answer."},
	Internal:          {"Something broke on our side", "The bakery ran into a fault of its own. It has been logged. Asking again under the same key is safe."},
	NotYet:            {"Not built yet", "This part of the bakery is announced and not built. The change log says what is."},
	SlotFull:          {"The slot is full", "All places of the slot are taken. The answer names the next slot with room and, where unpaid orders hold places, the instant at which one first comes free."},
	SlotPast:          {"The slot has begun", "A slot can be ordered for until it begins."},
	HoldLost:          {"The place was given away", "Your hold on this place ended before the order was complete, and somebody else has the place now. The answer names the next slot with room."},
	UnknownSKU:        {"There is no such item", "The menu has no item of that sku."},
	SoldOut:           {"The item is sold out", "The item is on the menu and not available now."},
	ChangedMeanwhile:  {"It changed in the meantime", "The slot is no longer as it was when you read it. Read it again, and decide again."},
	AmountMismatch:    {"The amount is not the order's total", "A payment is for exactly the order's total, in its currency."},
	TooManyPayments:   {"The order has too many payments", "An order takes at most 10 payments, counting those that are to be refunded."},
	OrderFinal:        {"The order is settled", "A collected or expired order does not change any more."},
	OrderNotPaid:      {"The order is not paid", "Only a paid order can be handed over."},
	TooMany:           {"There are as many as there can be", "The bakery keeps a bounded number of these. End one you do not need, and make the new one then."},
	NoSuchToken:       {"There is no such token", "No API token of yours has this id. It may have been revoked already."},
	TrafficRunning:    {"Traffic is running already", "A shop has one run of simulated traffic at a time. Stop the one that is under way, which returns the minutes it has not begun, or let it end."},
	TrafficSpent:      {"The day's minutes of traffic are not enough", "A sandbox has 30 minutes of simulated traffic a day, taken when a run starts. They are counted anew from 00:00 UTC."},
	NoShop:            {"There is no shop here", "An account's own hub has a planner and no shop. Start a sandbox, or go to the shop that you have one of."},
	SignInFailed:      {"Signing in did not work", "The provider did not sign you in, its answer was not good, or it came to another browser or after more than 10 minutes. Nothing has changed here. Sign in again."},
	AccountEnding:     {"The account is being erased", "Everything this account had is being erased, in two passes about a minute apart. It can begin anew after that."},
	SignInUnavailable: {"Signing in is not possible now", "The provider that signs people in cannot be reached. Guests and the demo accounts need none."},
	AdvanceRunning:    {"The clock has moved, its work is still going on", "The clock stands at the target. More came due on the way than fits in one answer, and the rest is being done now."},
	DayFull:           {"The day is full", "The bakery lends a bounded number of sandboxes a day, and today's are gone. The count starts again at 00:00 UTC."},
	GuestShareFull:    {"The guests' share of the day is gone", "A part of each day's sandboxes is for guests, and today's part is gone. The count starts again at 00:00 UTC."},
	DemoFull:          {"The demo accounts' share of the day is gone", "A part of each day's sandboxes is for the demo accounts, and today's part is gone. The count starts again at 00:00 UTC."},
	AdmissionsOff:     {"The bakery is not lending sandboxes now", "Somebody has switched admission off. There is no known time at which it is switched on again; the status page shows it."},
	ReadOnly:          {"The bakery is read-only now", "Somebody has switched the bakery to read-only: it can be looked at, and nothing can be changed but ending what you have. The status page shows it."},

	RateLimited:          {"Too much was asked in a minute", "What one address, session, sandbox or API token may ask for in a minute is bounded, and it was asked for more. Nothing was done. The fields RateLimit and RateLimit-Policy of every answer say what is left; come back in a minute."},
	AccountLimit:         {"This account has had its sandboxes of today", "An account starts at most 3 sandboxes a day. The count starts again at 00:00 UTC. Until then, one that still stands can be used on."},
	AddressLimit:         {"This address has had its sandboxes of today", "An address starts at most 10 sandboxes a day, whoever asks from it. The count starts again at 00:00 UTC."},
	HubFull:              {"The sandbox has as many orders as it can have", "A sandbox takes at most 3,000 orders of its visitor's own. What stands in it can be paid, cancelled and collected. It ends at the next 10:00 UTC, and another is empty."},
	TurnstileMissing:     {"The human check was not done", "Guests and demo accounts show that they are people: the sign-in page runs Cloudflare's Turnstile and sends the token it makes. The request came without one, and nothing was counted. Do the check, and ask again."},
	TurnstileFailed:      {"The human check did not pass", "The token is not one that our human check made, was used before, or is older than 5 minutes. Nothing was counted. Do the check again for a new token."},
	TurnstileUnavailable: {"The human check cannot be reached", "Whether the token is good could not be found out within 2 seconds, and without that nobody is let in. Nothing was counted. Ask again under the same key: the token is still good if its 5 minutes have not passed."},
	Misconfigured:        {"The bakery is not set up", "This stage lacks something that it cannot be open without, such as the secret of its human check, and answers nothing else until its operator has put that right."},

	NoSuchTask:     {"There is no such task", "No task of this planner has that id. It may have been deleted."},
	NoSuchBlock:    {"There is no such block", "No block of the plan, or of the last days, has that id."},
	NoSuchCalendar: {"There is no such calendar", "No calendar of this planner has that id. It may have been disconnected."},
	BlockFinal:     {"The block is over", "A block that is done, missed or left behind does not change any more. What remained of its work has another place."},
	PinConflict:    {"Two pins overlap", "A task can be pinned over a meeting, and not over another pinned task. The answer names that one and its times."},
	CalendarURL:    {"This cannot be a calendar's address", "A calendar has an http, https or webcal address of a public host, without a name or a password in it."},
}
