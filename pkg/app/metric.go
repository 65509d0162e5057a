package app

import (
	"io"
	"sync"

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

// wipePoint writes the data point of each run that wiped.
func wipePoint(w io.Writer) func(sandbox.WipeRun) {
	var mu sync.Mutex // one line at a time
	return func(r sandbox.WipeRun) {
		line := wipeLine{
			AWS: metricHead{Timestamp: r.At.UnixMilli(), CloudWatchMetrics: []metricDirective{{
				Namespace: metricNamespace, Dimensions: [][]string{{}},
				Metrics: []metricName{{"wiped", "Count"}, {"remaining", "Count"}, {"failed", "Count"}, {"seconds", "Seconds"}},
			}}},
			Event: "wipe", Wiped: r.Wiped, Remaining: r.Remaining, Failed: r.Failed, Seconds: r.Took.Seconds(),
		}
		b, err := json.Marshal(line)
		if err != nil { // numbers and our own words always encode
			panic(err)
		}
		mu.Lock()
		defer mu.Unlock()
		_, _ = w.Write(append(b, '\n')) // a lost data point is no reason to fail a wipe
	}
}
