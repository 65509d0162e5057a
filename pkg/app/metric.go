package app

import (
	"io"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"pocbakery/pkg/sandbox"
)

// Metrics have this namespace, and no dimension but the stage: each dimension
// more is a metric more to pay for.
const metricNamespace = "pocbakery"

type metricHead struct {
	Timestamp         int64             `json:"Timestamp"` // milliseconds
	CloudWatchMetrics []metricDirective `json:"CloudWatchMetrics"`
}

type metricDirective struct {
	Namespace  string       `json:"Namespace"`
	Dimensions [][]string   `json:"Dimensions"`
	Metrics    []metricName `json:"Metrics"`
}

type metricName struct {
	Name string `json:"Name"`
	Unit string `json:"Unit"`
}

type wipeLine struct {
	AWS       metricHead `json:"_aws"`
	Stage     string     `json:"stage,omitempty"`
	Event     string     `json:"event"`
	Wiped     int        `json:"wiped"`
	Remaining int        `json:"remaining"`
	Failed    int        `json:"failed"`
	Seconds   float64    `json:"seconds"`
}

type oversleptLine struct {
	AWS       metricHead `json:"_aws"`
	Stage     string     `json:"stage,omitempty"`
	Event     string     `json:"event"`
	Overslept int        `json:"overslept"`
	Oldest    float64    `json:"overdue_seconds"`
}

type asideLine struct {
	AWS   metricHead `json:"_aws"`
	Stage string     `json:"stage,omitempty"`
	Event string     `json:"event"`
	Aside int        `json:"aside"`
}

// metrics writes data points, a line each.
type metrics struct {
	w     io.Writer
	clock func() time.Time
	stage string     // the dimension; empty for none
	mu    sync.Mutex // one line at a time
}

// wiped writes the data point of a run that wiped.
func (m *metrics) wiped(r sandbox.WipeRun) {
	m.write(wipeLine{
		AWS:   m.head(r.At, metricName{"wiped", "Count"}, metricName{"remaining", "Count"}, metricName{"failed", "Count"}, metricName{"seconds", "Seconds"}),
		Stage: m.stage, Event: "wipe", Wiped: r.Wiped, Remaining: r.Remaining, Failed: r.Failed, Seconds: r.Took.Seconds(),
	})
}

// aside writes the data point of an item that was set aside, for an alarm.
func (m *metrics) aside() {
	m.write(asideLine{AWS: m.head(m.clock(), metricName{"aside", "Count"}), Stage: m.stage, Event: "aside", Aside: 1})
}

// overslept writes the data point of a liveness run, also where all is well:
// an alarm takes its absence for the death of the sweep.
func (m *metrics) overslept(ends int, oldest time.Duration) {
	m.write(oversleptLine{
		AWS:   m.head(m.clock(), metricName{"overslept", "Count"}, metricName{"overdue_seconds", "Seconds"}),
		Stage: m.stage, Event: "liveness", Overslept: ends, Oldest: oldest.Seconds(),
	})
}

func (m *metrics) head(at time.Time, names ...metricName) metricHead {
	dimensions := []string{}
	if m.stage != "" {
		dimensions = append(dimensions, "stage")
	}
	return metricHead{Timestamp: at.UnixMilli(), CloudWatchMetrics: []metricDirective{{
		Namespace: metricNamespace, Dimensions: [][]string{dimensions}, Metrics: names,
	}}}
}

func (m *metrics) write(line any) {
	b, err := json.Marshal(line)
	if err != nil { // numbers and our own words always encode
		panic(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, _ = m.w.Write(append(b, '\n')) // a lost data point is no reason to fail what it tells of
}
