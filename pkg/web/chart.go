package web

import (
	"strconv"

	"pocbakery/pkg/traffic"
)

// trafficPanel is the run under way, or the last, as a chart.
type trafficPanel struct {
	Running bool
	Ends    *moment
	Left    string
	Most    int // minutes that a run can have now
	PerMin  int
	Total   traffic.Counts
	Bars    []chartBar
	Box     string
	Scale   string
	Key     string
}

// chartBar is one minute's people, as rectangles from the foot up.
type chartBar struct {
	Paid, Abandoned, Refused string // paths
	Minute                   int
	traffic.Counts
}

const (
	chartHeight = 80
	barStep     = 20
	barWidth    = 14
)

func (s *Site) trafficPanel(t traffic.Traffic, v visit) *trafficPanel {
	p := &trafficPanel{Running: t.Running, Total: t.Total(), Most: traffic.MinutesPerDay - t.UsedToday, PerMin: traffic.MaxPerMinute}
	p.Left = strconv.Itoa(p.Most) + " of the day's " + strconv.Itoa(traffic.MinutesPerDay) + " minutes are left."
	if t.Running {
		p.Ends = &moment{Lead: "It runs until " + s.words.at(t.EndsAt, v.wall) + " real time", Instant: instant(t.EndsAt.Add(v.root.Offset))}
	}
	most := 1
	for _, c := range t.Series {
		most = max(most, c.Placed+c.Refused)
	}
	p.Scale = "up to " + count(int64(most), "person") + " a minute"
	if most != 1 {
		p.Scale = "up to " + strconv.Itoa(most) + " people a minute"
	}
	for n, c := range t.Series {
		b := chartBar{Counts: c, Minute: n + 1}
		foot, x := 0, n*barStep
		stack := func(people int) string {
			if people == 0 {
				return ""
			}
			from, to := foot*chartHeight/most, (foot+people)*chartHeight/most
			foot += people
			return "M" + strconv.Itoa(x) + " " + strconv.Itoa(chartHeight-to) + "h" + strconv.Itoa(barWidth) + "v" + strconv.Itoa(to-from) + "h-" + strconv.Itoa(barWidth) + "z"
		}
		b.Paid, b.Abandoned, b.Refused = stack(c.Paid), stack(c.Abandoned), stack(c.Refused)
		p.Bars = append(p.Bars, b)
	}
	p.Box = "0 0 " + strconv.Itoa(max(t.Minutes, 10)*barStep) + " " + strconv.Itoa(chartHeight)
	return p
}
