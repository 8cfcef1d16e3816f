package hierarchy

import (
	"errors"
	"fmt"
	"math"

	"hyptx/internal/cache"
	"hyptx/internal/gpu"
	"hyptx/internal/traffic"
	"hyptx/internal/traffic/stream"
)

// Hierarchy is the caches and the DRAM of a GPU. Its L2 keeps its contents from
// launch to launch. For each launch, in order: [Hierarchy.Begin],
// [Hierarchy.Take] for each CTA in the order of the grid, [Hierarchy.End].
type Hierarchy struct {
	GPU *gpu.GPU
	// Buffers are the addresses at which buffers begin, ascending.
	Buffers []uint64
	config  cache.Config
	model   *cache.Model
	choice  Sample
	// Of the launch: why the GPU cannot run it, its CTAs, those that were seen, and
	// the sample, nil if it is no sample.
	unfit      error
	ctas, seen int64
	sample     *waveSample
	// extent is what the sample touches.
	extent *extent
	// before is what the L2 held when the launch began; absent what it would hold
	// besides if it had seen all of the launches before: nothing without samples.
	before, absent held
}

// Result is what a launch moved through the memory of a GPU.
type Result struct {
	Counters cache.Counters
	// CTAs were seen. Where these are not all of them, or were not in a launch
	// before, the counters are estimates (Sampled): the sectors that cross the DRAM
	// interface have that variance.
	CTAs     uint64
	Sampled  bool
	Variance float64
	// Accesses: how DRAM is laid out is known, so that its accesses were counted.
	Accesses bool
	// Unfit is why the GPU cannot run the launch; nil if it can.
	Unfit error
}

// New returns the hierarchy of a GPU with empty caches. Up to workers goroutines
// run it; the requests of resident CTAs may take maxStreamBytes. watch, if not nil, hears
// what the L2 is asked for; with only, that is all that happens there.
func New(g *gpu.GPU, sample Sample, workers int, maxStreamBytes int64, watch func(block uint64, sectors uint8), only bool) (*Hierarchy, error) {
	c, err := config(g)
	if err != nil {
		return nil, err
	}
	c.Workers, c.MaxStreamBytes, c.Watch, c.WatchOnly = workers, maxStreamBytes, watch, only
	m, err := cache.New(c)
	if err != nil {
		return nil, fmt.Errorf("GPU %s: %w", g.Name, err)
	}
	return &Hierarchy{GPU: g, config: c, model: m, choice: sample}, nil
}

// Begin starts a launch of so many CTAs. One that the GPU cannot run, since it
// needs more of something than there is, is no error: it is not listened to, and
// [Result.Unfit] says why.
func (h *Hierarchy) Begin(cta gpu.CTA, ctas int64) error {
	launch, err := Resident(h.GPU, cta)
	h.unfit = nil
	if limit := (*gpu.LimitError)(nil); errors.As(err, &limit) {
		h.unfit = err
		return nil
	} else if err != nil {
		return err
	}
	if err := h.model.Begin(launch); err != nil {
		return fmt.Errorf("GPU %s: %w", h.GPU.Name, err)
	}
	h.seen, h.ctas = 0, ctas
	h.sample = h.choice.newWaveSample(ctas, int64(h.config.SMs*launch.CTAsPerSM))
	if h.sample != nil || h.absent != (held{}) {
		h.before, _ = h.holds()
	}
	if h.extent = nil; h.sample != nil {
		h.extent = newExtent(h.Buffers)
	}
	return nil
}

// Take starts a CTA of the launch, if it is one of those to be seen.
func (h *Hierarchy) Take(c *stream.CTA) error {
	if h.unfit != nil || h.sample != nil && !h.sample.sees(c.Linear) {
		return nil
	}
	h.seen++
	if err := h.model.Push(c); err != nil {
		return err
	}
	if h.sample == nil {
		return nil
	}
	h.extent.add(c)
	if h.sample.endsWith(c.Linear, h.ctas) {
		h.sample.add(c.Linear, h.model.Drain())
		h.extent.endWave(h.sample.between(c.Linear))
	}
	return nil
}

// End ends a launch and returns what moved. All CTAs touched so much of global memory, nil
// if only those ran that samples see, and of local memory.
func (h *Hierarchy) End(footprint *traffic.Footprint, localBytes uint64) Result {
	if h.unfit != nil {
		return Result{Unfit: h.unfit}
	}
	r := Result{Counters: h.model.Drain(), CTAs: uint64(h.seen), Accesses: h.config.DRAM.Channels > 0}
	switch {
	case h.sample.complete():
		r.Sampled = true
		l := h.launchL2()
		if footprint != nil {
			l.touched = touchedBy(footprint, h.config.L2.LineBytes)
		} else {
			l.touched = h.extent.estimate(h.sample.waves, h.config.L2.LineBytes)
		}
		l.touched = l.withLocal(localBytes)
		var left held
		r.Counters, left, r.Variance = h.sample.estimate(l)
		h.absent = left.sub(l.after)
	case h.absent != (held{}):
		r.Sampled = true
		r.Variance = h.writeAbsent(&r.Counters)
	}
	return r
}

// Flush returns the sectors that are dirty at the end of the program.
func (h *Hierarchy) Flush() uint64 {
	return uint64(math.Round(max(0, float64(h.model.Flush().DRAMFlushSectors)+h.absent.dirty)))
}

// holds returns what the L2 holds, and how many of its sets are in use.
func (h *Hierarchy) holds() (l held, sets int64) {
	r := h.model.Resident()
	return held{float64(r.Lines), float64(r.DirtySectors)}, r.Sets
}

// launchL2 describes the L2 around the launch.
func (h *Hierarchy) launchL2() *launchL2 {
	after, used := h.holds()
	l2 := h.config.L2
	lines := float64(l2.Lines())
	return &launchL2{
		capacity: lines, ways: float64(l2.Ways), sets: lines / float64(l2.Ways), sectorsPerLine: float64(l2.LineBytes / cache.SectorBytes),
		before: h.before.add(h.absent), after: after, usedSets: float64(used), stale: h.absent != (held{}),
	}
}

// writeAbsent adds to a launch of which all was seen what it pushes out besides
// of a sample before it, and returns the variance of that: it may be none of it.
func (h *Hierarchy) writeAbsent(n *cache.Counters) (variance float64) {
	l := h.launchL2()
	came := held{float64(n.L2Fills), float64(n.DirtiedSectors)}
	left, written := l.end(l.capacity, l.before, came)
	_, seen := l.end(l.capacity, h.before, came)
	more := max(written-seen, -float64(n.DRAMWriteSectors))
	n.DRAMWriteSectors = uint64(math.Round(float64(n.DRAMWriteSectors) + more))
	h.absent = held{left.lines - l.after.lines, h.absent.dirty - more}
	return more * more / 3
}
