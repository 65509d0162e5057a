// Package alarm is the port through which a hub asks to be woken.
//
// A schedule is a one-shot: created, never moved, used up by its firing. It is
// named by the hub, the instant and a try number, so that creating it twice is
// creating it once. It fires at its instant or within a minute after it, at
// least once, perhaps twice, perhaps after the hub is gone. It is a hint: the
// items of the hub are the truth, and a hub that is woken for nothing finds
// nothing to do.
package alarm

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Scheduler is the port: three operations.
type Scheduler interface {
	// Create makes the one-shot. That it is there already is no error. At must
	// lie in the future: what is due already is run, not scheduled.
	Create(ctx context.Context, s Schedule) error
	// List returns the hub's one-shots that have not fired, in the order of
	// their instants; of an empty hub, everybody's, in any order.
	List(ctx context.Context, hub string) ([]Schedule, error)
	// Delete removes a one-shot. That it is not there is no error.
	Delete(ctx context.Context, s Schedule) error
}

// Schedule is a one-shot.
type Schedule struct {
	Hub string    // at most 40 characters of a-z and 0-9
	At  time.Time // whole seconds, UTC; see Ceil
	Try int       // tells apart one-shots of one hub at one instant
}

// Name is the schedule's name: hub, unix seconds and try, joined by dots. At
// most 64 characters, so that it can name an EventBridge Scheduler schedule.
func (s Schedule) Name() string {
	return fmt.Sprintf("%s.%d.%d", s.Hub, s.At.Unix(), s.Try)
}

// ParseName reads what Name wrote.
func ParseName(name string) (Schedule, error) {
	parts := strings.Split(name, ".")
	if len(parts) != 3 || parts[0] == "" {
		return Schedule{}, fmt.Errorf("alarm: %q is no schedule's name", name)
	}
	sec, err1 := strconv.ParseInt(parts[1], 10, 64)
	try, err2 := strconv.Atoi(parts[2])
	if err1 != nil || err2 != nil {
		return Schedule{}, fmt.Errorf("alarm: %q is no schedule's name", name)
	}
	return Schedule{Hub: parts[0], At: time.Unix(sec, 0).UTC(), Try: try}, nil
}

// Ceil rounds an instant up to the whole second that a schedule can name.
func Ceil(t time.Time) time.Time {
	c := t.UTC().Truncate(time.Second)
	if c.Before(t) {
		c = c.Add(time.Second)
	}
	return c
}
