package power

import (
	"fmt"
	"slices"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/roofline"
	"hyptx/internal/sim"
	"hyptx/ir/isa"
)

// From a profile to a launch. Counts are of a program and the same on every GPU with
// its caches; time is of a GPU and a time model. They meet late: a Launch has events
// alone, and becomes an Activity when a time is known, so that a sweep over clocks
// counts once. Sectors, bytes and passes of a profile become events one for one, but
// for DRAM, which is charged by bursts of 32 bytes, and for misses of the L2, which
// are what is left of its sectors.

// Launch is a launch of a profile as the power model sees it: events of all its
// repetitions, before a time is known.
type Launch struct {
	analysis.Launch
	Facts analysis.Facts
	// Executed follow from instruction counts.
	Executed Executed
	// Counts says what was counted.
	Counts string
	// Memory are the events of caches, shared memory and DRAM; Missing those
	// that nobody counted.
	Memory  counts
	Missing CounterSet
	// LongestWarp is how many instructions of the PTX the warp with the most issues
	// in one repetition.
	LongestWarp float64
	// Intervals are what a simulation did when, if that was asked for.
	Intervals []sim.Interval
	// Instrs are the instructions with their counts, for the hottest ones.
	Instrs []instruction
}

// instruction is an instruction of a launch with what the profile says of it: its
// place in the text, and what its accesses moved.
type instruction struct {
	InstrCount
	*analysis.InstrRow
}

func (in instruction) writesSurface() bool {
	op := in.Instr.Inst.Op
	return in.Issues > 0 && (op == isa.OpSust || op == isa.OpSured)
}

// CountsOf returns the counts that a variant was tuned on, as far as emulation
// has them: PTX, or the machine code estimated from it.
func CountsOf(v Variant) string {
	if v == sassSim || v == sassSimAlt || v == calibrated {
		return CountsMachine
	}
	return CountsPTX
}

// FromProfile returns the launches of a profile with counts of PTX or of the
// machine code estimated from it. It must have been made with instruction counts
// (modes control, memory or full). Of a launch that failed nothing is known but
// which it is ([analysis.Launch.Error]).
func FromProfile(p *analysis.Profile, counting string, r Rules) ([]*Launch, error) {
	var out []*Launch
	for _, lp := range p.Launches {
		if lp.Error != "" {
			out = append(out, &Launch{Launch: lp.Launch, Facts: lp.Facts, Counts: counting})
			continue
		}
		if !lp.Facts.Of(analysis.WarpInstructions).Known {
			return nil, fmt.Errorf("launch %d (%s): nothing was counted: power needs mode control, memory or full", lp.Number, lp.KernelName)
		}
		l := &Launch{Launch: lp.Launch, Facts: lp.Facts, LongestWarp: longestWarp(lp)}
		one := analysis.Profile{Launches: []*analysis.LaunchProfile{lp}}
		var counts []InstrCount
		for _, in := range one.PerInstruction() {
			c := InstrCount{&lp.Kernel.Module.Instrs[in.PC], in.WarpExecutions, in.PredOnExecutions, in.Products}
			counts = append(counts, c)
			l.Instrs = append(l.Instrs, instruction{c, in})
		}
		if lp.Simulated != nil && lp.Simulated.Unfit == nil {
			l.Intervals = lp.Simulated.Intervals
		}
		l.Executed, l.Counts = Execute(counts, r), CountsPTX
		if counting == CountsMachine {
			if err := l.Executed.fromMachine(&lp.Facts); err != nil {
				return nil, err
			}
			l.Counts = CountsMachine
		}
		l.memory(r)
		out = append(out, l)
	}
	return out, nil
}

// longestWarp counts the instructions of the warp with the most.
func longestWarp(lp *analysis.LaunchProfile) float64 {
	if path := roofline.PathOf(lp, roofline.PTX, nil); path != nil {
		return path.Instructions()
	}
	return 0
}

// burstBytes is what one burst of DRAM moves.
const burstBytes = 32

