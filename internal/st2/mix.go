package st2

import (
	"hyptx/internal/adder"
	"hyptx/internal/number"
)

// MixRow is a row of st2_mix.csv: the dynamic instructions of a kernel's threads, in
// percent (the paper's figure 1).
type MixRow struct {
	Kernel   string      `csv:"kernel" json:"kernel" doc:"the kernel"`
	ALUAdd   number.Real `csv:"alu_add" json:"alu_add" doc:"percent of instructions: integer additions, other integer; floating-point additions of FPUs, other; double precision; memory; control; others"`
	ALUOther number.Real `csv:"alu_other" json:"alu_other" doc:"^"`
	FPUAdd   number.Real `csv:"fpu_add" json:"fpu_add" doc:"^"`
	FPUOther number.Real `csv:"fpu_other" json:"fpu_other" doc:"^"`
	DPU      number.Real `csv:"dpu" json:"dpu" doc:"^"`
	Mem      number.Real `csv:"mem" json:"mem" doc:"^"`
	Ctrl     number.Real `csv:"ctrl" json:"ctrl" doc:"^"`
	Other    number.Real `csv:"other" json:"other" doc:"^"`
	Intense  int         `csv:"intense" json:"intense" doc:"1: more than 20 % of the instructions are of ALUs and FPUs"`
	Network  string      `csv:"program" json:"program" doc:"the program"`
	Assumed  string      `csv:"assumed_inputs" json:"assumed_inputs" doc:"as in st2_designs.csv"`
}

// intense is the part of instructions above which the paper calls a kernel intense.
const intense = 20

// Mix returns the rows of the kernels of which instructions were counted.
func (s *Suite) Mix() (rows []*MixRow) {
	for _, k := range s.Kernels {
		m := &k.mix
		if m.all == 0 {
			continue
		}
		var integers, floats uint64
		for kind, w := range k.Adds.Work[0] {
			if of := adder.Kind(kind); of.IsInt() {
				integers += w.Adds
			} else if of != adder.FP64 {
				floats += w.Adds
			}
		}
		pct := func(n uint64) number.Real { return number.Ratio(100 * float64(n) / float64(m.all)) }
		// Integer additions that a class beside INTEGER counts (comparisons, if they are
		// watched) are no part of it.
		integers, floats = min(integers, m.integer), min(floats, m.single+m.half)
		r := &MixRow{
			Kernel: k.Name, Network: k.Network, Assumed: k.assumedInputs(), ALUAdd: pct(integers), ALUOther: pct(m.integer - integers), FPUAdd: pct(floats), FPUOther: pct(m.single + m.half - floats),
			DPU: pct(m.double), Mem: pct(m.memory), Ctrl: pct(m.control),
		}
		known := m.integer + m.single + m.half + m.double + m.memory + m.control
		r.Other = pct(m.all - min(m.all, known))
		if pct(m.integer+m.single+m.half+m.double).X > intense {
			r.Intense = 1
		}
		rows = append(rows, r)
	}
	return rows
}
