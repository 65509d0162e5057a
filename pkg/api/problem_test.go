package api

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/bakery"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

// declaredCodes reads the codes from the source that declares them, so that a
// new one cannot be forgotten here.
func declaredCodes(t *testing.T) (codes []refusal.Code) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../refusal/codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || fmt.Sprint(spec.Type) != "Code" {
			return true
		}
		for _, v := range spec.Values {
			code, _ := strconv.Unquote(v.(*ast.BasicLit).Value)
			codes = append(codes, refusal.Code(code))
		}
		return false
	})
	if len(codes) < 30 {
		t.Fatalf("found %d codes only", len(codes))
	}
	return codes
}

func TestEveryCodeHasAStatusAndAPage(t *testing.T) {
	codes := declaredCodes(t)
	for _, code := range codes {
		if s := statuses[code]; s < 400 || s > 599 || http.StatusText(s) == "" {
			t.Errorf("%s has status %d", code, s)
		}
		if refusal.Meanings[code].Title == "" {
			t.Errorf("%s has no meaning", code)
		}
	}
	if len(statuses) != len(codes) {
		t.Errorf("%d statuses for %d codes", len(statuses), len(codes))
	}
}

func TestATableThatDoesNotAnswerIs503AndMayBeAskedAgain(t *testing.T) {
	for _, err := range []error{
		store.ErrUnavailable, store.ErrUnknown, store.ErrConflict, store.ErrNewerSchema,
		context.DeadlineExceeded, context.Canceled, fmt.Errorf("read the slot: %w", store.ErrUnknown),
	} {
		h := newHouse(t)
		h.shop.fail = err
		a := h.ask("POST", "/v1/orders", anOrder)
		a.is(503, refusal.TableUnavailable, "")
		if a.header.Get("Retry-After") != "1" {
			t.Errorf("%v: Retry-After %q", err, a.header.Get("Retry-After"))
		}
		if !strings.Contains(h.log.String(), `"route":"/v1/orders","status":503,"code":"table-unavailable"`) {
			t.Errorf("%v: logged %s", err, h.log)
		}
	}
}

func TestAFailureIsToldToTheLogAlone(t *testing.T) {
	for _, err := range []error{errors.New("shelf 7 fell down"), store.ErrTooLarge, store.ErrInvalid, refusal.New("no-such-code", "shelf 7")} {
		h := newHouse(t)
		h.shop.fail = err
		a := h.ask("GET", "/v1/menu", "")
		a.is(500, refusal.Internal, "")
		if strings.Contains(a.raw, "shelf") || strings.Contains(a.raw, "store:") {
			t.Errorf("told: %s", a.raw)
		}
		if !strings.Contains(h.log.String(), `"route":"/v1/menu","status":500,"code":"internal","error":"`) {
			t.Errorf("logged: %s", h.log)
		}
	}
}

func TestRetryAfterRoundsUpAndIsAtLeastOne(t *testing.T) {
	for d, want := range map[time.Duration]string{1: "1", time.Second: "1", time.Second + 1: "2", 15*time.Minute - 1: "900", 0: ""} {
		h := newHouse(t)
		h.shop.fail = refusal.New(refusal.SlotFull, "Full.").After(d)
		if got := h.ask("POST", "/v1/orders", anOrder).header.Get("Retry-After"); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestAFullSlotSaysWhereAndWhenThereIsRoom(t *testing.T) {
	h := newHouse(t)
	for i := range 2 {
		h.ask("POST", "/v1/orders", anOrder, keyHeader, "a-key-number-"+strconv.Itoa(i)).ok(201)
	}
	a := h.ask("POST", "/v1/orders", anOrder)
	a.is(409, refusal.SlotFull, "")
	next, _ := a.json["next_free"].(map[string]any)
	if next["id"] != string(slotB) || next["rev"] != "0" || a.json["earliest_hold_ends_at"] != "2026-11-30T12:15:00.005Z" || a.header.Get("Retry-After") != "900" {
		t.Errorf("%v %s", a.header, a.raw)
	}
	h.shop.fail = refusal.New(refusal.HoldLost, "Lost.").With(bakery.Full{})
	a = h.ask("POST", "/v1/orders", anOrder)
	a.is(409, refusal.HoldLost, "")
	if _, there := a.json["next_free"]; there || a.json["earliest_hold_ends_at"] != nil || a.header.Get("Retry-After") != "" {
		t.Errorf("%v %s", a.header, a.raw)
	}
}

func TestARefusalWhoseTextIsNoUTF8IsStillAnAnswer(t *testing.T) {
	h := newHouse(t)
	h.shop.fail = refusal.New(refusal.NoSuchOrder, "No order \xff.")
	h.ask("GET", "/v1/orders/x", "").is(404, refusal.NoSuchOrder, "")
}
