package hub

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

// MaxTokens is how many API tokens a hub has at a time.
const MaxTokens = 10

// All of a hub's tokens are fields of one item, so that their number is
// guarded by the write that adds one, and whoever asks by one is known by the
// read that reads the root.
const (
	tokensSK     = "tokens"
	fieldTokens  = "count"
	tokenPrefix  = "t_" // + id: the token
	tokenUsed    = "u_" // + id: the UTC date on which it was last used
	tokenUsedDay = time.DateOnly
)

// Token is an API token as its hub knows it: not the secret, only its hash.
type Token struct {
	ID         string
	Name       string
	Prefix     string // the beginning of its text, by which its owner knows it
	Hash       [sha256.Size]byte
	MadeAt     time.Time // wall time
	LastUsedOn string    // UTC date; empty for never
}

// tokenRow is a token as its field stores it.
type tokenRow struct {
	Name    string         `json:"n"`
	Prefix  string         `json:"p"`
	Hash    string         `json:"h"` // hex
	Made    int64          `json:"m"` // milliseconds
	Unknown jsontext.Value `json:",embed"`
}

func (t Token) encode() string {
	b, err := json.Marshal(tokenRow{Name: t.Name, Prefix: t.Prefix, Hash: hex.EncodeToString(t.Hash[:]), Made: t.MadeAt.UnixMilli()})
	if err != nil { // names are valid UTF-8, and all else is ours
		panic(err)
	}
	return string(b)
}

func decodeToken(id string, i store.Item) (Token, error) {
	var row tokenRow
	if err := json.Unmarshal([]byte(i.String(tokenPrefix+id)), &row); err != nil {
		return Token{}, fmt.Errorf("hub: a token cannot be read: %w", err)
	}
	t := Token{ID: id, Name: row.Name, Prefix: row.Prefix, MadeAt: Millis(row.Made), LastUsedOn: i.String(tokenUsed + id)}
	if n, err := hex.Decode(t.Hash[:], []byte(row.Hash)); err != nil || n != len(t.Hash) {
		return Token{}, errors.New("hub: a token has no hash")
	}
	return t, nil
}

// KeepToken adds a token to the hub, if there is room for one.
func (e *Engine) KeepToken(ctx context.Context, who Who, t Token) (Token, error) {
	view, err := e.OpenToChange(ctx, who)
	if err != nil {
		return Token{}, err
	}
	t.MadeAt = view.Now.Wall
	field, row := tokenPrefix+t.ID, t.encode()
	err = e.Commit(ctx, view.Root, view.Now, store.Write{
		Op: store.OpUpdate, Key: view.Root.Key(tokensSK),
		Guard: store.If(store.Missing(field), store.Lt(fieldTokens, int64(MaxTokens)).OrMissingField()).OrAbsent(),
		Set:   store.Fields{field: row}, Add: map[string]int64{fieldTokens: 1},
	})
	var failed *store.GuardFailed
	if errors.As(err, &failed) && failed.Items[0].String(field) != row { // else a lost reply: it is there
		return Token{}, refusal.New(refusal.TooMany, fmt.Sprintf("There are %d tokens already: revoke one first.", MaxTokens))
	}
	if failed != nil {
		err = nil
	}
	return t, err
}

// Tokens lists the hub's tokens, the oldest first.
func (e *Engine) Tokens(ctx context.Context, who Who) ([]Token, error) {
	view, err := e.Open(ctx, who, tokensSK)
	if err != nil {
		return nil, err
	}
	tokens := []Token{}
	for name := range view.Items[0].Fields {
		id, ok := strings.CutPrefix(name, tokenPrefix)
		if !ok {
			continue
		}
		t, err := decodeToken(id, view.Items[0])
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, t)
	}
	slices.SortFunc(tokens, func(a, b Token) int {
		if d := a.MadeAt.Compare(b.MadeAt); d != 0 {
			return d
		}
		return strings.Compare(a.ID, b.ID)
	})
	return tokens, nil
}

// RevokeToken takes a token from the hub: from then on it is nobody's.
func (e *Engine) RevokeToken(ctx context.Context, who Who, id string) error {
	view, err := e.Open(ctx, who, tokensSK)
	if err != nil {
		return err
	}
	field := tokenPrefix + id
	if !view.Items[0].Has(field) {
		return refusal.New(refusal.NoSuchToken, "There is no such token.")
	}
	err = e.Commit(ctx, view.Root, view.Now, store.Write{
		Op: store.OpUpdate, Key: view.Root.Key(tokensSK),
		Guard:  store.If(store.Eq(field, view.Items[0].String(field))),
		Remove: []string{field, tokenUsed + id}, Add: map[string]int64{fieldTokens: -1},
	})
	var gone *store.GuardFailed
	if errors.As(err, &gone) { // by somebody else, or by a try of ours whose reply was lost
		return nil
	}
	return err
}

// admitToken judges who asks by a token, from the item read with the root. A
// token is nobody's once it was revoked, and once its hub is gone.
func (e *Engine) admitToken(ctx context.Context, who Who, root Root, wall time.Time, tokens store.Item) error {
	if !root.Exists || root.EndedAt(wall) || !tokens.Has(tokenPrefix+who.Token) {
		return noToken()
	}
	t, err := decodeToken(who.Token, tokens)
	if err != nil {
		return err
	}
	if subtle.ConstantTimeCompare(t.Hash[:], who.TokenHash[:]) != 1 {
		return noToken()
	}
	e.noteUse(ctx, root, wall, t, tokens)
	return nil
}

func noToken() error {
	return refusal.New(refusal.Unauthenticated, "This token was revoked, or what it was for is over.")
}

// noteUse writes down the day on which a token is used: at its first use of
// the day, and no other. Failing to is nobody's business: the next use tries
// again.
func (e *Engine) noteUse(ctx context.Context, root Root, wall time.Time, t Token, tokens store.Item) {
	today := wall.UTC().Format(tokenUsedDay)
	if t.LastUsedOn >= today {
		return
	}
	made, field := tokenPrefix+t.ID, tokenUsed+t.ID
	_ = e.Commit(ctx, root, Now{Wall: wall}, store.Write{
		Op: store.OpUpdate, Key: root.Key(tokensSK),
		Guard: store.If(store.Eq(made, tokens.String(made)), store.Lt(field, today).OrMissingField()),
		Set:   store.Fields{field: today},
	})
}
