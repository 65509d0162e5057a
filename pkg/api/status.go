package api

type statusJSON struct {
	Date      string    `json:"date" format:"date" doc:"The day in UTC"`
	Flag      string    `json:"flag" enum:"on,read-only,off"`
	Sandboxes countJSON `json:"sandboxes"`
	Guests    countJSON `json:"guests"`
	Demo      countJSON `json:"demo"`
	ResetsAt  instant   `json:"resets_at"`
	Now       instant   `json:"now"`
}

type countJSON struct {
	Used int `json:"used"`
	Cap  int `json:"cap"`
}

func (s *server) status(c *call) (out statusJSON, err error) {
	st, err := s.Desk.Status(c.ctx)
	if err != nil {
		return out, err
	}
	return statusJSON{Date: st.Date, Flag: string(st.Flag), Sandboxes: countJSON(st.Sandboxes), Guests: countJSON(st.Guests),
		Demo: countJSON(st.Demo), ResetsAt: instant(st.ResetsAt), Now: instant(st.Now)}, nil
}
