// Package refusal is how the bakery says no.
//
// A decision that turns somebody away is an outcome, not a failure: it has a
// [Code] that clients act on, words for people, and, where one is known, the
// time at which asking again makes sense. Services return it in the error
// position as a *Refusal; whatever else stands there is a failure, whose text
// is for the log and never for the visitor.
package refusal

import (
	"errors"
	"time"
)

// Refusal is one no.
type Refusal struct {
	Code   Code
	Detail string // one sentence for the one who asked; nothing secret
	Field  string // the part of the request at fault, where one is
	// RetryAfter is how long to wait before asking again; 0 where no time is known.
	RetryAfter time.Duration
	// More is what the answer carries beside the sentence; the HTTP layer
	// knows its types.
	More any
}

func (r *Refusal) Error() string { return string(r.Code) + ": " + r.Detail }

// New is a refusal with its sentence.
func New(code Code, detail string) *Refusal { return &Refusal{Code: code, Detail: detail} }

// At is a refusal of one part of the request.
func At(code Code, field, detail string) *Refusal {
	return &Refusal{Code: code, Field: field, Detail: detail}
}

// After sets when to come back.
func (r *Refusal) After(d time.Duration) *Refusal { r.RetryAfter = d; return r }

// With sets what the answer carries beside the sentence.
func (r *Refusal) With(more any) *Refusal { r.More = more; return r }

// Is reports whether err is a refusal of this code.
func Is(err error, code Code) bool {
	var r *Refusal
	return errors.As(err, &r) && r.Code == code
}
