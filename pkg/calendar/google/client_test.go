package google

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"pocbakery/pkg/calendar"
	stand "pocbakery/pkg/local/google"
)

// side is the stand-in with a client that knows where it is.
type side struct {
	*Client
	stand *stand.Calendars
	url   string
	mu    sync.Mutex
	now   time.Time
}

func (s *side) wall() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func begin(t testing.TB) *side {
	t.Helper()
	s := &side{now: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)}
	s.stand = stand.New(s.wall, "run1")
	server := httptest.NewServer(s.stand.Handler())
	t.Cleanup(server.Close)
	s.url = server.URL
	s.Client = s.client()
	t.Cleanup(s.http.CloseIdleConnections)
	return s
}

func (s *side) client() *Client {
	return New(Config{
		ClientID: "local", Secret: "secret", Redirect: "http://127.0.0.1/back",
		AuthURL: s.url + "/o/oauth2/v2/auth", TokenURL: s.url + "/token", RevokeURL: s.url + "/revoke", API: s.url + "/calendar/v3",
	})
}

func (s *side) grant(t testing.TB) calendar.Grant {
	t.Helper()
	g, err := s.Grant(t.Context(), stand.LocalCode, "")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (s *side) set(t testing.TB, events ...stand.Event) {
	t.Helper()
	if err := s.stand.Set("primary", events); err != nil {
		t.Fatal(err)
	}
}

func meeting(id, start, end string) stand.Event {
	return stand.Event{ID: id, Summary: "Meeting " + id, Start: jsontext.Value(fmt.Sprintf("%q", start)), End: jsontext.Value(fmt.Sprintf("%q", end))}
}

func names(f calendar.Feed) string {
	var all []string
	for _, e := range f.Events {
		all = append(all, e.ID)
	}
	return strings.Join(all, " ")
}

func TestTheFirstFetchIsAllOfItAndTheNextOnlyWhatChanged(t *testing.T) {
	s := begin(t)
	g := s.grant(t)
	var all []stand.Event
	for n := range 20 {
		all = append(all, meeting(fmt.Sprintf("e%02d", n), "2026-12-02T09:00:00Z", "2026-12-02T10:00:00Z"))
	}
	s.set(t, all...)
	f, err := s.Fetch(t.Context(), g, "primary", calendar.State{}, s.now)
	if err != nil || !f.Changed || len(f.State.Feed.Events) != 20 || f.State.Token == "" || s.stand.Counts().List != 3 {
		t.Fatal(f, err, s.stand.Counts())
	}
	again, err := s.Fetch(t.Context(), g, "primary", f.State, s.now)
	if err != nil || again.Changed || s.stand.Counts().List != 4 {
		t.Fatal(again.Changed, err, s.stand.Counts())
	}
	s.set(t, append(all[1:], meeting("e99", "2026-12-03T09:00:00+01:00", "2026-12-03T10:00:00+01:00"))...)
	next, err := s.Fetch(t.Context(), g, "primary", again.State, s.now)
	if err != nil || !next.Changed || len(next.State.Feed.Events) != 20 || strings.Contains(names(next.State.Feed), "e00") || !strings.Contains(names(next.State.Feed), "e99") {
		t.Error(names(next.State.Feed), err)
	}
}

func TestASeriesIsExpandedHereWithItsExceptions(t *testing.T) {
	s := begin(t)
	g := s.grant(t)
	zoned := func(at string) jsontext.Value {
		return jsontext.Value(fmt.Sprintf(`{"dateTime":%q,"timeZone":"Europe/Stockholm"}`, at))
	}
	s.set(t,
		stand.Event{ID: "series", Summary: "Oven", Start: zoned("2026-10-22T09:00:00+02:00"), End: zoned("2026-10-22T10:00:00+02:00"), Recurrence: []string{"RRULE:FREQ=DAILY;COUNT=6", "EXDATE;TZID=Europe/Stockholm:20261023T090000"}},
		stand.Event{ID: "series_moved", Summary: "Oven later", RecurringEventID: "series", OriginalStartTime: zoned("2026-10-24T09:00:00+02:00"), Start: zoned("2026-10-24T13:00:00+02:00"), End: zoned("2026-10-24T14:00:00+02:00")},
		stand.Event{ID: "series_gone", Status: "cancelled", RecurringEventID: "series", OriginalStartTime: zoned("2026-10-25T09:00:00+01:00")},
		stand.Event{ID: "day", Summary: "Inventory", Start: jsontext.Value(`"2026-10-26"`), End: jsontext.Value(`"2026-10-27"`), Transparency: "transparent"},
		stand.Event{ID: "no", Summary: "Party", Start: jsontext.Value(`"2026-10-26T18:00:00Z"`), End: jsontext.Value(`"2026-10-26T19:00:00Z"`), Attendees: jsontext.Value(`[{"self":true,"responseStatus":"declined"}]`)},
	)
	f, err := s.Fetch(t.Context(), g, "primary", calendar.State{}, s.now)
	if err != nil || len(f.Problems) > 0 {
		t.Fatal(err, f.Problems)
	}
	loc, _ := time.LoadLocation("Europe/Stockholm")
	all, problems := f.State.Feed.Expand(time.Date(2026, 10, 20, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), loc)
	var lines []string
	for _, o := range all {
		lines = append(lines, fmt.Sprintf("%s %s %v", o.Title, o.Start.In(loc).Format("02 15:04"), o.Busy))
	}
	want := "Oven 22 09:00 true, Oven later 24 13:00 true, Inventory 26 00:00 false, Oven 26 09:00 true, Party 26 19:00 false, Oven 27 09:00 true"
	if got := strings.Join(lines, ", "); got != want || len(problems) > 0 {
		t.Errorf("got %s\nwant %s %v", got, want, problems)
	}
	s.set(t) // the series goes, and takes its own with it
	f, err = s.Fetch(t.Context(), g, "primary", f.State, s.now)
	if err != nil || len(f.State.Feed.Events) != 0 {
		t.Error(names(f.State.Feed), err)
	}
}

func TestG2ATokenThatIsTooOldMeansEverythingAnew(t *testing.T) {
	for _, fault := range []string{"410", "410-mid-page"} {
		s := begin(t)
		g := s.grant(t)
		s.set(t, meeting("a", "2026-12-02T09:00:00Z", "2026-12-02T10:00:00Z"))
		f, err := s.Fetch(t.Context(), g, "primary", calendar.State{}, s.now)
		if err != nil {
			t.Fatal(err)
		}
		s.set(t, meeting("b", "2026-12-02T09:00:00Z", "2026-12-02T10:00:00Z"), meeting("c", "2026-12-02T11:00:00Z", "2026-12-02T12:00:00Z"), meeting("d", "2026-12-02T13:00:00Z", "2026-12-02T14:00:00Z"))
		if _, err := s.stand.SetFaults(stand.Faults{List: fault}); err != nil {
			t.Fatal(err)
		}
		f, err = s.Fetch(t.Context(), g, "primary", f.State, s.now)
		if err != nil || names(f.State.Feed) != "b c d" {
			t.Errorf("%s: %q %v", fault, names(f.State.Feed), err)
		}
	}
}

func TestEachFailureIsToldApartAndLeavesNothing(t *testing.T) {
	for fault, want := range map[string]error{"401": calendar.ErrReconnect, "429": calendar.ErrUnread, "500": calendar.ErrUnread} {
		s := begin(t)
		g := s.grant(t)
		if _, err := s.stand.SetFaults(stand.Faults{List: fault}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Fetch(t.Context(), g, "primary", calendar.State{}, s.now); !errors.Is(err, want) || strings.Contains(fmt.Sprint(err), string(g)) {
			t.Errorf("%s: %v", fault, err)
		}
	}
	s := begin(t)
	if _, err := s.Fetch(t.Context(), s.grant(t), "nobody", calendar.State{}, s.now); !errors.Is(err, calendar.ErrUnread) || !strings.Contains(err.Error(), "404") {
		t.Error(err)
	}
	if _, err := s.Fetch(t.Context(), "a grant that was taken back", "primary", calendar.State{}, s.now); !errors.Is(err, calendar.ErrReconnect) {
		t.Error(err)
	}
	away := New(Config{TokenURL: "http://127.0.0.1:1/token", API: "http://127.0.0.1:1"})
	if _, err := away.Fetch(t.Context(), "g", "primary", calendar.State{}, s.now); !errors.Is(err, calendar.ErrUnread) || strings.Contains(err.Error(), "127.0.0.1") {
		t.Error(err)
	}
}

func TestACodeIsGoodOnceAndWithItsVerifier(t *testing.T) {
	s := begin(t)
	verifier := "a verifier of at least forty-three characters, as it should be"
	sum := sha256.Sum256([]byte(verifier))
	asked, err := url.Parse(s.AuthURL("state", base64.RawURLEncoding.EncodeToString(sum[:])))
	if err != nil || asked.Query().Get("access_type") != "offline" || asked.Query().Get("prompt") != "consent" {
		t.Fatal(asked, err)
	}
	consent := func() string {
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		a, err := client.PostForm(s.url+"/o/oauth2/v2/auth", url.Values{"to": {"http://127.0.0.1/back"}, "state": {"state"}, "challenge": {asked.Query().Get("code_challenge")}, "may": {"yes"}})
		if err != nil {
			t.Fatal(err)
		}
		_ = a.Body.Close()
		back, _ := a.Location()
		return back.Query().Get("code")
	}
	code := consent()
	if _, err := s.Grant(t.Context(), code, verifier); err != nil {
		t.Error(err)
	}
	for code, verifier := range map[string]string{code: verifier, consent(): "another", "": "", "made up": verifier} {
		if _, err := s.Grant(t.Context(), code, verifier); !errors.Is(err, calendar.ErrReconnect) {
			t.Error(code, err)
		}
	}
}

func TestAChannelIsToldOfEachEditUntilItIsStoppedOrOver(t *testing.T) {
	s := begin(t)
	g := s.grant(t)
	var mu sync.Mutex
	states := []string{}
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		states = append(states, r.Header.Get("X-Goog-Resource-State")+r.Header.Get("X-Goog-Channel-Token"))
	}))
	defer hook.Close()
	told := func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(states, " ")
	}
	asked := calendar.Channel{ID: "abcdefghijklmnopqrstuvwxyz", Token: "-t", Address: hook.URL, Until: s.now.Add(30 * 24 * time.Hour)}
	ch, err := s.Watch(t.Context(), g, "primary", asked)
	if err != nil || !ch.Until.Equal(s.now.Add(7*24*time.Hour)) || ch.Resource == "" || told() != "sync-t" {
		t.Fatal(ch, err, told())
	}
	if _, err := s.Watch(t.Context(), g, "primary", asked); !errors.Is(err, calendar.ErrUnread) {
		t.Error("a name that is taken:", err)
	}
	s.set(t, meeting("a", "2026-12-02T09:00:00Z", "2026-12-02T10:00:00Z"))
	s.set(t, meeting("a", "2026-12-02T09:00:00Z", "2026-12-02T10:00:00Z")) // nothing changed
	if told() != "sync-t exists-t" {
		t.Error(told())
	}
	for range 2 {
		if err := s.Stop(t.Context(), g, ch); err != nil {
			t.Error(err)
		}
	}
	s.set(t)
	if told() != "sync-t exists-t" || s.stand.Counts().Channels != 0 {
		t.Error("after it was stopped:", told())
	}
}

