package planner

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/calendar"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/localtime"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
	"pocbakery/pkg/store/faults"
)

func (d *desk) one() Calendar {
	d.t.Helper()
	all, err := d.p.Calendars(d.ctx(), d.who)
	d.must(err)
	if len(all) != 1 {
		d.t.Fatalf("%d calendars", len(all))
	}
	return all[0]
}

func TestRule14ConnectingAsksOnceAndSaysWhatItFound(t *testing.T) {
	d := lasting(t, "2026-11-30 08:00:00").fresh()
	d.side.fail = calendar.ErrNotAllowed
	_, _, err := d.p.Connect(d.ctx(), d.who, "", NewCalendar{Kind: ICS, URL: "file:///etc/passwd"})
	d.refused(err, refusal.CalendarURL)

	d.side.fail = fmt.Errorf("%w: it answered 404", calendar.ErrUnread)
	c := d.connect()
	if d.side.asked != 2 || c.State != CalendarError || !strings.Contains(c.Error, "404") || c.NextSync.IsZero() {
		t.Errorf("asked %d times, %+v", d.side.asked, c)
	}
	d.side.fail = nil
	d.Advance(c.NextSync.Time().Sub(d.Now()))
	if c = d.one(); c.State != CalendarOK || c.Error != "" {
		t.Errorf("%+v", c)
	}
	for range maxCalendars - 1 {
		d.connect()
	}
	_, _, err = d.p.Connect(d.ctx(), d.who, "", NewCalendar{Kind: ICS, URL: "https://example.org/b.ics"})
	d.refused(err, refusal.TooMany)
}

func TestAHubConnectsAtMostTwentyCalendarsADay(t *testing.T) {
	d := lasting(t, "2026-11-30 08:00:00").fresh()
	for range maxConnects {
		d.must(d.p.Disconnect(d.ctx(), d.who, d.connect().ID))
	}
	asked := d.side.asked
	_, _, err := d.p.Connect(d.ctx(), d.who, "", NewCalendar{Kind: ICS, URL: "https://example.org/a.ics"})
	d.refused(err, refusal.TooMany)
	if d.side.asked != asked {
		t.Error("the address was asked all the same")
	}
	d.until("00:00")
	d.connect()
}

func TestRule14BusyIsWhatTheEventSaysUnlessTheCalendarSaysOtherwise(t *testing.T) {
	d := lasting(t, "2026-11-30 08:00:00").fresh()
	free := meeting("e1", "Birthday", "2026-11-30", "09:00", "10:00")
	free.Free = true
	d.side.events = append(d.side.events, free)
	c := d.connect()
	d.add(NewTask{Title: "Order flour", Minutes: 60})
	d.sees("2026-11-30", "09:00 to 10:00 Order flour (planned)")
	busy, free2 := TreatBusy, TreatFree
	_, err := d.p.EditCalendar(d.ctx(), d.who, c.ID, CalendarEdit{TreatAs: &busy})
	d.must(err)
	d.sees("2026-11-30", "09:00 to 10:00 Birthday (event)\n10:00 to 11:00 Order flour (planned) from 09:00")
	_, err = d.p.EditCalendar(d.ctx(), d.who, c.ID, CalendarEdit{TreatAs: &free2})
	d.must(err)
	d.sees("2026-11-30", "10:00 to 11:00 Order flour (planned) from 09:00")
}

