package app

import (
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/sandbox"
)

func TestADataPointIsOneLineOfTheEmbeddedMetricFormat(t *testing.T) {
	var out strings.Builder
	at := time.UnixMilli(1764504000123)
	m := &metrics{w: &out, clock: func() time.Time { return at }}
	m.wiped(sandbox.WipeRun{Wiped: 50, Remaining: 10, Failed: 1, Took: 1500 * time.Millisecond, At: at})
	m.aside()
	m.stage = "production"
	m.overslept(3, 90*time.Second)
	const want = `{"_aws":{"Timestamp":1764504000123,"CloudWatchMetrics":[{"Namespace":"pocbakery","Dimensions":[[]],"Metrics":[{"Name":"wiped","Unit":"Count"},{"Name":"remaining","Unit":"Count"},{"Name":"failed","Unit":"Count"},{"Name":"seconds","Unit":"Seconds"}]}]},"event":"wipe","wiped":50,"remaining":10,"failed":1,"seconds":1.5}
{"_aws":{"Timestamp":1764504000123,"CloudWatchMetrics":[{"Namespace":"pocbakery","Dimensions":[[]],"Metrics":[{"Name":"aside","Unit":"Count"}]}]},"event":"aside","aside":1}
{"_aws":{"Timestamp":1764504000123,"CloudWatchMetrics":[{"Namespace":"pocbakery","Dimensions":[["stage"]],"Metrics":[{"Name":"overslept","Unit":"Count"},{"Name":"overdue_seconds","Unit":"Seconds"}]}]},"stage":"production","event":"liveness","overslept":3,"overdue_seconds":90}
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
