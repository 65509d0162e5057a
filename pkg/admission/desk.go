package admission

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"sync/atomic"
	"time"

	"pocbakery/pkg/access"
	"pocbakery/pkg/alarm"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/limit"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/sandbox"
	"pocbakery/pkg/store"
)

// Kind is who somebody comes as.
type Kind string

// The kinds. Signing in, for kind account, comes with identities.
const (
	Guest   Kind = "guest"
	Demo    Kind = "demo"
	Account Kind = "account"
)

// demoRoles are the demo accounts and what they are in the shop.
var demoRoles = map[string]hub.Role{"maja": hub.Baker, "olle": hub.Customer}

const (
	// sessionFor is how long after an admission a repeat of it still hands out
	// a session.
	sessionFor = 30 * time.Minute
	// maxTries bounds how often an admission lost to another is decided anew.
	maxTries = 1000
	// soon is within how long an alarm may fire before a commit under way has
	// landed; an alarm further off finds it.
	soon = 30 * time.Second
	// minKeyLength and minKeyKinds make a key that hands out sessions hard to guess.
	minKeyLength = 22
	minKeyKinds  = 8
)

// Request asks for a sandbox.
type Request struct {
	// Address is where it comes from, as limit.AddressOf has it; it may be none.
	Address netip.Addr
	// Subject is the account of whoever signed in; empty for nobody.
	Subject string

	Kind        Kind
	DemoAccount string // of kind demo; empty is maja
	Key         string // the Idempotency-Key
	// TurnstileToken is the human check's. A repeat need not bring the same.
	TurnstileToken string

	// Told is told what the limit on an address said; nil for nobody.
	Told func(limit.Decision)
}

// Admitted is a sandbox that was lent, and a session for it.
type Admitted struct {
	Root        hub.Root
	Now         hub.Now
	Role        hub.Role
	Session     string // the token; empty where a repeat comes too late for one
	SessionEnds time.Time
	Replayed    bool
}

// Desk admits.
type Desk struct {
	engine   *hub.Engine
	alarms   alarm.Scheduler
	ring     *access.Keyring
	sessions *access.Sessions
	human    Human
	defaults Settings
	random   io.Reader

	// controlArmed is the instant, in unix milliseconds, of a one-shot of the
	// control hub that this process created. It fires, so an end that is
	// committed well before it needs no other.
	controlArmed atomic.Int64

	seen atomic.Pointer[seenLedger]
	own  ownKeys

	// Limits are asked before anything is read; nil for none.
	Limits *limit.Limits
}

// NewDesk is a desk over an engine, its scheduler, a key ring and the human
// check, without which it admits nobody who needs one. random yields the ids of
// sandboxes and sessions.
func NewDesk(e *hub.Engine, a alarm.Scheduler, ring *access.Keyring, human Human, defaults Settings, random io.Reader) *Desk {
	return &Desk{engine: e, alarms: a, ring: ring, sessions: ring.Sessions(), human: human, defaults: defaults, random: random}
}

// Admit lends a sandbox, or says why not and when to come back. A repeat under
// the key gets the sandbox of the first answer.
func (d *Desk) Admit(ctx context.Context, r Request) (Admitted, error) {
	role, err := r.check()
	if err != nil {
		return Admitted{}, err
	}
	key, wall := d.recordKey(r.Key), d.engine.Wall()
	asked := d.Limits.Enter(r.Address, r.Key, r.missing() == nil, wall)
	if r.Told != nil {
		r.Told(asked)
	}
	if err := asked.Err(); err != nil {
		return Admitted{}, err
	}
	if err := d.cached(r.Kind, key, wall); err != nil {
		return Admitted{}, err
	}
	if err := r.missing(); err != nil {
		return Admitted{}, err
	}
	entry, err := d.newEntry(r, key, role)
	if err != nil {
		return Admitted{}, err
	}
	for range maxTries {
		wall := d.engine.Wall()
		items, err := d.engine.Store().Get(ctx, wall, entry.reads()...)
		if err != nil {
			return Admitted{}, err
		}
		a, err := d.decide(ctx, &entry, append(items, store.Item{}))
		if !errors.Is(err, store.ErrConflict) {
			return a, err
		}
		if ctx.Err() != nil {
			return Admitted{}, ctx.Err()
		}
	}
	return Admitted{}, store.ErrConflict
}