func TestRule15AHalfSyncIsNeverSeen(t *testing.T) {
	for failing := range 6 {
		d := lasting(t, "2026-11-30 08:00:00").fresh()
		d.side.events = append(d.side.events, meeting("e1", "Old", "2026-11-30", "10:00", "11:00"))
		c := d.connect()
		d.side.events = nil
		for n := range 400 {
			d.side.events = append(d.side.events, meeting(fmt.Sprint(n), strings.Repeat("x", 900)+fmt.Sprint(n*7919), "2026-11-30", "12:00", "12:01"))
		}
		for n := range 30 { // each is tried three times
			d.Faults.Next(faults.Commit, 1+failing+n, faults.Refused)
		}
		d.Set(c.NextSync.Time())
		_, _ = d.Engine.Run(d.ctx(), alarmOf(d))
		for n := range 30 {
			d.Faults.Next(faults.Commit, 1+n, 0)
		}
		seen := len(d.plan("2026-11-30").Blocks)
		if seen != 1 && seen != 400 {
			t.Errorf("after %d writes %d events are seen", failing, seen)
		}
		for range 3 {
			d.Advance(2 * time.Hour)
		}
		if seen := len(d.plan("2026-11-30").Blocks); seen != 400 {
			t.Errorf("after %d writes and a while %d events are seen", failing, seen)
		}
	}
}

func TestRule16FailuresBackOffAndALostGrantIsNotAskedAgain(t *testing.T) {
	d := lasting(t, "2026-11-30 08:00:00").fresh()
	d.connect()
	d.side.fail = calendar.ErrUnread
	before := d.side.asked
	d.until("00:00")
	if n := d.side.asked - before; n < 4 || n > 12 {
		t.Errorf("asked %d times in 16 hours of failing", n)
	}
	d.side.fail = calendar.ErrReconnect
	d.Advance(8 * time.Hour)
	before = d.side.asked
	if c := d.one(); c.State != CalendarReconnect || !c.NextSync.IsZero() {
		t.Errorf("%+v", c)
	}
	d.Advance(20 * time.Hour)
	if d.side.asked != before {
		t.Error("it was asked again")
	}
}

func TestRule10PickupsAreWallsOnlyWithAShopCalendar(t *testing.T) {
	d := lasting(t, "2026-11-30 08:00:00").fresh()
	at := func(clock string) time.Time { v, _ := time.Parse("2006-01-02 15:04", "2026-11-30 "+clock); return v }
	d.pickups = []Pickup{{"s1", at("09:30"), 2}}
	d.add(NewTask{Title: "Order flour", Minutes: 60})
	d.sees("2026-11-30", "09:00 to 10:00 Order flour (planned)")
	c, _, err := d.p.Connect(d.ctx(), d.who, "", NewCalendar{Kind: ShopOf, Shop: d.who.Hub})
	d.must(err)
	d.sees("2026-11-30", "09:30 to 09:35 Pickup of 2 orders (event)\n09:35 to 10:35 Order flour (planned) from 09:00")
	none := 0
	_, err = d.p.EditCalendar(d.ctx(), d.who, c.ID, CalendarEdit{Pickup: &none})
	d.must(err)
	d.sees("2026-11-30", "09:30 to 09:30 Pickup of 2 orders (event)\n09:35 to 10:35 Order flour (planned) from 09:00")
}

func TestRule17ABriefingIsMadeOnceADayAtItsLocalTime(t *testing.T) {
	for _, c := range []struct{ zone, born, first, second string }{
		{"Europe/Stockholm", "2026-03-28 12:00:00", "2026-03-29 05:00", "2026-03-30 05:00"}, // the clocks go forward that night
		{"Europe/Stockholm", "2026-10-24 12:00:00", "2026-10-25 06:00", "2026-10-26 06:00"},
		{"UTC", "2026-11-30 06:00:00", "2026-11-30 07:00", "2026-12-01 07:00"},
		{"UTC", "2026-11-30 07:00:00", "2026-12-01 07:00", "2026-12-02 07:00"}, // saved at its time: tomorrow
	} {
		d := lasting(t, c.born)
		p := nineToFive()
		p.Zone = c.zone
		d.Advance(24 * time.Hour)
		if got, _ := d.p.Briefings(d.ctx(), d.who, 10); len(got) != 0 {
			t.Error("without a profile there is none")
		}
		d = lasting(t, c.born)
		d.save(p)
		d.Advance(48 * time.Hour)
		got, err := d.p.Briefings(d.ctx(), d.who, 10)
		d.must(err)
		var at []string
		for _, b := range got {
			at = append(at, b.SentAt.Format("2006-01-02 15:04"))
		}
		if !slices.Equal(at, []string{c.second, c.first}) || len(d.mailed) != 2 {
			t.Errorf("%s in %s: %v, mailed %v", c.born, c.zone, at, d.mailed)
		}
	}
}

