package bolt_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"pocbakery/pkg/store"
	"pocbakery/pkg/store/bolt"
)

// crashWriters commit at once in the process that is killed, each to items of
// its own: a counter, and one of a few items whose end it moves.
const crashWriters = 16

// writeUntilKilled says "writer count" on its output of each commit answered.
func writeUntilKilled(path string) {
	s, err := bolt.Open(path, nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var wg sync.WaitGroup
	for w := range crashWriters {
		wg.Go(func() {
			for n := int64(1); ; n++ {
				end := noon.Add(time.Duration(n) * time.Second)
				moved := store.Key{PK: fmt.Sprint("hub", w), SK: fmt.Sprint("item#", n%7)}
				writes := []store.Write{
					{Op: store.OpUpdate, Key: store.Key{PK: moved.PK, SK: "count"}, Guard: store.If().OrAbsent(), Add: map[string]int64{"n": 1}},
					store.Put(moved, store.If().OrAbsent(), store.Fields{
						"n": n, "due": store.DueAt(store.Wall, end), "wake": store.FormatInstant(end), "ttl": end.Unix(),
					}),
				}
				if n%5 == 0 {
					writes[1] = store.Delete(moved, store.If().OrAbsent())
				}
				if err := s.Commit(ctx, time.Time{}, writes...); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				// One write call a line: lines of different writers do not mix.
				fmt.Fprintf(os.Stdout, "%d %d\n", w, n)
			}
		})
	}
	wg.Wait()
}

func TestWhatWasAnsweredOutlivesAKilledProcess(t *testing.T) {
	rounds := 4
	if testing.Short() {
		rounds = 1
	}
	path := filepath.Join(t.TempDir(), "table.db")
	// The counts of all rounds so far, in the file; each round begins at 1 again.
	var before [crashWriters]int64
	for round := range rounds {
		cmd := again(t, "load", path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var answered [crashWriters]int64
		lines := 0
		for in := bufio.NewScanner(out); in.Scan(); lines++ {
			var w int
			var n int64
			if _, err := fmt.Sscan(in.Text(), &w, &n); err != nil {
				break // the line it was killed in
			}
			answered[w] = n
			if lines == 500+300*round {
				if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("it was not killed")
		}
		before = checkAfterCrash(t, path, before, answered)
	}
}

// checkAfterCrash holds the file against what was answered and returns the
// counts it holds.
func checkAfterCrash(t *testing.T, path string, before, answered [crashWriters]int64) (counts [crashWriters]int64) {
	t.Helper()
	s, err := bolt.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = bolt.CheckIndexes(s)
	for w := range crashWriters {
		pk := fmt.Sprint("hub", w)
		page, listErr := s.List(ctx, time.Time{}, pk, store.Range{})
		if listErr != nil {
			t.Fatal(listErr)
		}
		items := map[string]store.Item{}
		for _, i := range page.Items {
			items[i.SK] = i
		}
		counts[w] = items["count"].Int("n")
		// At most one commit of each writer was under way.
		done := counts[w] - before[w]
		if done < answered[w] || done > answered[w]+1 {
			err = errors.Join(err, fmt.Errorf("writer %d: %d commits were answered, %d are there", w, answered[w], done))
		}
		// A commit is there whole or not at all.
		last := items[fmt.Sprint("item#", done%7)]
		if deleted := done%5 == 0; done > 0 && (last.Exists() == deleted || !deleted && last.Int("n") != done) {
			err = errors.Join(err, fmt.Errorf("writer %d: its last commit, %d, is there half: %v", w, done, last))
		}
	}
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return counts
}
