package drive

import (
	"fmt"
	"time"
)

// The budgets of a load, on two cores that the client shares.
const (
	attemptsPerSecond   = 10_000
	placementsPerSecond = 5_000
	writesPerRefused    = 1.1
	liveMemory          = 100 << 20
	idleCPUShare        = 0.01 // of one core; the kernel counts in hundredths of a second
)

// LoadHeads are the columns of the load's table.
var LoadHeads = []string{"load", "what happened", "measured", "budget", ""}

// RunLoad runs the scenarios against the server and adds a row for each. An
// error is a broken promise or a broken server, never a slow one. It returns a
// guest whose slots are nearly all taken.
func RunLoad(s *Server, clients int, t *Table) (*Guest, error) {
	rush, err := s.Rush(clients)
	if err != nil {
		return nil, fmt.Errorf("rush: %w", err)
	}
	t.Row(rush.PerSecond() >= attemptsPerSecond,
		fmt.Sprintf("%d attempts on %d slots of %d, %d clients", rushAttempts, rushSlots, capacity, clients),
		fmt.Sprintf("%d placed, %d refused in %.2f s%s", rush.Placed, rush.Refused, rush.Took.Seconds(), each(rush)),
		fmt.Sprintf("%.0f attempts/s", rush.PerSecond()),
		fmt.Sprintf(">= %d", attemptsPerSecond))

	fill, orders, err := s.Fill(clients)
	if err != nil {
		return nil, fmt.Errorf("placements: %w", err)
	}
	t.Row(fill.PerSecond() >= placementsPerSecond,
		fmt.Sprintf("placements where there is room, %d sandboxes", fillGuests),
		fmt.Sprintf("%d placed in %.2f s%s", fill.Placed, fill.Took.Seconds(), each(fill)),
		fmt.Sprintf("%.0f placements/s", fill.PerSecond()),
		fmt.Sprintf(">= %d", placementsPerSecond))

	paid, err := s.PayAll(clients, orders)
	if err != nil {
		return nil, fmt.Errorf("payments: %w", err)
	}
	t.Note("payments",
		fmt.Sprintf("%d paid in %.2f s%s", paid.Placed, paid.Took.Seconds(), each(paid)),
		fmt.Sprintf("%.0f payments/s", paid.PerSecond()), "")

	const rounds = 5
	once, err := s.Stampede(rounds)
	if err != nil {
		return nil, fmt.Errorf("at once: %w", err)
	}
	t.Row(once.Worst <= writesPerRefused,
		fmt.Sprintf("%d at once for one slot of %d, %d times", stampede, capacity, rounds),
		fmt.Sprintf("exactly %d placed each time", capacity),
		fmt.Sprintf("%.3f write attempts per refused one (worst %.3f)", once.Mean, once.Worst),
		fmt.Sprintf("<= %.1f", writesPerRefused))
	return orders[0].Guest, nil
}

// each says what one attempt took of the server's processor.
func each(p Placed) string {
	if p.CPU == 0 {
		return ""
	}
	return fmt.Sprintf(", %d us of CPU each", p.Each().Microseconds())
}

// RunLive watches a fresh server with many live sandboxes do nothing.
func RunLive(s *Server, t *Table) error {
	idle, err := s.Live(5 * time.Second)
	if err != nil {
		return fmt.Errorf("idle: %w", err)
	}
	t.Row(idle.Memory.RSS < liveMemory,
		fmt.Sprintf("memory with %d live sandboxes", idle.Guests),
		fmt.Sprintf("%d orders held, %d MB of it mapped files", idle.Orders, idle.Memory.File>>20),
		fmt.Sprintf("%d MB", idle.Memory.RSS>>20),
		fmt.Sprintf("< %d MB", liveMemory>>20))
	share := idle.CPU.Seconds() / idle.Over.Seconds()
	t.Row(share < idleCPUShare && idle.Requests == 0,
		"the same, asked nothing",
		fmt.Sprintf("%d ms of CPU in %.0f s, %d table requests", idle.CPU.Milliseconds(), idle.Over.Seconds(), idle.Requests),
		fmt.Sprintf("%.1f %% of a core", 100*share),
		"0")
	return nil
}
