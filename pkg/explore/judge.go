package explore

import (
	"fmt"
	"strings"
	"time"
)

// judge asks the cast whether all is well.
func (x *explorer) judge(s *state) error {
	err, ok := x.always[[2]int32{s.table, s.shots}]
	if !ok {
		if x.cast.Always != nil {
			err = x.cast.Always(x.scene(s))
		}
		x.always[[2]int32{s.table, s.shots}] = err
	}
	if err != nil || !x.over(s) {
		return err
	}
	for _, request := range x.lates.all[s.late] {
		if x.requests.all[request].verb == createShot { // it is created for certain, and only late
			return nil
		}
	}
	x.result.Finals++
	if x.cast.Final == nil {
		return nil
	}
	e := ended{s.table, s.shots, s.clock, s.seats}
	err, ok = x.finals[e]
	if !ok {
		answers := make([]string, len(x.cast.Programs))
		for n := range answers {
			answers[n] = x.points[s.seats[n].at].answer
		}
		scene := x.scene(s)
		scene.Now = x.cast.Instants[s.clock]
		if err = x.cast.Final(scene, answers); err != nil {
			err = fmt.Errorf("%w (answers: %s)", err, strings.Join(answers, ", "))
		}
		x.finals[e] = err
	}
	return err
}

// ended is an end of all processes.
type ended struct {
	table, shots int32
	clock        uint8
	seats        [MaxPrograms]seat
}

// answered judges an answer.
func (x *explorer) answered(s *state, n int, end int32) error {
	program := &x.cast.Programs[n]
	if program.Answered == nil {
		return nil
	}
	k := hearing{s.table, end, s.seats[n].seen}
	err, ok := x.hearings[k]
	if !ok {
		answer := x.points[end].answer
		if err = program.Answered(x.scene(s), answer, s.seats[n].seen); err != nil {
			err = fmt.Errorf("%s answers %q: %w", program.Name, answer, err)
		}
		x.hearings[k] = err
	}
	return err
}

// hearing is an answer with what was to be seen before it.
type hearing struct {
	table, end int32
	seen       uint8
}

// watch notes what is to be seen by each process that is on its way.
func (x *explorer) watch(s *state) {
	for n := range x.cast.Programs {
		watch, p := x.cast.Programs[n].Watch, &x.points[s.seats[n].at]
		if watch == nil || !p.touched {
			continue
		}
		k := sight{s.table, int32(x.twins[n]), p.since}
		seen, ok := x.sights[k]
		if !ok {
			seen = watch(x.scene(s), p.since)
			x.sights[k] = seen
		}
		s.seats[n].seen |= seen
	}
}

// sight is a look at a table by a process whose call began at an instant.
type sight struct {
	table, process int32
	since          time.Time
}
