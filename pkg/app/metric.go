package app

import (
	"io"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"pocbakery/pkg/sandbox"
)

// Metrics have this namespace, and no dimension but what the deployment adds.
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
	Event     string     `json:"event"`
	Wiped     int        `json:"wiped"`
	Remaining int        `json:"remaining"`
	Failed    int        `json:"failed"`
	Seconds   float64    `json:"seconds"`
}

type asideLine struct {
	AWS   metricHead `json:"_aws"`
	Event string     `json:"event"`
	Aside int        `json:"aside"`
}

// metrics writes data points, a line each.
type metrics struct {
	w     io.Writer
	clock func() time.Time
	mu    sync.Mutex // one line at a time
}

// wiped writes the data point of a run that wiped.
func (m *metrics) wiped(r sandbox.WipeRun) {
	m.write(wipeLine{
		AWS:   head(r.At, metricName{"wiped", "Count"}, metricName{"remaining", "Count"}, metricName{"failed", "Count"}, metricName{"seconds", "Seconds"}),
		Event: "wipe", Wiped: r.Wiped, Remaining: r.Remaining, Failed: r.Failed, Seconds: r.Took.Seconds(),
	})
}

// aside writes the data point of an item that was set aside, for an alarm.
func (m *metrics) aside() {
	m.write(asideLine{AWS: head(m.clock(), metricName{"aside", "Count"}), Event: "aside", Aside: 1})
}

func head(at time.Time, names ...metricName) metricHead {
	return metricHead{Timestamp: at.UnixMilli(), CloudWatchMetrics: []metricDirective{{
		Namespace: metricNamespace, Dimensions: [][]string{{}}, Metrics: names,
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
