package api

import "pocbakery/pkg/traffic"

type trafficJSON struct {
	State         string       `json:"state" enum:"idle,running"`
	StartedAt     instant      `json:"started_at,omitzero" doc:"Of the run under way"`
	EndsAt        instant      `json:"ends_at,omitzero" doc:"Of the run under way"`
	MinutesUsed   int          `json:"minutes_used_today" doc:"By runs that started today in UTC"`
	MinutesPerDay int          `json:"minutes_per_day"`
	Placed        int          `json:"placed" doc:"Orders of this run, or of the last"`
	Paid          int          `json:"paid"`
	Abandoned     int          `json:"abandoned" doc:"Placed and not paid"`
	Refused       int          `json:"refused" doc:"People who got no order"`
	PerMinute     []minuteJSON `json:"per_minute" doc:"The same of each minute played"`
}

type minuteJSON struct {
	Placed    int `json:"placed"`
	Paid      int `json:"paid"`
	Abandoned int `json:"abandoned"`
	Refused   int `json:"refused"`
}

func trafficOf(t traffic.Traffic) trafficJSON {
	sum := t.Total()
	out := trafficJSON{
		State: "idle", StartedAt: instant(t.StartedAt), EndsAt: instant(t.EndsAt), MinutesUsed: t.UsedToday, MinutesPerDay: traffic.MinutesPerDay,
		Placed: sum.Placed, Paid: sum.Paid, Abandoned: sum.Abandoned, Refused: sum.Refused, PerMinute: make([]minuteJSON, len(t.Series)),
	}
	if t.Running {
		out.State = "running"
	}
	for n, c := range t.Series {
		out.PerMinute[n] = minuteJSON(c)
	}
	return out
}

func (s *server) traffic(c *call) (trafficJSON, error) {
	return trafficAnswer(s.Traffic.Read(c.ctx, c.who))
}

type startTrafficBody struct {
	Minutes         int `json:"minutes" minimum:"1" maximum:"30" doc:"How long it lasts; taken from the day's 30 now"`
	OrdersPerMinute int `json:"orders_per_minute" minimum:"1" maximum:"30"`
}

func (s *server) startTraffic(c *call, in *startTrafficBody) (trafficJSON, error) {
	out, err := trafficAnswer(s.Traffic.Start(c.ctx, c.who, in.Minutes, in.OrdersPerMinute))
	if err == nil {
		c.writer.Header()["Location"] = []string{"/v1/traffic"}
	}
	return out, err
}

func (s *server) stopTraffic(c *call) (trafficJSON, error) {
	return trafficAnswer(s.Traffic.Stop(c.ctx, c.who))
}

func trafficAnswer(t traffic.Traffic, err error) (trafficJSON, error) {
	if err != nil {
		return trafficJSON{}, err
	}
	return trafficOf(t), nil
}
