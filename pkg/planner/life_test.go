package planner

import (
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/refusal"
)

func TestRules9And16AMovedMeetingMovesWhatItHitsAndSaysWhy(t *testing.T) {
	d := lasting(t, "2026-11-30 08:00:00").fresh()
	d.side.events = append(d.side.events, meeting("e1", "Supplier call", "2026-11-30", "10:00", "11:00"))
	c := d.connect()
	d.add(NewTask{Title: "Order flour", Minutes: 60, Priority: 1})
	d.add(NewTask{Title: "Write rota", Minutes: 90, Priority: 2})
	d.sees("2026-11-30", `
09:00 to 10:00 Order flour (planned)
10:00 to 11:00 Supplier call (event)
11:00 to 12:30 Write rota (planned)`)

	d.side.events[0] = meeting("e1", "Supplier call", "2026-11-30", "09:00", "10:00")
	d.Advance(c.NextSync.Time().Sub(d.Now()))
	p := d.sees("2026-11-30", `
09:00 to 10:00 Supplier call (event)
10:00 to 11:00 Order flour (planned) from 09:00
11:00 to 12:30 Write rota (planned)`)
	if m := p.Blocks[1].Moved; m == nil || m.Because != "moved from 09:00: Supplier call now 09:00 to 10:00" {
		t.Errorf("%+v", m)
	}
	d.until("23:00")
	if m := d.plan("2026-11-30").Blocks[1].Moved; m == nil {
		t.Error("the move is forgotten before its day is over")
	}
	d.until("00:00")
	if m := d.plan("2026-11-30").Blocks[1].Moved; m != nil {
		t.Errorf("the day is over, and the move still told: %+v", m)
	}
}

func TestRule11AnOverrunPushesTheRestQuarterByQuarterForAnHour(t *testing.T) {
	d := lasting(t, "2026-11-30 08:00:00").fresh()
	flour := d.add(NewTask{Title: "Order flour", Minutes: 60, Priority: 1})
	d.add(NewTask{Title: "Write rota", Minutes: 60, Priority: 2})
	id := d.plan("2026-11-30").Blocks[0].ID
	d.until("09:59")
	d.sees("2026-11-30", "09:00 to 10:00 Order flour (planned)\n10:00 to 11:00 Write rota (planned)")
	d.until("10:00")
	p := d.sees("2026-11-30", "09:00 to 10:00 Order flour (overrun)\n10:15 to 11:15 Write rota (planned) from 10:00")
	if b := p.Blocks[1].Moved.Because; b != "moved from 10:00: Order flour is not done and runs over, 09:00 to 10:15" {
		t.Error(b)
	}
	d.until("10:15")
	d.sees("2026-11-30", "09:00 to 10:00 Order flour (overrun)\n10:30 to 11:30 Write rota (planned) from 10:15")
	d.until("10:45")
	d.sees("2026-11-30", "09:00 to 10:00 Order flour (overrun)\n11:00 to 12:00 Write rota (planned) from 10:45")
	d.until("11:00")
	p = d.plan("2026-11-30")
	if p.Blocks[0].ID != id || p.Blocks[0].State != Missed {
		t.Error("never started, and its hour is over: missed", told(p))
	}
	if again := p.Blocks[len(p.Blocks)-1]; again.Task != flour.ID || !again.Rolled || again.ID == id {
		t.Errorf("its minutes are placed again: %s", told(p))
	}
	if got := strings.Count(strings.Join(d.events(), " "), "BlockOverrun"); got != 1 {
		t.Error(got, "overruns told")
	}
}

func TestRule11AnOverrunThatWasStartedStaysOne(t *testing.T) {
	d := lasting(t, "2026-11-30 08:00:00").fresh()
	d.add(NewTask{Title: "Order flour", Minutes: 60})
	id := d.plan("2026-11-30").Blocks[0].ID
	d.until("09:10")
	_, _, err := d.p.StartBlock(d.ctx(), d.who, "", id)
	d.must(err)
	d.sees("2026-11-30", "09:10 to 10:10 Order flour (running)")
	d.until("12:00")
	p := d.plan("2026-11-30")
	if p.Blocks[0].State != Overrun || len(p.Blocks) != 2 || p.Blocks[1].StartsAt.Format("15:04") != "11:10" {
		t.Error(told(p))
	}
}

