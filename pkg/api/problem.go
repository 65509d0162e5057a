package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

// statuses is the one map from what is refused to how HTTP says it.
var statuses = map[refusal.Code]int{
	refusal.MalformedBody:     http.StatusBadRequest,
	refusal.UnknownField:      http.StatusBadRequest,
	refusal.KeyMissing:        http.StatusBadRequest,
	refusal.KeyInvalid:        http.StatusBadRequest,
	refusal.KeyReused:         http.StatusUnprocessableEntity,
	refusal.Invalid:           http.StatusUnprocessableEntity,
	refusal.Unauthenticated:   http.StatusUnauthorized,
	refusal.Forbidden:         http.StatusForbidden,
	refusal.CrossOrigin:       http.StatusForbidden,
	refusal.NoSuchRoute:       http.StatusNotFound,
	refusal.NoSuchSlot:        http.StatusNotFound,
	refusal.NoSuchOrder:       http.StatusNotFound,
	refusal.MethodNotAllowed:  http.StatusMethodNotAllowed,
	refusal.UnsupportedMedia:  http.StatusUnsupportedMediaType,
	refusal.BodyTooLarge:      http.StatusRequestEntityTooLarge,
	refusal.SandboxEnded:      http.StatusGone,
	refusal.TableUnavailable:  http.StatusServiceUnavailable,
	refusal.Internal:          http.StatusInternalServerError,
	refusal.NotYet:            http.StatusUnprocessableEntity,
	refusal.SlotFull:          http.StatusConflict,
	refusal.SlotPast:          http.StatusConflict,
	refusal.HoldLost:          http.StatusConflict,
	refusal.UnknownSKU:        http.StatusUnprocessableEntity,
	refusal.SoldOut:           http.StatusUnprocessableEntity,
	refusal.ChangedMeanwhile:  http.StatusPreconditionFailed,
	refusal.AmountMismatch:    http.StatusUnprocessableEntity,
	refusal.TooManyPayments:   http.StatusConflict,
	refusal.OrderFinal:        http.StatusConflict,
	refusal.OrderNotPaid:      http.StatusConflict,
	refusal.TooMany:           http.StatusConflict,
	refusal.NoSuchToken:       http.StatusNotFound,
	refusal.TrafficRunning:    http.StatusConflict,
	refusal.TrafficSpent:      http.StatusTooManyRequests,
	refusal.NoShop:            http.StatusNotFound,
	refusal.SignInFailed:      http.StatusBadRequest,
	refusal.SignInUnavailable: http.StatusServiceUnavailable,
	refusal.AccountEnding:     http.StatusConflict,
	refusal.AdvanceRunning:    http.StatusServiceUnavailable,
	refusal.DayFull:           http.StatusServiceUnavailable,
	refusal.GuestShareFull:    http.StatusServiceUnavailable,
	refusal.DemoFull:          http.StatusServiceUnavailable,
	refusal.AdmissionsOff:     http.StatusServiceUnavailable,
	refusal.ReadOnly:          http.StatusServiceUnavailable,

	refusal.RateLimited:          http.StatusTooManyRequests,
	refusal.AccountLimit:         http.StatusTooManyRequests,
	refusal.AddressLimit:         http.StatusTooManyRequests,
	refusal.HubFull:              http.StatusTooManyRequests,
	refusal.TurnstileMissing:     http.StatusForbidden,
	refusal.TurnstileFailed:      http.StatusForbidden,
	refusal.TurnstileUnavailable: http.StatusServiceUnavailable,
	refusal.Misconfigured:        http.StatusServiceUnavailable,

	refusal.NoSuchTask:     http.StatusNotFound,
	refusal.NoSuchBlock:    http.StatusNotFound,
	refusal.NoSuchCalendar: http.StatusNotFound,
	refusal.BlockFinal:     http.StatusConflict,
	refusal.PinConflict:    http.StatusConflict,
	refusal.CalendarURL:    http.StatusUnprocessableEntity,
}

// Problem is a refusal or a failure as HTTP tells it.
type Problem struct {
	Status     int
	Code       refusal.Code
	Title      string
	Detail     string
	Field      string
	RetryAfter time.Duration // 0 where no time is known
	More       any           // what the refusal carries beside its sentence
}

// tableRetry is when to ask again where the table did not answer.
const tableRetry = time.Second

// ProblemOf is the one reading of what stands in a service's error position.
// Of what is no refusal, it says nothing but that it happened.
func ProblemOf(err error) Problem {
	r := refusalOf(err)
	status, ok := statuses[r.Code]
	if !ok {
		r = brokenRefusal
		status = http.StatusInternalServerError
	}
	return Problem{Status: status, Code: r.Code, Title: refusal.Meanings[r.Code].Title, Detail: r.Detail,
		Field: r.Field, RetryAfter: r.RetryAfter, More: r.More}
}

var (
	brokenRefusal = refusal.New(refusal.Internal, "Something broke on our side. It has been logged.")
	tableRefusal  = refusal.New(refusal.TableUnavailable, "The order book did not answer in time. Ask again under the same key.").After(tableRetry)
)

// notAnswered are the failures that may pass.
var notAnswered = []error{store.ErrUnavailable, store.ErrUnknown, store.ErrConflict, store.ErrNewerSchema, context.DeadlineExceeded, context.Canceled}

func refusalOf(err error) *refusal.Refusal {
	var r *refusal.Refusal
	if errors.As(err, &r) && r != nil {
		return r
	}
	for _, unavailable := range notAnswered {
		if errors.Is(err, unavailable) {
			return tableRefusal
		}
	}
	return brokenRefusal
}

// problemJSON is a Problem on the wire, RFC 9457.
type problemJSON struct {
	_                  struct{}     `additionalProperties:"true"`
	Type               string       `json:"type" format:"uri-reference" doc:"The page that explains the code"`
	Title              string       `json:"title" doc:"A few words, the same for every refusal of this code"`
	Status             int          `json:"status"`
	Detail             string       `json:"detail" doc:"One sentence for who asked"`
	Code               refusal.Code `json:"code" doc:"What clients act on"`
	Field              string       `json:"field,omitempty" doc:"The part of the request at fault"`
	NextFree           *slotJSON    `json:"next_free,omitempty" doc:"The next slot with room (slot-full, hold-lost)"`
	EarliestHoldEndsAt instant      `json:"earliest_hold_ends_at,omitzero" doc:"When room first appears (slot-full)"`
}

func (p Problem) json() problemJSON {
	out := problemJSON{Type: "/problems/" + string(p.Code), Title: p.Title, Status: p.Status, Detail: p.Detail, Code: p.Code, Field: p.Field}
	if full, ok := p.More.(bakery.Full); ok {
		if full.NextFree != nil {
			next := slotOf(*full.NextFree)
			out.NextFree = &next
		}
		out.EarliestHoldEndsAt = instant(full.EarliestHoldEnd)
	}
	return out
}

// retrySeconds is the header's value: whole seconds, rounded up. Only a wait
// that is known has one, so it is at least 1.
func (p Problem) retrySeconds() int64 { return int64((p.RetryAfter + time.Second - 1) / time.Second) }
