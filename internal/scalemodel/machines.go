package scalemodel

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/number"
	"hyptx/internal/reuse"
)

// The sizes of a GPU as hyptx simulates them (package sim): what the paper takes two
// simulations and a functional run for, one emulation gives here. It feeds the
// simulators of all sizes, where it is asked for that of the larger scale model without a miss
// in the L2, and the caches whose curve is wanted.

// Machines are a GPU's sizes.
type Machines struct {
	Sizes   []int
	Curves  *Curves
	watched []*gpu.GPU // one for each size
	// simulated are the scale models and, if they were asked for, the targets; hitting
	// is the larger scale model whose L2 misses nothing, nil unless f_mem is by [Hits].
	simulated []*gpu.GPU
	hitting   *gpu.GPU
	// perSize are the SMs of a size: 1, or those of a chiplet.
	perSize int
}

// FMemRule is how f_mem is found.
type FMemRule string

// The rules. The paper's is the share of the cycles of the larger scale model in which an SM
// issues nothing because all its warps wait for memory (package sim, memorywait.go). The other
// is the share of time that would go away with the misses of the L2.
const (
	Stalls FMemRule = "stalls"
	Hits   FMemRule = "hits"
)

// FMemRules are all of them.
var FMemRules = []string{string(Stalls), string(Hits)}

// NewMachines makes the sizes; with targets, these are simulated as well. rounded says
// what of which size could not be divided.
func NewMachines(g *gpu.GPU, sizes []int, targets bool, rule FMemRule) (m *Machines, rounded []string, err error) {
	if err := checkSizes(sizes); err != nil {
		return nil, nil, err
	}
	m = &Machines{Sizes: sizes, perSize: 1, Curves: NewCurves(reuse.Options{Method: reuse.Exact}, nil)}
	for i, n := range sizes {
		watched, text, err := GPU(g, n)
		if err != nil {
			return nil, nil, err
		}
		m.watched = append(m.watched, watched)
		if text != "" {
			rounded = append(rounded, fmt.Sprintf("%d SMs: %s: rounded", n, text))
		}
		if i >= models && !targets {
			continue
		}
		simulated, _, err := GPU(g, n) // another one: a GPU of a profile is in one list
		if err != nil {
			return nil, nil, err
		}
		m.simulated = append(m.simulated, simulated)
	}
	if rule == Hits {
		m.hitting, err = allHits(m.simulated[models-1])
	}
	return m, rounded, err
}

// ErrSizes is what is wrong with sizes.
var ErrSizes = errors.New("two scale models and at least one target are needed, ascending")

// checkSizes says what is wrong with sizes: an [ErrSizes].
func checkSizes(sizes []int) error {
	ascend := true
	for i := range sizes[min(1, len(sizes)):] {
		ascend = ascend && sizes[i] < sizes[i+1]
	}
	if len(sizes) <= models || !ascend {
		return fmt.Errorf("%d sizes: %w", len(sizes), ErrSizes)
	}
	return nil
}

// NewChipletMachines makes GPUs of numbers of chiplets, each of which is a whole GPU g (the
// paper's section VII-D): a scale model has fewer of them, and a part of none. There is no
// miss-rate curve of these, and f_mem is of no use.
func NewChipletMachines(g *gpu.GPU, numbers []int, of gpu.Chiplets, targets bool) (*Machines, error) {
	if err := checkSizes(numbers); err != nil {
		return nil, err
	}
	sms, err := gpu.Need(g, "sms", g.SMs)
	if err != nil {
		return nil, err
	}
	m := &Machines{Sizes: numbers, perSize: sms}
	for i, n := range numbers {
		if _, err := NewChiplets(n, of.CTAs, of.Pages, of.PageBytes); err != nil {
			return nil, err
		}
		if i >= models && !targets {
			break
		}
		simulated, _, err := GPU(g, n*sms)
		if err != nil {
			return nil, err
		}
		if simulated, err = ownLaunches(simulated, g); err != nil {
			return nil, err
		}
		chips := of
		chips.Count = n
		simulated.Chiplets = &chips
		simulated.Name, simulated.Title = fmt.Sprintf("%d-%s", n, g.Name), fmt.Sprintf("%d chiplets, each a %s", n, g.Title)
		m.simulated = append(m.simulated, simulated)
	}
	return m, nil
}

// ownLaunches is a GPU of chiplets, each of which begins its CTAs as the GPU that it is made
// of: the simulator has that rate for each chiplet.
func ownLaunches(simulated, chiplet *gpu.GPU) (*gpu.GPU, error) {
	t, err := chiplet.Timing()
	if err != nil {
		return nil, err
	}
	return simulated.Like([]string{ctaRate + "=" + strconv.FormatFloat(t.Launch.CTAsPerCycle, 'f', -1, 64)}, "CTAs begin on each chiplet by itself")
}

