package dynamo_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/store"
)

// expressions may hold no name and no value of ours, only placeholders and the
// words of the language: capacity, state, ttl and a hundred others are reserved.
var placeholders = regexp.MustCompile(`^(#\d+|:\d+|attribute_(not_)?exists|attribute_type|if_not_exists|begins_with|AND|OR|NOT|BETWEEN|SET|ADD|REMOVE|[()=<>+, \n])*$`)

// everything asks for every operation once, with names that are reserved.
func everything(t *testing.T, s store.Store) {
	t.Helper()
	reserved := store.Fields{"capacity": int64(6), "state": "open", "log": "[]", "hash": "x", "a.b": "dot", "wake": "2040-05-17T12:00:00.000Z"}
	guard := store.If(store.LtField("taken", "capacity"), store.Eq("a.b", "dot"),
		store.Cond{Field: "state", Cmp: store.CmpNe, Value: "shut"}, store.Missing("log").OrMissingField())
	update := store.Write{Op: store.OpUpdate, Key: keyed("b"), Guard: guard.OrAbsent(), Set: reserved,
		Init: store.Fields{"name": "x"}, Add: map[string]int64{"count": 1}, Remove: []string{"year"}}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(s.Commit(ctx, noon, store.Put(keyed("a"), store.IfRev(3).And(guard.Conds...), reserved)))
	must(s.Commit(ctx, noon, update))
	must(s.Commit(ctx, noon, store.Delete(keyed("c"), guard)))
	must(s.Commit(ctx, noon, store.Put(keyed("a"), store.IfAbsent(), reserved), update, store.Delete(keyed("c"), guard)))
	must(s.Erase(ctx, keyed("a")))
	_, err := s.Get(ctx, noon, keyed("a"))
	must(err)
	_, err = s.List(ctx, noon, "hub", store.Prefix("slot#"))
	must(err)
	_, err = s.Due(ctx, "hub", store.Business, noon, 10)
	must(err)
	_, err = s.Overdue(ctx, noon, 10)
	must(err)
}

func TestEveryNameInAnExpressionIsAPlaceholder(t *testing.T) {
	w := newWire(t, always(reply{}))
	everything(t, w.table())
	seen := 0
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, each := range v {
				walk(each)
			}
		case map[string]any:
			for name, each := range v {
				if e, ok := each.(string); ok && strings.HasSuffix(name, "Expression") {
					seen++
					if !placeholders.MatchString(e) {
						t.Errorf("%s is %q", name, e)
					}
				}
				walk(each)
			}
		}
	}
	for _, c := range w.calls {
		walk(c.body)
	}
	if seen < 14 {
		t.Errorf("%d expressions were seen", seen)
	}
}

func TestEveryRequestAsksForWhatItNeedsBack(t *testing.T) {
	w := newWire(t, always(reply{}))
	everything(t, w.table())
	want := func(c map[string]any, what, name string, value any) {
		t.Helper()
		if c[name] != value {
			t.Errorf("%s has %s %v", what, name, c[name])
		}
	}
	for _, c := range w.calls {
		want(c.body, c.op, "ReturnConsumedCapacity", "TOTAL")
		switch c.op {
		case "PutItem", "UpdateItem", "DeleteItem":
			want(c.body, c.op, "ReturnValuesOnConditionCheckFailure", "ALL_OLD")
		case "TransactWriteItems":
			for _, item := range c.body["TransactItems"].([]any) {
				for kind, write := range item.(map[string]any) {
					want(write.(map[string]any), kind, "ReturnValuesOnConditionCheckFailure", "ALL_OLD")
				}
			}
		case "BatchGetItem":
			want(c.body["RequestItems"].(map[string]any)["table"].(map[string]any), c.op, "ConsistentRead", true)
		case "Query": // all but the sweep's, which an index of all hubs cannot read strongly
			if c.body["IndexName"] != "wake" {
				want(c.body, c.op, "ConsistentRead", true)
			}
		}
	}
	ops := w.ops()
	wanted := []string{"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem", "BatchGetItem", "Query", "Query"}
	for range store.Shards {
		wanted = append(wanted, "Query")
	}
	if !slices.Equal(ops, wanted) {
		t.Errorf("asked were %v", ops)
	}
}

