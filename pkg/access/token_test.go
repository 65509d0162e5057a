package access_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"pocbakery/pkg/access"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/hub/hubtest"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/sandbox"
	"pocbakery/pkg/store"
	"pocbakery/pkg/store/faults"
)

const shopHub = hub.ID("abcdefgh")

// drawer is a world with one sandbox, and the tokens of it.
type drawer struct {
	*hubtest.World
	ring   *access.Keyring
	tokens *access.Tokens
	boxes  *sandbox.Service
	maker  hub.Who
}

func openDrawer(t testing.TB, clock string) *drawer {
	t.Helper()
	w := hubtest.At(t, clock)
	d := &drawer{World: w, ring: access.NewKeyring(bytes.Repeat([]byte("m"), access.MinMasterBytes)), maker: hub.Who{Hub: shopHub, Session: "s", Role: hub.Baker}}
	d.tokens = access.NewTokens(w.Engine, d.ring, rand.Reader)
	d.boxes = sandbox.New(w.Engine, w.Alarms, 45*time.Second, d.ring.MAC, func(sandbox.WipeRun) {})
	if err := w.Engine.Store().Commit(t.Context(), w.Now(), sandbox.Birth(sandbox.Born(shopHub, "guest", 1, w.Now()))...); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *drawer) make(name string) (hub.Token, string) {
	d.T.Helper()
	made, text, err := d.tokens.Make(context.Background(), d.maker, name)
	if err != nil {
		d.T.Fatal(err)
	}
	return made, text
}

// who reads a token's text.
func (d *drawer) who(text string) hub.Who {
	d.T.Helper()
	who, err := d.ring.Sessions().Token(text)
	if err != nil {
		d.T.Fatal(err)
	}
	return who
}

func (d *drawer) list() []hub.Token {
	d.T.Helper()
	list, err := d.tokens.List(context.Background(), d.maker)
	if err != nil {
		d.T.Fatal(err)
	}
	return list
}

// writes is how many writes the table was asked for.
func (d *drawer) writes() (n int64) {
	for call, c := range d.Meter.Snapshot() {
		switch call {
		case "put", "update", "delete", "transact":
			n += c.Requests
		}
	}
	return n
}

// healthy makes the next calls of the table work.
func (d *drawer) healthy() {
	for n := range 3 {
		d.Faults.Next(faults.Commit, n+1, 0)
	}
}

func TestATokenIsItsHubItsSecretAndATag(t *testing.T) {
	d := openDrawer(t, "2026-11-30 12:00:00")
	made, text := d.make("script")
	if !strings.HasPrefix(text, "pb_abcdefgh.") || !strings.HasPrefix(text, made.Prefix) || len(made.Prefix) != len("pb_abcdefgh.")+6 {
		t.Errorf("%q begins with %q", text, made.Prefix)
	}
	if strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") != "" {
		t.Errorf("%q does not fit into a header as it stands", text)
	}
	who := d.who(text)
	if who.Hub != shopHub || who.Role != hub.Baker || who.Token != made.ID || who.TokenHash != made.Hash || who.Session != "" {
		t.Errorf("%+v", who)
	}
	if view, err := d.Engine.Open(t.Context(), who); err != nil || view.Root.ID != shopHub {
		t.Errorf("%v", err)
	}
	if _, other := d.make("script"); other == text {
		t.Error("two of one name are one")
	}
}

