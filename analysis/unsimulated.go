package analysis

import (
	"fmt"
	"path/filepath"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// A program may contain what the timing simulator cannot follow. That is known from the
// text, before anything runs, so that nobody waits for a simulation to hear of it: where
// the user chose no time model, such a program has the analytic one's times, and the column
// time_model says so; where he chose the simulator, its launches say why they have none.
// What is listed here is what would give a wrong time, or none: instructions that the simulator
// merely takes for cheaper or dearer than they are belong into the description of a GPU.

// unsimulated returns why the timing simulator cannot follow a launch, nil if nothing is
// known that it could not: a block of the machine's code that calls a function goes before it
// as a whole, or behind it, so that what waits there could wait for what the caller has done
// already.
func (l *launchPlan) unsimulated() error {
	for _, f := range l.kernel.Closure() {
		if in := l.halfBarrier(f); in != nil {
			return l.cannotSimulate(in, "the other half of barrier.cluster is in another function")
		}
		for i := range f.Instrs() {
			in := &f.Instrs()[i]
			if f != l.kernel && (in.Inst.Op == isa.OpMbarrierTryWait || in.Inst.Op == isa.OpMbarrierTestWait) {
				return l.cannotSimulate(in, "it waits in a function that is called")
			}
		}
	}
	return nil
}

// halfBarrier returns an arrival at the barrier of the cluster, or a wait there, in a function that is called
// and has not the other one, nil if there is none.
func (l *launchPlan) halfBarrier(f *ir.Func) *ir.Instr {
	var arrival, wait *ir.Instr
	for i := range f.Instrs() {
		switch in := &f.Instrs()[i]; {
		case in.Inst.Form.Sync != isa.SyncCluster:
		case in.Inst.Has(isa.ModArrive):
			arrival = in
		default:
			wait = in
		}
	}
	switch {
	case f == l.kernel || l.clusterSize() <= 1 || (arrival == nil) == (wait == nil):
		return nil
	case arrival != nil:
		return arrival
	}
	return wait
}

func (l *launchPlan) cannotSimulate(in *ir.Instr, why string) error {
	return fmt.Errorf("%s:%d: %s is not simulated: %s (option time-model analytic)", filepath.Base(l.kernel.Module.FileOf(in.PC)), in.Pos.Line, in.Inst.Op, why)
}