func TestWhatIsLeftUnprocessedIsAskedAgain(t *testing.T) {
	keys := []store.Key{keyed("a"), keyed("b"), keyed("c")}
	t.Run("of a read", func(t *testing.T) {
		w := newWire(t, func(n int, c call) reply {
			asked := c.body["RequestItems"].(map[string]any)["table"].(map[string]any)["Keys"].([]any)
			sk := asked[0].(map[string]any)["sk"].(map[string]any)["S"].(string)
			body := map[string]any{"Responses": map[string]any{"table": []any{row(sk, "1", nil)}}}
			if len(asked) > 1 {
				body["UnprocessedKeys"] = map[string]any{"table": map[string]any{"Keys": asked[1:]}}
			}
			return reply{body: body}
		})
		items, err := w.table().Get(ctx, noon, keys...)
		if err != nil || len(items) != 3 {
			t.Fatal(err, items)
		}
		for n, k := range keys {
			if items[n].Key != k || !items[n].Exists() {
				t.Errorf("item %d is %v", n, items[n])
			}
		}
		w.asked("BatchGetItem", 3)
	})
	t.Run("of an erase", func(t *testing.T) {
		erased := 0
		w := newWire(t, func(n int, c call) reply {
			asked := c.body["RequestItems"].(map[string]any)["table"].([]any)
			erased++
			if len(asked) == 1 {
				return reply{}
			}
			return reply{body: map[string]any{"UnprocessedItems": map[string]any{"table": asked[1:]}}}
		})
		if err := w.table().Erase(ctx, keys...); err != nil || erased != 3 {
			t.Errorf("%d were erased: %v", erased, err)
		}
	})
}

func TestAnIndexIsReadPageByPageUpToTheLimit(t *testing.T) {
	entry := func(n int) map[string]any {
		return map[string]any{"pk": text("hub"), "sk": text(fmt.Sprint("s", n)), "due": text(store.DueAt(store.Wall, noon.Add(time.Duration(n)*time.Minute)))}
	}
	w := newWire(t, func(n int, c call) reply {
		return reply{body: map[string]any{"Items": []any{entry(2 * n), entry(2*n + 1)}, "LastEvaluatedKey": entry(2*n + 1)}}
	})
	refs, err := w.table().Due(ctx, "hub", store.Wall, noon.Add(time.Hour), 5)
	if err != nil || len(refs) < 5 {
		t.Fatalf("%v, %v", err, refs)
	}
	for n, c := range w.calls {
		if want := float64(5 - 2*n); c.body["Limit"] != want {
			t.Errorf("page %d is asked for %v of %v", n, c.body["Limit"], want)
		}
		if (c.body["ExclusiveStartKey"] != nil) != (n > 0) {
			t.Errorf("page %d begins after %v", n, c.body["ExclusiveStartKey"])
		}
	}
	w.asked("Query", 3)
}

func TestTheSweepMergesTheShardsInTheOrderOfTheirEnds(t *testing.T) {
	w := newWire(t, func(n int, c call) reply {
		var items []any
		for i := range 3 {
			at := noon.Add(time.Duration(10*i+n) * time.Minute)
			items = append(items, map[string]any{"pk": text("hub"), "sk": text(fmt.Sprintf("%d.%d", n, i)), "wake": text(store.FormatInstant(at)), "shard": text("0")})
		}
		return reply{body: map[string]any{"Items": items}}
	})
	refs, err := w.table().Overdue(ctx, noon.Add(time.Hour), 6)
	var got []string
	for _, r := range refs {
		got = append(got, r.SK)
	}
	if want := "[1.0 2.0 3.0 4.0 1.1 2.1]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v, %v, not %v", err, got, want)
	}
	w.asked("Query", store.Shards)
}

// Whoever puts back what it read must not drop what it could not read.
func TestARowOfALaterVersionIsRefused(t *testing.T) {
	for name, item := range map[string]map[string]any{
		"a list":            row("a", "1", map[string]any{"lines": map[string]any{"L": []any{}}}),
		"a map":             row("a", "1", map[string]any{"lines": map[string]any{"M": map[string]any{}}}),
		"a set":             row("a", "1", map[string]any{"tags": map[string]any{"SS": []any{"x"}}}),
		"bytes":             row("a", "1", map[string]any{"seal": map[string]any{"B": "eA=="}}),
		"null":              row("a", "1", map[string]any{"name": map[string]any{"NULL": true}}),
		"a fraction":        row("a", "1", map[string]any{"price": number("1.5")}),
		"too large a whole": row("a", "1", map[string]any{"price": number("9223372036854775808")}),
		"no revision":       {"pk": text("hub"), "sk": text("a")},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, func(n int, c call) reply {
				switch c.op {
				case "BatchGetItem":
					return reply{body: map[string]any{"Responses": map[string]any{"table": []any{item}}}}
				case "Query":
					return reply{body: map[string]any{"Items": []any{item}}}
				case "TransactWriteItems":
					failing := reason("ConditionalCheckFailed")
					failing["Item"] = item
					return cancelled(failing, reason("None"))
				}
				return stood(item)
			})
			s := w.table()
			_, err := s.Get(ctx, noon, keyed("a"))
			w.wantKind(err, store.ErrNewerSchema)
			_, err = s.List(ctx, noon, "hub", store.Range{})
			w.wantKind(err, store.ErrNewerSchema)
			w.wantKind(s.Commit(ctx, noon, onePut...), store.ErrNewerSchema)
			w.wantKind(s.Commit(ctx, noon, several...), store.ErrNewerSchema)
		})
	}
}

