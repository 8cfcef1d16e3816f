package analysis

import (
	"hyptx/emulator"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// tally are the counts of a launch, or of a part of it, by what they count.
type tally struct {
	warp, thread, predOn             uint64
	class                            [isa.NumClasses]uint64
	sp, dp, hp                       flops
	tensorFlop, tensorInt            uint64
	branches, divergent              uint64
	conditional, conditionalDiverged uint64
	targets                          uint64 // targets reached
	barriers, divergentBarriers      uint64
	computeIssues, computeLanes      uint64 // of the classes of exec_active_lanes_mean
	traffic                          traffic
}

// flops are floating-point operations of one precision, at thread level.
type flops struct{ add, mul, fma, special uint64 }

func (f flops) total() uint64 { return f.add + f.mul + 2*f.fma }

// computes reports whether a class counts for exec_active_lanes_mean.
func computes(c isa.Class) bool {
	switch c {
	case isa.FP16, isa.FP32, isa.FP64, isa.SpecialFP16, isa.SpecialFP32, isa.SpecialFP64,
		isa.Integer, isa.BitConvert, isa.Tensor, isa.Texture:
		return true
	}
	return false
}

// newTally sums the counters of a CTA, or of many.
func newTally(p *emulator.Program, counts []uint64) tally {
	var t tally
	p.EachInstr(counts, func(c emulator.InstrCount) { t.addInstr(&p.Module.Instrs[c.PC], c) })
	p.EachBranch(counts, func(c emulator.BranchCount) { t.addBranch(&p.Module.Instrs[c.PC], c) })
	t.divergentBarriers = p.DivergentBarriers(counts)
	return t
}

func (t *tally) addInstr(in *ir.Instr, c emulator.InstrCount) {
	t.warp += c.Issues
	t.thread += c.Lanes
	t.predOn += c.PredOn
	class := in.Inst.Form.Class
	t.class[class] += c.PredOn
	if computes(class) {
		t.computeIssues += c.Issues
		t.computeLanes += c.Lanes
	}
	if in.Inst.IsBarrier() {
		t.barriers += c.Issues
	}
	f := in.Inst.Flops()
	t.sp.addScaled(f.SP, c.PredOn)
	t.dp.addScaled(f.DP, c.PredOn)
	t.hp.addScaled(f.HP, c.PredOn)
	float, integer := in.Inst.TensorOps()
	t.tensorFlop += float * c.Issues
	t.tensorInt += integer * c.Issues
}

func (f *flops) addScaled(per isa.FlopKinds, n uint64) {
	f.add += uint64(per.Add) * n
	f.mul += uint64(per.Mul) * n
	f.fma += uint64(per.FMA) * n
	f.special += uint64(per.Special) * n
}

func (t *tally) addBranch(in *ir.Instr, c emulator.BranchCount) {
	t.branches += c.Issues
	t.divergent += c.Divergent
	t.targets += c.Issues - c.Divergent + c.Targets
	if in.Guard != ir.NoReg || in.Inst.IsSwitch() {
		t.conditional += c.Issues
		t.conditionalDiverged += c.Divergent
	}
}

// scale multiplies all counts: what was run stands for n of its kind.
func (t tally) scale(n uint64) tally {
	var out tally
	out.addTimes(t, n)
	return out
}

// addTimes adds u, n times.
func (t *tally) addTimes(u tally, n uint64) {
	t.warp += n * u.warp
	t.thread += n * u.thread
	t.predOn += n * u.predOn
	for i := range t.class {
		t.class[i] += n * u.class[i]
	}
	for _, p := range [][2]*flops{{&t.sp, &u.sp}, {&t.dp, &u.dp}, {&t.hp, &u.hp}} {
		p[0].add += n * p[1].add
		p[0].mul += n * p[1].mul
		p[0].fma += n * p[1].fma
		p[0].special += n * p[1].special
	}
	t.tensorFlop += n * u.tensorFlop
	t.tensorInt += n * u.tensorInt
	t.branches += n * u.branches
	t.divergent += n * u.divergent
	t.conditional += n * u.conditional
	t.conditionalDiverged += n * u.conditionalDiverged
	t.targets += n * u.targets
	t.barriers += n * u.barriers
	t.divergentBarriers += n * u.divergentBarriers
	t.computeIssues += n * u.computeIssues
	t.computeLanes += n * u.computeLanes
	t.traffic.addTimes(&u.traffic, n)
}

// fill writes the dynamic columns of a row.
func (t *tally) fill(r *Row, ctas uint64) {
	r.WarpInstructions, r.ThreadInstructions, r.ThreadInstructionsPredOn = Count(t.warp), Count(t.thread), Count(t.predOn)
	t.fillFlops(r)
	t.fillClasses(r)
	r.Branches, r.DivergentBranches = Count(t.branches), Count(t.divergent)
	r.BranchEfficiencyPct = Percent(t.branches-t.divergent, t.branches, Ratio(100))
	r.ConditionalBranches = Count(t.conditional)
	r.ConditionalBranchEfficiencyPct = Percent(t.conditional-t.conditionalDiverged, t.conditional, Ratio(100))
	r.BranchTargetsUniformPct = Percent(t.branches-t.divergent, t.targets, Ratio(100))
	r.DivergentBranchesPerCTAMean = Ratio(float64(t.divergent) / float64(max(ctas, 1)))
	r.WarpExecutionEfficiencyPct = Percent(t.thread, 32*t.warp, Real{})
	r.WarpNonpredExecutionEfficiency = Percent(t.predOn, 32*t.warp, Real{})
	if t.computeIssues > 0 {
		r.ExecActiveLanesMean = Ratio(float64(t.computeLanes) / float64(t.computeIssues))
	}
	t.traffic.fill(r)
	r.BarriersExecuted, r.DivergentBarriers = Count(t.barriers), Count(t.divergentBarriers)
}

func (t *tally) fillFlops(r *Row) {
	r.FlopSP, r.FlopSPAdd, r.FlopSPMul, r.FlopSPFma, r.FlopSPSpecial =
		Count(t.sp.total()), Count(t.sp.add), Count(t.sp.mul), Count(t.sp.fma), Count(t.sp.special)
	r.FlopDP, r.FlopDPAdd, r.FlopDPMul, r.FlopDPFma = Count(t.dp.total()), Count(t.dp.add), Count(t.dp.mul), Count(t.dp.fma)
	r.FlopHP, r.FlopHPAdd, r.FlopHPMul, r.FlopHPFma = Count(t.hp.total()), Count(t.hp.add), Count(t.hp.mul), Count(t.hp.fma)
	r.FlopTensor, r.OpTensorInt = Count(t.tensorFlop), Count(t.tensorInt)
}

func (t *tally) fillClasses(r *Row) {
	c := &t.class
	r.InstFP16, r.InstFP32, r.InstFP64 = Count(c[isa.FP16]), Count(c[isa.FP32]), Count(c[isa.FP64])
	r.InstSpecial = Count(c[isa.SpecialFP16] + c[isa.SpecialFP32] + c[isa.SpecialFP64])
	r.InstSpecialFP32 = Count(c[isa.SpecialFP32])
	r.InstInteger, r.InstBitConvert = Count(c[isa.Integer]), Count(c[isa.BitConvert])
	r.InstControl, r.InstLdSt, r.InstAtomic = Count(c[isa.Control]), Count(c[isa.ComputeLdSt]), Count(c[isa.Atomic])
	r.InstTexture, r.InstInterThread = Count(c[isa.Texture]), Count(c[isa.InterThread])
	r.InstBarrier, r.InstTensor, r.InstMisc = Count(c[isa.Barrier]), Count(c[isa.Tensor]), Count(c[isa.Misc])
}
