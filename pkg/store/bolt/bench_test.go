package bolt_test

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"pocbakery/pkg/store"
	"pocbakery/pkg/store/bolt"
)

// placement is what a customer's order does to a slot that is empty or has room.
func placement(n int64) store.Write {
	return store.Write{
		Op: store.OpUpdate, Key: store.Key{PK: "hub", SK: fmt.Sprintf("slot#%06d", n/6)},
		Guard: store.If(store.Lt("taken", int64(6)), store.Missing(fmt.Sprintf("h_%08d", n))).OrAbsent(),
		Set:   store.Fields{fmt.Sprintf("h_%08d", n): `{"end":"2040-05-17T12:10:00.000Z","state":"held","made":"2040-05-17T12:00:00.000Z","fp":"9f86d081884c"}`},
		Init:  store.Fields{"capacity": int64(6), "first_end": "2040-05-17T12:10:00.000Z", "due": "b2040-05-17T12:10:00.000Z", "wake": "2040-05-17T12:10:00.000Z"},
		Add:   map[string]int64{"taken": 1, "held": 1},
	}
}

func benchmarkCommits(b *testing.B, writers int) {
	table := store.NewTable(open(b, &store.Meter{}), rand.Uint64)
	var n atomic.Int64
	b.SetParallelism(writers)
	b.ReportAllocs()
	b.ResetTimer()
	run := func() {
		if err := table.Commit(ctx, noon, placement(n.Add(1)-1)); err != nil {
			b.Error(err)
		}
	}
	if writers == 1 {
		for b.Loop() {
			run()
		}
	} else {
		b.SetParallelism(writers / 2) // times the two processors
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				run()
			}
		})
	}
	b.ReportMetric(float64(n.Load())/b.Elapsed().Seconds(), "commits/s")
}

func BenchmarkCommitOfOneWriter(b *testing.B) { benchmarkCommits(b, 1) }
func BenchmarkCommitOf32Writers(b *testing.B) { benchmarkCommits(b, 32) }

// BenchmarkLostRace: 32 writers whose guard fails on a full slot.
func BenchmarkLostRace(b *testing.B) {
	s := open(b, &store.Meter{})
	seedSlots(b, s, 1)
	b.SetParallelism(16)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			_ = s.Commit(ctx, noon, store.Write{Op: store.OpUpdate, Key: store.Key{PK: "hub", SK: "slot#000000"},
				Guard: store.If(store.Lt("taken", int64(6))).OrAbsent(), Add: map[string]int64{"taken": 1}})
		}
	})
}

func seedSlots(b *testing.B, s *bolt.Store, slots int) {
	b.Helper()
	var writes []store.Write
	for n := range slots {
		writes = append(writes, store.Put(store.Key{PK: "hub", SK: fmt.Sprintf("slot#%06d", n)}, store.IfAbsent(), slotFields(6)))
	}
	if err := s.Commit(ctx, noon, writes...); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkListOf40Slots(b *testing.B) {
	s := open(b, &store.Meter{})
	seedSlots(b, s, 40)
	b.ReportAllocs()
	for b.Loop() {
		page, err := s.List(ctx, noon, "hub", store.Prefix("slot#"))
		if err != nil || len(page.Items) != 40 {
			b.Fatalf("%v, %d items", err, len(page.Items))
		}
	}
}

func BenchmarkGet(b *testing.B) {
	s := open(b, &store.Meter{})
	seedSlots(b, s, 40)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Get(ctx, noon, store.Key{PK: "hub", SK: "slot#000007"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	i := samples()[len(samples())-1]
	b.ReportAllocs()
	for b.Loop() {
		bolt.Encode(i)
	}
}

func BenchmarkDecode(b *testing.B) {
	i := samples()[len(samples())-1]
	v := bolt.Encode(i)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := bolt.Decode(i.Key, v); err != nil {
			b.Fatal(err)
		}
	}
}