func TestWhateverIsEditedTheFeedIsWhatAFullListGives(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := begin(t)
		g, err := s.Grant(t.Context(), stand.LocalCode, "")
		if err != nil {
			r.Fatal(err)
		}
		var state calendar.State
		r.Repeat(map[string]func(*rapid.T){
			"edit": func(r *rapid.T) {
				var events []stand.Event
				for _, n := range rapid.SliceOfNDistinct(rapid.IntRange(0, 30), 0, 20, rapid.ID[int]).Draw(r, "ids") {
					hour := rapid.IntRange(0, 20).Draw(r, "hour")
					events = append(events, meeting(fmt.Sprint(n), fmt.Sprintf("2026-12-02T%02d:00:00Z", hour), fmt.Sprintf("2026-12-02T%02d:00:00Z", hour+2)))
				}
				if err := s.stand.Set("primary", events); err != nil {
					r.Fatal(err)
				}
			},
			"fail": func(r *rapid.T) {
				_, _ = s.stand.SetFaults(stand.Faults{List: rapid.SampledFrom([]string{"ok", "410", "410-mid-page", "500", "429"}).Draw(r, "list")})
			},
			"sync": func(r *rapid.T) {
				f, err := s.Fetch(t.Context(), g, "primary", state, s.now)
				if err != nil {
					return // it stays as it was
				}
				state = f.State
				all, err := s.client().Fetch(t.Context(), g, "primary", calendar.State{}, s.now)
				if err != nil {
					r.Fatal(err)
				}
				if !same(state.Feed, all.State.Feed) {
					r.Fatalf("got %s, want %s", names(state.Feed), names(all.State.Feed))
				}
			},
		})
	})
}

func FuzzEvent(f *testing.F) {
	f.Add("a", "confirmed", "2026-12-02T09:00:00Z", "Europe/Stockholm", "RRULE:FREQ=DAILY", "")
	f.Add("a", "cancelled", "2026-12-02", "", "EXDATE:1", "b")
	f.Fuzz(func(t *testing.T, id, status, at, zone, recurrence, series string) {
		e := event{ID: id, Status: status, Start: moment{DateTime: at, TimeZone: zone}, End: moment{DateTime: at, TimeZone: zone}, Recurrence: []string{recurrence}, RecurringEventID: series, OriginalStartTime: moment{Date: at}}
		m := merge{events: map[string]calendar.Event{}}
		m.take(e)
		e.Start, e.End = moment{Date: at}, moment{Date: at}
		m.take(e)
		(calendar.Feed{Events: m.all()}).Expand(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC), time.UTC)
	})
}
