package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"testing"

	"pocbakery/pkg/store"
	"pocbakery/pkg/store/dynamo"
)

// kinds are the errors that a call may fail of.
var kinds = []error{store.ErrConflict, store.ErrUnavailable, store.ErrUnknown, store.ErrTooLarge, store.ErrInvalid, store.ErrNewerSchema}

// wantKind checks that the error is of one kind and no other, and that nothing
// of what AWS said is in it but its code.
func (w *wire) wantKind(err, kind error) {
	w.Helper()
	for _, k := range kinds {
		if errors.Is(err, k) != errors.Is(kind, k) {
			w.Fatalf("the error is %v, not %v", err, kind)
		}
	}
	if err != nil && strings.Contains(fmt.Sprintf("%v %+v", err, err), "secret") {
		w.Fatalf("the error tells what AWS said: %v", err)
	}
}

var (
	onePut    = []store.Write{store.Put(keyed("a"), store.IfAbsent(), store.Fields{"s": "x"})}
	oneUpdate = []store.Write{{Op: store.OpUpdate, Key: keyed("a"), Guard: store.If(), Add: map[string]int64{"n": 1}}}
	oneDelete = []store.Write{store.Delete(keyed("a"), store.IfRev(1))}
	several   = []store.Write{onePut[0], store.Delete(keyed("b"), store.IfRev(1))}
)

// single and transaction are every kind of commit with the operation that it is.
var commits = []struct {
	op     string
	writes []store.Write
}{
	{"PutItem", onePut}, {"UpdateItem", oneUpdate}, {"DeleteItem", oneDelete}, {"TransactWriteItems", several},
}

func TestWhatAWriteFailsOfIsToldApart(t *testing.T) {
	tooLarge := "Item size to update has exceeded the maximum allowed size"
	none := reason("None")
	for name, c := range map[string]struct {
		answer   reply
		kind     error
		attempts int // of a single write, of a transaction; 0 where it cannot happen
		resends  int
	}{
		"throttled by the table":        {refusal("ProvisionedThroughputExceededException"), store.ErrUnavailable, 3, 3},
		"throttled by the account":      {refusal("RequestLimitExceeded"), store.ErrUnavailable, 3, 3},
		"throttled by the maximum":      {refusal("ThrottlingException"), store.ErrUnavailable, 3, 3},
		"a transaction on the item":     {refusal("TransactionConflictException"), store.ErrConflict, 1, 0},
		"malformed":                     {refusal("ValidationException"), store.ErrInvalid, 1, 1},
		"not even readable":             {refusal("SerializationException"), store.ErrInvalid, 1, 1},
		"grown too large":               {worded("ValidationException", tooLarge), store.ErrTooLarge, 1, 1},
		"a full hub":                    {refusal("ItemCollectionSizeLimitExceededException"), dynamo.ErrHubFull, 1, 1},
		"without the right":             {refusal("AccessDeniedException"), store.ErrUnavailable, 1, 1},
		"without a table":               {refusal("ResourceNotFoundException"), store.ErrUnavailable, 1, 1},
		"an error of AWS":               {reply{status: 500, body: map[string]any{"__type": "InternalServerError"}}, store.ErrUnknown, 1, 3},
		"AWS being away":                {reply{status: 503}, store.ErrUnknown, 1, 3},
		"a lost answer":                 {reply{fate: dropped}, store.ErrUnknown, 1, 3},
		"no answer":                     {reply{fate: silent}, store.ErrUnknown, 1, 3},
		"half an answer":                {reply{fate: stalled}, store.ErrUnknown, 1, 3},
		"an answer cut short":           {reply{fate: garbled}, store.ErrUnknown, 1, 1},
		"an earlier resend under way":   {refusal("TransactionInProgressException"), store.ErrUnknown, 0, 3},
		"another transaction":           {cancelled(none, reason("TransactionConflict")), store.ErrConflict, 0, 1},
		"throttled inside":              {cancelled(reason("ThrottlingError"), none), store.ErrUnavailable, 0, 1},
		"throttled by the table inside": {cancelled(none, reason("ProvisionedThroughputExceeded")), store.ErrUnavailable, 0, 1},
		"malformed inside":              {cancelled(none, reason("ValidationError")), store.ErrInvalid, 0, 1},
		"too large inside":              {cancelled(none, map[string]any{"Code": "ValidationError", "Message": tooLarge}), store.ErrTooLarge, 0, 1},
		"a full hub inside":             {cancelled(reason("ItemCollectionSizeLimitExceeded"), none), dynamo.ErrHubFull, 0, 1},
		"malformed and in conflict":     {cancelled(reason("TransactionConflict"), reason("ValidationError")), store.ErrInvalid, 0, 1},
		"in conflict and throttled":     {cancelled(reason("ThrottlingError"), reason("TransactionConflict")), store.ErrConflict, 0, 1},
		"cancelled for reasons unknown": {cancelled(reason("Tuesday"), none), store.ErrUnavailable, 0, 1},
	} {
		for _, commit := range commits {
			attempts := c.attempts
			if len(commit.writes) > 1 {
				attempts = c.resends
			}
			if attempts == 0 {
				continue
			}
			t.Run(name+"/"+commit.op, func(t *testing.T) {
				w := newWire(t, always(c.answer))
				table := w.table()
				if c.answer.fate == silent || c.answer.fate == stalled {
					table = w.impatient(nil)
				}
				err := table.Commit(ctx, noon, commit.writes...)
				kind := c.kind
				if errors.Is(kind, dynamo.ErrHubFull) {
					if !errors.Is(err, dynamo.ErrHubFull) {
						t.Fatalf("the error is %v", err)
					}
					kind = store.ErrTooLarge
				}
				w.wantKind(err, kind)
				w.asked(commit.op, attempts)
			})
		}
	}
}