// decide decides from the ledger, the record and the account as they were read,
// and anew from what a failed guard returns.
func (d *Desk) decide(ctx context.Context, e *entry, read []store.Item) (Admitted, error) {
	ledger, record, account := read[0], read[1], read[2]
	for range maxTries {
		wall := d.engine.Wall()
		if record.Exists() {
			return d.replay(ctx, *e, record)
		}
		l := ledgerOf(ledger, account, d.defaults, wall)
		d.see(l, wall)
		who := d.applicant(e.request, l.Day)
		if code := l.Decide(who); code != "" {
			return Admitted{}, l.refuse(code, wall)
		}
		if !e.isHuman {
			if err := d.check(ctx, e); err != nil {
				return Admitted{}, err
			}
			continue // that took a while: decide again, at another instant
		}
		root := sandbox.Born(e.hub, string(e.request.Kind), e.seed, wall)
		writes := append([]store.Write{l.count(controlKey(ledgerSK), who), e.record(root)}, sandbox.Birth(root)...)
		if e.account.SK != "" {
			writes = append(writes, l.countAccount(e.account, wall))
		}
		d.own.add(e.key.SK, root.TTL, wall)
		err := d.engine.Store().Commit(ctx, wall, writes...)
		failed := store.FailedGuard(err)
		switch {
		case failed != nil:
			record = failed.Items[1]
			if failed.Failed[0] {
				ledger = failed.Items[0]
			}
			if last := len(writes) - 1; e.account.SK != "" && failed.Failed[last] {
				account = failed.Items[last]
			}
			continue
		case err != nil:
			return Admitted{}, err
		}
		d.arm(ctx, root)
		return d.admitted(root, root.Now(wall), e.role, false)
	}
	return Admitted{}, store.ErrConflict
}

// arm creates the wipe's one-shot, and one of the control hub where this
// process has none that will find the sandbox's row. Failing to is no failure
// of the admission: the row and the sweep find the end.
func (d *Desk) arm(ctx context.Context, r hub.Root) {
	if err := d.alarms.Create(ctx, alarm.Schedule{Hub: string(r.ID), At: alarm.Ceil(r.WipeAt)}); err != nil {
		d.engine.Report("arm_failed", r.ID, err)
	}
	due := sandbox.RowDue(r)
	if armed := hub.Millis(d.controlArmed.Load()); armed.After(r.BornAt.Add(soon)) && !armed.After(due) {
		return
	}
	if err := d.engine.ArmUnread(ctx, hub.Control, due); err != nil {
		d.engine.Report("arm_failed", hub.Control, err)
		return
	}
	d.controlArmed.Store(due.UnixMilli())
}

// replay answers a repeat with the sandbox of the first answer.
func (d *Desk) replay(ctx context.Context, e entry, record store.Item) (Admitted, error) {
	if record.String(fieldFingerprint) != e.fingerprint {
		return Admitted{}, refusal.New(refusal.KeyReused, "This Idempotency-Key was used before with another body.")
	}
	view, err := d.engine.Open(ctx, hub.Who{Hub: hub.ID(record.String(fieldID)), EndsAt: record.Time(fieldEnd)})
	if err != nil {
		return Admitted{}, err
	}
	fresh := view.Now.Wall.Before(record.Time(fieldAt).Add(sessionFor))
	a := Admitted{Root: view.Root, Now: view.Now, Role: hub.Role(record.String(fieldRole)), Replayed: true}
	if !fresh || view.Root.SignedOut {
		return a, nil
	}
	return d.admitted(view.Root, view.Now, a.Role, true)
}

// admitted is the answer, with a session that lasts as long as its sandbox.
func (d *Desk) admitted(r hub.Root, now hub.Now, role hub.Role, replayed bool) (Admitted, error) {
	id, err := access.SessionID(d.random)
	if err != nil {
		return Admitted{}, err
	}
	token := d.sessions.Sign(access.Session{Hub: r.ID, Kind: r.Kind, Role: role, ID: id, EndsAt: r.EndsAt})
	return Admitted{Root: r, Now: now, Role: role, Session: token, SessionEnds: r.EndsAt, Replayed: replayed}, nil
}
