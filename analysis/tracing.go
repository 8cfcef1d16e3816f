package analysis

import (
	"context"
	"maps"
	"math"
	"slices"

	"hyptx/emulator"
	"hyptx/internal/sim"
	"hyptx/internal/traffic"
	"hyptx/internal/traffic/stream"
	"hyptx/ir"
)

// tracing is a launch whose CTAs are traced for the simulators.
type tracing struct {
	*Session
	*launchPlan
	prog    *emulator.Program
	linkers []*sim.Linker // of the simulators
	// words of a warp's trace are what each simulator wants to see; samples are, by
	// words, what so long beginnings of CTAs moved, by 0 what the whole first one did.
	words   map[*sim.Simulator]int
	samples map[int]sample
	// beyond are accesses that hit no memory, as many as all CTAs make.
	beyond map[ir.PC]uint64
	// neighbours are in the machine code of each simulator.
	neighbours map[*sim.Simulator]*sim.Neighbours
}

// tracingError is why CTAs could not be run: the program's fault, or a limit.
type tracingError struct{ error }

// sample is what so many CTAs moved.
type sample struct {
	moved *traffic.Counts
	ctas  int
}

// Neighbours are traced of grids with so many CTAs and more, of which some may be left out:
// so many of a row and of a column, as sectors hold as many words, which CTAs beside each
// other may share or not. Of each warp there are so many words: what CTAs share they share from
// the beginning on (own choices).
const (
	leastOfNeighbours = 64
	mostNeighbours    = 8
	neighboursWords   = 1 << 12
)

// meet traces the beginnings of neighbours in the middle of the grid. What is wrong with these
// is told where they have their turn.
func (t *tracing) meet(ctx context.Context) {
	ctas, wide := int64(t.ctas()), int64(t.grid[0])
	if t.clusterSize() > 1 || ctas < leastOfNeighbours {
		return
	}
	row, column := (ctas/wide-1)/2, (wide-1)/2
	one := row*wide + column
	places := []int64{one}
	for i := range min(mostNeighbours, wide-1-column) {
		places = append(places, one+1+i)
	}
	for i := range min(mostNeighbours, ctas/wide-1-row) {
		places = append(places, one+(1+i)*wide)
	}
	// Of all over the grid some say how long CTAs are.
	var spread []int64
	for i := range int64(mostNeighbours) {
		_, part := math.Modf(float64(i+1) * math.Phi) // no multiples of what CTAs may differ by
		spread = append(spread, int64(part*float64(ctas)))
	}
	places = append(places, spread...)
	slices.Sort(places)
	places = slices.Compact(places)
	met := map[*sim.Simulator]*sim.Neighbours{}
	_, err := t.trace(ctx, places, min(neighboursWords, t.mostWords()), func(c *stream.CTA) {
		t.each(c, func(*sim.Simulator) bool { return true }, func(of *sim.Simulator, cta *sim.CTA) {
			if met[of] == nil {
				met[of] = &sim.Neighbours{}
			}
			n, place := met[of], c.Linear
			if slices.Contains(spread, place) {
				n.Spread = append(n.Spread, cta)
			}
			switch {
			case place == one:
				n.One = cta
			case place/wide == row && place > one && place <= one+mostNeighbours:
				n.Beside = append(n.Beside, cta)
			case place%wide == column && place > one && place <= one+mostNeighbours*wide:
				n.Below = append(n.Below, cta)
			}
		})
	})
	if err == nil {
		t.neighbours = met
	}
}

// first traces the first CTA, by which each simulator plans what of the others it wants.
func (t *tracing) first(ctx context.Context) error {
	t.meet(ctx)
	most := t.mostWords()
	cluster := t.inWholeClusters([]int64{0})
	r, err := t.trace(ctx, cluster, most, func(c *stream.CTA) {
		if c.Linear != 0 {
			return
		}
		longest := 0
		for _, steps := range c.Traces {
			longest = max(longest, len(steps))
		}
		t.each(c, func(of *sim.Simulator) bool { return true }, func(of *sim.Simulator, c *sim.CTA) {
			t.words[of] = most
			if portion := of.Plan(c, t.neighbours[of]); portion < 1 {
				t.words[of] = max(1, int(math.Ceil(portion*float64(longest))))
			}
		})
	})
	if err != nil {
		return err
	}
	t.samples[0] = sample{r.Traffic, len(cluster)}
	return nil
}

