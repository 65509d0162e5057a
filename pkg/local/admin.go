package local

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"pocbakery/pkg/access"
	alarmlocal "pocbakery/pkg/alarm/local"
	"pocbakery/pkg/limit"
	"pocbakery/pkg/local/google"
	"pocbakery/pkg/store"
	"pocbakery/pkg/store/bolt"
	"pocbakery/pkg/store/faults"
)

// maxAdvance bounds one move of the wall clock: ten years.
const maxAdvance = 10 * 365 * 24 * time.Hour

// Switch is the operator's edit of admission; nil fields stay as they are.
type Switch struct {
	Flag       *string `json:"flag"`
	Cap        *int    `json:"cap"`
	GuestShare *int    `json:"guest_share"`
	DemoCap    *int    `json:"demo_cap"`
	RateLimit  *string `json:"rate_limit"`
}

// Admin is the admin port: what an operator's hand can do to a local run.
type Admin struct {
	File       *bolt.Store
	Wall       *Wall
	Loop       *Loop
	Alarms     *alarmlocal.Clock
	Faults     *faults.Store
	Wipes      *WipeFault
	Counts     *Counts
	Siteverify *Siteverify
	Google     *google.Calendars
	Sessions   *access.Sessions // what signs in by hand
	Issuer     string           // whose identities it makes
	Limits     *limit.Limits
	Operator   func(context.Context, Switch) error // its error is the operator's to read

	mu        sync.Mutex
	errorRate float64
}

