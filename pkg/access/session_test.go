package access

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

var (
	oldMaster = bytes.Repeat([]byte("o"), MinMasterBytes)
	newMaster = bytes.Repeat([]byte("n"), MinMasterBytes)
	noon      = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	guest     = Session{Hub: "a2b3c4d5e6f7g2h3i4j5k6l7m2", Kind: "guest", Role: hub.Baker, ID: "abcdefghijklmnopqrstuvwx23", EndsAt: noon.Add(22 * time.Hour)}
)

func TestASessionReadsBackAsItWasSigned(t *testing.T) {
	s := NewSessions(oldMaster)
	forever := guest
	forever.EndsAt = time.Time{}
	dated := guest
	dated.MadeAt = noon
	for _, v := range []Session{guest, forever, dated, {}} {
		got, err := s.Verify(s.Sign(v), noon)
		if err != nil || got != v {
			t.Errorf("got %+v, %v; want %+v", got, err, v)
		}
	}
}

func TestATokenIsShortAndFitsAnURLAndACookie(t *testing.T) {
	token := NewSessions(oldMaster).Sign(guest)
	if len(token) > 140 || strings.Trim(token, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") != "" {
		t.Errorf("%d characters: %s", len(token), token)
	}
}

func TestASessionEndsAtItsEndAndNotBefore(t *testing.T) {
	s := NewSessions(oldMaster)
	token := s.Sign(guest)
	if _, err := s.Verify(token, guest.EndsAt.Add(-1)); err != nil {
		t.Errorf("a nanosecond before its end: %v", err)
	}
	got, err := s.Verify(token, guest.EndsAt)
	if !refusal.Is(err, refusal.SandboxEnded) || got != guest {
		t.Errorf("at its end: %+v, %v", got, err)
	}
}

func TestARotationSignsNobodyOut(t *testing.T) {
	before := NewSessions(oldMaster)
	token := before.Sign(guest)
	rotated := NewSessions(newMaster, oldMaster)
	if _, err := rotated.Verify(token, noon); err != nil {
		t.Errorf("the old one's token: %v", err)
	}
	if _, err := NewSessions(newMaster).Verify(rotated.Sign(guest), noon); err != nil {
		t.Errorf("the new one does not sign: %v", err)
	}
	if _, err := NewSessions(newMaster).Verify(token, noon); !refusal.Is(err, refusal.Unauthenticated) {
		t.Errorf("a master that was taken away: %v", err)
	}
}

func TestNoChangedByteIsBelieved(t *testing.T) {
	s := NewSessions(newMaster, oldMaster)
	token := s.Sign(guest)
	for i := range token {
		for _, c := range []byte("A_z.") {
			forged := token[:i] + string(c) + token[i+1:]
			if forged == token {
				continue
			}
			if got, err := s.Verify(forged, noon); !refusal.Is(err, refusal.Unauthenticated) {
				t.Fatalf("byte %d as %c: %+v, %v", i, c, got, err)
			}
		}
	}
	for _, forged := range []string{"", "s1.", token + "A", token[:len(token)-1], token + "\n", "\r" + token, token[:9] + "\n" + token[9:], "pb_x", strings.Repeat("s1.A", 1<<16)} {
		if _, err := s.Verify(forged, noon); !refusal.Is(err, refusal.Unauthenticated) {
			t.Errorf("%.40q: %v", forged, err)
		}
	}
}

func TestASignedTokenOfAnotherVersionIsNotRead(t *testing.T) {
	s := NewSessions(oldMaster)
	b, _ := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(s.Sign(guest), tokenPrefix))
	b[kidBytes] = datedVersion + 1
	body := b[:len(b)-macBytes]
	mac := s.ring.keys(sessionPurpose)[0].sum(func(buf []byte) []byte { return append(buf, body...) })
	token := tokenPrefix + base64.RawURLEncoding.EncodeToString(append(body, mac[:macBytes]...))
	if _, err := s.Verify(token, noon); !refusal.Is(err, refusal.Unauthenticated) {
		t.Error(err)
	}
}

func TestSessionIDsAreDrawnFromWhatTheyAreHanded(t *testing.T) {
	id, err := SessionID(bytes.NewReader(bytes.Repeat([]byte{255}, 16)))
	if err != nil || id != "77777777777777777777777774" {
		t.Errorf("%q, %v", id, err)
	}
	if _, err := SessionID(strings.NewReader("too short")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

func FuzzToken(f *testing.F) {
	s := NewSessions(newMaster, oldMaster)
	f.Add(s.Sign(guest))
	f.Add(NewSessions(oldMaster).Sign(Session{}))
	f.Add("s1.AAAA")
	f.Fuzz(func(t *testing.T, token string) {
		v, err := s.Verify(token, noon)
		if err != nil {
			return
		}
		// Whatever is believed is one of the ring's own spellings of it.
		if s.Sign(v) != token && NewSessions(oldMaster).Sign(v) != token {
			t.Errorf("%q was believed as %+v", token, v)
		}
	})
}

func FuzzSessionBody(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(_ *testing.T, b []byte) { decodeSession(b) })
}

func BenchmarkVerify(b *testing.B) {
	s := NewSessions(newMaster, oldMaster)
	token := s.Sign(guest)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Verify(token, noon); err != nil {
			b.Fatal(err)
		}
	}
}