func TestAFailedGuardIsToldWhateverElseFailed(t *testing.T) {
	failing := reason("ConditionalCheckFailed")
	failing["Item"] = row("a", "4", map[string]any{"s": text("there")})
	for _, other := range []string{"None", "TransactionConflict", "ValidationError", "ThrottlingError"} {
		w := newWire(t, always(cancelled(failing, reason(other))))
		err := w.table().Commit(ctx, noon, several...)
		var guard *store.GuardFailed
		if !errors.As(err, &guard) || !guard.Failed[0] || guard.Failed[1] || guard.Items[0].Rev != 4 || guard.Items[0].String("s") != "there" {
			t.Errorf("beside %s: %v, %+v", other, err, guard)
		}
		w.asked("TransactWriteItems", 1)
	}
}

func TestAWriteThatWasThrottledIsDoneInTheEnd(t *testing.T) {
	for _, commit := range commits {
		w := newWire(t, then(refusal("ThrottlingException"), refusal("ThrottlingException"), reply{}))
		if err := w.table().Commit(ctx, noon, commit.writes...); err != nil {
			t.Errorf("%s: %v", commit.op, err)
		}
		w.asked(commit.op, 3)
	}
}

func TestWithoutAConnectionNothingWasWritten(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	_ = l.Close()
	w := &wire{T: t, URL: url}
	for _, commit := range commits {
		w.wantKind(w.table().Commit(ctx, noon, commit.writes...), store.ErrUnavailable)
	}
	w.wantKind(w.table().Erase(ctx, keyed("a")), store.ErrUnavailable)
}

func TestARequestGivenUpUnderWayIsUnknown(t *testing.T) {
	for _, commit := range commits {
		ctx, cancel := context.WithCancel(ctx)
		w := newWire(t, func(int, call) reply { cancel(); return reply{fate: silent} })
		err := w.table().Commit(ctx, noon, commit.writes...)
		w.wantKind(err, store.ErrUnknown)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the error does not say why: %v", commit.op, err)
		}
		w.asked(commit.op, 1)
	}
}

func TestWhatAReadFailsOfWasNothingDone(t *testing.T) {
	reads := map[string]func(s *dynamo.Store) error{
		"BatchGetItem": func(s *dynamo.Store) error { _, err := s.Get(ctx, noon, keyed("a")); return err },
		"Query":        func(s *dynamo.Store) error { _, err := s.List(ctx, noon, "hub", store.Range{}); return err },
	}
	for name, c := range map[string]struct {
		answer   reply
		kind     error
		attempts int
	}{
		"throttled":           {refusal("ThrottlingException"), store.ErrUnavailable, 3},
		"an error of AWS":     {reply{status: 500}, store.ErrUnavailable, 3},
		"a lost answer":       {reply{fate: dropped}, store.ErrUnavailable, 3},
		"half an answer":      {reply{fate: stalled}, store.ErrUnavailable, 3},
		"an answer cut short": {reply{fate: garbled}, store.ErrUnavailable, 1},
		"without the right":   {refusal("AccessDeniedException"), store.ErrUnavailable, 1},
		"malformed":           {refusal("ValidationException"), store.ErrInvalid, 1},
	} {
		for op, read := range reads {
			t.Run(name+"/"+op, func(t *testing.T) {
				w := newWire(t, always(c.answer))
				w.wantKind(read(w.impatient(nil)), c.kind)
				w.asked(op, c.attempts)
			})
		}
	}
	t.Run("an erase", func(t *testing.T) {
		w := newWire(t, always(reply{fate: dropped}))
		w.wantKind(w.table().Erase(ctx, keyed("a")), store.ErrUnknown)
		w.asked("BatchWriteItem", 3)
	})
}

