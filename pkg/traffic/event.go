package traffic

import (
	"time"

	"pocbakery/pkg/hub"
)

// What happens to the traffic of a hub.
const (
	Started hub.EventType = "TrafficStarted"
	Stopped hub.EventType = "TrafficStopped"
)

// event is one of the run's, about a wall instant. Its nth tells two of one
// millisecond apart.
func (s state) event(t hub.EventType, now hub.Now, at time.Time) hub.Event {
	return hub.Event{Type: t, Wall: now.Wall, At: at.Add(now.Business.Sub(now.Wall)), Nth: s.item.Rev + 1}
}
