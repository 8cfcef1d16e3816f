package oracle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/vary"
	"hyptx/ir"
)

// programs returns how many random programs a test takes: as many as the environment
// says, else some that take seconds.
func programs(short, long uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv("HYPTX_PROGRAMS"), 10, 64); err == nil {
		return n
	}
	if testing.Short() {
		return short
	}
	return long
}

// firstSeed returns the seed of a test's first program: what the environment says, so that
// many programs can be taken in pieces.
func firstSeed(usual uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv("HYPTX_SEED"), 10, 64); err == nil {
		return n
	}
	return usual
}

// orders is how many orders of its threads each program is run in.
const orders = 8

// TestSharing: programs whose threads share memory and registers have the same counts
// and the same exactness in all modes, and if they are called exact, the oracle counts
// as much in any order of threads. The same goes for each word that they leave. Those
// that are in order by construction are called exact, but for one in a hundred; of the
// others some change with the order, or this shows nothing.
func TestSharing(t *testing.T) {
	n, first := programs(160, 600), firstSeed(1000)
	results := make([]outcome, n)
	var done atomic.Uint64
	var wg sync.WaitGroup
	workers := uint64(runtime.GOMAXPROCS(0))
	for k := range workers {
		dir := t.TempDir()
		wg.Go(func() {
			for i := k; i < n; i += workers {
				results[i] = checkSharing(dir, first+i)
				if err := results[i].err; err != nil {
					t.Errorf("seed %d: %v\n%s", first+i, err, results[i].program.ptx)
				}
				results[i].program.ptx = ""
				if n := done.Add(1); n%5000 == 0 {
					t.Logf("%d programs", n)
				}
			}
		})
	}
	wg.Wait()
	tally := map[string]int{}
	for i, r := range results {
		seed := first + uint64(i)
		if r.program.careful && !r.same {
			t.Errorf("seed %d is in order by construction, but changes with the order", seed)
		}
		if r.program.careful && r.exactness != "exact" {
			t.Logf("seed %d is in order by construction, but called %s", seed, r.exactness)
		}
		tally[r.String()]++
	}
	for _, kind := range slices.Sorted(maps.Keys(tally)) {
		t.Logf("%6d programs %s", tally[kind], kind)
	}
	checkShares(t, results)
}

// checkShares holds how often programs are called what against the bounds.
func checkShares(t *testing.T, results []outcome) {
	var careful, wrong, changing int
	for _, r := range results {
		switch {
		case r.program.careful:
			if careful++; r.exactness != "exact" {
				wrong++
			}
		case !r.same:
			changing++
		}
	}
	t.Logf("%d of %d programs that are in order are not called exact: %.2f %%", wrong, careful, 100*float64(wrong)/float64(careful))
	if wrong > 1 && 100*wrong >= careful { // a single one says little of the share
		t.Errorf("of %d programs that are in order by construction %d are not called exact", careful, wrong)
	}
	if 40*changing < len(results)-careful {
		t.Errorf("of %d programs that may be out of order only %d change with it", len(results)-careful, changing)
	}
}

// outcome is what came out of one program.
type outcome struct {
	program   *program
	exactness string
	same      bool // in all orders that were tried
	err       error
}

func (r outcome) String() string {
	kind, same := "out of order, perhaps: ", ", the same in all orders"
	if r.program.careful {
		kind = "in order: "
	}
	if !r.same {
		same = ", changing with the order"
	}
	return kind + r.exactness + same
}

// checkSharing writes a program, profiles it in all modes and runs it in several
// orders.
func checkSharing(dir string, seed uint64) outcome {
	// Of lanes that happen to be together the oracle knows nothing.
	together := seed%16 == 15
	r := outcome{program: sharingProgram(seed, seed%2 == 0, together), same: true}
	m, err := r.program.lower()
	if err != nil {
		r.err = err
		return r
	}
	if together {
		_, r.err = r.checkModes(dir, m)
	} else {
		r.err = r.checkOrders(dir, m, seed)
	}
	return r
}

