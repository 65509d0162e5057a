package human

import (
	"slices"

	"github.com/go-json-experiment/json"

	"pocbakery/pkg/refusal"
)

// answer is siteverify's answer, as far as it is looked at.
type answer struct {
	Success  *bool    `json:"success"`
	Codes    []string `json:"error-codes"`
	Hostname string   `json:"hostname"`
	Action   string   `json:"action"`

	passed bool
}

// read reads an answer; ok is false for what is none.
func read(body []byte) (a answer, ok bool) {
	if len(body) > maxAnswer || json.Unmarshal(body, &a) != nil || a.Success == nil {
		return answer{}, false
	}
	a.passed = *a.Success && len(a.Codes) == 0
	return a, true
}

// internalError is siteverify's own failure; it invites to ask again.
const internalError = "internal-error"

// outcomes are the error codes and what each is here. Of a code that is not
// listed nobody knows whose fault it is, and no visitor is told that it is theirs.
var outcomes = map[string]refusal.Code{
	"missing-input-secret":   refusal.Misconfigured,
	"invalid-input-secret":   refusal.Misconfigured,
	"missing-input-response": refusal.TurnstileFailed,
	"invalid-input-response": refusal.TurnstileFailed,
	"timeout-or-duplicate":   refusal.TurnstileFailed,
	"bad-request":            refusal.TurnstileUnavailable,
	internalError:            refusal.TurnstileUnavailable,
}

func (a answer) hasCode(code string) bool { return slices.Contains(a.Codes, code) }

// verdict is what the answer says of the token, hostname and action aside.
func (a answer) verdict() error {
	if a.passed {
		return nil
	}
	all := map[refusal.Code]bool{}
	for _, code := range a.Codes {
		outcome, known := outcomes[code]
		if !known {
			outcome = refusal.TurnstileUnavailable
		}
		all[outcome] = true
	}
	switch {
	case all[refusal.Misconfigured]:
		return misconfigured("The human check does not take our secret.")
	case all[refusal.TurnstileFailed] && len(all) == 1:
		return failed("The human check did not pass: its token is not real, was used before, or is older than 5 minutes.")
	}
	return refusal.New(refusal.TurnstileUnavailable, "The human check gave an answer that says nothing about you. Ask again under the same key.")
}

func failed(detail string) error {
	return refusal.At(refusal.TurnstileFailed, "turnstile_token", detail)
}
