package google

import "fmt"

// Faults are how the stand-in fares.
type Faults struct {
	Push string `json:"push"` // on, drop, double, late
	List string `json:"list"` // ok, 410, 410-mid-page, 401, 429, 500
}

// Counts are the calls since the start, and the channels that are open.
type Counts struct {
	List     int `json:"list"`
	Watch    int `json:"watch"`
	Stop     int `json:"stop"`
	Token    int `json:"token"`
	Channels int `json:"channels"`
}

var modes = map[string]map[string]bool{
	"push": {"on": true, "drop": true, "double": true, "late": true},
	"list": {"ok": true, "410": true, "410-mid-page": true, "401": true, "429": true, "500": true},
}

// SetFaults changes what is not empty, and returns how it fares then.
func (c *Calendars) SetFaults(f Faults) (Faults, error) {
	if f.Push != "" && !modes["push"][f.Push] {
		return Faults{}, fmt.Errorf("push is on, drop, double or late")
	}
	if f.List != "" && !modes["list"][f.List] {
		return Faults{}, fmt.Errorf("list is ok, 410, 410-mid-page, 401, 429 or 500")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.Push != "" {
		c.faults.Push = f.Push
	}
	if f.List != "" {
		c.faults.List = f.List
	}
	return c.faults, nil
}

// Counts counts.
func (c *Calendars) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.counts
	for _, b := range c.books {
		b.live(c.wall())
		n.Channels += len(b.channels)
	}
	return n
}
