package human_test

import (
	"encoding/json"
	"testing"

	"pocbakery/pkg/human"
)

// Whatever siteverify's answer is made of, only what another reader takes for
// a success too is one.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{`{"success":true}`, `{"success":true,"error-codes":[],"hostname":"a","action":"b"}`, `{"success":false,"error-codes":["bad-request"]}`, `{"success":true,"success":false}`, `{"succes\u0073":true}`, `{"success":true}x`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if !human.Passes(body) {
			return
		}
		var other map[string]any
		if err := json.Unmarshal(body, &other); err != nil || other["success"] != true {
			t.Errorf("%q passes, and another reader says %v, %v", body, other["success"], err)
		}
		if codes, _ := other["error-codes"].([]any); len(codes) > 0 {
			t.Errorf("%q passes with error codes", body)
		}
	})
}
