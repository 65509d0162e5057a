package account

import (
	"context"
	"errors"
	"io"
	"time"

	"pocbakery/pkg/access"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/sandbox"
	"pocbakery/pkg/store"
)

const (
	// Kind is the kind of the root of a person's own hub. A sandbox that was
	// lent to an account is another thing, and of kind account.
	Kind = "account-hub"
	// SessionKind is the kind of a session of such a hub.
	SessionKind = "account"

	// keepFor is how long after the last visit a hub ends.
	keepFor = 400 * 24 * time.Hour
	// visitEvery is by how much a visit moves the end at least: what is less is
	// not written.
	visitEvery = 24 * time.Hour
	// sessionFor is how long a session of such a hub is good for.
	sessionFor = access.IdentityFor
	// maxTries bounds how often a decision lost to another writer is taken anew.
	maxTries = 20
)

// Service looks after people's own hubs.
type Service struct {
	engine   *hub.Engine
	boxes    *sandbox.Service
	sessions *access.Sessions
	random   io.Reader

	// Ending is told of a hub that its person ends, before anything of it is
	// erased: what it holds of others is given back there. Nil for nobody.
	Ending func(ctx context.Context, id hub.ID) error
}

// New is a service. boxes erase what ends; random yields the ids of sessions.
// It registers the kind of the rows.
func New(e *hub.Engine, boxes *sandbox.Service, ring *access.Keyring, random io.Reader) *Service {
	s := &Service{engine: e, boxes: boxes, sessions: ring.Sessions(), random: random}
	e.HandleKind("account", hub.Kind{Settle: s.rowTimer, AtOnce: 8, PerRun: 50})
	return s
}

// Enter lets who signed in into their own hub, which is made at first use, and
// notes the visit.
func (s *Service) Enter(ctx context.Context, i access.Identity) (hub.Who, error) {
	if _, err := s.open(ctx, i.Hub(), i.MadeAt, true); err != nil {
		return hub.Who{}, err
	}
	return hub.Who{Hub: i.Hub(), Role: hub.Baker, EndsAt: i.EndsAt(), MadeAt: i.MadeAt}, nil
}

// Visit notes that somebody whom a session or a token lets in is here.
func (s *Service) Visit(ctx context.Context, who hub.Who) error {
	_, err := s.open(ctx, who.Hub, who.MadeAt, false)
	return err
}

// Vouch refuses an identity that was signed out everywhere, or whose hub its
// person has ended since.
func (s *Service) Vouch(ctx context.Context, i access.Identity) error {
	f, err := s.find(ctx, i.Hub())
	if err != nil {
		return err
	}
	return f.admits(i.MadeAt)
}

// Session is a session of the own hub of who signed in, and its token.
func (s *Service) Session(ctx context.Context, i access.Identity) (v access.Session, token string, err error) {
	if err := s.gate(ctx); err != nil {
		return v, "", err
	}
	wall, err := s.open(ctx, i.Hub(), i.MadeAt, true)
	if err != nil {
		return v, "", err
	}
	id, err := access.SessionID(s.random)
	if err != nil {
		return v, "", err
	}
	v = access.Session{Hub: i.Hub(), Kind: SessionKind, Role: hub.Baker, ID: id, EndsAt: wall.Add(sessionFor), MadeAt: wall}
	return v, s.sessions.Sign(v), nil
}

// SignOutEverywhere ends every session and every identity of an account that
// was made until now. Who asks is one of them.
func (s *Service) SignOutEverywhere(ctx context.Context, who hub.Who) error {
	f, err := s.find(ctx, who.Hub)
	if err != nil {
		return err
	}
	if err := f.admits(who.MadeAt); err != nil {
		return err
	}
	if f.root.Exists && !f.root.Over {
		return s.engine.Commit(ctx, f.root, f.root.Now(f.wall), f.root.SignOutWrite(f.wall))
	}
	// Without a hub the row remembers it, as of one that was ended.
	return ignoreGuard(s.engine.Store().Commit(ctx, f.wall, store.Write{
		Op: store.OpUpdate, Key: f.key, Guard: store.If(store.Missing(store.FieldDue)).OrAbsent(), Set: goneSince(f.wall),
	}))
}

func (s *Service) gate(ctx context.Context) error {
	if s.engine.Gate == nil {
		return nil
	}
	return s.engine.Gate(ctx)
}

// open lets somebody into a hub, and moves its end. Where there is none it
// makes one, or refuses.
func (s *Service) open(ctx context.Context, id hub.ID, madeAt time.Time, birth bool) (wall time.Time, err error) {
	for range maxTries {
		f, err := s.find(ctx, id)
		if err != nil {
			return time.Time{}, err
		}
		if err := f.admits(madeAt); err != nil {
			return time.Time{}, err
		}
		switch {
		case f.ending():
			return time.Time{}, refusal.New(refusal.AccountEnding, "What this account had is being erased. It can begin anew in about a minute.").After(time.Minute)
		case f.root.Exists && !f.root.Over:
			return f.wall, s.visit(ctx, f)
		case !birth:
			return time.Time{}, hub.Over()
		}
		if err := s.gate(ctx); err != nil {
			return time.Time{}, err
		}
		err = s.born(ctx, f)
		var failed *store.GuardFailed
		if !errors.As(err, &failed) && !errors.Is(err, store.ErrConflict) {
			return f.wall, err
		}
	}
	return time.Time{}, store.ErrConflict
}

// born makes a hub.
func (s *Service) born(ctx context.Context, f found) error {
	root := hub.Root{ID: f.root.ID, Exists: true, Kind: Kind, BornAt: f.wall, NotBefore: f.row.Time(fieldNotBefore)}
	end := f.wall.Add(keepFor)
	err := s.engine.Store().Commit(ctx, f.wall, root.Birth(), store.Put(f.key, store.IfStill(f.row), store.Fields{
		store.FieldDue: store.DueAt(store.Wall, end), store.FieldWake: store.FormatInstant(end),
	}))
	if err == nil {
		s.engine.Arm(ctx, hub.Control, store.Wall, end)
	}
	return err
}

// visit moves the end of a hub, if by enough. One that another has moved is
// moved.
func (s *Service) visit(ctx context.Context, f found) error {
	end := f.wall.Add(keepFor)
	if _, due, ok := store.ParseDue(f.row.String(store.FieldDue)); !ok || end.Sub(due) < visitEvery {
		return nil
	}
	return ignoreGuard(s.engine.Store().Commit(ctx, f.wall, store.Write{
		Op: store.OpUpdate, Key: f.key, Guard: store.If(store.Missing(fieldEnding), store.Eq(store.FieldDue, f.row.String(store.FieldDue))),
		Set: store.Fields{store.FieldDue: store.DueAt(store.Wall, end), store.FieldWake: store.FormatInstant(end)},
	}))
}

// ignoreGuard takes a guard that did not hold for success: another has done it.
func ignoreGuard(err error) error {
	var failed *store.GuardFailed
	if errors.As(err, &failed) {
		return nil
	}
	return err
}
