package analysis

import (
	"fmt"
	"path/filepath"

	"hyptx/ir"
)

// A program may contain what the timing simulator cannot follow. That is known from the
// text, before anything runs, so that nobody waits for a simulation to hear of it: where
// the user chose no time model, such a program has the analytic one's times, and the column
// time_model says so; where he chose the simulator, its launches say why they have none.

// unsimulated returns why the timing simulator cannot follow a launch, nil if nothing is
// known that it could not: the steps of tcgen05's products are known to nobody.
func (l *launchPlan) unsimulated() error {
	for _, f := range l.kernel.Closure() {
		for i := range f.Instrs() {
			in := &f.Instrs()[i]
			if in.Inst.OpaqueTensor() {
				return l.cannotSimulate(in, "the steps of its products are unknown")
			}
		}
	}
	return nil
}

func (l *launchPlan) cannotSimulate(in *ir.Instr, why string) error {
	return fmt.Errorf("%s:%d: %s is not simulated: %s (option time-model analytic)", filepath.Base(l.kernel.Module.FileOf(in.PC)), in.Pos.Line, in.Inst.Op, why)
}
