package limit

import (
	"fmt"
	"strings"
	"time"

	"pocbakery/pkg/refusal"
)

// The fields that tell of limits, as in draft-ietf-httpapi-ratelimit-headers-11.
const (
	PolicyField = "RateLimit-Policy"
	StateField  = "RateLimit"
)

// Policy is the policy field's value for what these limits said; empty for none.
func Policy(ds ...Decision) string {
	return list(ds, func(d Decision) string {
		r := d.Name.Rate()
		return fmt.Sprintf("%q;q=%d;w=%d", d.Name, r.Quota, int(r.Window/time.Second))
	})
}

// State is the other field's value: what is left, and in how many seconds,
// rounded up, the whole quota is there again.
func State(ds ...Decision) string {
	return list(ds, func(d Decision) string {
		return fmt.Sprintf("%q;r=%d;t=%d", d.Name, d.Left, int((d.Full+time.Second-1)/time.Second))
	})
}

func list(ds []Decision, one func(Decision) string) string {
	var all []string
	for _, d := range ds {
		if d.Applies {
			all = append(all, one(d))
		}
	}
	return strings.Join(all, ", ")
}

// told is a limit in words.
var told = [names]string{
	Sandboxes: "An address asks for at most one sandbox a minute.",
	Commands:  "A session gives at most 60 commands a minute.",
	Reads:     "A session reads at most 240 times a minute.",
	Hub:       "A sandbox takes at most 300 commands a minute, whoever gives them.",
	Token:     "An API token asks at most 60 times a minute.",
	Sockets:   "A session connects for live updates at most 6 times a minute.",
	Plans:     "The file of a plan is fetched at most 30 times a day.",
}

// RetryAfter is when whoever was refused may come back, however much of the
// window has passed.
const RetryAfter = time.Minute

// Err is the refusal of what a limit refused, nil for what it let pass.
func (d Decision) Err() error {
	if !d.Refused {
		return nil
	}
	if step := d.Name.Rate().step(); step > RetryAfter { // what comes back is more than a minute away
		return refusal.New(refusal.RateLimited, told[d.Name]+" Ask again in an hour.").After(step)
	}
	return refusal.New(refusal.RateLimited, told[d.Name]+" Ask again in a minute.").After(RetryAfter)
}
