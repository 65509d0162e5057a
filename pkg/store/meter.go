package store

import "sync/atomic"

// Call names what a Meter counts apart: a Commit by the kind of its one write,
// or as a transaction.
type Call byte

// The calls, in the order of their names in Snapshot.
const (
	CallGet Call = iota
	CallList
	CallDue
	CallOverdue
	CallPut
	CallUpdate
	CallDelete
	CallTransact
	CallErase
	calls
)

var callNames = [calls]string{"get", "list", "due", "overdue", "put", "update", "delete", "transact", "erase"}

// String is the call's name, as in Snapshot.
func (c Call) String() string { return callNames[c] }

// CallOf says as what a Commit of these writes counts.
func CallOf(writes []Write) Call {
	if len(writes) > 1 {
		return CallTransact
	}
	switch writes[0].Op {
	case OpPut:
		return CallPut
	case OpUpdate:
		return CallUpdate
	}
	return CallDelete
}

// Count is what calls of one name took.
type Count struct {
	Requests   int64   `json:"requests"`
	ReadUnits  float64 `json:"read_units"`
	WriteUnits float64 `json:"write_units"`
}

// Meter counts what an adapter asks of the table. Many may use one at once; a
// nil Meter counts nothing. The zero Meter is ready.
type Meter struct {
	counts [calls]struct {
		requests atomic.Int64
		// In halves: an eventually consistent read takes half a unit.
		read, write atomic.Int64
	}
}

// Read counts requests that read.
func (m *Meter) Read(c Call, requests int, units float64) { m.add(c, requests, units, 0) }

// Write counts requests that write.
func (m *Meter) Write(c Call, requests int, units float64) { m.add(c, requests, 0, units) }

func (m *Meter) add(c Call, requests int, read, write float64) {
	if m == nil {
		return
	}
	n := &m.counts[c]
	n.requests.Add(int64(requests))
	if read != 0 {
		n.read.Add(int64(read * 2))
	}
	if write != 0 {
		n.write.Add(int64(write * 2))
	}
}

func (m *Meter) count(c Call) Count {
	n := &m.counts[c]
	return Count{
		Requests:   n.requests.Load(),
		ReadUnits:  float64(n.read.Load()) / 2,
		WriteUnits: float64(n.write.Load()) / 2,
	}
}

// Snapshot is the counts by the calls' names, of all calls made so far.
func (m *Meter) Snapshot() map[string]Count {
	out := make(map[string]Count, calls)
	if m == nil {
		return out
	}
	for c := range calls {
		if n := m.count(c); n != (Count{}) {
			out[c.String()] = n
		}
	}
	return out
}

// Total is the sum over all calls.
func (m *Meter) Total() Count {
	var sum Count
	if m == nil {
		return sum
	}
	for c := range calls {
		n := m.count(c)
		sum.Requests += n.Requests
		sum.ReadUnits += n.ReadUnits
		sum.WriteUnits += n.WriteUnits
	}
	return sum
}

// Reset sets all counts to zero.
func (m *Meter) Reset() {
	if m == nil {
		return
	}
	for c := range m.counts {
		n := &m.counts[c]
		n.requests.Store(0)
		n.read.Store(0)
		n.write.Store(0)
	}
}
