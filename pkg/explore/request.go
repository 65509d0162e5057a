package explore

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/store"
)

// verb is what a process asks of the world.
type verb byte

const (
	readClock verb = iota
	getItems
	listItems
	dueItems
	overdueItems
	commitWrites
	eraseItems
	createShot
	listShots
	deleteShot
)

var verbs = [...]string{"reads the clock", "gets", "lists", "asks what is due", "asks what is overdue", "commits", "erases",
	"creates a one-shot", "lists one-shots", "deletes a one-shot"}

// request is one request of a process: everything the world needs to answer it.
type request struct {
	verb   verb
	now    time.Time
	keys   []store.Key
	pk     string
	within store.Range
	clock  store.Clock
	until  time.Time
	limit  int
	writes []store.Write
	shot   alarm.Schedule
}

// reply is the world's answer to a request.
type reply struct {
	at    time.Time
	items []store.Item
	next  string
	refs  []store.Ref
	shots []alarm.Schedule
	err   error
}

// The texts of requests and replies are canonical: two are the same exactly if
// their texts are.

func (r *request) text() string {
	b := append(make([]byte, 0, 256), byte('A'+r.verb))
	b = appendTime(b, r.now)
	for _, k := range r.keys {
		b = appendKey(b, k)
	}
	b = append(strconv.AppendQuote(b, r.pk), byte(r.clock))
	b = appendTime(b, r.until)
	b = strconv.AppendInt(b, int64(r.limit), 10)
	b = strconv.AppendQuote(strconv.AppendQuote(b, r.within.From), r.within.To)
	b = strconv.AppendBool(strconv.AppendQuote(b, r.within.After), r.within.Desc)
	b = strconv.AppendInt(b, int64(r.within.Limit), 10)
	for _, w := range r.writes {
		b = appendWrite(b, w)
	}
	return string(appendShot(b, r.shot))
}

func (r *reply) text() string {
	b := appendTime(make([]byte, 0, 256), r.at)
	for _, i := range r.items {
		b = appendItem(b, i)
	}
	b = strconv.AppendQuote(b, r.next)
	for _, f := range r.refs {
		b = appendTime(appendKey(b, f.Key), f.At)
	}
	for _, s := range r.shots {
		b = appendShot(b, s)
	}
	guard := store.FailedGuard(r.err)
	switch {
	case guard != nil:
		for n, i := range guard.Items {
			b = appendItem(strconv.AppendBool(b, guard.Failed[n]), i)
		}
	case r.err != nil:
		b = strconv.AppendQuote(b, r.err.Error())
	}
	return string(b)
}

// clone is a copy that the code which gets it may do with what it likes.
func (r *reply) clone() reply {
	c := *r
	c.items = cloneItems(r.items)
	c.refs, c.shots = slices.Clone(r.refs), slices.Clone(r.shots)
	if guard := store.FailedGuard(r.err); guard != nil {
		c.err = &store.GuardFailed{Items: cloneItems(guard.Items), Failed: slices.Clone(guard.Failed)}
	}
	return c
}

func cloneItems(items []store.Item) []store.Item {
	out := make([]store.Item, len(items))
	for n, i := range items {
		out[n] = i.Clone()
	}
	return out
}

func appendTime(b []byte, t time.Time) []byte {
	if t.IsZero() {
		return append(b, '-')
	}
	return append(strconv.AppendInt(b, t.UnixNano(), 36), '.')
}

func appendKey(b []byte, k store.Key) []byte {
	return strconv.AppendQuote(strconv.AppendQuote(b, k.PK), k.SK)
}

func appendItem(b []byte, i store.Item) []byte {
	b = append(strconv.AppendInt(appendKey(b, i.Key), i.Rev, 10), '{')
	return append(appendFields(b, i.Fields), '}')
}

func appendFields(b []byte, f store.Fields) []byte {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		b = appendValue(append(append(b, name...), '='), f[name])
	}
	return b
}

func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return strconv.AppendQuote(b, v)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case bool:
		return strconv.AppendBool(b, v)
	case nil:
		return append(b, '-')
	}
	panic("explore: a field is a string, a number or a boolean")
}

func appendWrite(b []byte, w store.Write) []byte {
	b = appendKey(append(b, byte('0'+w.Op)), w.Key)
	b = strconv.AppendBool(strconv.AppendBool(b, w.Guard.Absent), w.Guard.Present)
	b = strconv.AppendInt(b, w.Guard.Rev, 10)
	for _, c := range w.Guard.Conds {
		b = append(append(append(b, '['), c.Field...), byte('0'+c.Cmp))
		b = strconv.AppendQuote(appendValue(b, c.Value), c.Other)
		b = append(strconv.AppendBool(b, c.OrMissing), ']')
	}
	b = append(appendFields(append(b, '{'), w.Set), '}')
	b = append(appendFields(append(b, '{'), w.Init), '}')
	for _, name := range slices.Sorted(maps.Keys(w.Add)) {
		b = strconv.AppendInt(append(append(b, name...), '+'), w.Add[name], 10)
	}
	for _, name := range w.Remove {
		b = append(append(b, '-'), name...)
	}
	return b
}

func appendShot(b []byte, s alarm.Schedule) []byte {
	b = appendTime(append(append(b, '@'), s.Hub...), s.At)
	return strconv.AppendInt(b, int64(s.Try), 10)
}

// tell is a request in words.
func (r *request) tell() string {
	var about []string
	for _, k := range r.keys {
		about = append(about, k.SK)
	}
	for _, w := range r.writes {
		about = append(about, w.Key.SK)
	}
	if r.verb == createShot {
		about = append(about, r.shot.At.Format(time.TimeOnly))
	}
	return strings.TrimSpace(verbs[r.verb] + " " + strings.Join(about, ", "))
}