func TestRule17OneClickEndsTheMailsAndNotTheBriefings(t *testing.T) {
	d := lasting(t, "2026-11-30 05:00:00").fresh()
	d.until("07:30")
	if len(d.mailed) != 1 || d.outs[0] == "" {
		t.Fatal(d.mailed, d.outs)
	}
	for _, forged := range []string{"", "account1", d.outs[0] + "0", "another" + d.outs[0]} {
		requests := d.Meter.Total()
		d.refused(d.p.Unsubscribe(d.ctx(), forged), refusal.Unauthenticated)
		if d.Meter.Total() != requests {
			t.Errorf("%q costs a read", forged)
		}
	}
	for range 2 {
		d.must(d.p.Unsubscribe(d.ctx(), d.outs[0]))
	}
	d.until("07:30")
	all, err := d.p.Briefings(d.ctx(), d.who, 10)
	d.must(err)
	if len(d.mailed) != 1 || len(all) != 2 {
		t.Errorf("mailed %v, %d briefings", d.mailed, len(all))
	}
}

func TestRule17ABriefingSaysWhatTheDayHas(t *testing.T) {
	d := lasting(t, "2026-11-30 05:00:00").fresh()
	d.pickups = []Pickup{{"s1", time.Date(2026, 11, 30, 16, 0, 0, 0, time.UTC), 1}, {"s2", time.Date(2026, 12, 1, 16, 0, 0, 0, time.UTC), 1}}
	_, _, err := d.p.Connect(d.ctx(), d.who, "", NewCalendar{Kind: ShopOf, Shop: d.who.Hub})
	d.must(err)
	d.add(NewTask{Title: "Order <flour>", Minutes: 60, Due: d.Now().Add(4 * time.Hour)})
	d.add(NewTask{Title: "Repaint", Minutes: 600, Priority: 4})
	d.until("07:00")
	all, err := d.p.Briefings(d.ctx(), d.who, 10)
	d.must(err)
	b := all[0]
	for _, want := range []string{"09:00 to 10:00  Order <flour>", "16:00  Pickup of 1 order\n", "Late\n  Order <flour>: ends 10:00, due 09:00: ", "Repaint: needs 600 minutes in one piece, no day has more than 480"} {
		if !strings.Contains(b.Text, want) {
			t.Errorf("%q is not in\n%s", want, b.Text)
		}
	}
	if strings.Count(b.Text, "Pickup of 1 order\n") != 2 { // among the day's blocks, and in their own list
		t.Error(b.Text)
	}
	if !strings.Contains(b.HTML, "Order &lt;flour&gt;") || strings.Contains(b.HTML, "<flour>") {
		t.Error(b.HTML)
	}
}

func TestRule17ABriefingWhoseDayIsOverIsNeverMade(t *testing.T) {
	d := lasting(t, "2026-11-30 05:00:00").fresh()
	d.Set(d.Now().Add(20 * time.Hour)) // the alarm was lost until after midnight
	d.Advance(10 * time.Hour)
	all, err := d.p.Briefings(d.ctx(), d.who, 10)
	d.must(err)
	if len(all) != 1 || all[0].Date.String() != "2026-12-01" {
		t.Errorf("%+v", all)
	}
}

