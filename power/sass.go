package power

import (
	"errors"

	"hyptx/analysis"
)

// Whence instruction counts come: the column counts.
const (
	CountsPTX      = "ptx"      // as written
	CountsMachine  = "machine"  // an estimate of the machine code
	countsMeasured = "measured" // a file of counters
)

// An instruction of PTX and one of machine code do not cost the same: a division is
// one of PTX, for which PTX SIM has an energy of 198 pJ a lane, and many of the
// machine, none of which is a division. So an energy must be used with the counts that
// it was tuned on.
//
// AccelWattch's SASS variant counts machine instructions, which need a GPU or its
// tools to be seen. Here internal/machine's estimate of them stands in: it has
// totals by class, while the model wants products and special functions apart.

// fromMachine turns events of PTX into estimated events of machine code ([ours]):
// the totals are the estimated classes, their division into products and the rest is that of the PTX.
// Divisions and reciprocals start with MUFU.RCP, which counts as the
// exponential. Registers are read and written as often for each instruction as
// in the PTX, but for matrix products; operands that are no registers cost nothing in this variant.
func (e *Executed) fromMachine(f *analysis.Facts) error {
	if !f.Of(analysis.EstWarpInstructions).Known {
		return errors.New("estimated machine instructions are wanted, which this mode does not make")
	}
	p := e.Counts
	var n counts
	n[TotInst] = f.X(analysis.EstWarpInstructions)
	scale := 0.0
	if p[TotInst] > 0 {
		scale = n[TotInst] / p[TotInst]
	}
	n[IntInst], n[FPInst] = p[IntInst]*scale, p[FPInst]*scale
	of := func(list ...analysis.Counter) (sum float64) {
		for _, c := range list {
			sum += f.X(c)
		}
		return sum
	}
	n[Int], n[IntMul] = split(of(analysis.EstInstInteger, analysis.EstInstBitConvert, analysis.EstInstInterThread, analysis.EstInstMisc), p[Int], p[IntMul]+p[IntMul24]+p[IntMul32])
	n[FP], n[FPMul] = split(of(analysis.EstInstFP16, analysis.EstInstFP32), p[FP], p[FPMul])
	n[DP], n[DPMul] = split(of(analysis.EstInstFP64), p[DP], p[DPMul])
	// Special functions share the estimate's one class as their PTX does, a quotient
	// being an exponential's work.
	special := of(analysis.EstInstSpecial)
	quotients := p[FPDiv] + p[DPDiv] + p[IntDiv]
	named := p[Sqrt] + p[Log] + p[Sin] + p[Exp]
	if named+quotients > 0 {
		x := special / (named + quotients)
		n[Sqrt], n[Log], n[Sin], n[Exp] = p[Sqrt]*x, p[Log]*x, p[Sin]*x, (p[Exp]+quotients)*x
	} else {
		n[Exp] = special
	}
	n[Tensor], n[Tex] = of(analysis.EstInstTensor), of(analysis.EstInstTexture)
	e.registers(&n)
	if e.matrices > 0 {
		n[Tensor] *= (p[Tensor] - e.described) / e.matrices
	} else {
		n[Tensor] = 0 // but for tcgen05's, one for each of which says nothing
	}
	n[Tensor] += e.described
	e.Counts = n
	return nil
}

// productReads are the operands of a matrix product of the machine, A, B and C, and D is written.
const productReads = 3

// registers sets how often registers of the machine are read and written: of a matrix product each
// operand once, however many registers it has, as AccelWattch's traces count them (so many that
// cudaTensor's register files take the 26 W of its table, spec section 4), where wmma and mma name
// each register of a fragment; of the others as often for each instruction as in the PTX.
func (e *Executed) registers(n *counts) {
	p, m := &e.Counts, &e.products
	products := n[Tensor] / tensorLanes
	scale := 0.0
	if others := p[TotInst] - m[TotInst]; others > 0 {
		scale = max(0, n[TotInst]-products) / others
	}
	n[RegRead] = (p[RegRead]-m[RegRead])*scale + lanesPerAccess*productReads*products
	n[RegWrite] = (p[RegWrite]-m[RegWrite])*scale + lanesPerAccess*products
}

// split divides a total as a and b are to each other.
func split(total, a, b float64) (x, y float64) {
	if a+b == 0 {
		return total, 0
	}
	return total * a / (a + b), total * b / (a + b)
}
