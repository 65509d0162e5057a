package main

import (
	"fmt"
	"time"

	"pocbakery/scripts/internal/drive"
)

// refusals is how many requests a row of refusals is the mean of.
const refusals = 1_000

// refusedFromMemory measures the two ways to refuse an admission that ask
// nothing of the table, each with the time of one over HTTP.
func (t *sheet) refusedFromMemory(s *drive.Server) error {
	if err := s.Admit(map[string]any{"rate_limit": "on"}); err != nil {
		return err
	}
	c, err := drive.Dial(s.Addr, drive.NextAddress())
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := s.AdmissionOver(c); err != nil { // which spends the address's minute
		return err
	}
	if err := t.refused(s, "refuse by the limit of an address", c, "rate-limited", refusals); err != nil {
		return err
	}
	status, err := s.Status()
	if err != nil {
		return err
	}
	// The operator's edit is what the process has read last.
	if err := s.Admit(map[string]any{"rate_limit": "off", "cap": status.Sandboxes.Used}); err != nil {
		return err
	}
	// What was read is believed for a second: a tenth of the requests fits in.
	return t.refused(s, "refuse a full day that was just read", c, "day-full", refusals/10)
}

// refused measures n refusals of this code over one connection, against a
// budget of no request at all.
func (t *sheet) refused(s *drive.Server, what string, c *drive.Conn, code string, n int) error {
	var took time.Duration
	cost, err := s.Spent(func() error {
		began := time.Now()
		for range n {
			a, err := s.AdmissionOver(c)
			if err == nil && drive.Text(a.Body, "code") != code {
				err = &drive.Refused{What: "an admission that must be refused as " + code, Answer: a}
			}
			if err != nil {
				return err
			}
		}
		took = time.Since(began) / time.Duration(n)
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	b := budget{}
	label := fmt.Sprintf("%s, %d times, %s each over HTTP", what, n, took.Round(time.Microsecond))
	t.Row(b.holds(cost), append(cells(label, cost), b.String())...)
	return nil
}