// others traces the CTAs that the simulators want, together for those that want as much
// of them: what one says of a GPU does not depend on which others there are.
func (t *tracing) others(ctx context.Context) error {
	for _, n := range slices.Sorted(maps.Values(t.words)) {
		if _, ok := t.samples[n]; ok {
			continue
		}
		asks := func(of *sim.Simulator) bool { return t.words[of] == n }
		chosen := t.inWholeClusters(t.chosen(asks))
		r, err := t.trace(ctx, chosen, n, func(c *stream.CTA) {
			t.each(c, func(of *sim.Simulator) bool { return asks(of) && of.Sees(c.Place) }, (*sim.Simulator).Take)
		})
		if err != nil {
			return err
		}
		t.samples[n] = sample{r.Traffic, len(chosen)}
		if t.beyond != nil {
			continue
		}
		t.beyond = map[ir.PC]uint64{}
		for pc, times := range r.Beyond {
			t.beyond[pc] = times * t.ctas() / uint64(len(chosen))
		}
	}
	return nil
}

// moved returns what CTAs moved from which a simulator's launch follows: where it saw
// beginnings, the first one, which was seen whole.
func (t *tracing) moved(of *sim.Simulator, e *sim.Estimate) sample {
	if e.Longer > 1 {
		return t.samples[0]
	}
	return t.samples[t.words[of]]
}

// each gives a CTA to the simulators that want it, in the machine code of each: those
// that run the same have the same traces.
func (t *tracing) each(c *stream.CTA, wants func(*sim.Simulator) bool, give func(*sim.Simulator, *sim.CTA)) {
	linked := map[*sim.Linker]*sim.CTA{}
	for i, of := range t.simulation.of {
		if !wants(of) {
			continue
		}
		if linked[t.linkers[i]] == nil {
			linked[t.linkers[i]] = t.linkers[i].CTA(c)
		}
		give(of, linked[t.linkers[i]])
	}
}

// chosen returns the CTAs that a simulation sees, of those that are asked.
func (t *tracing) chosen(asked func(*sim.Simulator) bool) (list []int64) {
	place := int64(0)
	for cta := range t.inOrder() {
		for _, of := range t.simulation.of {
			if asked(of) && of.Sees(place) {
				list = append(list, cta)
				break
			}
		}
		place++
	}
	return list
}

// mostWords returns how many words the trace of a warp has at most. A CTA has half a
// million, which are millions of instructions; less where little memory is allowed, as
// some hundred CTAs may be on their way at a time.
func (t *tracing) mostWords() int {
	const most, least, atATime = 1 << 19, 1 << 12, 256
	of := min(most, t.Options.MaxMemoryBytes/8/atATime)
	return int(max(of, least) / int64((t.threads()+31)/32))
}

// trace runs CTAs of a launch, of whose warps give gets traces of so many words at most,
// in the order of the CTAs. It returns what came of it.
func (t *tracing) trace(ctx context.Context, ctas []int64, words int, give func(*stream.CTA)) (*emulator.Result, error) {
	if len(ctas) == 0 {
		return &emulator.Result{}, nil
	}
	workers := 1 // what CTAs tell each other is in the order of one
	if t.simulation.slices[t.index].ParallelSafe {
		workers = t.Options.Jobs
	}
	return t.runTraced(ctx, t.launchPlan, t.prog, &part{ctas: ctas, workers: workers}, words, give)
}

// runTraced runs CTAs of a launch for their traces, of so many words a warp at most. What they
// write is forgotten.
func (s *Session) runTraced(ctx context.Context, l *launchPlan, prog *emulator.Program, p *part, words int, give func(*stream.CTA)) (*emulator.Result, error) {
	cfg := s.config(l, p, nil)
	cfg.Apart, cfg.PerCTA, cfg.Loops, cfg.Paths, cfg.OnWarp = true, false, false, false, nil
	cfg.TraceWords = words
	cfg.Requests = func(c *stream.CTA) error {
		give(c)
		return nil
	}
	return s.machine.Launch(ctx, prog, cfg)
}
