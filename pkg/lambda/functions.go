package lambda

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/ssm"

	"pocbakery/pkg/admission"
	"pocbakery/pkg/alarm/eventbridge"
	"pocbakery/pkg/api"
	"pocbakery/pkg/app"
	"pocbakery/pkg/gateway"
	"pocbakery/pkg/human"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store/dynamo"
	"pocbakery/pkg/web"
)

// wipeGrace is longer than the longest request, and with the minute that the
// scheduler may take, what a write in flight brought back is gone within two.
const wipeGrace = 45 * time.Second

// Environment is what a function finds where it runs.
type Environment struct {
	Getenv func(string) string
	Out    io.Writer // takes log and metrics, a line each
	Clock  func() time.Time
}

// FromEnvironment is the process's own.
func FromEnvironment() Environment {
	return Environment{Getenv: os.Getenv, Out: os.Stdout, Clock: time.Now}
}

// Door is a function behind the gateway.
type Door struct {
	program *program
	gateway *gateway.Gateway
}

// Admit is the function that lends sandboxes.
func Admit(e Environment) *Door { return e.door(app.NewAdmission) }

// API is the function for everything else over HTTP.
func API(e Environment) *Door { return e.door(app.New) }

// Invoke answers one event of the gateway.
func (d *Door) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	d.program.current(ctx) // before the gateway asks for the distribution's secret
	return d.gateway.Invoke(ctx, payload)
}

func (e Environment) door(wire func(app.Config) *app.App) *Door {
	settings, err := SettingsOf(e.Getenv)
	p := e.program(settings, err, func(c app.Config, secrets Secrets) *app.App {
		c.Human, c.SiteKey, c.Refuse = humanCheck(settings, secrets, c.Log)
		return wire(c)
	})
	c := gateway.Config{Log: p.log, Host: settings.PublicHost, Handler: http.HandlerFunc(p.serve)}
	if settings.Distribution {
		c.OriginSecret = p.origin
	}
	return &Door{p, gateway.New(c)}
}

// errMisconfigured says no more than a visitor may know; the log has the rest.
var errMisconfigured = refusal.New(refusal.Misconfigured, "The bakery is not set up as it has to be, and answers nothing until it is.")

// serve answers by the bakery as it is wired now.
func (p *program) serve(w http.ResponseWriter, r *http.Request) {
	a := p.current(r.Context())
	if a == nil {
		api.WriteProblem(w, r, errMisconfigured)
		return
	}
	a.Handler.ServeHTTP(w, r)
}

// program reads the secrets for the first time and wires what is built of them.
func (e Environment) program(s Settings, wrong error, wire func(app.Config, Secrets) *app.App) *program {
	log := logTo(e.Out)
	cfg := awsConfig(s, e.Getenv)
	read := secretsFrom(ssm.NewFromConfig(cfg), s.SecretsParameter)
	table := dynamo.New(dynamodb.NewFromConfig(cfg), s.Table, nil)
	alarms := eventbridge.New(scheduler.NewFromConfig(cfg), eventbridge.Config{
		Group: s.ScheduleGroup, Target: s.HubARN, Role: s.SchedulerRole, DeadLetters: s.ScheduleFailures,
	}, e.Clock)
	p := &program{clock: e.Clock, log: log}
	p.read = func(ctx context.Context) (Secrets, error) {
		if wrong != nil {
			return Secrets{}, wrong
		}
		secrets, err := read(ctx)
		if err == nil && s.Distribution && secrets.Origin == "" {
			err = errors.New("a distribution stands in front, and the secrets have no origin to know it by")
		}
		return secrets, err
	}
	p.wire = func(secrets Secrets) *app.App {
		return wire(app.Config{
			Table: table, Alarms: alarms, Clock: e.Clock, Secrets: secrets.Masters, Random: rand.Reader, Marks: mathrand.Uint64,
			WipeGrace: wipeGrace, Settings: s.Admission, Log: log, Stage: s.Stage, Metrics: e.Out, Left: left,
		}, secrets)
	}
	p.current(context.Background()) // a start is when there is time; each of its attempts has an end of its own
	return p
}

// humanCheck is the check that the settings ask for. A stage without a secret of
// its own has the test keys, which production refuses.
func humanCheck(s Settings, secrets Secrets, log *slog.Logger) (check admission.Human, siteKey string, refuse error) {
	c := human.Config{
		Secret: secrets.Turnstile, SiteKey: s.SiteKey, Address: s.Siteverify, Hostname: s.Hostname, Action: web.CheckAction,
		Production: s.Stage == production,
		Report:     func(event string, err error) { log.Error(event, "event", event, "error", err.Error()) },
	}
	if c.Secret == "" && !c.Production {
		c.Secret, c.SiteKey, c.Hostname, c.Action = human.AlwaysPasses, "", "", ""
	}
	k, err := human.New(c)
	if err != nil {
		return nil, "", err
	}
	if human.RealSiteKey(c.SiteKey) {
		siteKey = c.SiteKey
	}
	return k, siteKey, nil
}

// logTo logs lines as Lambda reads them: it keeps those at the level that the
// template asks for.
func logTo(out io.Writer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		switch {
		case len(groups) > 0:
		case a.Key == slog.TimeKey:
			a.Key = "timestamp"
		case a.Key == slog.MessageKey:
			a.Key = "message"
		}
		return a
	}}))
}