func TestRule1AMovedClockSettlesEachEndAtItsOwnInstant(t *testing.T) {
	d := borrowed(t, "2026-11-30 06:30:00").fresh()
	d.add(NewTask{Title: "Order flour", Minutes: 60, Priority: 1})
	d.add(NewTask{Title: "Write rota", Minutes: 60, Priority: 2})
	d.jump(3*time.Hour + 45*time.Minute) // to 10:15
	d.sees("2026-11-30", "09:00 to 10:00 Order flour (overrun)\n10:30 to 11:30 Write rota (planned) from 10:15")
	all, err := d.p.Briefings(d.ctx(), d.who, 10)
	d.must(err)
	if len(all) != 1 || all[0].SentAt.Format("15:04") != "07:00" {
		t.Errorf("%+v", all)
	}
	var at []string
	events, _, err := d.p.Events(d.ctx(), d.who, "", 100)
	d.must(err)
	for _, e := range events {
		if e.Type == BlockOverrun || e.Type == BriefingSent {
			at = append(at, string(e.Type)+" "+e.At.Format("15:04"))
		}
	}
	if !slices.Equal(at, []string{"BlockOverrun 10:00", "BriefingSent 07:00"}) { // of one wall instant, so by rank
		t.Error(at)
	}
	d.jump(7 * 24 * time.Hour)
	if all, _ = d.p.Briefings(d.ctx(), d.who, 20); len(all) != 8 {
		t.Errorf("%d briefings in eight days of a moved clock", len(all))
	}
}

func TestRule18AQuietYearHasNoRequestsAndNoInvocations(t *testing.T) {
	d := lasting(t, "2026-11-30 08:00:00").fresh()
	d.connect()
	d.add(NewTask{Title: "Order flour", Minutes: 60, Repeat: "FREQ=WEEKLY"})
	asked := func(days int) int {
		before := d.side.asked
		d.Advance(time.Duration(days) * 24 * time.Hour)
		return d.side.asked - before
	}
	first, third, week, fortnight, month := asked(1), asked(3), asked(4), asked(7), asked(17)
	if first < 50 || third < 40 || third > 90 || week < 8 || week > 30 || fortnight < 4 || fortnight > 12 || month < 1 || month > 5 {
		t.Error("syncs on the first day, to day 3, 7, 14 and 30:", first, third, week, fortnight, month)
	}
	left, err := d.Alarms.List(d.ctx(), "")
	d.must(err)
	if len(left) != 0 {
		t.Fatalf("a schedule is left: %v", left)
	}
	for _, c := range []store.Clock{store.Business, store.Wall} {
		refs, err := d.Mem.Due(d.ctx(), string(d.who.Hub), c, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), 10)
		d.must(err)
		if len(refs) != 0 {
			t.Fatalf("an end is left: %v", refs)
		}
	}
	items, err := d.Mem.Get(d.ctx(), d.Now(), store.Key{PK: string(d.who.Hub), SK: headSK})
	d.must(err)
	if !strings.Contains(items[0].String(fieldRow), `"z":true`) {
		t.Error("it is not asleep: ", items[0].String(fieldRow))
	}
	requests := d.Meter.Total()
	if n := asked(365); n != 0 || d.Meter.Total() != requests {
		t.Errorf("%d syncs and %v requests in a quiet year, %v before", n, d.Meter.Total(), requests)
	}
	if c := d.one(); c.State == CalendarAsleep { // the very look is a visit
		t.Log("the visit answers from what is stored")
	}
	before := d.side.asked
	d.Advance(time.Hour)
	if d.side.asked == before {
		t.Error("its person is back, and nothing woke")
	}
	if got := d.events(); !slices.Contains(got, "HubAwake") {
		t.Error(got)
	}
}

