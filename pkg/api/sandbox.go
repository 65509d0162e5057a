package api

import "pocbakery/pkg/hub"

type sandboxJSON struct {
	ID         hub.ID    `json:"id"`
	Kind       string    `json:"kind" enum:"guest,demo,account"`
	BornAt     instant   `json:"born_at"`
	EndsAt     instant   `json:"ends_at,omitzero" doc:"The first 10:00 UTC after its birth"`
	BackstopAt instant   `json:"backstop_at,omitzero" doc:"When all of it is gone, whatever fails"`
	Clock      clockJSON `json:"clock"`
	Permanent  bool      `json:"permanent"`
	Role       hub.Role  `json:"role" enum:"baker,customer"`
}

func sandboxOf(r hub.Root, now hub.Now, role hub.Role) sandboxJSON {
	out := sandboxJSON{ID: r.ID, Kind: r.Kind, BornAt: instant(r.BornAt), EndsAt: instant(r.EndsAt),
		Clock: clockOf(now, r.Offset), Permanent: r.EndsAt.IsZero(), Role: role}
	if !out.Permanent {
		out.BackstopAt = instant(r.Backstop())
	}
	return out
}

func (s *server) sandbox(c *call) (sandboxJSON, error) {
	view, err := s.Sandboxes.Read(c.ctx, c.who)
	return sandboxOf(view.Root, view.Now, c.who.Role), err
}

func (s *server) wipe(c *call) error { return s.Sandboxes.Wipe(c.ctx, c.who) }
