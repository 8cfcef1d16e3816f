package st2

import (
	"hyptx/internal/number"
	"hyptx/ir"
)

// PCRow is a row of st2_pc.csv: the additions of one instruction, and how the chosen
// design predicts them.
type PCRow struct {
	Kernel     string      `csv:"kernel" json:"kernel" doc:"the kernel"`
	PC         uint32      `csv:"pc" json:"pc" doc:"the instruction's number in its module, and its text"`
	PTX        string      `csv:"ptx" json:"ptx" doc:"^"`
	Type       string      `csv:"type" json:"type" doc:"kind of addition"`
	Executions uint64      `csv:"executions" json:"executions" doc:"additions of threads"`
	Rate       number.Real `csv:"misprediction_rate" json:"misprediction_rate" doc:"of the design Ltid+Prev+ModPC4+Peek, updated on a misprediction"`
	Slice1     number.Int  `csv:"slice1" json:"slice1" doc:"wrong predictions of each slice but the lowest; more than seven are in the last column"`
	Slice2     number.Int  `csv:"slice2" json:"slice2" doc:"^"`
	Slice3     number.Int  `csv:"slice3" json:"slice3" doc:"^"`
	Slice4     number.Int  `csv:"slice4" json:"slice4" doc:"^"`
	Slice5     number.Int  `csv:"slice5" json:"slice5" doc:"^"`
	Slice6     number.Int  `csv:"slice6" json:"slice6" doc:"^"`
	Slice7     number.Int  `csv:"slice7" json:"slice7" doc:"^"`
	MeanResult number.Real `csv:"mean_abs_result" json:"mean_abs_result" doc:"mean of the sums without signs: of significands where floating point is added"`
	MeanChain  number.Real `csv:"mean_carry_length" json:"mean_carry_length" doc:"mean of the longest runs of bits that carry"`
	Network    string      `csv:"program" json:"program" doc:"the program"`
	Assumed    string      `csv:"assumed_inputs" json:"assumed_inputs" doc:"as in st2_designs.csv"`
}

// PCs returns the rows of all kernels.
func (s *Suite) PCs() (rows []*PCRow) {
	_, predicted := s.chosen()
	for _, k := range s.Kernels {
		for i := range k.Adds.PCs {
			p := &k.Adds.PCs[i]
			if p.Executions == 0 {
				continue
			}
			pc := ir.PC(p.PC)
			r := &PCRow{
				Kernel: k.Name, Network: k.Network, Assumed: k.assumedInputs(), PC: p.PC, PTX: k.Func.Module.FuncOf(pc).Text(pc), Type: p.Kind.String(), Executions: p.Executions,
				MeanResult: number.Ratio(p.MeanResult()), MeanChain: ratio(p.Chains, p.Executions),
			}
			if predicted {
				r.Rate = ratio(p.Mispredicted, p.Executions)
				columns := []*number.Int{&r.Slice1, &r.Slice2, &r.Slice3, &r.Slice4, &r.Slice5, &r.Slice6, &r.Slice7}
				for at, n := range p.Slices[:p.Kind.Slices(s.Model.Widths[0])-1] {
					c := columns[min(at, len(columns)-1)]
					*c = number.Count(c.N + n)
				}
			}
			rows = append(rows, r)
		}
	}
	return rows
}