func TestAFieldThatNoExpressionCanNameIsRefusedAndNotTakenForAnother(t *testing.T) {
	w := newWire(t, always(reply{}))
	for _, field := range []string{"h[0]", "h]", "["} {
		for _, write := range []store.Write{
			{Op: store.OpUpdate, Key: keyed("a"), Guard: store.If(), Set: store.Fields{field: "x"}},
			{Op: store.OpUpdate, Key: keyed("a"), Guard: store.If(), Init: store.Fields{field: "x"}},
			{Op: store.OpUpdate, Key: keyed("a"), Guard: store.If(), Add: map[string]int64{field: 1}},
			{Op: store.OpUpdate, Key: keyed("a"), Guard: store.If(), Remove: []string{field}},
			store.Delete(keyed("a"), store.If(store.Missing(field))),
			store.Delete(keyed("a"), store.If(store.LtField("n", field))),
		} {
			w.wantKind(w.table().Commit(ctx, noon, write), store.ErrInvalid)
		}
	}
	w.asked("", 0)
}

// A Put of whatever stands there has to know its revision. It guesses that
// nothing does where the guard lets it, and learns from what comes back.
func TestAPutThatDoesNotKnowItsRevisionLearnsIt(t *testing.T) {
	w := newWire(t, then(stood(row("a", "4", nil)), stood(row("a", "5", nil)), reply{}))
	if err := w.table().Commit(ctx, noon, store.Put(keyed("a"), store.If().OrAbsent(), nil)); err != nil {
		t.Fatal(err)
	}
	for n, want := range []string{"1", "5", "6"} {
		if got := w.calls[n].body["Item"].(map[string]any)["rev"].(map[string]any)["N"]; got != want {
			t.Errorf("try %d puts revision %v, not %s", n, got, want)
		}
	}
}

func TestAnItemThatNeverStandsStillIsAConflict(t *testing.T) {
	w := newWire(t, func(n int, _ call) reply { return stood(row("a", fmt.Sprint(n), nil)) })
	w.wantKind(w.table().Commit(ctx, noon, store.Put(keyed("a"), store.If().OrAbsent(), nil)), store.ErrConflict)
	w.asked("PutItem", 8)
}

// A guard that does not hold is told after one request, whatever it was about.
func TestAFailedGuardTakesOneRequest(t *testing.T) {
	dead := row("a", "4", map[string]any{"ttl": number("1")})
	for name, c := range map[string]struct {
		write store.Write
		stood map[string]any
		item  bool
	}{
		"another revision":   {store.Put(keyed("a"), store.IfRev(3), nil), row("a", "4", nil), true},
		"nothing there":      {store.Put(keyed("a"), store.IfRev(3), nil), nil, false},
		"something there":    {store.Put(keyed("a"), store.IfAbsent(), nil), row("a", "4", nil), true},
		"past its ttl":       {store.Delete(keyed("a"), store.If()), dead, false},
		"update of a dead":   {store.Write{Op: store.OpUpdate, Key: keyed("a"), Guard: store.If()}, dead, false},
		"a failed compare":   {store.Write{Op: store.OpUpdate, Key: keyed("a"), Guard: store.If(store.Eq("n", int64(1))).OrAbsent()}, row("a", "4", nil), true},
		"deleting the moved": {store.Delete(keyed("a"), store.IfRev(3)), row("a", "4", nil), true},
	} {
		w := newWire(t, always(stood(c.stood)))
		err := w.table().Commit(ctx, noon, c.write)
		var guard *store.GuardFailed
		if !errors.As(err, &guard) || !guard.Failed[0] || guard.Items[0].Exists() != c.item {
			t.Errorf("%s: %v, %+v", name, err, guard)
		}
		if n := len(w.ops()); n != 1 {
			t.Errorf("%s took %d requests", name, n)
		}
	}
}

// An update over an item past its ttl becomes the put of what it makes of
// nothing, in a transaction beside writes that stay as they are.
func TestAnUpdateOverADeadItemIsMadeAPut(t *testing.T) {
	dead := row("a", "4", map[string]any{"ttl": number("1"), "s": text("old")})
	update := store.Write{Op: store.OpUpdate, Key: keyed("a"), Guard: store.If().OrAbsent(), Add: map[string]int64{"n": 2}}
	check := func(item any) {
		t.Helper()
		if got := fmt.Sprint(item); got != fmt.Sprint(row("a", "1", map[string]any{"n": number("2")})) {
			t.Errorf("put is %s", got)
		}
	}
	w := newWire(t, then(stood(dead), reply{}))
	if err := w.table().Commit(ctx, noon, update); err != nil {
		t.Fatal(err)
	}
	check(w.calls[1].body["Item"])

	failing := reason("ConditionalCheckFailed")
	failing["Item"] = dead
	w = newWire(t, then(cancelled(failing, reason("None")), reply{}))
	if err := w.table().Commit(ctx, noon, update, store.Put(keyed("b"), store.IfAbsent(), nil)); err != nil {
		t.Fatal(err)
	}
	check(w.calls[1].body["TransactItems"].([]any)[0].(map[string]any)["Put"].(map[string]any)["Item"])
}
