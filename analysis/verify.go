package analysis

import (
	"context"
	"fmt"
	"slices"

	"hyptx/emulator"
	"hyptx/ir"
)

// MismatchError says where a profile and full emulation differ.
type MismatchError struct {
	Launch int
	Kernel string
	What   string
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("verify: launch %d (%s): %s", e.Launch, e.Kernel, e.What)
}

// Verify emulates the whole program in full mode on a memory of its own and
// fails, naming the first difference, unless every count of the profile, and
// how exact it is, is the same.
func (s *Session) Verify(ctx context.Context, p *Profile) error {
	opts := s.Options
	opts.Mode, opts.Verify, opts.PerCTA, opts.GPUs = Full, false, false, nil
	full, err := newSession(s.Manifest, s.modules, opts)
	if err != nil {
		return err
	}
	full.traffic = s.traffic
	full.numberFrom(s.launches[0].number)
	want, err := full.Profile(ctx)
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	for i, lp := range p.Launches {
		if err := compareLaunch(lp, want.Launches[i]); err != nil {
			return s.blame(ctx, err, lp)
		}
		if what := compareTraffic(lp, want.Launches[i]); what != "" {
			return &MismatchError{lp.plan.number, lp.Kernel.Name, what}
		}
		a, b := lp, want.Launches[i]
		if x, y := a.Facts.Of(AssumedDecisions), b.Facts.Of(AssumedDecisions); a.Exactness != b.Exactness || x != y {
			return &MismatchError{lp.plan.number, lp.Kernel.Name, fmt.Sprintf("the counts agree, but not what they rest on: %s with %d assumed decisions, full emulation %s with %d",
				a.Exactness, x.N, b.Exactness, y.N)}
		}
	}
	return nil
}

// compareLaunch compares a launch's counts with those of full emulation.
func compareLaunch(got, want *LaunchProfile) *MismatchError {
	differ := func(format string, args ...any) *MismatchError {
		return &MismatchError{got.plan.number, got.Kernel.Name, fmt.Sprintf(format, args...)}
	}
	a, b := got.instructionCounts(), want.instructionCounts()
	for pc := range a {
		if a[pc] != b[pc] {
			in := &got.Kernel.Module.Instrs[pc]
			return differ("block %d, %s:%d (%s): %s counts %d issues, %d lanes, %d with a true guard, full emulation %d, %d, %d",
				in.Block, got.File, in.Pos.Line, got.Kernel.Module.FuncOf(ir.PC(pc)).Text(ir.PC(pc)), got.mode(), a[pc].Issues, a[pc].Lanes, a[pc].PredOn, b[pc].Issues, b[pc].Lanes, b[pc].PredOn)
		}
	}
	for c := range NumCounters {
		x, y := got.Facts.Of(c), want.Facts.Of(c)
		if counters[c].block == blockExecuted && x != y {
			return differ("the instructions' counts agree, but %s counts %d %s, full emulation %d", got.mode(), x.N, c, y.N)
		}
	}
	return nil
}

func (lp *LaunchProfile) mode() string {
	if lp.outcome == nil {
		return string(Static)
	}
	return string(lp.outcome.mode)
}

// instructionCounts sums what all CTAs did with each instruction of the module,
// in all repetitions of the launch.
func (lp *LaunchProfile) instructionCounts() []emulator.InstrCount {
	sum := make([]emulator.InstrCount, len(lp.Kernel.Module.Instrs))
	o, times := lp.outcome, lp.standsFor()
	for i, res := range o.results {
		var total []uint64 // an instruction's counts are sums of counters
		for _, c := range res.Classes {
			if total == nil {
				total = make([]uint64, len(c.Counts))
			}
			n := uint64(c.CTAs) * o.partOf(i).weight * times
			for k, x := range c.Counts {
				total[k] += n * x
			}
		}
		if total == nil {
			continue
		}
		res.Program.EachInstr(total, func(ic emulator.InstrCount) {
			s := &sum[ic.PC]
			s.PC = ic.PC
			s.Issues += ic.Issues
			s.Lanes += ic.Lanes
			s.PredOn += ic.PredOn
		})
	}
	return sum
}

// branchCounts sums what all CTAs did with each branch, in all repetitions of
// the launch.
func (lp *LaunchProfile) branchCounts() []emulator.BranchCount {
	sum := map[ir.PC]*emulator.BranchCount{}
	o, times := lp.outcome, lp.standsFor()
	for i, res := range o.results {
		for _, c := range res.Classes {
			n := uint64(c.CTAs) * o.partOf(i).weight * times
			res.Program.EachBranch(c.Counts, func(bc emulator.BranchCount) {
				s := sum[bc.PC]
				if s == nil {
					s = &emulator.BranchCount{PC: bc.PC}
					sum[bc.PC] = s
				}
				s.Issues += n * bc.Issues
				s.Divergent += n * bc.Divergent
				s.Targets += n * bc.Targets
			})
		}
	}
	var list []emulator.BranchCount
	for _, s := range sum {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b emulator.BranchCount) int { return int(a.PC - b.PC) })
	return list
}