// allHits is a GPU whose DRAM answers as fast as its L2: a miss costs what a hit does. How
// often a channel opens rows stays: it bounds only what hits no open row.
func allHits(g *gpu.GPU) (*gpu.GPU, error) {
	t, err := g.Timing()
	if err != nil {
		return nil, err
	}
	cycles, err := gpu.Need(g, "latency.l2_cycles", g.Latency.L2Cycles)
	if err != nil {
		return nil, err
	}
	const free = 1000 // times the bandwidth: DRAM is never what is waited for
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	changes := []string{"latency.dram_cycles=" + number(cycles), "dram.bandwidth_gb_per_s=" + number(free*t.DRAM.BytesPerS/1e9)}
	if t.L2.DRAMBytesPerCycle > 0 {
		changes = append(changes, "timing.l2.dram_bytes_per_cycle="+number(free*t.L2.DRAMBytesPerCycle))
	}
	changes = append(changes, "timing.dram.row_cycle_ns="+number(t.DRAM.RowCycleNs/free))
	return g.Like(changes, "for f_mem: each miss of the L2 is served as a hit")
}

// Options sets what an analysis has to do.
func (m *Machines) Options(o *analysis.Options) {
	o.Simulate = m.all()
	if m.Curves == nil {
		o.Mode = analysis.Control
		return
	}
	o.Mode, o.GPUs, o.WatchL2, o.WatchL2Only = analysis.Memory, m.watched, m.Curves.Watch, true
}

// MostSMs are the SMs of the largest size.
func (m *Machines) MostSMs() int { return slices.Max(m.Sizes) * m.perSize }

// all are the GPUs that are simulated.
func (m *Machines) all() []*gpu.GPU {
	if m.hitting == nil {
		return slices.Clone(m.simulated)
	}
	return append(slices.Clone(m.simulated), m.hitting)
}

// Workload is what came of a program's profile. Instructions are those of the PTX, cycles
// those of estimated machine code, as IPC is by the paper's definition only if both were of
// one kind; ratios from size to size, which the method is of, are the same either way. f_mem
// is by the rule that the machines were made with.
//
// Launches that are left out (see [Machines.LeftOut]) stand in no figure. What the caches
// have heard of them cannot be taken back: then there is no curve.
func (m *Machines) Workload(name string, scenario Scenario, p *analysis.Profile) (*Workload, error) {
	w := &Workload{Name: name, Scenario: scenario, Sizes: m.Sizes, Assumed: AssumedInputs(p)}
	left := m.LeftOut(p)
	instructions, whole := uint64(0), true
	for n, lp := range p.Launches {
		if whole = whole && left[n] == ""; left[n] == "" {
			instructions += lp.Facts.Of(analysis.ThreadInstructionsPredOn).N
		}
	}
	for i, g := range m.watched {
		if !whole {
			break
		}
		rows, err := m.Curves.Rows(name, g, m.Sizes[i], instructions)
		if err != nil {
			return nil, err
		}
		w.MPKI = append(w.MPKI, rows[0].MPKI)
	}
	var err error
	var second float64 // cycles of the larger scale model
	for i := range m.Sizes {
		ipc := number.Real{}
		if i < len(m.simulated) {
			cycles, err := cyclesOn(p, m.simulated[i], left)
			if err != nil {
				return nil, err
			}
			ipc = number.Ratio(float64(instructions) / cycles)
			if i == models-1 {
				second = cycles
			}
		}
		w.IPC = append(w.IPC, ipc)
	}
	if m.Curves == nil {
		return w, w.Check()
	}
	if w.FMem, err = m.fMem(p, second, left); err != nil {
		return nil, err
	}
	return w, w.Check()
}

// fMem is f_mem of a program whose launches took the larger scale model so many cycles: the
// mean over these by their cycles, or what goes away without misses.
func (m *Machines) fMem(p *analysis.Profile, second float64, left []string) (number.Real, error) {
	share := 0.0
	if m.hitting == nil {
		for n, lp := range p.On(m.simulated[models-1]).Launches {
			if left[n] == "" {
				share += lp.Simulated.MemoryWait * lp.Simulated.Cycles / second
			}
		}
	} else {
		hitting, err := cyclesOn(p, m.hitting, left)
		if err != nil {
			return number.Real{}, err
		}
		share = 1 - hitting/second
	}
	return number.Ratio(min(max(0, share), FMemMost)), nil
}

// LeftOut says of each launch why it is left out, "" of one that is not: it failed, or one
// of the sizes has no time of it. The same launches have to run on all sizes.
func (m *Machines) LeftOut(p *analysis.Profile) (why []string) {
	why = make([]string, len(p.Launches))
	for _, g := range m.all() {
		for n, lp := range p.On(g).Launches {
			switch s := lp.Simulated; {
			case why[n] != "":
			case lp.Error != "":
				why[n] = lp.Error
			case s == nil:
				why[n] = fmt.Sprintf("%s: it was not simulated", g.Label())
			case s.Unfit != nil:
				why[n] = fmt.Sprintf("%s: %v", g.Label(), s.Unfit)
			}
		}
	}
	return why
}

// cyclesOn are the cycles on a GPU of all launches that are not left out.
func cyclesOn(p *analysis.Profile, g *gpu.GPU, left []string) (cycles float64, err error) {
	for n, lp := range p.On(g).Launches {
		if left[n] == "" {
			cycles += lp.Simulated.Cycles
		}
	}
	if cycles == 0 {
		return 0, fmt.Errorf("%s: no launch was simulated", g.Label())
	}
	return cycles, nil
}
