package access

import (
	"encoding/base32"
	"encoding/binary"
	"io"
	"math"
	"time"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

// Session is who a token says somebody is.
type Session struct {
	Hub    hub.ID
	Kind   string // what admitted them: guest, demo, account
	Role   hub.Role
	ID     string    // its own name, by which it can be signed out
	EndsAt time.Time // whole milliseconds; zero for never
	// MadeAt is when it was made, of one that can be ended by signing out
	// everywhere; zero for the others.
	MadeAt time.Time
}

// EndedAt reports whether the session is over: it is at its end, and from then on.
func (s Session) EndedAt(now time.Time) bool { return !s.EndsAt.IsZero() && !now.Before(s.EndsAt) }

// Who is what the session's holder is to a hub.
func (s Session) Who() hub.Who {
	return hub.Who{Hub: s.Hub, Session: s.ID, Role: s.Role, EndsAt: s.EndsAt, MadeAt: s.MadeAt}
}

const (
	tokenPrefix  = "s1."
	tokenVersion = 1
	datedVersion = 2 // with the instant it was made
	// maxTokenBytes bounds what is decoded of a token that may be anybody's.
	maxTokenBytes = 1024
)

// Sessions signs sessions and reads them back.
type Sessions struct {
	ring            *Keyring
	purpose, prefix string
}

// NewSessions is over a key ring of these master secrets.
func NewSessions(masters ...[]byte) *Sessions { return NewKeyring(masters...).Sessions() }

// Sessions are the sessions of a ring.
func (k *Keyring) Sessions() *Sessions { return &Sessions{k, sessionPurpose, tokenPrefix} }

const sessionPurpose = "session"

// Sign is the session's token. It panics for a text of more than 255 bytes,
// which no hub, kind, role or id has.
func (s *Sessions) Sign(v Session) string {
	return s.ring.sign(s.purpose, s.prefix, func(b []byte) []byte {
		version := byte(tokenVersion)
		if !v.MadeAt.IsZero() {
			version = datedVersion
		}
		b = append(b, version)
		var end uint64
		if !v.EndsAt.IsZero() {
			end = uint64(v.EndsAt.UnixMilli())
		}
		b = binary.BigEndian.AppendUint64(b, end)
		if version == datedVersion {
			b = binary.BigEndian.AppendUint64(b, uint64(v.MadeAt.UnixMilli()))
		}
		for _, text := range []string{string(v.Hub), v.Kind, string(v.Role), v.ID} {
			if len(text) > math.MaxUint8 {
				panic("access: a session's text is too long")
			}
			b = append(b, byte(len(text)))
			b = append(b, text...)
		}
		return b
	})
}

// Verify reads a token. What is not a session of ours is refused as
// unauthenticated; one of ours that is past its end as a sandbox that has
// ended, and then the session is returned all the same.
func (s *Sessions) Verify(token string, now time.Time) (Session, error) {
	v, ok := s.read(token)
	if !ok {
		return Session{}, refusal.New(refusal.Unauthenticated, "This is no session of ours.")
	}
	if v.EndedAt(now) {
		return v, hub.Over()
	}
	return v, nil
}

func (s *Sessions) read(token string) (v Session, ok bool) {
	body, ok := s.ring.signed(s.purpose, s.prefix, token, maxTokenBytes)
	if !ok {
		return Session{}, false
	}
	return decodeSession(body)
}

func decodeSession(b []byte) (v Session, ok bool) {
	if len(b) < 9 || b[0] != tokenVersion && b[0] != datedVersion {
		return Session{}, false
	}
	dated := b[0] == datedVersion
	if end := binary.BigEndian.Uint64(b[1:9]); end != 0 {
		v.EndsAt = time.UnixMilli(int64(end)).UTC()
	}
	b = b[9:]
	if dated {
		if len(b) < 8 || binary.BigEndian.Uint64(b) == 0 {
			return Session{}, false
		}
		v.MadeAt, b = time.UnixMilli(int64(binary.BigEndian.Uint64(b))).UTC(), b[8:]
	}
	var texts [4]string
	for i := range texts {
		if len(b) == 0 || len(b)-1 < int(b[0]) {
			return Session{}, false
		}
		n := int(b[0])
		texts[i], b = string(b[1:1+n]), b[1+n:]
	}
	v.Hub, v.Kind, v.Role, v.ID = hub.ID(texts[0]), texts[1], hub.Role(texts[2]), texts[3]
	return v, len(b) == 0
}

// SessionID draws a name for a new session: 128 bits, in 26 characters of a-z
// and 2-7.
func SessionID(random io.Reader) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", err
	}
	return sessionIDText.EncodeToString(b[:]), nil
}

var sessionIDText = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