func TestRule19ANewSandboxHasASeededDayAndWritesNoneOfIt(t *testing.T) {
	for born, day := range map[string]string{
		"2026-11-30 08:00:00": "2026-11-30", "2026-11-30 20:00:00": "2026-12-01", "2026-12-05 08:00:00": "2026-12-07", // a Saturday
	} {
		d := borrowed(t, born)
		p := d.plan(day)
		tasks, events := 0, 0
		for _, b := range p.Blocks {
			if b.Event != nil {
				events++
			} else {
				tasks++
			}
		}
		if tasks < 3 || events < 2 || len(d.rows("planner")) != 0 {
			t.Errorf("born %s: %d blocks and %d events on %s, %v stored", born, tasks, events, day, d.rows("planner"))
		}
		d.must(d.p.DeleteTask(d.ctx(), d.who, "seed-flour"))
		if rows := d.rows("planner"); len(rows) < 6 || slices.Contains(rows, "planner#task#seed-flour") {
			t.Errorf("what was changed is not stored with the rest: %v", rows)
		}
		if strings.Contains(told(d.plan(day)), "Order flour") {
			t.Error("a deleted task is back")
		}
		if all, _ := d.p.Briefings(d.ctx(), d.who, 10); len(all) != 0 {
			t.Error("a seeded briefing")
		}
	}
}

func TestARepackAfterOneChangeWritesOnlyWhatChanged(t *testing.T) {
	d := lasting(t, "2026-11-30 08:00:00").fresh()
	for n := range 60 {
		d.add(NewTask{Title: fmt.Sprint("Task ", n), Minutes: 60})
	}
	title := "Another title"
	tasks, _, err := d.p.Tasks(d.ctx(), d.who, TaskQuery{Limit: 100})
	d.must(err)
	before := d.Meter.Total()
	_, err = d.p.EditTask(d.ctx(), d.who, tasks[30].ID, TaskEdit{Title: &title})
	d.must(err)
	after := d.Meter.Total()
	// The task, its day and the head, in one transaction.
	if units := after.WriteUnits - before.WriteUnits; units > 10 {
		t.Errorf("%v write units for a title", units)
	}
	if n := after.Requests - before.Requests; n > 4 { // the root, two lists, the transaction
		t.Errorf("%d requests for a title", n)
	}
}

func TestAHubHasAtMostFiveHundredTasks(t *testing.T) {
	s := &state{profile: nineToFive()}
	for range maxTasks {
		s.tasks = append(s.tasks, &Task{Done: true})
	}
	_, err := s.add("x", NewTask{Title: "x", Minutes: 30, Priority: 1}, time.Time{})
	if !refusal.Is(err, refusal.TooMany) {
		t.Error(err)
	}
}

func TestThePlanAsAFeedIsForWhoeverHasItsKeyAndIsNoVisit(t *testing.T) {
	d := lasting(t, "2026-11-30 08:00:00").fresh()
	d.add(NewTask{Title: "Order flour, butter; " + strings.Repeat("å", 80), Minutes: 60})
	p, err := d.p.Profile(d.ctx(), d.who)
	d.must(err)
	text, err := d.p.Feed(d.ctx(), p.FeedKey)
	d.must(err)
	if !strings.Contains(text, `SUMMARY:Order flour\, butter\; å`) || !strings.Contains(text, "DTSTART:20261130T090000Z\r\n") {
		t.Error(text)
	}
	for line := range strings.SplitSeq(text, "\r\n") {
		if len(line) > 75 {
			t.Errorf("%d bytes in a line", len(line))
		}
	}
	n, err := d.p.NewFeedKey(d.ctx(), d.who)
	d.must(err)
	for _, key := range []string{p.FeedKey, "", "a.b", "account1.1.00", n.FeedKey + "0", strings.ToUpper(n.FeedKey)} {
		_, err := d.p.Feed(d.ctx(), key)
		d.refused(err, refusal.Unauthenticated)
	}
	requests := d.Meter.Total()
	_, _ = d.p.Feed(d.ctx(), "account1.1.00000000000000000000000000000000")
	if d.Meter.Total() != requests {
		t.Error("a forged key costs a read")
	}
	d.Advance(40 * 24 * time.Hour)
	_, err = d.p.Feed(d.ctx(), n.FeedKey)
	d.must(err)
	if left, _ := d.Alarms.List(d.ctx(), ""); len(left) != 0 {
		t.Error("a feed that is fetched wakes its hub")
	}
}

