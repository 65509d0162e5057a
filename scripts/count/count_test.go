package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// count feeds the lines and returns what was printed and the verdict.
func count(t *testing.T, floorText string, lines ...string) (string, bool) {
	t.Helper()
	file := ""
	if floorText != "" {
		file = filepath.Join(t.TempDir(), "floor")
		if err := os.WriteFile(file, []byte(floorText), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	ok, err := run(strings.NewReader(strings.Join(lines, "\n")+"\n"), &out, file, "")
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), ok
}

func last(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

const (
	journey = `{"Action":"pass","Package":"a","Test":"TestJourneyOrder"}`
	seeds   = `{"Action":"pass","Package":"a","Test":"FuzzKey/seed#0"}
{"Action":"pass","Package":"a","Test":"FuzzKey/seed#1"}
{"Action":"pass","Package":"a","Test":"FuzzKey"}`
	table = `{"Action":"run","Package":"a","Test":"TestTable"}
{"Action":"pass","Package":"a","Test":"TestTable/one"}
{"Action":"pass","Package":"a","Test":"TestTable/two"}
{"Action":"pass","Package":"a","Test":"TestTable"}`
	passed = `{"Action":"pass","Package":"a","Elapsed":0.1}`
)

func TestTheThreeKindsAreCountedApart(t *testing.T) {
	out, ok := count(t, "journeys 1\nseeds 2\ntests 2\n", journey, seeds, table, passed)
	if !ok || last(out) != "5 passed, 0 failed" || !strings.Contains(out, "1 journeys, 2 fuzz seeds, 2 tests, 0 skipped\n") {
		t.Errorf("ok %v, printed:\n%s", ok, out)
	}
}

func TestTooFewIsRed(t *testing.T) {
	for _, least := range []string{"journeys 2", "seeds 3", "tests 3 # more than there are"} {
		if out, ok := count(t, least, journey, seeds, table, passed); ok || !strings.Contains(out, "below the floor") {
			t.Errorf("%s: ok %v, printed:\n%s", least, ok, out)
		}
	}
}

func TestNothingRunIsRed(t *testing.T) {
	if out, ok := count(t, "", `{"Action":"skip","Package":"a"}`); ok || last(out) != "0 passed, 0 failed" {
		t.Errorf("ok %v, printed:\n%s", ok, out)
	}
}

func TestASkippedJourneyIsNotCountedAndSaysWhy(t *testing.T) {
	out, ok := count(t, "journeys 1",
		`{"Action":"output","Package":"a","Test":"TestJourneyOrder","Output":"    journey_test.go:9: no Chromium here\n"}`,
		`{"Action":"skip","Package":"a","Test":"TestJourneyOrder"}`, table, passed)
	if ok || !strings.Contains(out, "skipped: a TestJourneyOrder: journey_test.go:9: no Chromium here") {
		t.Errorf("ok %v, printed:\n%s", ok, out)
	}
}

func TestAFailureIsCountedOnceAndItsOutputShown(t *testing.T) {
	out, ok := count(t, "",
		`{"Action":"output","Package":"a","Test":"TestTable/one","Output":"    it broke\n"}`,
		`{"Action":"fail","Package":"a","Test":"TestTable/one"}`,
		`{"Action":"pass","Package":"a","Test":"TestTable/two"}`,
		`{"Action":"fail","Package":"a","Test":"TestTable"}`,
		`{"Action":"fail","Package":"a"}`)
	if ok || last(out) != "1 passed, 1 failed" || !strings.Contains(out, "FAILED a\n  TestTable/one\n        it broke") {
		t.Errorf("ok %v, printed:\n%s", ok, out)
	}
}

func TestASubtestMayHaveSlashesInItsName(t *testing.T) {
	out, ok := count(t, "tests 1",
		`{"Action":"run","Package":"a","Test":"TestRoutes"}`,
		`{"Action":"pass","Package":"a","Test":"TestRoutes/POST_/v1/orders"}`,
		`{"Action":"pass","Package":"a","Test":"TestRoutes"}`, passed)
	if !ok || last(out) != "1 passed, 0 failed" {
		t.Errorf("ok %v, printed:\n%s", ok, out)
	}
}

func TestAPackageThatDoesNotBuildFails(t *testing.T) {
	out, ok := count(t, "", journey, passed,
		`{"ImportPath":"b [b.test]","Action":"build-output","Output":"b.go:3: undefined: x\n"}`,
		`{"ImportPath":"b [b.test]","Action":"build-fail"}`,
		`{"Action":"output","Package":"b","Output":"FAIL\tb [build failed]\n"}`,
		`{"Action":"fail","Package":"b","FailedBuild":"b [b.test]"}`)
	if ok || last(out) != "1 passed, 1 failed" || !strings.Contains(out, "undefined: x") {
		t.Errorf("ok %v, printed:\n%s", ok, out)
	}
}

func TestAProcessThatDiesFailsTheTestItWasIn(t *testing.T) {
	out, ok := count(t, "",
		`{"Action":"run","Package":"a","Test":"TestTable"}`,
		`{"Action":"output","Package":"a","Output":"panic: no shop\n"}`,
		`{"Action":"fail","Package":"a"}`)
	if ok || last(out) != "0 passed, 1 failed" || !strings.Contains(out, "never ended") || !strings.Contains(out, "no shop") {
		t.Errorf("ok %v, printed:\n%s", ok, out)
	}
}

func TestACutOffRunIsRed(t *testing.T) {
	if out, ok := count(t, "", journey); ok {
		t.Errorf("a package that never ended passed:\n%s", out)
	}
}

func TestLinesThatAreNoEventsAreHandedThrough(t *testing.T) {
	out, ok := count(t, "", "make: something to say", journey, passed)
	if !ok || !strings.HasPrefix(out, "make: something to say\n") {
		t.Errorf("ok %v, printed:\n%s", ok, out)
	}
}

func TestAFloorThatIsNoneIsAnError(t *testing.T) {
	for _, text := range []string{"journeys", "journeys many", "dances 3", "tests -1"} {
		if _, err := readFloor(strings.NewReader(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func FuzzALineNeverBreaksTheTally(f *testing.F) {
	f.Add([]byte(journey))
	f.Add([]byte(`{"Action":"fail","Package":"","Test":"/"}`))
	f.Add([]byte(`{"Action":"output"`))
	f.Fuzz(func(t *testing.T, line []byte) {
		tally := newTally()
		tally.line(line)
		var out strings.Builder
		tally.report(&out, floor{})
	})
}
