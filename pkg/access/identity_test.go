package access

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/refusal"
)

var anna = Identity{Issuer: "https://id.example", Subject: "248289761001", Name: "Anna Ek", Email: "anna@example.org", MadeAt: noon}

func signed(t testing.TB, s *Sessions, i Identity) string {
	t.Helper()
	token, err := s.SignIdentity(i)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestAnIdentityReadsBackAsItWasSigned(t *testing.T) {
	s := NewSessions(oldMaster)
	for _, i := range []Identity{anna, {Issuer: "i", Subject: "s", MadeAt: noon}} {
		got, err := s.Identity(signed(t, s, i), noon)
		if err != nil || got != i {
			t.Errorf("got %+v, %v; want %+v", got, err, i)
		}
	}
}

func TestASignInIsGoodForThirtyDays(t *testing.T) {
	s := NewSessions(oldMaster)
	token := signed(t, s, anna)
	end := noon.AddDate(0, 0, 30)
	if _, err := s.Identity(token, end.Add(-1)); err != nil {
		t.Errorf("a nanosecond before its end: %v", err)
	}
	if got, err := s.Identity(token, end); !refusal.Is(err, refusal.Unauthenticated) || got != (Identity{}) {
		t.Errorf("at its end: %+v, %v", got, err)
	}
}

func TestAccountsThatLookAlikeAreDifferent(t *testing.T) {
	seen := map[string]Identity{}
	for _, i := range []Identity{
		{Issuer: "https://id.example", Subject: "anna"},
		{Issuer: "https://id.example", Subject: "аnna"}, // its first letter is Cyrillic
		{Issuer: "https://id.example", Subject: "Anna"},
		{Issuer: "https://id.example", Subject: "anna "},
		{Issuer: "https://id.example/", Subject: "anna"},
		{Issuer: "https://id.examplea", Subject: "nna"},
		{Issuer: "https://id.exampl", Subject: "eanna"},
	} {
		if other, ok := seen[i.Account()]; ok {
			t.Errorf("%+v and %+v are one account", i, other)
		}
		seen[i.Account()] = i
	}
	renamed := anna
	renamed.Name, renamed.Email, renamed.MadeAt = "Anna Berg", "", noon.Add(time.Hour)
	if renamed.Account() != anna.Account() {
		t.Error("another name is another account")
	}
	if (Identity{}).Account() != "" {
		t.Error("nobody has an account")
	}
}

func TestAnIdentityIsNoSessionAndTheOtherWayRound(t *testing.T) {
	s := NewSessions(oldMaster)
	identity, session := signed(t, s, anna), s.Sign(guest)
	for _, token := range []string{identity, tokenPrefix + strings.TrimPrefix(identity, identityPrefix)} {
		if _, err := s.Verify(token, noon); !refusal.Is(err, refusal.Unauthenticated) {
			t.Errorf("as a session: %v", err)
		}
	}
	for _, token := range []string{session, identityPrefix + strings.TrimPrefix(session, tokenPrefix)} {
		if _, err := s.Identity(token, noon); !refusal.Is(err, refusal.Unauthenticated) {
			t.Errorf("as an identity: %v", err)
		}
	}
}

func TestNoChangedByteOfAnIdentityIsBelieved(t *testing.T) {
	s := NewSessions(newMaster, oldMaster)
	token := signed(t, s, anna)
	for i := range token {
		for _, c := range []byte("A_z.") {
			forged := token[:i] + string(c) + token[i+1:]
			if forged == token {
				continue
			}
			if got, err := s.Identity(forged, noon); !refusal.Is(err, refusal.Unauthenticated) {
				t.Fatalf("byte %d as %c: %+v, %v", i, c, got, err)
			}
		}
	}
	for _, forged := range []string{"", "i1.", token + "A", token[:len(token)-1], token + "\n", token[:9] + "\n" + token[9:], strings.Repeat("i1.A", 1<<16)} {
		if _, err := s.Identity(forged, noon); !refusal.Is(err, refusal.Unauthenticated) {
			t.Errorf("%.40q: %v", forged, err)
		}
	}
}

func TestARotationKeepsEverybodySignedIn(t *testing.T) {
	token := signed(t, NewSessions(oldMaster), anna)
	if _, err := NewSessions(newMaster, oldMaster).Identity(token, noon); err != nil {
		t.Error(err)
	}
	if _, err := NewSessions(newMaster).Identity(token, noon); !refusal.Is(err, refusal.Unauthenticated) {
		t.Errorf("a master that was taken away: %v", err)
	}
}

func TestTheLongestIdentityFitsACookieAndALongerOneIsRefused(t *testing.T) {
	s := NewSessions(oldMaster)
	long := Identity{Issuer: strings.Repeat("i", maxIssuer), Subject: strings.Repeat("s", maxSubject),
		Name: strings.Repeat("å", 1000), Email: strings.Repeat("e", maxEmail), MadeAt: noon}
	token := signed(t, s, long)
	got, err := s.Identity(token, noon)
	if err != nil || len(token) > maxIdentity || got.Name != strings.Repeat("å", maxName/2) {
		t.Errorf("%d bytes, %v, a name of %d bytes", len(token), err, len(got.Name))
	}
	for field, i := range map[string]Identity{
		"issuer":  {Issuer: long.Issuer + "i", Subject: "s"},
		"subject": {Issuer: "i", Subject: long.Subject + "s"},
		"email":   {Issuer: "i", Subject: "s", Email: long.Email + "e"},
		"none":    {Issuer: "i"},
		"nobody":  {Subject: "s"},
		"bytes":   {Issuer: "i", Subject: "\xff"},
	} {
		if _, err := s.SignIdentity(i); !refusal.Is(err, refusal.Invalid) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func FuzzIdentity(f *testing.F) {
	s := NewSessions(newMaster, oldMaster)
	f.Add(signed(f, s, anna))
	f.Add(signed(f, NewSessions(oldMaster), anna))
	f.Add("i1.AAAA")
	f.Fuzz(func(t *testing.T, token string) {
		i, err := s.Identity(token, noon)
		if err != nil {
			return
		}
		// Whatever is believed is one of the ring's own spellings of it.
		if signed(t, s, i) != token && signed(t, NewSessions(oldMaster), i) != token {
			t.Errorf("%q was believed as %+v", token, i)
		}
	})
}

func FuzzIdentityBody(f *testing.F) {
	b, _ := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(signed(f, NewSessions(oldMaster), anna), identityPrefix))
	f.Add(b[kidBytes : len(b)-macBytes])
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		if i, ok := decodeIdentity(b); ok && i.Account() == "" {
			t.Errorf("nobody was believed: %+v", i)
		}
	})
}
