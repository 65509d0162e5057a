package sim_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pocbakery/pkg/sim"
)

var (
	simFor = flag.Duration("sim.for", 0, "play histories for so long, beginning with any seed, instead of a fixed number")
	seeds  = flag.Uint64("sim.seeds", 0, "with -sim.for: the seed to begin with; 0 for any")
)

// What rapid shrinks is words one by one; sim.Shortest drops whole steps. The
// seed is fixed, so that a test fails always or never.
func init() {
	flag.BoolVar(&sim.Trace, "sim.trace", false, "stories tell every item that is written")
	for name, value := range map[string]string{
		"rapid.nofailfile": "true", "rapid.shrinktime": "0s", "rapid.seed": "1", "rapid.checks": fmt.Sprint(batch),
	} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
}

// batch is how many histories are played at once.
const batch = 50

// histories are words: one for the world, one a step.
var histories = rapid.SliceOfN(rapid.Uint64(), 30, 90)

// named is a test under the name by which rapid says how to reproduce a failure.
type named struct {
	*testing.T
	name string
}

func (n named) Name() string { return n.name }

// play plays histories of one mode and adds up what they came to.
func play(t *testing.T, m sim.Mode, sum *sim.Reach) {
	t.Helper()
	rapid.Check(named{t, "TestSim/" + m.String()}, func(t *rapid.T) {
		words := histories.Draw(t, "history")
		_, reach, err := sim.Play(m, words)
		sum.Add(reach)
		if err != nil {
			shortest := sim.Shortest(m, words, err)
			story, _, wrong := sim.Play(m, shortest)
			t.Fatalf("%d of %d steps:\n%s\nviolated: %v", len(shortest)-1, len(words)-1, story, wrong)
		}
	})
}

var modes = []sim.Mode{sim.Chaos, sim.Healthy}

func TestSim(t *testing.T) {
	if *simFor > 0 {
		playFor(t, *simFor)
		return
	}
	for _, m := range modes {
		t.Run(m.String(), func(t *testing.T) {
			sum := sim.NewReach()
			play(t, m, sum)
			t.Log(sum.Summary())
		})
	}
}

// playFor plays for a time, batch after batch, and tells what came of it. The
// last line but what go test adds is a summary.
func playFor(t *testing.T, d time.Duration) {
	sum, began, seed := sim.NewReach(), time.Now(), *seeds
	if seed == 0 {
		seed = uint64(began.UnixNano()) % 1e12
	}
	defer func() {
		fmt.Println(sum)
		fmt.Printf("sim: %s, in %.1f s\n", sum.Summary(), time.Since(began).Seconds())
	}()
	for n := uint64(0); time.Since(began) < d && !t.Failed(); n++ {
		if err := flag.Set("rapid.seed", fmt.Sprint(seed+n*1_000_003)); err != nil {
			t.Fatal(err)
		}
		m := modes[n%2]
		t.Run(m.String(), func(t *testing.T) { play(t, m, sum) })
	}
}

// reachWithin is how many histories are to come to every named state.
const reachWithin = 4000

func TestHistoriesReachEveryNamedState(t *testing.T) {
	sum := sim.NewReach()
	var never []string
	for n := range reachWithin {
		m := sim.Chaos
		if n%10 == 9 {
			m = sim.Healthy
		}
		_, reach, err := sim.Play(m, words(uint64(n)+1))
		sum.Add(reach)
		if err != nil {
			t.Fatalf("history %d, %s: %v", n, m, err)
		}
		if never = sum.Never(); len(never) == 0 {
			break
		}
	}
	t.Logf("%s\n%s", sum.Summary(), sum)
	if len(never) > 0 {
		t.Errorf("never reached: %s", strings.Join(never, ", "))
	}
}

// words are those of a history by number.
func words(seed uint64) []uint64 { return histories.Example(int(seed)) }

func TestTheSameWordsTellTheSameStory(t *testing.T) {
	for n := range uint64(20) {
		m := modes[n%2]
		first, _, _ := sim.Play(m, words(n+1))
		second, _, _ := sim.Play(m, words(n+1))
		if first != second {
			t.Fatalf("history %d, %s, is told in two ways", n, m)
		}
	}
}