// What a stranger makes up is refused by its tag, without asking the table.
func TestAForgedTokenCostsNoRead(t *testing.T) {
	d := openDrawer(t, "2026-11-30 12:00:00")
	_, text := d.make("script")
	sessions := d.ring.Sessions()
	for i := range text {
		for _, c := range []byte("A_z.b7") {
			forged := text[:i] + string(c) + text[i+1:]
			if forged == text {
				continue
			}
			if who, err := sessions.Token(forged); !refusal.Is(err, refusal.Unauthenticated) {
				t.Fatalf("byte %d as %c: %+v %v", i, c, who, err)
			}
		}
	}
	for _, forged := range []string{"", "pb_", "pb_.", "pb_abcdefgh", "pb_abcdefgh.", text + "A", text + "\n", text[:20] + "\n" + text[20:], text[:len(text)-1], "pb_" + strings.Repeat("a", 41) + text[len("pb_abcdefgh"):], "PB_" + text[3:], strings.Repeat("pb_a.", 5000)} {
		if _, err := sessions.Token(forged); !refusal.Is(err, refusal.Unauthenticated) {
			t.Errorf("%.60q: %v", forged, err)
		}
	}
	if _, err := access.NewSessions(bytes.Repeat([]byte("n"), access.MinMasterBytes)).Token(text); !refusal.Is(err, refusal.Unauthenticated) {
		t.Errorf("another ring's: %v", err)
	}
	rotated := access.NewSessions(bytes.Repeat([]byte("n"), access.MinMasterBytes), bytes.Repeat([]byte("m"), access.MinMasterBytes))
	if _, err := rotated.Token(text); err != nil {
		t.Errorf("a rotation takes tokens away: %v", err)
	}
}

func FuzzToken(f *testing.F) {
	d := openDrawer(f, "2026-11-30 12:00:00")
	_, text := d.make("script")
	for _, s := range []string{text, text[:len(text)-1], "pb_a.b", "s1.x", "pb_\x00."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		who, err := d.ring.Sessions().Token(s)
		if err == nil && s != text {
			t.Errorf("%q was believed as %+v", s, who)
		}
		if err != nil && !refusal.Is(err, refusal.Unauthenticated) {
			t.Error(err)
		}
	})
}

// What the table holds is worth nothing to who reads it.
func TestTheTableHoldsAHashAndNoSecret(t *testing.T) {
	d := openDrawer(t, "2026-11-30 12:00:00")
	made, text := d.make("script")
	page, err := d.Mem.List(t.Context(), time.Time{}, string(shopHub), store.Range{})
	if err != nil {
		t.Fatal(err)
	}
	held := fmt.Sprint(page.Items)
	secret := text[strings.Index(text, ".")+1:]
	if strings.Contains(held, secret) || strings.Contains(held, secret[7:]) || !strings.Contains(held, hex.EncodeToString(made.Hash[:])) {
		t.Errorf("the table holds %s", held)
	}
	for _, i := range page.Items {
		if i.SK == "tokens" && i.Int(store.FieldTTL) == 0 {
			t.Error("tokens of a sandbox have no backstop")
		}
	}
}

