package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"pocbakery/pkg/access"
	"pocbakery/pkg/admission"
	alarmlocal "pocbakery/pkg/alarm/local"
	"pocbakery/pkg/api"
	"pocbakery/pkg/app"
	"pocbakery/pkg/calendar"
	calendargoogle "pocbakery/pkg/calendar/google"
	"pocbakery/pkg/calendar/ics"
	"pocbakery/pkg/local"
	"pocbakery/pkg/local/google"
	"pocbakery/pkg/planner"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store/bolt"
	"pocbakery/pkg/store/faults"
)

// wipeGrace is longer than the longest request, and short enough that what a
// write in flight brought back is gone within a minute.
const wipeGrace = 45 * time.Second

// bakery is the program with everything it stands on here.
type bakery struct {
	file  *bolt.Store
	app   *app.App
	loop  *local.Loop
	admin *local.Admin

	// siteverify is the other side of the human check, which this program brings
	// along, and where it listens.
	siteverify         *local.Siteverify
	siteverifyListener net.Listener

	sockets *local.Sockets

	// google is the other side of calendars, likewise.
	google           *google.Calendars
	googleListener   net.Listener
	provider         *local.Provider
	providerListener net.Listener
	// site is where the program listens, as its own calendars reach it.
	site string
}

// open opens the data folder, or makes it, and wires the program over it. site
// is where it will be reached.
func open(dir, site string, log *slog.Logger) (*bakery, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the data folder cannot be made: %w", err)
	}
	counts := local.NewCounts()
	file, err := bolt.Open(filepath.Join(dir, "bakery.db"), counts.Table)
	if err != nil {
		return nil, err
	}
	b := &bakery{file: file, site: site}
	if err := b.wire(dir, counts, log); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return b, nil
}

func (b *bakery) wire(dir string, counts *local.Counts, log *slog.Logger) error {
	secret, err := secretIn(filepath.Join(dir, "secret.key"))
	if err != nil {
		return err
	}
	wall, err := local.OpenWall(b.file, time.Now)
	if err != nil {
		return err
	}
	alarms, err := alarmlocal.New(b.file, counts.Scheduler)
	if err != nil {
		return err
	}
	b.siteverify = local.NewSiteverify(wall.Now)
	if b.siteverifyListener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	b.google = google.New(wall.Now, strconv.FormatUint(mathrand.Uint64(), 36))
	if b.googleListener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	signIn, err := b.signIn(wall.Now)
	if err != nil {
		return err
	}
	wipes := &local.WipeFault{Store: b.file}
	broken := faults.Wrap(wipes, mathrand.New(mathrand.NewPCG(mathrand.Uint64(), mathrand.Uint64())))
	check, siteKey, refuse := humanCheck("http://"+b.siteverifyListener.Addr().String()+local.SiteverifyPath, log)
	b.sockets = &local.Sockets{Name: func() string { return strconv.FormatUint(mathrand.Uint64(), 36) }}
	b.app = app.New(app.Config{
		Sockets: b.sockets, SignIn: signIn,
		Human: check, SiteKey: siteKey, Refuse: refuse,
		Table: broken, Alarms: alarms, Clock: wall.Now, Secrets: [][]byte{secret},
		Random: rand.Reader, Marks: mathrand.Uint64, WipeGrace: wipeGrace,
		Google: calendargoogle.New(b.googleConfig()), Address: b.address, FreeCode: google.LocalCode,
		Sides:    map[string]calendar.Side{planner.ICS: &ics.Side{Loopback: true}},
		Settings: admission.DefaultSettings(), Log: log, Metrics: os.Stderr, Left: left,
	})
	b.sockets.Lines = b.app.Lines
	// What the operator has set is known from the first request on.
	if _, err := b.app.Desk.Status(context.Background()); err != nil {
		return err
	}
	b.loop = local.NewLoop(b.file, wall, alarms, b.app.Wake, b.app.Sweep, func(event string, err error) {
		log.Error(event, "event", event, "error", err.Error())
	})
	b.admin = &local.Admin{
		File: b.file, Wall: wall, Loop: b.loop, Alarms: alarms, Faults: broken, Wipes: wipes, Counts: counts,
		Siteverify: b.siteverify, Limits: b.app.Limits, Google: b.google, Operator: b.operate, Sessions: access.NewSessions(secret), Issuer: signIn.Issuer,
	}
	return nil
}

// handler is everything over HTTP, and the live connections beside it.
func (b *bakery) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == api.LivePath {
			b.sockets.ServeHTTP(w, r)
			return
		}
		b.app.Handler.ServeHTTP(w, r)
	})
}

func (b *bakery) close() {
	_ = b.siteverifyListener.Close() // again, where it was served
	_ = b.googleListener.Close()
	_ = b.providerListener.Close()
	_ = b.file.Close()
}

func (b *bakery) address() string { return b.site }

// googleConfig is where the stand-in of Google's is.
func (b *bakery) googleConfig() calendargoogle.Config {
	at := "http://" + b.googleListener.Addr().String()
	return calendargoogle.Config{
		ClientID: "local", Secret: "local", Redirect: b.site + "/planner",
		AuthURL: at + "/o/oauth2/v2/auth", TokenURL: at + "/token", RevokeURL: at + "/revoke", API: at + "/calendar/v3",
	}
}

// operate is the operator's edit of admission.
func (b *bakery) operate(ctx context.Context, s local.Switch) error {
	err := b.app.Desk.Edit(ctx, admission.Edit{
		Flag: (*admission.Flag)(s.Flag), Cap: s.Cap, GuestShare: s.GuestShare, DemoCap: s.DemoCap, RateLimit: (*admission.Flag)(s.RateLimit),
	})
	var no *refusal.Refusal
	if errors.As(err, &no) {
		return local.Invalid(no.Detail)
	}
	return err
}

// left is how long a request may still take.
func left(ctx context.Context) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return time.Until(end)
	}
	return time.Hour
}

const secretBytes = 32

// secretIn reads the master secret of this data folder, made at the first start.
func secretIn(path string) ([]byte, error) {
	secret, err := os.ReadFile(path)
	switch {
	case err == nil && len(secret) == secretBytes:
		return secret, nil
	case err == nil:
		return nil, fmt.Errorf("%s is damaged: without it nobody's session is good; move it away to start with a new one", path)
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	secret = make([]byte, secretBytes)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	// Written beside and moved into place, so that a crash leaves no half of it.
	if err := os.WriteFile(path+".new", secret, 0o600); err != nil {
		return nil, err
	}
	return secret, os.Rename(path+".new", path)
}
