package sim

import (
	"pocbakery/pkg/hub"
	"pocbakery/pkg/store"
)

// fault is how a call fails.
type fault byte

const (
	none fault = iota
	refused
	lost
	applied
	late
	conflict
	torn
)

// fail chooses how a call fails. In a healthy world a failure is one that the
// table's own retries absorb.
func (w *World) fail(r *request, d dice, kind callKind, keys []store.Key) fault {
	var f fault
	switch {
	case w.mode == Healthy && (r.failed >= 2 || r.wide):
		r.failed = 0
		return none
	case w.mode == Healthy:
		f = healthyFault(r, d, kind, keys)
	case kind == read:
		f = refused
	case kind == erase:
		f = pick(d, []fault{refused, lost, applied, torn})
	case kind == create:
		f = pick(d, []fault{refused, applied})
	default:
		f = pick(d, []fault{refused, lost, applied, applied, late, late, conflict})
	}
	if f == none {
		return none
	}
	r.failed++
	r.faults++
	w.Reach.Faults++
	w.reached(faultStates[f])
	if kind == create {
		w.reached(FaultCreate)
	}
	if !r.wide {
		w.tell("  - its call %d, %s%s: %s", r.calls, kind, named(keys), faultNames[f])
	}
	return f
}

func healthyFault(r *request, d dice, kind callKind, keys []store.Key) fault {
	switch kind {
	case read:
		return refused
	case commit:
		for _, k := range keys {
			if k.SK == hub.RootSK || k.PK == string(hub.Control) {
				return pick(d, []fault{refused, applied})
			}
		}
		if !r.clashed && d.in(3) {
			r.clashed = true
			return conflict
		}
		return pick(d, []fault{refused, lost, applied})
	}
	return none
}

var faultNames = map[fault]string{
	refused: "throttled", lost: "not applied, the reply is lost", applied: "applied, the reply is lost",
	late: "the reply is lost, it will be applied later", conflict: "conflict", torn: "half of it erased",
}

var faultStates = map[fault]State{
	refused: FaultRefused, lost: FaultLost, applied: FaultApplied, late: FaultLate, conflict: FaultConflict, torn: EraseTorn,
}
