package awake

import (
	"reflect"
	"strings"
	"testing"
)

func TestAnExceptionIsADeclarationAThingAndAReason(t *testing.T) {
	got, err := ParseExceptions("# a list\n\nos.newFile  runtime.SetFinalizer  closes what nobody closed\n\ta.b go×2 both end\n")
	want := []Exception{
		{In: "os.newFile", What: "runtime.SetFinalizer", Times: 1, Why: "closes what nobody closed", Line: 3},
		{In: "a.b", What: "go", Times: 2, Why: "both end", Line: 4},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

func TestAnExceptionWithoutAReasonIsNone(t *testing.T) {
	for list, want := range map[string]string{
		"os.newFile runtime.SetFinalizer":   "line 1",
		"a.b go why\na.b":                   "line 2",
		"a.b go why\na.b go another":        "twice",
		"a.b go×1 once is what it says":     "no number",
		"a.b go×many as often as one likes": "no number",
	} {
		if _, err := ParseExceptions(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want a complaint that says %q", list, err, want)
		}
	}
}