// checkOrders profiles a program in all modes and runs it in several orders.
func (r *outcome) checkOrders(dir string, m *ir.Module, seed uint64) error {
	want, err := r.checkModes(dir, m)
	if err != nil {
		return err
	}
	left, err := r.program.outputs(dir)
	if err != nil {
		return err
	}
	l := r.program.launch(m)
	for order := range uint64(orders) {
		err := checkOrder(l, want, left, rand.New(rand.NewPCG(seed, order)))
		if errors.Is(err, errOtherCounts) {
			r.same = false
			if r.exactness != "exact" {
				continue
			}
		}
		if err != nil {
			return fmt.Errorf("called %s; in order %d: %w", r.exactness, order, err)
		}
	}
	return nil
}

// checkModes profiles a program in all modes, which must agree, and returns its counts.
func (r *outcome) checkModes(dir string, m *ir.Module) (want counts, err error) {
	var traffic []*analysis.InstrRow
	for _, mode := range []analysis.Mode{analysis.Control, analysis.Memory, analysis.Full} {
		prof, err := r.program.profileIn(dir, mode)
		if err != nil {
			return nil, fmt.Errorf("mode %s: %w", mode, err)
		}
		rows := prof.PerInstruction()
		mine := countsOf(m, rows)
		if is := prof.Rows[0].Exactness; want != nil && is != r.exactness {
			return nil, fmt.Errorf("mode control says %s, mode %s %s", r.exactness, mode, is)
		}
		if want == nil {
			r.exactness, want = prof.Rows[0].Exactness, mine
		} else if err := compare(m, mine, want); err != nil {
			return nil, fmt.Errorf("mode %s, with mode control for the oracle: %w", mode, err)
		}
		if mode == analysis.Full {
			if err := sameTraffic(traffic, rows); err != nil {
				return nil, err
			}
		}
		traffic = rows
	}
	return want, nil
}

// leaving is what a program leaves in memory, and which of the words depend on the order
// of threads.
type leaving struct {
	words []uint64
	open  []bool
}

// outputs runs a program so that the order of threads is followed.
func (p *program) outputs(dir string) (*leaving, error) {
	opts := analysis.DefaultOptions()
	opts.Mode, opts.Variation = analysis.Full, vary.Ordered()
	s, err := p.open(dir, opts)
	if err != nil {
		return nil, err
	}
	outs, err := s.Run(context.Background())
	if err != nil {
		return nil, err
	}
	open, err := s.Scheduled()
	if err != nil {
		return nil, err
	}
	l := &leaving{open: open[0]}
	for i := range open[0] {
		l.words = append(l.words, outs[0].Bits(i))
	}
	return l, nil
}

var errOtherCounts = errors.New("another order counts otherwise")

// checkOrder runs a program in a random order and compares. Orders in which a thread
// runs too long show nothing.
func checkOrder(l *launch, want counts, left *leaving, random *rand.Rand) error {
	got, mem, err := runTogether(l, random)
	switch {
	case errors.Is(err, errTooLong):
		return nil
	case errors.Is(err, errDeadlock): // here it is not
		return fmt.Errorf("%w: %w", errOtherCounts, err)
	}
	if err != nil {
		return err
	}
	for pc := range got {
		got[pc].targets = 0
	}
	for i, v := range left.words {
		if is := get(mem.out[4*i:][:4]); is != v && !left.open[i] {
			return fmt.Errorf("word %d of the output is %#x, not %#x, and is said not to depend on the order", i, is, v)
		}
	}
	if err := compare(l.kernel.Module, want, got); err != nil {
		return fmt.Errorf("%w: %w", errOtherCounts, err)
	}
	return nil
}

// countsOf returns what the rows of instructions say, all but branches' targets.
func countsOf(m *ir.Module, rows []*analysis.InstrRow) counts {
	c := make(counts, len(m.Instrs))
	for _, r := range rows {
		c[r.PC] = count{r.WarpExecutions, r.ThreadExecutions, r.PredOnExecutions, r.DivergentExecutions.N, 0}
	}
	return c
}

// sameTraffic compares what the accesses moved in two modes.
func sameTraffic(memory, full []*analysis.InstrRow) error {
	for i, a := range memory {
		b := full[i]
		x := [4]uint64{a.MemoryRequests.N, a.Sectors.N, a.SharedPasses.N, a.BytesRequested.N}
		y := [4]uint64{b.MemoryRequests.N, b.Sectors.N, b.SharedPasses.N, b.BytesRequested.N}
		if x != y {
			return fmt.Errorf("line %d, %s: requests, sectors, passes, bytes are %d in mode memory, in mode full %d", a.PTXLine, a.Text, x, y)
		}
	}
	return nil
}