func TestRule11AnOverrunEndsWithTheWorkingInterval(t *testing.T) {
	d := lasting(t, "2026-11-30 08:00:00").fresh()
	d.add(NewTask{Title: "Order flour", Minutes: 480})
	d.until("17:00")
	d.sees("2026-11-30", "09:00 to 17:00 Order flour (missed)")
	d.sees("2026-12-01", "09:00 to 17:00 Order flour (planned)")
}

func TestRule12DoneFinishesAPieceAndTheTaskWhenNothingRemains(t *testing.T) {
	d := lasting(t, "2026-11-30 08:00:00").fresh()
	d.side.events = append(d.side.events, meeting("e1", "Supplier call", "2026-11-30", "10:00", "11:00"))
	d.connect()
	task := d.add(NewTask{Title: "Recipe", Minutes: 120, MinChunk: 30, Due: d.Now().Add(4 * time.Hour)})
	d.sees("2026-11-30", "09:00 to 10:00 Recipe (planned)\n10:00 to 11:00 Supplier call (event)\n11:00 to 12:00 Recipe (planned)")
	blocks := d.plan("2026-11-30").Blocks
	d.until("09:40")
	_, replayed, err := d.p.FinishBlock(d.ctx(), d.who, "a-key-of-it", blocks[0].ID, 40)
	d.must(err)
	if replayed {
		t.Error("the first is no repeat")
	}
	d.sees("2026-11-30", "09:00 to 09:40 Recipe (done)\n10:00 to 11:00 Supplier call (event)\n11:00 to 12:00 Recipe (planned)")
	if _, replayed, err = d.p.FinishBlock(d.ctx(), d.who, "a-key-of-it", blocks[0].ID, 40); err != nil || !replayed {
		t.Error("a repeat under its key is one", err)
	}
	_, _, err = d.p.FinishBlock(d.ctx(), d.who, "a-key-of-it", blocks[0].ID, 41)
	d.refused(err, refusal.KeyReused)
	_, _, err = d.p.FinishBlock(d.ctx(), d.who, "", blocks[0].ID, 0)
	d.refused(err, refusal.BlockFinal)
	_, _, err = d.p.FinishBlock(d.ctx(), d.who, "", blocks[2].ID, 0)
	d.must(err)
	tasks, _, err := d.p.Tasks(d.ctx(), d.who, TaskQuery{Limit: 10})
	d.must(err)
	if len(tasks) != 1 || !tasks[0].Done || tasks[0].Remaining != 0 {
		t.Errorf("%+v", tasks)
	}
	no := false
	back, err := d.p.EditTask(d.ctx(), d.who, task.ID, TaskEdit{Done: &no})
	d.must(err)
	if back.Done || back.Remaining == 0 {
		t.Errorf("%+v", back)
	}
}

func TestRule12ExtendGoesToTheNextEventAndTheRestIsAnotherPiece(t *testing.T) {
	d := lasting(t, "2026-11-30 08:00:00").fresh()
	d.side.events = append(d.side.events, meeting("e1", "Supplier call", "2026-11-30", "10:30", "11:00"))
	d.connect()
	d.add(NewTask{Title: "Recipe", Minutes: 60})
	id := d.plan("2026-11-30").Blocks[0].ID
	d.until("09:30")
	_, _, err := d.p.ExtendBlock(d.ctx(), d.who, "", id, 45)
	d.must(err)
	d.sees("2026-11-30", "09:00 to 10:30 Recipe (planned)\n10:30 to 11:00 Supplier call (event)\n11:00 to 11:15 Recipe (planned)")
	for _, minutes := range []int{0, -1, 481} {
		_, _, err = d.p.ExtendBlock(d.ctx(), d.who, "", id, minutes)
		d.refused(err, refusal.Invalid)
	}
	_, _, err = d.p.ExtendBlock(d.ctx(), d.who, "", "nothing-0", 10)
	d.refused(err, refusal.NoSuchBlock)
}

