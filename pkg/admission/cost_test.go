package admission_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/admission"
)

// Prices of DynamoDB on demand in us-east-1 since 2024-11-01, dollars a million.
const (
	readUnitPrice  = 0.125
	writeUnitPrice = 0.625
)

// grouped writes a number with commas.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func TestTheCostPageSaysWhatTenThousandRefusalsCost(t *testing.T) {
	page, err := os.ReadFile("../../docs/cost.md")
	if err != nil {
		t.Fatal(err)
	}
	const refused = 10_000
	for what, pause := range map[string]time.Duration{
		"the limit of an address, from memory":                time.Millisecond,
		"a full day that was read within the second":          0,
		"a full day, each by a process that has read nothing": time.Second,
	} {
		d := open(t, "2026-11-30 00:00:00")
		if strings.HasPrefix(what, "the limit") {
			d = limited(t, "2026-11-30 00:00:00")
			d.ask(admission.Request{Key: key(refused), Address: from(1)})
		} else {
			zero := 0
			d.edit(admission.Edit{Cap: &zero})
		}
		d.Meter.Reset()
		for n := range refused {
			d.Set(d.Now().Add(pause))
			if _, code, _ := d.ask(admission.Request{Key: key(n), Address: from(1)}); code != "rate-limited" && code != "day-full" {
				t.Fatalf("%s: %q", what, code)
			}
		}
		total := d.Meter.Total()
		dollars := (total.ReadUnits*readUnitPrice + total.WriteUnits*writeUnitPrice) / 1e6
		row := fmt.Sprintf("| %s | %s | %s | %s | %.4f |", what, grouped(total.Requests), grouped(int64(total.ReadUnits)), grouped(int64(total.WriteUnits)), dollars)
		if !strings.Contains(string(page), row+"\n") {
			t.Errorf("docs/cost.md lacks\n%s", row)
		}
	}
}
