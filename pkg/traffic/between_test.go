package traffic_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/store/faults"
)

// atCall does something right before the n-th call of the table from now on, in
// the middle of whatever makes it.
func (s *street) atCall(n int, do func()) {
	calls := 0
	s.Faults.Set(faults.Config{Latency: func() {
		if calls++; calls == n {
			do()
		}
	}})
}

// Between any two calls that a turn makes of the table, something else happens
// from beginning to end: another run of the hub, somebody who stops the
// traffic, or who stops it and starts anew. The first turn may also go on a
// minute that a crash left in the middle.
func TestWhateverHappensInTheMiddleOfATurnEachMinuteIsPlayedAndCountedOnce(t *testing.T) {
	between := map[string]func(s *street){
		"another run":      func(s *street) { s.run() },
		"two minutes more": func(s *street) { s.sleep(2 * time.Minute); s.run() },
		"stopped":          func(s *street) { s.stop() },
		"stopped, anew":    func(s *street) { s.stop(); s.start(2, 3) },
	}
	for what, happens := range between {
		for crashed := range 4 { // before this call of the first turn; 0 for not at all
			for at, more := 1, true; more; at++ {
				name := fmt.Sprintf("%s at call %d, crashed at %d", what, at, crashed)
				s := open(t, "2026-11-30 12:00:00")
				s.start(5, 4)
				s.sleep(time.Minute)
				if crashed > 0 {
					s.atCall(crashed*9, func() { panic("the power went") })
					func() {
						defer func() { _ = recover() }()
						s.run()
					}()
				}
				more = false
				s.atCall(at, func() { more = true; happens(s) })
				s.run()
				s.atCall(0, nil)
				if !more && what[:7] == "stopped" { // the turn has no such call
					happens(s)
				}
				for range 20 {
					s.sleep(time.Minute)
					s.run()
				}
				got := s.read()
				for n, c := range got.Series {
					if want := map[bool]int{true: 3, false: 4}[got.Minutes == 2]; c.Placed+c.Refused != want {
						t.Errorf("%s: %d people in minute %d", name, c.Placed+c.Refused, n)
					}
				}
				events := strings.Join(s.told(), " ")
				switch what {
				case "stopped":
					same(t, got.UsedToday, 2, name+": used")
				case "stopped, anew":
					same(t, got.UsedToday, 4, name+": used")
					same(t, len(got.Series), 2, name+": minutes")
				default:
					same(t, got.UsedToday, 5, name+": used")
					same(t, len(got.Series), 5, name+": minutes")
					all, _ := s.orders()
					same(t, got.Total().Placed, all, name+": orders")
				}
				if strings.Count(events, "Started") != strings.Count(events, "Stopped") {
					t.Errorf("%s: %s", name, events)
				}
			}
		}
	}
}