func TestRule12AnOverrunThatIsExtendedRunsAgain(t *testing.T) {
	d := lasting(t, "2026-11-30 08:00:00").fresh()
	d.add(NewTask{Title: "Order flour", Minutes: 60, Priority: 1})
	d.add(NewTask{Title: "Write rota", Minutes: 60, Priority: 2})
	id := d.plan("2026-11-30").Blocks[0].ID
	d.until("10:01")
	p, _, err := d.p.ExtendBlock(d.ctx(), d.who, "", id, 45)
	d.must(err)
	if got := told(p); got != "09:00 to 10:45 Order flour (running)\n10:45 to 11:45 Write rota (planned) from 10:15" {
		t.Error(got)
	}
	if b := p.Blocks[1].Moved.Because; !strings.Contains(b, "Order flour") {
		t.Error(b)
	}
}

func TestRule7APinBeatsHoursAndMeetingsAndTwoPinsConflict(t *testing.T) {
	d := lasting(t, "2026-11-30 08:00:00").fresh()
	d.side.events = append(d.side.events, meeting("e1", "Supplier call", "2026-11-30", "16:30", "18:00"))
	d.connect()
	pin := d.Now().Add(9 * time.Hour) // 17:00
	d.add(NewTask{Title: "Bank", Minutes: 30, PinnedAt: pin})
	p := d.plan("2026-11-30")
	if b := p.Blocks[1]; told(p) != "16:30 to 18:00 Supplier call (event)\n17:00 to 17:30 Bank (planned)" || !b.Pinned || !b.Overlaps {
		t.Errorf("%s %+v", told(p), b)
	}
	_, _, err := d.p.AddTask(d.ctx(), d.who, "", NewTask{Title: "Post", Minutes: 30, Priority: 1, PinnedAt: pin.Add(29 * time.Minute)})
	d.refused(err, refusal.PinConflict)
	_, _, err = d.p.AddTask(d.ctx(), d.who, "", NewTask{Title: "Post", Minutes: 30, Priority: 1, PinnedAt: pin.Add(30 * time.Minute)})
	d.must(err)
}

func TestRule13ARepeatThatIsDoneMakesTheNextAndAMissedOneIsReplaced(t *testing.T) {
	d := lasting(t, "2026-11-30 08:00:00").fresh()
	task := d.add(NewTask{Title: "Clean oven", Minutes: 60, Repeat: "FREQ=DAILY", Due: d.Now().Add(9 * time.Hour)})
	yes := true
	_, err := d.p.EditTask(d.ctx(), d.who, task.ID, TaskEdit{Done: &yes})
	d.must(err)
	d.sees("2026-11-30", "")
	d.sees("2026-12-01", "09:00 to 10:00 Clean oven (planned)")
	d.until("23:00")
	d.until("22:00") // of the next day: it was missed
	d.sees("2026-12-01", "09:00 to 10:00 Clean oven (missed)")
	d.sees("2026-12-02", "09:00 to 10:00 Clean oven (planned)")
	tasks, _, err := d.p.Tasks(d.ctx(), d.who, TaskQuery{Limit: 10})
	d.must(err)
	if len(tasks) != 2 {
		t.Errorf("they pile up: %+v", tasks)
	}
	for _, bad := range []string{"FREQ=YEARLY", "FREQ=HOURLY", "nonsense", "FREQ=DAILY;BYHOUR=3", "FREQ=DAILY;INTERVAL=100000"} {
		_, _, err := d.p.AddTask(d.ctx(), d.who, "", NewTask{Title: "x", Minutes: 30, Priority: 1, Repeat: bad})
		d.refused(err, refusal.Invalid)
	}
}

func TestWhoMovesToAnotherZoneKeepsTheirPast(t *testing.T) {
	d := lasting(t, "2026-11-30 08:00:00")
	p := nineToFive()
	for day := range p.Hours {
		p.Hours[day] = [][2]string{{"00:00", "24:00"}}
	}
	d.save(p)
	for range 7 { // a block shortly after each midnight
		d.until("23:50")
		id := d.add(NewTask{Title: "Night", Minutes: 60}).ID
		d.until("00:05")
		yes := true
		_, err := d.p.EditTask(d.ctx(), d.who, id, TaskEdit{Done: &yes})
		d.must(err)
		d.add(NewTask{Title: "Early", Minutes: 30, Repeat: "FREQ=DAILY"})
		d.until("00:40")
	}
	for _, zone := range []string{"Pacific/Pago_Pago", "Pacific/Kiritimati", "UTC"} {
		p.Zone = zone
		d.save(p)
		d.Advance(3 * time.Hour)
	}
}
