package analysis

import (
	"context"
	"math"
	"slices"

	"hyptx/emulator"
	"hyptx/internal/gpu"
	"hyptx/internal/machine"
	"hyptx/internal/pipe"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// GPUs do not execute PTX: ptxas makes machine code of it, with more instructions for a
// division and fewer for two that it fuses. Package machine estimates what it costs, as
// charges by instruction; here they meet the counts. A charge of 5/2 instructions for a
// PTX instruction that warps issued 1,000 times is 2,500. Sums are made in floating
// point and rounded once, at the end, so that a rare fraction is not lost.

// estCounters are the counters of the classes of estimated instructions.
var estCounters = [isa.NumClasses]Counter{
	isa.FP16: EstInstFP16, isa.FP32: EstInstFP32, isa.FP64: EstInstFP64,
	isa.SpecialFP16: EstInstSpecial, isa.SpecialFP32: EstInstSpecial, isa.SpecialFP64: EstInstSpecial,
	isa.Integer: EstInstInteger, isa.BitConvert: EstInstBitConvert, isa.Control: EstInstControl,
	isa.ComputeLdSt: EstInstLdSt, isa.Atomic: EstInstAtomic, isa.Texture: EstInstTexture, isa.InterThread: EstInstInterThread,
	isa.Barrier: EstInstBarrier, isa.Tensor: EstInstTensor, isa.Misc: EstInstMisc,
}

// codeKey is what the estimate for a kernel depends on: sm is the compute
// capability of the GPU that the code is for.
type codeKey struct {
	kernel       *ir.Func
	ntid, nctaid [3]uint32
	sm           int
}

// machineCode returns the estimates for a launch's kernel and what it calls,
// made once for launches of the same shape; an error is why ctx ended before.
func (s *Session) machineCode(ctx context.Context, l *launchPlan, sm int) ([]*machine.Code, error) {
	key := codeKey{l.kernel, l.cta, l.grid, sm}
	if codes, ok := s.codes[key]; ok {
		return codes, nil
	}
	var codes []*machine.Code
	for _, overlay := range s.planner.Kernel(l.kernel).SSA {
		code, err := machine.New(ctx, overlay, &machine.Launch{NTID: l.cta, NCTAID: l.grid}, sm)
		if err != nil {
			return nil, err
		}
		codes = append(codes, code)
	}
	if s.codes == nil {
		s.codes = map[codeKey][]*machine.Code{}
	}
	s.codes[key] = codes
	return codes, nil
}

// estimates makes the machine code of a launch for all GPUs of the session and for the
// architecture that the PTX names, within the time that the launch has.
func (s *Session) estimates(ctx context.Context, l *launchPlan) (made func(sm int) []*machine.Code, err error) {
	for _, g := range slices.Concat([]*gpu.GPU{nil}, s.Options.GPUs, s.Options.Simulate) {
		if _, err := s.machineCode(ctx, l, machineOf(g, l.kernel.Module.Target)); err != nil {
			return nil, err
		}
	}
	return func(sm int) []*machine.Code {
		codes, _ := s.machineCode(context.Background(), l, sm) // that never ends
		return codes
	}, nil
}

// registers returns how many registers a thread of a launch is expected to have on
// a GPU, nil for the architecture that the PTX names: those of the kernel or, if
// they are more, of a function that it calls.
func (s *Session) registers(ctx context.Context, l *launchPlan, g *gpu.GPU) (n int, err error) {
	codes, err := s.machineCode(ctx, l, machineOf(g, l.kernel.Module.Target))
	for _, code := range codes {
		n = max(n, code.Registers)
	}
	return n, err
}

// machineOf returns the compute capability of a GPU, of what the PTX names for nil.
func machineOf(g *gpu.GPU, target isa.Target) int {
	if g != nil && g.SM() > 0 {
		return g.SM()
	}
	return target.SM
}

// addMachine estimates what ptxas makes of what was executed: the counters of
// the PTX, each times what its instruction costs in machine code. They are
// rounded, and the classes count, as those of the PTX do, threads whose guard
// held. The code is made for a GPU, nil for the architecture that the PTX names.
func (lp *LaunchProfile) addMachine(g *gpu.GPU) {
	sm := machineOf(g, lp.Target)
	if lp.machineCode == nil || lp.machineSM == int32(sm) {
		return
	}
	lp.machineSM = int32(sm)
	lp.Facts.forget(blockEstimated)
	codes := lp.machineCode(sm)
	registers := 0
	for _, code := range codes {
		registers = max(registers, code.Registers)
	}
	lp.Facts.Set(RegistersPerThread, uint64(registers))
	est := estimate{counts: lp.instructionCounts(), branches: lp.branchCounts(), rounds: map[*ir.Loop]float64{}}
	for _, code := range codes {
		for i := range code.Charges {
			c := &code.Charges[i]
			est.charge(c, est.share(code.Func, &c.Rounds, c.Issue))
		}
		for i := range code.Branches {
			b := &code.Branches[i]
			share := float64(b.Num) / float64(b.Den) * est.share(code.Func, &b.Rounds, b.PC)
			est.sums[EstBranches] += share * float64(est.counts.of(b.PC).Issues)
			est.sums[EstDivergentBranches] += share * float64(est.branches[b.PC].Divergent)
		}
	}
	lp.Facts.know(blockEstimated)
	lp.Facts.Kinds = est.kinds
	for c, n := range est.sums {
		lp.Facts.add(Counter(c), uint64(math.Round(n)))
	}
}

// estimate is machine instructions that are being added up, by what was counted of
// the PTX.
type estimate struct {
	counts   *instrCounts
	branches map[ir.PC]emulator.BranchCount
	// rounds are how often threads go round a loop that they have come to.
	rounds map[*ir.Loop]float64
	sums   [NumCounters]float64
	kinds  [pipe.NumKinds]float64
}

// share returns the part of the executions of the block of pc that a charge for some
// rounds counts for.
func (e *estimate) share(f *ir.Func, r *machine.Rounds, pc ir.PC) float64 {
	if r.Loop == nil {
		return 1
	}
	n, ok := e.rounds[r.Loop]
	if !ok {
		if trips, entries, known := loopFlow(f, r.Loop, e.counts); known && entries > 0 {
			n = float64(trips) / float64(entries)
			if r.First {
				n--
			}
		}
		e.rounds[r.Loop] = n
	}
	return r.Share(int(f.Module.Instrs[pc].Block), n)
}

// charge adds what a charge comes to that counts for a part of the executions.
func (e *estimate) charge(c *machine.Charge, share float64) {
	issued := e.counts.of(c.Issue)
	issue, exec := share*float64(c.Num)/float64(c.IssueDen), share*float64(c.Num)/float64(c.ExecDen)
	e.sums[EstWarpInstructions] += issue * float64(issued.Issues)
	e.sums[EstThreadInstructions] += issue * float64(issued.Lanes)
	e.kinds[c.Kind] += issue * float64(issued.Issues)
	if c.Kind == pipe.Uniform {
		e.sums[EstInstUniform] += issue * float64(issued.Issues)
		return
	}
	threads := float64(e.counts.of(c.Exec).Lanes)
	if c.Guarded {
		threads = float64(e.counts.of(c.Exec).PredOn)
	}
	e.sums[estCounters[c.Class]] += exec * threads
	fma, flops := share*float64(c.FMA)/float64(c.ExecDen)*threads, share*float64(c.Flops)/float64(c.ExecDen)*threads
	switch c.Class {
	case isa.FP32:
		e.sums[EstInstFP32FMA] += fma
		e.sums[EstFlopSP] += flops
	case isa.FP64:
		e.sums[EstInstFP64FMA] += fma
		e.sums[EstFlopDP] += flops
	case isa.FP16:
		e.sums[EstFlopHP] += flops
	}
}