// memoryEvents are the counters of a profile that are events of memory, and
// what one of their units counts. L2 misses are what is left of the sectors.
var memoryEvents = []struct {
	event   Counter
	counted analysis.Counter
	times   float64
}{
	{L1ReadHit, analysis.L1ReadHits, 1}, {L1ReadMiss, analysis.L1ReadMisses, 1}, {L1WriteHit, analysis.L1WriteHits, 1}, {L1WriteMiss, analysis.L1WriteMisses, 1},
	{L2ReadHit, analysis.L2ReadHits, 1}, {L2ReadMiss, analysis.L2ReadSectors, 1}, {L2ReadMiss, analysis.L2ReadHits, -1},
	{L2WriteHit, analysis.L2WriteHits, 1}, {L2WriteMiss, analysis.L2WriteSectors, 1}, {L2WriteMiss, analysis.L2WriteHits, -1},
	{Flit, analysis.NoCFlits, 1}, {DRAMRead, analysis.DRAMReadBytes, 1. / burstBytes}, {DRAMWrite, analysis.DRAMWriteBytes, 1. / burstBytes},
	{DRAMPrecharge, analysis.DRAMRowActivations, 1}, {SharedPass, analysis.SharedLoadPasses, 1}, {SharedPass, analysis.SharedStorePasses, 1},
	{ConstHit, analysis.ConstRequests, 1},
}

// memory takes the events of memory from the facts.
func (l *Launch) memory(r Rules) {
	for _, m := range memoryEvents {
		n := l.Facts.Of(m.counted)
		if !n.Known {
			l.Missing = l.Missing.with(m.event)
			continue
		}
		l.Memory[m.event] += float64(n.N) * m.times
	}
	if !r.set().constLoads {
		l.Memory[ConstHit] = 0
		l.Missing &^= 1 << ConstHit
	}
	if !l.Facts.Of(analysis.TexRequests).Known {
		l.Missing = l.Missing.with(TexHit, TexMiss)
	}
	l.textures()
}

// textures moves what textures and surfaces read from the events of the L1 to those of a cache of
// textures. GPUs since Maxwell have one L1 for both, but energies were tuned where there are two:
// GPGPU-Sim has a cache of textures, and of the hardware's L1 only sectors of global and local
// memory were counted. A lane of a texture instruction reads a texel by itself, so that 32 lanes of
// as many lines would cost 32 sectors of loads: 105 W in AccelWattch's sad, which drew 142 W in
// all. That textures hit as often as loads do is a guess ([ours]): a miss costs 7 % more.
func (l *Launch) textures() {
	reads := l.Memory[L1ReadHit] + l.Memory[L1ReadMiss]
	texels := min(l.Facts.X(analysis.TexSectors), reads)
	if slices.ContainsFunc(l.Instrs, instruction.writesSurface) { // whose sectors are among them
		texels = min(texels, max(0, reads-l.Facts.X(analysis.GlobalLoadSectors)-l.Facts.X(analysis.LocalLoadSectors)))
	}
	if texels == 0 {
		return
	}
	share := texels / reads
	for _, of := range [2][2]Counter{{L1ReadHit, TexHit}, {L1ReadMiss, TexMiss}} {
		n := share * l.Memory[of[0]]
		l.Memory[of[0]] -= n
		l.Memory[of[1]] += n
	}
}

// Activity returns what a launch does on a GPU in its activities' time. The error says what
// the GPU's file lacks. A kernel that wants more registers than there can be
// has as many as there can; spills are not modelled.
func (l *Launch) Activity(g *gpu.GPU, sms int, t roofline.Time) (*Activity, error) {
	return l.activity(g, sms, t, false)
}

// activity is Activity; spread says that CTAs of a wave that is not full go to as many
// SMs as there are, as hardware has it, and not to as few as can be.
func (l *Launch) activity(g *gpu.GPU, sms int, t roofline.Time, spread bool) (*Activity, error) {
	x := l.Facts.X
	most, err := gpu.Need(g, "registers.per_thread_max", g.Registers.PerThreadMax)
	if err != nil {
		return nil, err
	}
	o, err := g.Occupy(gpu.CTA{
		Threads: int(l.BlockThreads()), RegistersPerThread: min(int(x(analysis.RegistersPerThread)), most),
		SharedBytes: int(x(analysis.StaticSharedBytes) + x(analysis.DynamicSharedBytes)),
	})
	if err != nil {
		return nil, err
	}
	a := &Activity{Counts: l.Executed.Counts, Lanes: l.Executed.Lanes, Missing: l.Missing, ClockMHz: t.ClockMHz, Cycles: t.Us.X * t.ClockMHz}
	for c, n := range l.Memory {
		a.Counts[c] += n
	}
	s := shape{
		CTAs: x(analysis.CTAs), CTAsPerSM: float64(o.CTAsPerSM), StaticInstructions: x(analysis.StaticInstructions),
		ThreadInstructions: x(analysis.ThreadInstructionsPredOn), Repetitions: x(analysis.Launches), Spread: spread,
	}
	s.fill(a, sms)
	return a, nil
}
