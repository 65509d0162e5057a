package explore

import (
	"errors"
	"fmt"
	"slices"

	"pocbakery/pkg/store"
)

// asked is a request in a table and a scheduler; the one it does not concern is -1.
type asked struct{ table, shots, request int32 }

// answered is what comes of a request.
type answered struct {
	table, shots, reply int32
	changed             bool
}

// errNotCreated is the scheduler's reply where a create fails.
var errNotCreated = errors.New("explore: the scheduler did not answer")

// answer performs a request. The same request in the same table is performed
// once in an exploration.
func (x *explorer) answer(tableNumber, shotsNumber, request int32) answered {
	r := x.requests.all[request]
	key := asked{tableNumber, -1, request}
	alarms := r.verb == createShot || r.verb == listShots || r.verb == deleteShot
	if alarms {
		key = asked{-1, shotsNumber, request}
	}
	a, ok := x.answers[key]
	if !ok {
		a = x.perform(x.tables.all[tableNumber], x.shots.all[shotsNumber], r)
		x.answers[key] = a
	}
	if alarms {
		a.changed = a.shots != shotsNumber
		a.table = tableNumber
	} else {
		a.changed = a.table != tableNumber
		a.shots = shotsNumber
	}
	return a
}

func (x *explorer) perform(t table, s shots, r *request) answered {
	var out reply
	switch r.verb {
	case getItems:
		if out.err = store.CheckKeys(r.keys); out.err == nil {
			out.items = t.get(r.now, r.keys)
		}
	case listItems:
		if out.err = store.CheckRange(r.pk, r.within); out.err == nil {
			page := t.list(r.now, r.pk, r.within)
			out.items, out.next = page.Items, page.Next
		}
	case dueItems:
		if out.err = store.CheckDue(r.pk, r.clock, r.limit); out.err == nil {
			out.refs = t.due(r.pk, r.clock, r.until, r.limit)
		}
	case overdueItems:
		if out.err = store.CheckLimit(r.limit); out.err == nil {
			out.refs = t.overdue(r.until, r.limit)
		}
	case commitWrites:
		t, out.err = t.commit(r.now, r.writes)
	case eraseItems:
		if out.err = store.CheckKeys(r.keys); out.err == nil {
			t = t.erase(r.keys)
		}
	case createShot:
		s = s.create(r.shot)
	case listShots:
		out.shots = s.list(r.pk)
	case deleteShot:
		s = s.remove(r.shot)
	default:
		panic(fmt.Sprintf("explore: the world cannot do %d", r.verb))
	}
	return answered{table: x.tables.number(t), shots: x.shots.number(s), reply: x.replies.number(&out)}
}

// lateWrites are requests whose callers heard of no success and that may yet
// be applied, in order.
type lateWrites []int32

func (l lateWrites) text() string {
	b := make([]byte, 0, 4*len(l))
	for _, n := range l {
		b = append(b, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	return string(b)
}

func (l lateWrites) with(request int32) lateWrites {
	l = append(slices.Clone(l), request)
	slices.Sort(l)
	return l
}

func (l lateWrites) without(n int) lateWrites { return slices.Delete(slices.Clone(l), n, n+1) }
