package analysis

import (
	"hyptx/emulator"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// What the emulator counts are segments: how often, with how many lanes, a run
// of instructions was entered. Here they become counters of instructions, each
// by its row of the ISA's table.

// instCounters are the counters of the classes of instructions.
var instCounters = [isa.NumClasses]Counter{
	isa.FP16: InstFP16, isa.FP32: InstFP32, isa.FP64: InstFP64,
	isa.SpecialFP16: InstSpecialFP16, isa.SpecialFP32: InstSpecialFP32, isa.SpecialFP64: InstSpecialFP64,
	isa.Integer: InstInteger, isa.BitConvert: InstBitConvert, isa.Control: InstControl,
	isa.ComputeLdSt: InstLdSt, isa.Atomic: InstAtomic, isa.Texture: InstTexture, isa.InterThread: InstInterThread,
	isa.Barrier: InstBarrier, isa.Tensor: InstTensor, isa.Misc: InstMisc,
}

// computes reports whether a class counts for exec_active_lanes_mean.
func computes(c isa.Class) bool {
	switch c {
	case isa.FP16, isa.FP32, isa.FP64, isa.SpecialFP16, isa.SpecialFP32, isa.SpecialFP64,
		isa.Integer, isa.BitConvert, isa.Tensor, isa.Texture:
		return true
	}
	return false
}

// newExecuted returns what a CTA, or many, executed, from its segments.
func newExecuted(p *emulator.Program, counts []uint64) Facts {
	var f Facts
	f.know(blockExecuted)
	p.EachInstr(counts, func(c emulator.InstrCount) { f.addInstr(&p.Module.Instrs[c.PC], c) })
	p.EachBranch(counts, func(c emulator.BranchCount) { f.addBranch(&p.Module.Instrs[c.PC], c) })
	f.add(DivergentBarriers, p.DivergentBarriers(counts))
	return f
}

func (f *Facts) addInstr(in *ir.Instr, c emulator.InstrCount) {
	f.add(WarpInstructions, c.Issues)
	f.add(ThreadInstructions, c.Lanes)
	f.add(ThreadInstructionsPredOn, c.PredOn)
	class := in.Inst.Form.Class
	f.add(instCounters[class], c.PredOn)
	if computes(class) {
		f.add(ComputeIssues, c.Issues)
		f.add(ComputeLanes, c.Lanes)
	}
	if in.Inst.IsBarrier() {
		f.add(Barriers, c.Issues)
	}
	flops := in.Inst.Flops()
	f.addFlops(flops.SP, c.PredOn, FlopSPAdd, FlopSPMul, FlopSPFma, FlopSPSpecial)
	f.addFlops(flops.DP, c.PredOn, FlopDPAdd, FlopDPMul, FlopDPFma, nowhere)
	f.addFlops(flops.HP, c.PredOn, FlopHPAdd, FlopHPMul, FlopHPFma, nowhere)
	float, integer := in.Inst.TensorOps()
	f.add(FlopTensor, float*c.Issues)
	f.add(OpTensorInt, integer*c.Issues)
}

// addFlops adds the operations of one precision, n times.
func (f *Facts) addFlops(per isa.FlopKinds, n uint64, add, mul, fma, special Counter) {
	f.add(add, uint64(per.Add)*n)
	f.add(mul, uint64(per.Mul)*n)
	f.add(fma, uint64(per.FMA)*n)
	f.add(special, uint64(per.Special)*n)
}

func (f *Facts) addBranch(in *ir.Instr, c emulator.BranchCount) {
	f.add(Branches, c.Issues)
	f.add(DivergentBranches, c.Divergent)
	f.add(BranchTargets, c.Issues-c.Divergent+c.Targets)
	if in.Guard != ir.NoReg || in.Inst.IsSwitch() {
		f.add(ConditionalBranches, c.Issues)
		f.add(DivergentConditionalBranches, c.Divergent)
	}
}