// Handler serves the admin port. It answers nobody but programs of this
// machine: a page of any origin is refused, and so is any other name for this
// host.
func (a *Admin) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /_local/wall/advance", answer(a.advance))
	mux.HandleFunc("PUT /_local/faults", answer(a.setFaults))
	mux.HandleFunc("GET /_local/schedules", answer(a.schedules))
	mux.HandleFunc("GET /_local/items", answer(a.items))
	mux.HandleFunc("PUT /_local/admission", answer(a.admission))
	mux.HandleFunc("POST /_local/identity", answer(a.identity))
	mux.HandleFunc("GET /_local/counts", answer(func(*http.Request) (any, error) { return a.Counts.Snapshot(), nil }))
	mux.HandleFunc("POST /_local/counts", answer(func(*http.Request) (any, error) { a.Counts.Reset(); return a.Counts.Snapshot(), nil }))
	a.calendars(mux)
	mux.HandleFunc("/_local/", answer(func(r *http.Request) (any, error) {
		return nil, &problem{http.StatusUnprocessableEntity, "not-yet", "This part is announced and not built yet, or is no local route."}
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", a.Wall.Now().Format(http.TimeFormat))
		if err := fromThisMachine(r); err != nil {
			err.write(w)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func fromThisMachine(r *http.Request) *problem {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	switch {
	case r.Header.Get("Origin") != "":
		return &problem{http.StatusForbidden, "cross-origin", "The admin port takes no commands from pages."}
	case host != "localhost" && (err != nil || !addr.IsLoopback()):
		return &problem{http.StatusForbidden, "forbidden", "The admin port answers to loopback names only."}
	case r.Method != http.MethodGet && r.ContentLength != 0 && !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return &problem{http.StatusUnsupportedMediaType, "unsupported-media-type", "Send the body as application/json."}
	}
	return nil
}

func (a *Admin) advance(r *http.Request) (any, error) {
	var in struct {
		Seconds int64 `json:"seconds"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	if in.Seconds < 1 || in.Seconds > int64(maxAdvance/time.Second) {
		return nil, Invalid("seconds must be 1 to 315360000.")
	}
	// Whoever hangs up: runs broken off half way would not fire again before the
	// next start.
	ctx := context.WithoutCancel(r.Context())
	if err := a.Loop.Advance(ctx, time.Duration(in.Seconds)*time.Second); err != nil {
		return nil, err
	}
	return map[string]string{"now": store.FormatInstant(a.Wall.Now())}, nil
}

type faultSettings struct {
	Alarms *alarmlocal.Mode `json:"alarms"`
	Rules  *string          `json:"rules"`
	TTL    *string          `json:"ttl"`
	Wipes  *string          `json:"wipes"`
	Table  *struct {
		ErrorRate *float64 `json:"error_rate"`
	} `json:"table"`
	Siteverify *SiteverifyMode `json:"siteverify"`
	Limiter    *string         `json:"limiter"`
}

func (a *Admin) setFaults(r *http.Request) (any, error) {
	var in faultSettings
	if err := read(r, &in); err != nil {
		return nil, err
	}
	if in.Limiter != nil && *in.Limiter != "ok" && *in.Limiter != "down" {
		return nil, Invalid("limiter is ok or down.")
	}
	if m := in.Siteverify; m != nil && *m != SiteverifyOK && *m != SiteverifyHang && *m != SiteverifyDown {
		return nil, Invalid("siteverify is ok, hang or down.")
	}
	for name, v := range map[string]*string{"ttl": in.TTL, "wipes": in.Wipes, "rules": in.Rules} {
		if v != nil && *v != "on" && *v != "off" {
			return nil, Invalid(name + " is on or off.")
		}
	}
	if m := in.Alarms; m != nil && *m != alarmlocal.On && *m != alarmlocal.Drop && *m != alarmlocal.Double {
		return nil, Invalid("alarms is on, drop or double.")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	rate := a.errorRate
	if in.Table != nil && in.Table.ErrorRate != nil {
		if rate = *in.Table.ErrorRate; rate < 0 || rate > 1 {
			return nil, Invalid("table.error_rate is 0 to 1.")
		}
	}
	a.errorRate = rate
	a.Faults.Set(faults.Config{ErrorRate: rate})
	if in.Alarms != nil {
		a.Alarms.SetMode(*in.Alarms)
	}
	if in.Rules != nil {
		a.Loop.SetRules(*in.Rules == "on")
	}
	if in.TTL != nil {
		a.Loop.SetTTL(*in.TTL == "on")
	}
	if in.Wipes != nil {
		a.Wipes.Set(*in.Wipes == "off")
	}
	if in.Siteverify != nil {
		a.Siteverify.SetMode(*in.Siteverify)
	}
	if in.Limiter != nil {
		a.Limits.Break(*in.Limiter == "down")
	}
	limiter := map[bool]string{true: "down", false: "ok"}[a.Limits.Broken()]
	onOff := map[bool]string{true: "on", false: "off"}
	return map[string]any{
		"alarms": a.Alarms.Mode(), "rules": onOff[a.Loop.Rules()], "ttl": onOff[a.Loop.TTL()], "wipes": onOff[!a.Wipes.Failing()],
		"siteverify": a.Siteverify.Mode(), "limiter": limiter, "table": map[string]float64{"error_rate": rate},
	}, nil
}

func (a *Admin) schedules(*http.Request) (any, error) {
	all, err := a.Alarms.All()
	type schedule struct {
		Name string `json:"name"`
		Hub  string `json:"hub"`
		At   string `json:"at"`
	}
	out := make([]schedule, 0, len(all))
	for _, s := range all {
		out = append(out, schedule{s.Name(), s.Hub, store.FormatInstant(s.At)})
	}
	return map[string]any{"schedules": out}, err
}

func (a *Admin) items(r *http.Request) (any, error) {
	hub := r.URL.Query().Get("hub")
	if hub == "" {
		type count struct {
			Hub   string `json:"hub"`
			Count int    `json:"count"`
		}
		hubs, err := a.File.Hubs(r.Context())
		out := make([]count, 0, len(hubs))
		for _, h := range hubs {
			out = append(out, count{h.Hub, h.Count})
		}
		return map[string]any{"hubs": out}, err
	}
	type item struct {
		SK  string `json:"sk"`
		Rev int64  `json:"rev"`
		Due string `json:"due,omitzero"`
		TTL int64  `json:"ttl,omitzero"`
	}
	items := []item{}
	for rng := (store.Range{}); ; {
		page, err := a.File.List(r.Context(), time.Time{}, hub, rng)
		if errors.Is(err, store.ErrInvalid) {
			return nil, Invalid("hub is the id of a hub.")
		}
		if err != nil {
			return nil, err
		}
		for _, i := range page.Items {
			_, due, ok := store.ParseDue(i.String(store.FieldDue))
			row := item{SK: i.SK, Rev: i.Rev, TTL: i.Int(store.FieldTTL)}
			if ok {
				row.Due = store.FormatInstant(due)
			}
			items = append(items, row)
		}
		if rng.After = page.Next; rng.After == "" {
			break
		}
	}
	return map[string]any{"hub": hub, "count": len(items), "items": items}, nil
}

func (a *Admin) admission(r *http.Request) (any, error) {
	var in Switch
	if err := read(r, &in); err != nil {
		return nil, err
	}
	if err := a.Operator(r.Context(), in); err != nil {
		return nil, err
	}
	return map[string]string{"now": store.FormatInstant(a.Wall.Now())}, nil
}

// read decodes a body of at most 16 KB, strictly.
func read(r *http.Request, into any) error { return readUpTo(16<<10, r, into) }

func readUpTo(most int64, r *http.Request, into any) error {
	b, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, most))
	if err == nil {
		err = json.Unmarshal(b, into, json.RejectUnknownMembers(true))
	}
	if err != nil {
		return &problem{http.StatusBadRequest, "malformed-body", "The body is not what this route takes."}
	}
	return nil
}

// problem is an answer that says what is wrong.
type problem struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

func (p *problem) Error() string { return p.Detail }

func (p *problem) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.MarshalWrite(w, map[string]any{
		"type": "/problems/" + p.Code, "title": http.StatusText(p.Status), "status": p.Status, "code": p.Code, "detail": p.Detail,
	})
}

// Invalid is the answer to a value that is not allowed.
func Invalid(detail string) error { return &problem{http.StatusUnprocessableEntity, "invalid", detail} }

// answer turns a function into a handler.
func answer(f func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		out, err := f(r)
		var p *problem
		switch {
		case errors.As(err, &p):
			p.write(w)
		case err != nil:
			(&problem{http.StatusInternalServerError, "internal", err.Error()}).write(w)
		default:
			w.Header().Set("Content-Type", "application/json")
			_ = json.MarshalWrite(w, out)
		}
	}
}