func TestRule8IntervalsByTheWallOfTheirZone(t *testing.T) {
	day := func(s string) (from, until time.Time) {
		d, _ := localtime.ParseDate(s)
		return localtime.Day(time.UTC, d)
	}
	for _, c := range []struct {
		zone, day string
		hours     [][2]string
		want      string
	}{
		{"UTC", "2026-11-30", [][2]string{{"09:00", "12:00"}, {"13:00", "24:00"}}, "09:00 to 12:00, 13:00 to 00:00"},
		{"UTC", "2026-11-30", [][2]string{{"22:00", "06:00"}}, "22:00 to 06:00, 22:00 to 06:00"}, // the night before reaches into it
		{"UTC", "2026-11-30", [][2]string{{"09:00", "12:00"}, {"12:00", "15:00"}}, "09:00 to 15:00"},
		{"UTC", "2026-11-30", [][2]string{{"09:00", "13:00"}, {"11:00", "15:00"}}, "09:00 to 15:00"},
		{"Europe/Stockholm", "2026-03-29", [][2]string{{"01:30", "04:00"}}, "00:30 to 02:00"}, // 02:00 to 03:00 never comes
		{"Europe/Stockholm", "2026-10-25", [][2]string{{"01:30", "04:00"}}, "23:30 to 03:00"}, // it comes twice
		{"America/Havana", "2026-03-08", [][2]string{{"00:00", "02:00"}}, "05:00 to 06:00"},
	} {
		p := Profile{Zone: c.zone}
		for d := range p.Hours {
			p.Hours[d] = c.hours
		}
		from, until := day(c.day)
		if c.zone != "UTC" {
			for d := range p.Hours {
				p.Hours[d] = nil
			}
			on, _ := localtime.ParseDate(c.day)
			p.Hours[on.Weekday()] = c.hours
			from, until = from.Add(-12*time.Hour), until.Add(12*time.Hour)
		}
		var got []string
		for _, w := range p.work(from, until) {
			got = append(got, w.From.Format("15:04")+" to "+w.Until.Format("15:04"))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s %s %v: %v, want %s", c.zone, c.day, c.hours, got, c.want)
		}
	}
	d := lasting(t, "2026-11-30 08:00:00")
	for _, change := range []func(p *Profile){
		func(p *Profile) { p.Zone = "Local" }, func(p *Profile) { p.Zone = "" }, func(p *Profile) { p.Zone = "Mars/Olympus" },
		func(p *Profile) { p.Zone = "../../etc/passwd" }, func(p *Profile) { p.Briefing = "24:00" }, func(p *Profile) { p.Briefing = "7:00" },
		func(p *Profile) { p.Buffer = -1 }, func(p *Profile) { p.Hours[1] = [][2]string{{"24:00", "01:00"}} },
		func(p *Profile) { p.Hours[1] = [][2]string{{"09:00", "25:00"}} }, func(p *Profile) { p.Hours[1] = make([][2]string, 13) },
	} {
		p := nineToFive()
		change(&p)
		_, err := d.p.SaveProfile(d.ctx(), d.who, p)
		d.refused(err, refusal.Invalid)
	}
}

func TestEveryEventOfAPlannerHasARank(t *testing.T) {
	for _, e := range []hub.EventType{TaskAdded, TaskDone, BlockOverrun, PlanChanged, CalendarSynced, CalendarFailed, WatchRenewed, BriefingSent, HubAsleep, HubAwake} {
		if id := (hub.Event{Type: e, Task: "t", Nth: 3}).ID(); id == "" {
			t.Error(e)
		}
	}
}
