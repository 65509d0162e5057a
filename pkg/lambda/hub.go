package lambda

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"

	"pocbakery/pkg/alarm/eventbridge"
	"pocbakery/pkg/app"
)

// Woken is the function that one-shots, the one rule and the flood's alarm wake.
type Woken struct{ program *program }

// Hub is the function that runs what is due.
func Hub(e Environment) *Woken {
	settings, err := SettingsOf(e.Getenv)
	return &Woken{e.program(settings, err, func(c app.Config, _ Secrets) *app.App { return app.NewHub(c) })}
}

// What an invocation that fails is told of; the log has the rest.
var (
	errNotReady = errors.New("misconfigured")
	errFailed   = errors.New("the run failed")
	errUnknown  = errors.New("nothing that wakes a hub")
)

// other is what wakes the hub beside a one-shot.
type other struct {
	Rule  string `json:"rule"`
	Alarm struct {
		State struct {
			Value string `json:"value"`
		} `json:"state"`
	} `json:"alarmData"`
}

// Invoke runs what an event asks for. It has no answer; its error makes Lambda
// try again.
func (w *Woken) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	a := w.program.current(ctx)
	if a == nil {
		return nil, errNotReady
	}
	err := w.run(ctx, a, payload)
	if err != nil && !errors.Is(err, errUnknown) {
		w.program.log.Error("run_failed", "event", "run_failed", "error", err.Error())
		err = errFailed
	}
	return []byte("null"), err
}

func (w *Woken) run(ctx context.Context, a *app.App, payload []byte) error {
	if s, err := eventbridge.Parse(payload); err == nil {
		return a.Wake(ctx, s)
	}
	var o other
	if json.Unmarshal(payload, &o) != nil {
		return errUnknown
	}
	switch {
	case o.Rule == "sweep":
		return a.Sweep(ctx)
	case o.Alarm.State.Value == "ALARM":
		w.program.log.Warn("flood", "event", "flood")
		return a.Close(ctx)
	case o.Alarm.State.Value != "":
		return nil // that it is over opens nothing: an operator does
	}
	return errUnknown
}
