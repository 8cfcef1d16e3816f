package st2

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/adder"
	"hyptx/internal/number"
	"hyptx/internal/pipe"
	"hyptx/ir"
	"hyptx/power"
)

// Kernel is what was found out about a kernel in all its launches in a program.
type Kernel struct {
	Network, Symbol, Name string
	Func                  *ir.Func
	Adds                  *adder.Result
	// Missing says why there is no time or energy, "" if there is.
	Missing string
	// Failed says why a launch of it failed, "" if none did. Additions are those of the
	// others, and no time or energy goes with them.
	Failed string
	// predicted: time and energy were asked for.
	predicted bool
	// assumed is what nobody gave of its launches, phrase by phrase.
	assumed []string

	// heard are the launches whose additions were watched. Of a prediction: how many launches
	// there are, which are fewer where it ended early, and how many of them have a time, energies.
	heard, launches, timed, powered int
	// issued are warp instructions by kind, simulated the cycles of the launches that were
	// simulated, slowed those with second cycles; of so many launches each.
	issued             [pipe.NumKinds]float64
	simulated, slowed  float64
	simulations, again int
	timeUs, clockMHz   float64
	energy             energies
	mix                counts
}

// assume notes what was assumed of a launch.
func (k *Kernel) assume(inputs string) {
	for phrase := range strings.SplitSeq(inputs, assumedJoin) {
		if phrase != "" && !slices.Contains(k.assumed, phrase) {
			k.assumed = append(k.assumed, phrase)
		}
	}
}

// assumedInputs is the column of that name.
func (k *Kernel) assumedInputs() string { return strings.Join(k.assumed, assumedJoin) }

// assumedJoin stands between the phrases of that column, as in profile.csv.
const assumedJoin = "; "

// counts are instructions of threads whose guard held, by class.
type counts struct {
	integer, half, single, double, memory, control, all uint64
	// Of the machine code that is estimated: what units issue.
	issuedALU, issuedFPU, issuedDPU uint64
}

// count adds a launch's.
func (k *Kernel) count(f *analysis.Facts) {
	m := &k.mix
	of := func(list ...analysis.Counter) (n uint64) {
		for _, c := range list {
			n += f.Of(c).N
		}
		return n
	}
	m.integer += of(analysis.InstInteger)
	m.half += of(analysis.InstFP16)
	m.single += of(analysis.InstFP32)
	m.double += of(analysis.InstFP64)
	m.memory += of(analysis.InstLdSt, analysis.InstAtomic, analysis.InstTexture)
	m.control += of(analysis.InstControl, analysis.InstBarrier)
	m.issuedALU += of(analysis.EstInstInteger)
	m.issuedFPU += of(analysis.EstInstFP16, analysis.EstInstFP32)
	m.issuedDPU += of(analysis.EstInstFP64)
	m.all += of(analysis.ThreadInstructionsPredOn)
}

// energies are joules by what the paper's figure 7 tells apart.
type energies struct{ fixed, registers, units, others, l1, l2, dram float64 }

// add adds a launch's, which are in microjoules.
func (e *energies) add(r *power.Row) {
	sum := func(list ...number.Real) (x float64) {
		for _, v := range list {
			x += v.X / 1e6
		}
		return x
	}
	e.fixed += sum(r.Const, r.Static, r.IdleSM)
	e.registers += sum(r.RegFile)
	e.units += sum(r.ALU, r.FPU)
	e.others += sum(r.SFU, r.Tensor, r.ICacheConst, r.Others)
	e.l1 += sum(r.L1Shared)
	e.l2 += sum(r.L2NoC)
	e.dram += sum(r.DRAM)
}

// total returns their sum.
func (e *energies) total() float64 {
	return e.fixed + e.registers + e.units + e.others + e.l1 + e.l2 + e.dram
}

// hasEnergy and hasTime report whether all launches whose additions were watched have some.
func (k *Kernel) hasEnergy() bool {
	return k.launches > 0 && k.launches == k.heard && k.powered == k.heard
}
func (k *Kernel) hasTime() bool {
	return k.launches > 0 && k.launches == k.heard && k.timed == k.heard && k.clockMHz > 0
}

// missing says why there is no time or energy, "" if there is or nobody asked.
func (k *Kernel) missing() string {
	early := ""
	if k.predicted && k.launches < k.heard {
		early = fmt.Sprintf("the run for time and energy ended before %d of its %d launches", k.heard-k.launches, k.heard)
	}
	return cmp.Or(k.Failed, early, k.Missing)
}

// cycles returns the clocks that its launches take.
func (k *Kernel) cycles() float64 { return k.timeUs * k.clockMHz }

// sum returns counts and work of a point over some kinds of additions; slices are those
// of all additions.
func (k *Kernel) sum(point, width int, w int, of func(adder.Kind) bool) (c adder.Counts, work adder.Work, slices uint64) {
	for kind := range adder.Kinds {
		if !of(kind) {
			continue
		}
		c.Plus(&k.Adds.Counts[point][kind])
		work.Plus(&k.Adds.Work[width][kind])
		slices += k.Adds.Work[width][kind].Adds * uint64(kind.Slices(w))
	}
	return c, work, slices
}

// every is all kinds of additions.
func every(adder.Kind) bool { return true }
