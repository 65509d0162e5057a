package bolt_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"pocbakery/pkg/store"
	"pocbakery/pkg/store/bolt"
	"pocbakery/pkg/store/storetest"
)

// open opens a new file that is closed when the test is over, and held against
// its own indexes then.
func open(t testing.TB, meter *store.Meter) *bolt.Store {
	t.Helper()
	s, err := bolt.Open(filepath.Join(t.TempDir(), "table.db"), meter)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := bolt.CheckIndexes(s); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestTheFileDoesWhatThePortSays(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, &store.Meter{}) })
}

func TestTheFileThroughATableDoesWhatThePortSays(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return store.NewTable(open(t, nil), rand.Uint64) })
}