// The first try of each lands and its answer is lost. What the second finds is
// what the first left.
func TestAWriteThatLandedThoughItsAnswerWasLostIsDone(t *testing.T) {
	for _, lost := range []reply{{fate: dropped}, {fate: silent}, {fate: stalled}, {status: 500}} {
		for _, commit := range commits[:3] {
			var mark any
			w := newWire(t, func(n int, c call) reply {
				if n == 1 {
					mark = markOf(c)
					return lost
				}
				if commit.op == "DeleteItem" {
					return stood(nil)
				}
				return stood(row("a", "1", map[string]any{"by": mark}))
			})
			if err := store.NewTable(w.impatient(nil), rand.Uint64).Commit(ctx, noon, commit.writes...); err != nil {
				t.Errorf("%s after %+v: %v", commit.op, lost, err)
			}
			w.asked(commit.op, 2)
		}
	}
}

func TestALostTransactionIsSentAgainAsItWasUnderItsToken(t *testing.T) {
	w := newWire(t, then(reply{fate: dropped}, reply{status: 500}, reply{}))
	if err := w.table().Commit(ctx, noon, several...); err != nil {
		t.Fatal(err)
	}
	w.asked("TransactWriteItems", 3)
	first := w.calls[0].body
	if first["ClientRequestToken"] == "" || first["ClientRequestToken"] == nil {
		t.Fatal("there is no token")
	}
	for n, c := range w.calls {
		if fmt.Sprint(c.body) != fmt.Sprint(first) {
			t.Errorf("resend %d differs:\n%v\n%v", n, first, c.body)
		}
	}
}

// All resends of the first call are lost though it landed; the table's second
// call is another transaction, which fails over the first's marks.
func TestATransactionThatLandedThoughEveryAnswerWasLostIsDone(t *testing.T) {
	tokens := map[any]bool{}
	var mark any
	w := newWire(t, func(n int, c call) reply {
		tokens[c.body["ClientRequestToken"]] = true
		if n <= 3 {
			mark = markOf(call{body: c.body["TransactItems"].([]any)[0].(map[string]any)["Put"].(map[string]any)})
			return reply{fate: dropped}
		}
		failing := reason("ConditionalCheckFailed")
		failing["Item"] = row("a", "1", map[string]any{"by": mark})
		return cancelled(failing, reason("ConditionalCheckFailed"))
	})
	if err := store.NewTable(w.table(), rand.Uint64).Commit(ctx, noon, several...); err != nil {
		t.Fatal(err)
	}
	w.asked("TransactWriteItems", 4)
	if len(tokens) != 2 {
		t.Errorf("two calls have %d tokens", len(tokens))
	}
}

func TestAWriteThatNeverLandsIsUnknownAfterThreeTries(t *testing.T) {
	w := newWire(t, always(reply{fate: dropped}))
	w.wantKind(store.NewTable(w.table(), rand.Uint64).Commit(ctx, noon, onePut...), store.ErrUnknown)
	w.asked("PutItem", 3)
}

func TestAConflictIsAnsweredAtOnceForAFreshNow(t *testing.T) {
	w := newWire(t, always(refusal("TransactionConflictException")))
	w.wantKind(store.NewTable(w.table(), rand.Uint64).Commit(ctx, noon, onePut...), store.ErrConflict)
	w.asked("PutItem", 1)
}

// markOf finds the table's mark in a write.
func markOf(c call) any {
	if item, ok := c.body["Item"].(map[string]any); ok {
		return item["by"]
	}
	names, _ := c.body["ExpressionAttributeNames"].(map[string]any)
	values, _ := c.body["ExpressionAttributeValues"].(map[string]any)
	update, _ := c.body["UpdateExpression"].(string)
	for placeholder, name := range names {
		if name != "by" {
			continue
		}
		if _, after, ok := strings.Cut(update, placeholder+" = "); ok {
			value, _, _ := strings.Cut(strings.FieldsFunc(after, func(r rune) bool { return r == ',' || r == '\n' })[0], " ")
			return values[value]
		}
	}
	return nil
}