func TestAHubHasTenTokensAndNoMore(t *testing.T) {
	d := openDrawer(t, "2026-11-30 12:00:00")
	var all sync.WaitGroup
	var mu sync.Mutex
	codes := map[string]int{}
	for n := range 25 {
		all.Go(func() {
			_, _, err := d.tokens.Make(context.Background(), d.maker, fmt.Sprint("script ", n))
			mu.Lock()
			defer mu.Unlock()
			var no *refusal.Refusal
			switch {
			case err == nil:
				codes["made"]++
			case errors.As(err, &no):
				codes[string(no.Code)]++
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if codes["made"] != hub.MaxTokens || codes["too-many"] != 15 {
		t.Errorf("%v", codes)
	}
	list := d.list()
	if len(list) != hub.MaxTokens {
		t.Fatalf("%d are listed", len(list))
	}
	if err := d.tokens.Revoke(t.Context(), d.maker, list[0].ID); err != nil {
		t.Fatal(err)
	}
	d.make("the place of the one that went")
}

func TestARevokedTokenIsNobodysAtOnce(t *testing.T) {
	d := openDrawer(t, "2026-11-30 12:00:00")
	made, text := d.make("script")
	other, otherText := d.make("another")
	who := d.who(text)
	if err := d.tokens.Revoke(t.Context(), d.maker, made.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Engine.Open(t.Context(), who); !refusal.Is(err, refusal.Unauthenticated) {
		t.Errorf("revoked: %v", err)
	}
	if err := d.tokens.Revoke(t.Context(), d.maker, made.ID); !refusal.Is(err, refusal.NoSuchToken) {
		t.Errorf("again: %v", err)
	}
	if err := d.tokens.Revoke(t.Context(), d.maker, "count"); !refusal.Is(err, refusal.NoSuchToken) {
		t.Errorf("what is none: %v", err)
	}
	if list := d.list(); len(list) != 1 || list[0].ID != other.ID {
		t.Errorf("%v", list)
	}
	// Who asks by a token and signs out ends the token.
	if err := d.Engine.Revoke(t.Context(), d.who(otherText)); err != nil {
		t.Fatal(err)
	}
	if list := d.list(); len(list) != 0 {
		t.Errorf("%v", list)
	}
}

// The tag is eight bytes; what decides is the hash of all 256 bits.
func TestTheHubBelievesTheHashAndNotTheName(t *testing.T) {
	d := openDrawer(t, "2026-11-30 12:00:00")
	_, text := d.make("script")
	who := d.who(text)
	who.TokenHash[31] ^= 1
	if _, err := d.Engine.Open(t.Context(), who); !refusal.Is(err, refusal.Unauthenticated) {
		t.Errorf("%v", err)
	}
}

func TestATokenOfAHubThatIsOverIsNobodys(t *testing.T) {
	d := openDrawer(t, "2026-11-30 12:00:00")
	_, text := d.make("script")
	who := d.who(text)
	ends := sandbox.EndOf(d.Now())
	d.Set(ends.Add(-time.Millisecond))
	if _, err := d.Engine.Open(t.Context(), who); err != nil {
		t.Errorf("just before the end: %v", err)
	}
	d.Set(ends)
	if _, err := d.Engine.Open(t.Context(), who); !refusal.Is(err, refusal.Unauthenticated) {
		t.Errorf("at the end: %v", err)
	}
	if _, err := d.Engine.Open(t.Context(), d.maker); !refusal.Is(err, refusal.SandboxEnded) {
		t.Errorf("a session then: %v", err)
	}
	d.Set(ends.Add(-time.Minute))
	if err := d.boxes.Wipe(t.Context(), d.maker); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Engine.Open(t.Context(), who); !refusal.Is(err, refusal.Unauthenticated) {
		t.Errorf("wiped: %v", err)
	}
	page, err := d.Mem.List(t.Context(), time.Time{}, string(shopHub), store.Range{})
	if err != nil || len(page.Items) != 0 {
		t.Errorf("the wipe left %v, %v", page.Items, err)
	}
}

func TestTheDayOfUseIsWrittenOnceADay(t *testing.T) {
	d := openDrawer(t, "2026-11-30 23:59:59")
	made, text := d.make("script")
	who := d.who(text)
	if list := d.list(); list[0].LastUsedOn != "" {
		t.Errorf("made and not used: %v", list[0].LastUsedOn)
	}
	use := func(want int64, day string) {
		t.Helper()
		before := d.writes()
		if _, err := d.Engine.Open(t.Context(), who); err != nil {
			t.Fatal(err)
		}
		if got := d.writes() - before; got != want {
			t.Errorf("%d writes, want %d", got, want)
		}
		if list := d.list(); list[0].LastUsedOn != day || list[0].Hash != made.Hash || list[0].Name != "script" {
			t.Errorf("%+v", list[0])
		}
	}
	use(1, "2026-11-30")
	use(0, "2026-11-30")
	d.Set(d.Now().Add(time.Second)) // 00:00:00 UTC
	use(1, "2026-12-01")
	for range 20 {
		use(0, "2026-12-01")
	}
	d.Set(d.Now().Add(-time.Second)) // a clock that is behind does not take the day back
	use(0, "2026-12-01")
}

// A read by token answers though the day of use cannot be written, and what
// comes late does not bring a revoked token back.
func TestTheDayOfUseIsACourtesy(t *testing.T) {
	for _, fault := range []faults.Fault{faults.Refused, faults.Lost, faults.Applied, faults.Conflict, faults.Late} {
		d := openDrawer(t, "2026-11-30 12:00:00")
		made, text := d.make("script")
		for n := range 3 {
			d.Faults.Next(faults.Commit, n+1, fault)
		}
		if _, err := d.Engine.Open(t.Context(), d.who(text)); err != nil {
			t.Errorf("fault %d: %v", fault, err)
		}
		d.healthy()
		if err := d.tokens.Revoke(t.Context(), d.maker, made.ID); err != nil {
			t.Errorf("fault %d: %v", fault, err)
		}
		d.make("another") // a write after which what was late has come
		if list := d.list(); len(list) != 1 || list[0].Name != "another" {
			t.Errorf("fault %d: %v", fault, list)
		}
	}
}

// Whatever befalls the one write that makes or revokes a token, the answer says
// what is so: a token that was handed out works, a refused one is not there.
func TestAWriteOfATokenThatFailsOrLandsUnseenIsToldAsItIs(t *testing.T) {
	for _, fault := range []faults.Fault{faults.Refused, faults.Lost, faults.Applied, faults.Late, faults.Conflict} {
		for times := 1; times <= 3; times++ {
			name := fmt.Sprintf("fault %d, %d times", fault, times)
			d := openDrawer(t, "2026-11-30 12:00:00")
			for n := range times {
				d.Faults.Next(faults.Commit, n+1, fault)
			}
			_, text, err := d.tokens.Make(t.Context(), d.maker, "script")
			switch {
			case err == nil:
				if _, err := d.Engine.Open(t.Context(), d.who(text)); err != nil {
					t.Errorf("%s: handed out and not there: %v", name, err)
				}
			case text != "":
				t.Errorf("%s: both a text and %v", name, err)
			case !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrUnknown) && !errors.Is(err, store.ErrConflict):
				t.Errorf("%s: %v", name, err)
			}
			for _, made := range d.list() {
				d.healthy()
				d.Faults.Next(faults.Commit, 1, fault)
				err := d.tokens.Revoke(t.Context(), d.maker, made.ID)
				if left := len(d.list()); err == nil && left != 0 {
					t.Errorf("%s: revoked, and %d left", name, left)
				}
			}
			d.healthy()
			for range hub.MaxTokens - len(d.list()) { // the count is right: there is room for just so many
				d.make("more")
			}
			if _, _, err := d.tokens.Make(t.Context(), d.maker, "one more"); !refusal.Is(err, refusal.TooMany) {
				t.Errorf("%s: with ten: %v", name, err)
			}
		}
	}
}

func TestAReadOnlyBakeryMakesNoTokenAndRevokes(t *testing.T) {
	d := openDrawer(t, "2026-11-30 12:00:00")
	made, _ := d.make("script")
	d.Engine.Gate = func(context.Context) error { return refusal.New(refusal.ReadOnly, "No.") }
	if _, _, err := d.tokens.Make(t.Context(), d.maker, "another"); !refusal.Is(err, refusal.ReadOnly) {
		t.Errorf("%v", err)
	}
	if err := d.tokens.Revoke(t.Context(), d.maker, made.ID); err != nil {
		t.Error(err)
	}
}

func TestATokenHasAName(t *testing.T) {
	d := openDrawer(t, "2026-11-30 12:00:00")
	for name, ok := range map[string]bool{"": false, "x": true, strings.Repeat("ö", 80): true, strings.Repeat("ö", 81): false, "\xff": false} {
		if _, _, err := d.tokens.Make(t.Context(), d.maker, name); (err == nil) != ok || (!ok && !refusal.Is(err, refusal.Invalid)) {
			t.Errorf("%.10q: %v", name, err)
		}
	}
}
