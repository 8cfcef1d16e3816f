package analysis

import (
	"math"

	"hyptx/emulator"
	"hyptx/internal/machine"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// MachineBlock is the block of columns that package machine estimates: what ptxas
// is expected to make of the PTX. Counts are rounded; the classes count, as
// those of the PTX do, threads whose guard held.
type MachineBlock struct {
	EstWarpInstructions   Int `csv:"est_machine_warp_instructions" json:"est_machine_warp_instructions"`
	EstThreadInstructions Int `csv:"est_machine_thread_instructions" json:"est_machine_thread_instructions"`

	EstInstFP16        Int `csv:"est_inst_fp_16" json:"est_inst_fp_16"`
	EstInstFP32        Int `csv:"est_inst_fp_32" json:"est_inst_fp_32"`
	EstInstFP64        Int `csv:"est_inst_fp_64" json:"est_inst_fp_64"`
	EstInstFP32FMA     Int `csv:"est_inst_fp_32_fma" json:"est_inst_fp_32_fma"`
	EstInstFP64FMA     Int `csv:"est_inst_fp_64_fma" json:"est_inst_fp_64_fma"`
	EstInstSpecial     Int `csv:"est_inst_special" json:"est_inst_special"`
	EstInstInteger     Int `csv:"est_inst_integer" json:"est_inst_integer"`
	EstInstBitConvert  Int `csv:"est_inst_bit_convert" json:"est_inst_bit_convert"`
	EstInstControl     Int `csv:"est_inst_control" json:"est_inst_control"`
	EstInstLdSt        Int `csv:"est_inst_compute_ld_st" json:"est_inst_compute_ld_st"`
	EstInstAtomic      Int `csv:"est_inst_atomic" json:"est_inst_atomic"`
	EstInstTexture     Int `csv:"est_inst_texture" json:"est_inst_texture"`
	EstInstInterThread Int `csv:"est_inst_inter_thread_communication" json:"est_inst_inter_thread_communication"`
	EstInstBarrier     Int `csv:"est_inst_barrier" json:"est_inst_barrier"`
	EstInstTensor      Int `csv:"est_inst_tensor" json:"est_inst_tensor"`
	EstInstMisc        Int `csv:"est_inst_misc" json:"est_inst_misc"`
}

// codeKey is what the estimate for a kernel depends on.
type codeKey struct {
	kernel       *ir.Func
	ntid, nctaid [3]uint32
}

// machineCode returns the estimates for a launch's kernel and what it calls,
// made once for launches of the same shape.
func (s *Session) machineCode(l *launchPlan) []*machine.Code {
	key := codeKey{l.kernel, l.cta, l.grid}
	if codes, ok := s.codes[key]; ok {
		return codes
	}
	var codes []*machine.Code
	for _, overlay := range s.planner.Kernel(l.kernel).SSA {
		codes = append(codes, machine.New(overlay, &machine.Launch{NTID: l.cta, NCTAID: l.grid}))
	}
	if s.codes == nil {
		s.codes = map[codeKey][]*machine.Code{}
	}
	s.codes[key] = codes
	return codes
}

// machineColumns fills the estimates from the counts of the PTX.
func (lp *LaunchProfile) machineColumns(codes []*machine.Code) {
	counts := lp.instructionCounts()
	var warp, thread float64
	var class, fma [isa.NumClasses]float64
	for _, code := range codes {
		for _, c := range code.Charges {
			issue, exec := float64(c.Num)/float64(c.IssueDen), float64(c.Num)/float64(c.ExecDen)
			warp += issue * float64(counts[c.Issue].Issues)
			thread += issue * float64(counts[c.Issue].Lanes)
			threads := float64(executed(counts[c.Exec], c.Guarded))
			class[c.Class] += exec * threads
			fma[c.Class] += float64(c.FMA) / float64(c.ExecDen) * threads
		}
	}
	r := &lp.Row.MachineBlock
	r.EstWarpInstructions, r.EstThreadInstructions = rounded(warp), rounded(thread)
	r.EstInstFP16, r.EstInstFP32, r.EstInstFP64 = rounded(class[isa.FP16]), rounded(class[isa.FP32]), rounded(class[isa.FP64])
	r.EstInstFP32FMA, r.EstInstFP64FMA = rounded(fma[isa.FP32]), rounded(fma[isa.FP64])
	r.EstInstSpecial = rounded(class[isa.SpecialFP16] + class[isa.SpecialFP32] + class[isa.SpecialFP64])
	r.EstInstInteger, r.EstInstBitConvert = rounded(class[isa.Integer]), rounded(class[isa.BitConvert])
	r.EstInstControl, r.EstInstLdSt, r.EstInstAtomic = rounded(class[isa.Control]), rounded(class[isa.ComputeLdSt]), rounded(class[isa.Atomic])
	r.EstInstTexture, r.EstInstInterThread = rounded(class[isa.Texture]), rounded(class[isa.InterThread])
	r.EstInstBarrier, r.EstInstTensor, r.EstInstMisc = rounded(class[isa.Barrier]), rounded(class[isa.Tensor]), rounded(class[isa.Misc])
}

func executed(c emulator.InstrCount, guarded bool) uint64 {
	if guarded {
		return c.PredOn
	}
	return c.Lanes
}

func rounded(x float64) Int { return Count(uint64(math.Round(x))) }
