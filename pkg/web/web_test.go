package web

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
)

func TestNextStaysOnThisSite(t *testing.T) {
	for _, path := range []string{"/", "/shop", "/shop?date=2026-12-05&pickup=20261205T0915Z", "/orders/20261205T0915Z-0123456789", "/a//b", "/å"} {
		if got := next(path, "/x"); got != path {
			t.Errorf("%q became %q", path, got)
		}
	}
	for _, path := range []string{"", "shop", "//evil.example", "///evil.example", "/\\evil.example", "/a\\b", "\\\\evil.example", "https://evil.example", "javascript:alert(1)",
		"/\t/evil.example", "/\n/evil.example", "/a\r\nSet-Cookie: x", " /shop", "/a\x00", "/a\x7f", "/a\xff", "/" + strings.Repeat("a", 1024)} {
		if got := next(path, "/x"); got != "/x" {
			t.Errorf("%q became %q", path, got)
		}
	}
}

func FuzzNext(f *testing.F) {
	for _, s := range []string{"/shop", "//evil", "/\\evil", "/\t/evil", "http://evil", "/../x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		got := next(path, "/x")
		// A browser drops tab and line ends, and reads a backslash as a slash.
		seen := strings.ReplaceAll(strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(strings.TrimSpace(got)), `\`, "/")
		if !strings.HasPrefix(seen, "/") || strings.HasPrefix(seen, "//") {
			t.Errorf("%q leads to %q", path, got)
		}
	})
}

func TestMoneyIsWrittenAsASwedishShopDoes(t *testing.T) {
	for want, m := range map[string]bakery.Money{
		"45,00 kr": {Amount: 4500, Currency: "SEK"}, "45,50 kr": {Amount: 4550, Currency: "SEK"}, "0,05 kr": {Amount: 5, Currency: "SEK"},
		"1 045,00 kr": {Amount: 104500, Currency: "SEK"}, "1 234 567,89 kr": {Amount: 123456789, Currency: "SEK"},
		"−3,00 kr": {Amount: -300, Currency: "SEK"}, "3,20 €": {Amount: 320, Currency: "EUR"}, "320 JPY": {Amount: 320, Currency: "JPY"},
	} {
		if got := strings.ReplaceAll(money(m), nbsp, " "); got != want {
			t.Errorf("%v is %q, want %q", m, got, want)
		}
	}
}

func TestDurationsAreWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 seconds", time.Second: "1 second", time.Millisecond: "1 second", 59 * time.Second: "59 seconds", 59*time.Second + 1: "1 minute",
		750 * time.Second: "12 minutes 30 seconds", 61 * time.Second: "1 minute 1 second", time.Hour: "about 1 hour",
		3*time.Hour + 10*time.Minute: "about 3 hours", 47 * time.Hour: "about 47 hours", 49 * time.Hour: "about 2 days", -time.Second: "0 seconds",
	} {
		if got := inWords(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestABarShowsEveryPlaceOrTheirShare(t *testing.T) {
	s := &Site{words: wordsIn("Europe/Stockholm")}
	for _, c := range []struct {
		capacity, held, confirmed int
		box, room                 string
		whole                     int // cells
	}{{6, 1, 2, "0 0 58 8", "3 free", 2}, {0, 0, 0, "0 0 8 8", "full", 0}, {12, 0, 12, "0 0 118 8", "full", 12}, {200, 50, 100, "0 0 120 8", "50 free", 1}, {6, 0, 7, "0 0 68 8", "full", 7}} {
		got := s.chip(bakery.SlotView{Capacity: c.capacity, Held: c.held, Confirmed: c.confirmed})
		if got.Box != c.box || got.Room != c.room || strings.Count(got.Paid, "M") != c.whole {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// eventTypes are all constants of type EventType in a package's source.
func eventTypes(t *testing.T, pkg string) (types []hub.EventType) {
	t.Helper()
	files, _ := filepath.Glob("../" + pkg + "/*.go")
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || len(v.Values) != 1 {
				return true
			}
			named := ""
			switch of := v.Type.(type) {
			case *ast.Ident:
				named = of.Name
			case *ast.SelectorExpr:
				named = of.Sel.Name
			}
			if text, ok := v.Values[0].(*ast.BasicLit); ok && named == "EventType" {
				s, _ := strconv.Unquote(text.Value)
				types = append(types, hub.EventType(s))
			}
			return true
		})
	}
	return types
}

func TestEveryEventHasWords(t *testing.T) {
	s := &Site{words: wordsIn("Europe/Stockholm")}
	types := slices.Concat(eventTypes(t, "hub"), eventTypes(t, "bakery"), eventTypes(t, "traffic"))
	if len(types) < 16 {
		t.Fatalf("only %d types of events were found: %v", len(types), types)
	}
	o := bakery.OrderView{Order: bakery.Order{Slot: "20261205T0915Z"}}
	for _, typ := range types {
		l := s.tell(o, bakery.Event{Type: typ, At: time.Unix(0, 0), From: 6, To: 8, Seconds: 900})
		if said := l.Before + l.Link + l.After; said == "" || said == readable(typ) || strings.Contains(said, string(typ)) {
			t.Errorf("%s is told as %q", typ, said)
		}
	}
	if got := s.tell(o, bakery.Event{Type: "OvenLit"}).Before; got != "Oven lit." {
		t.Errorf("what nobody knows is told as %q", got)
	}
}

func TestTheStorySaysTheEndThatAHoldHad(t *testing.T) {
	s := &Site{words: wordsIn("Europe/Stockholm")}
	start := time.Date(2026, 12, 5, 8, 0, 0, 0, time.UTC)
	at := func(minute int) time.Time { return start.Add(time.Duration(minute) * time.Minute) }
	o := bakery.OrderView{Order: bakery.Order{Slot: "20261205T0915Z", PlacedAt: at(40), HoldEnd: at(47), History: []bakery.Event{
		{Type: bakery.HoldMade, At: at(0)}, {Type: bakery.HoldReleased, Reason: bakery.ReasonHoldExpired, At: at(20)}, {Type: bakery.HoldRetaken, At: at(40)},
	}}}
	for i, want := range map[int]string{0: " is held until 09:20.", 2: " is held once more, until 09:47."} {
		if got := s.tell(o, o.History[i]).After; got != want {
			t.Errorf("event %d: %q, want %q", i, got, want)
		}
	}
	o.History[1].Reason = bakery.ReasonCancelled
	if got := s.tell(o, o.History[0]).After; got != " is held until 09:15." {
		t.Errorf("with no record of its end: %q", got)
	}
}

type zoneOnly struct{ Shop }

func (zoneOnly) Zone() string { return "Europe/Stockholm" }

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		New(Config{Shop: zoneOnly{}})
	}
}
