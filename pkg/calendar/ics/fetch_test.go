package ics

import (
	"compress/gzip"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/calendar"
)

var sample = file(event("UID:1", "DTSTART:20260302T090000Z", "DURATION:PT1H", "SUMMARY:A"))

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func fetch(t *testing.T, address string, last calendar.State) (calendar.Fetched, error) {
	t.Helper()
	return (&Side{Loopback: true}).Fetch(t.Context(), address, last, time.Time{})
}

func TestAFileIsAskedForOnlyIfItIsAnother(t *testing.T) {
	asked := 0
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("ETag", `"v1"`)
		if r.Header.Get("If-None-Match") == `"v1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(sample)
	})
	first, err := fetch(t, address, calendar.State{})
	if err != nil || !first.Changed || len(first.State.Feed.Events) != 1 {
		t.Fatal(first, err)
	}
	again, err := fetch(t, address, first.State)
	if err != nil || again.Changed || len(again.State.Feed.Events) != 1 || asked != 2 {
		t.Error(again, err, asked)
	}
}

func TestAServerWithoutValidatorsIsReadAgainAndFoundUnchanged(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(sample) })
	first, _ := fetch(t, address, calendar.State{})
	again, err := fetch(t, address, first.State)
	if err != nil || again.Changed {
		t.Error(again.Changed, err)
	}
}

func TestWhatGoesWrongIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		h    http.HandlerFunc
		want string
	}{
		"gone":           {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, "its server answered 404"},
		"something else": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, "this is no calendar"},
		"hangs up": {func(w http.ResponseWriter, _ *http.Request) {
			panic(http.ErrAbortHandler)
		}, "its server cannot be reached"},
		"round in circles": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/again", http.StatusFound) }, "it leads from one address to the next"},
		"a bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for range 12 {
				_, _ = z.Write([]byte(strings.Repeat(" ", 1<<20)))
			}
			_ = z.Close()
		}, "it is larger than 10 MB"},
	} {
		_, err := fetch(t, serve(t, c.h), calendar.State{})
		if !errors.Is(err, calendar.ErrUnread) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnAddressThatIsNotPublicIsNeverAsked(t *testing.T) {
	private := &Side{Own: []string{"bakery.example"}}
	for _, address := range []string{
		"", "file:///etc/passwd", "ftp://example.com/a.ics", "http://", "https://user:password@example.com/a.ics", "https://example.com:8443/a.ics",
		"http://127.0.0.1/a.ics", "http://[::1]/a.ics", "http://10.0.0.1/", "http://169.254.169.254/latest/meta-data", "http://[fd00::1]/", "http://[::ffff:10.0.0.1]/",
		"http://0.0.0.0/", "http://[64:ff9b::a00:1]/", "https://bakery.example/cal.ics", "https://BAKERY.example./cal.ics", "javascript:alert(1)", "https:opaque", "http://[fe80::1%25eth0]/",
		"https://example.com/" + strings.Repeat("a", maxAddress),
	} {
		if _, err := private.Fetch(t.Context(), address, calendar.State{}, time.Time{}); !errors.Is(err, calendar.ErrNotAllowed) {
			t.Errorf("%.60s: %v", address, err)
		}
	}
	// A name that resolves to this machine gets as far as the dialler.
	if _, err := private.Fetch(t.Context(), "http://localhost/a.ics", calendar.State{}, time.Time{}); !errors.Is(err, calendar.ErrNotAllowed) {
		t.Error("localhost:", err)
	}
	away := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://10.0.0.1/a.ics", http.StatusFound)
	})
	if _, err := fetch(t, away, calendar.State{}); !errors.Is(err, calendar.ErrNotAllowed) {
		t.Error("redirected to a private address:", err)
	}
}

func TestAddressesAreJudgedAsTheyAreDialled(t *testing.T) {
	for address, want := range map[string]bool{
		"93.184.216.34:443": true, "[2606:2800:220:1:248:1893:25c8:1946]:80": true, "93.184.216.34:22": false,
		"127.0.0.1:80": false, "10.1.2.3:443": false, "172.16.0.1:443": false, "192.168.1.1:80": false, "169.254.1.1:80": false, "100.64.0.1:80": false,
		"192.0.0.8:80": false, "198.18.0.1:80": false, "224.0.0.1:80": false, "240.0.0.1:80": false, "255.255.255.255:80": false, "0.1.2.3:80": false,
		"[::]:80": false, "[::1]:80": false, "[::ffff:127.0.0.1]:80": false, "[fc00::1]:80": false, "[fe80::1]:80": false, "[ff02::1]:80": false,
		"[64:ff9b::7f00:1]:80": false, "[2002:7f00:1::]:80": false, "[::127.0.0.1]:80": false,
	} {
		if got := (&Side{}).mayDial(netip.MustParseAddrPort(address)); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
	if !(&Side{Loopback: true}).mayDial(netip.MustParseAddrPort("127.0.0.1:45678")) {
		t.Error("a local run may not ask itself")
	}
	if (&Side{Loopback: true}).mayDial(netip.MustParseAddrPort("10.0.0.1:80")) {
		t.Error("a local run may ask its neighbours")
	}
}
