package drive

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Counts are the calls the program made of its table and its scheduler since
// the start, by operation.
type Counts struct {
	Table     map[string]Operation `json:"table"`
	Scheduler map[string]int64     `json:"scheduler"`
}

// Operation is what one kind of table call came to.
type Operation struct {
	Requests int64   `json:"requests"`
	Read     float64 `json:"read_units"`
	Write    float64 `json:"write_units"`
}

// Cost is what something cost: the difference of two Counts, added up.
type Cost struct {
	Reads    int64 // get, list, due, overdue
	Writes   int64 // put, update, delete, transact
	Erases   int64 // erase, 25 keys a request
	RU, WU   float64
	Creates  int64 // scheduler calls
	Lists    int64
	Deletes  int64
	Requests int64 // of the table, all told
}

var reading = map[string]bool{"get": true, "list": true, "due": true, "overdue": true}

// Since is what was spent from an earlier reading to this one.
func (c Counts) Since(before Counts) Cost {
	var cost Cost
	for name, now := range c.Table {
		was := before.Table[name]
		n := now.Requests - was.Requests
		switch {
		case reading[name]:
			cost.Reads += n
		case name == "erase":
			cost.Erases += n
		default:
			cost.Writes += n
		}
		cost.Requests += n
		cost.RU += now.Read - was.Read
		cost.WU += now.Write - was.Write
	}
	for name, now := range c.Scheduler {
		n := now - before.Scheduler[name]
		switch name {
		case "create":
			cost.Creates += n
		case "list":
			cost.Lists += n
		default:
			cost.Deletes += n
		}
	}
	return cost
}

// Calls are the scheduler calls, all told.
func (c Cost) Calls() int64 { return c.Creates + c.Lists + c.Deletes }

// admin asks the admin port.
func (s *Server) admin(method, path string, body, into any) error {
	c, err := Dial(s.Admin, "")
	if err != nil {
		return err
	}
	defer c.Close()
	var data []byte
	if body != nil {
		if data, err = json.Marshal(body); err != nil {
			return err
		}
	}
	a, err := c.Do(method, path, "", "", data)
	if err != nil {
		return err
	}
	if a.Status >= 300 {
		return &Refused{What: method + " " + path, Answer: a}
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(a.Body, into); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// Refused is an answer that is not the one the caller needs.
type Refused struct {
	What   string
	Answer Answer
}

func (e *Refused) Error() string {
	return fmt.Sprintf("%s answered %d: %.300s", e.What, e.Answer.Status, e.Answer.Body)
}

// notYet says that this version has no such part.
func notYet(err error) bool {
	var refused *Refused
	return errors.As(err, &refused) && refused.Answer.Status == 422
}

// Counts reads the counters.
func (s *Server) Counts() (c Counts, err error) {
	err = s.admin("GET", "/_local/counts", nil, &c)
	return c, err
}

// Spent is what f cost the table and the scheduler.
func (s *Server) Spent(f func() error) (Cost, error) {
	before, err := s.Counts()
	if err != nil {
		return Cost{}, err
	}
	if err := f(); err != nil {
		return Cost{}, err
	}
	after, err := s.Counts()
	return after.Since(before), err
}

// Admit sets the operator's switch: fields left out keep their value.
func (s *Server) Admit(settings map[string]any) error {
	return s.admin("PUT", "/_local/admission", settings, nil)
}

// Open raises the day's caps far above what a run needs and lifts every limit
// by time, where this version has one.
func (s *Server) Open() error {
	caps := map[string]any{"flag": "on", "cap": 5000, "guest_share": 5000, "rate_limit": "off"}
	err := s.Admit(caps)
	if notYet(err) {
		delete(caps, "rate_limit")
		return s.Admit(caps)
	}
	return err
}

// Quiet turns a background fault switch off ("rules", "ttl"), so that only what
// is measured runs. A version without that part has nothing to turn off.
func (s *Server) Quiet(part string) error {
	err := s.admin("PUT", "/_local/faults", map[string]any{part: "off"}, nil)
	if notYet(err) {
		return nil
	}
	return err
}

// Advance moves the wall clock of the whole program forward.
func (s *Server) Advance(d time.Duration) error {
	return s.admin("POST", "/_local/wall/advance", map[string]any{"seconds": int(d.Seconds())}, nil)
}

// Items is the number of items the table holds of a hub.
func (s *Server) Items(hub string) (int, error) {
	var a struct {
		Count int `json:"count"`
	}
	err := s.admin("GET", "/_local/items?hub="+hub, nil, &a)
	return a.Count, err
}

// Schedules is the number of one-shots that wait for a hub.
func (s *Server) Schedules(hub string) (n int, err error) {
	var a struct {
		Schedules []struct {
			Hub string `json:"hub"`
		} `json:"schedules"`
	}
	err = s.admin("GET", "/_local/schedules", nil, &a)
	for _, x := range a.Schedules {
		if x.Hub == hub {
			n++
		}
	}
	return n, err
}

// Status is the part of GET /v1/status that a run looks at.
type Status struct {
	Sandboxes struct {
		Used int `json:"used"`
		Cap  int `json:"cap"`
	} `json:"sandboxes"`
	Now time.Time `json:"now"`
}

// Status reads the day's state.
func (s *Server) Status() (st Status, err error) {
	c, err := Dial(s.Addr, "")
	if err != nil {
		return st, err
	}
	defer c.Close()
	a, err := c.Do("GET", "/v1/status", "", "", nil)
	if err != nil {
		return st, err
	}
	if a.Status != 200 {
		return st, &Refused{What: "GET /v1/status", Answer: a}
	}
	return st, json.Unmarshal(a.Body, &st)
}

// ClearOf moves the wall clock past 10:00 and 00:00 UTC where one of them
// comes within d, so that no sandbox ends and no day turns during a run.
func (s *Server) ClearOf(d time.Duration) error {
	for range 2 {
		st, err := s.Status()
		if err != nil {
			return err
		}
		day := st.Now.UTC().Truncate(24 * time.Hour)
		for _, at := range []time.Time{day.Add(10 * time.Hour), day.Add(24 * time.Hour)} {
			if left := at.Sub(st.Now); left > 0 && left < d {
				if err := s.Advance(left + 2*time.Second); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}
