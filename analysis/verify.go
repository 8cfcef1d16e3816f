package analysis

import (
	"context"
	"fmt"

	"hyptx/emulator"
	"hyptx/ir"
)

// --verify answers whether one may believe a slice. The chosen mode emulates as little
// as decides the answer: a filtered dependency graph, one CTA for those alike, one warp
// for many, one repetition for all. Each of these is a proof about the program, and a
// mistake in one shows as a count that is wrong without a word. Full emulation knows
// none of them; it executes every instruction of every thread on a memory of its own.
// Equal counts of every instruction, then of every counter, then of what memory moved
// show that the shortcuts held for this program.
//
// It costs what full mode costs, so it is an option and what the tests do with every
// sample and with random programs.

// mismatchError says where a profile and full emulation differ.
type mismatchError struct {
	Launch int
	Kernel string
	What   string
}

func (e *mismatchError) Error() string {
	return fmt.Sprintf("verify: launch %d (%s): %s", e.Launch, e.Kernel, e.What)
}

// Verify emulates the whole program in full mode on a memory of its own and
// fails, naming the first difference, unless every count of the profile, and
// how exact it is, is the same.
func (s *Session) Verify(ctx context.Context, p *Profile) error {
	full, err := s.inFull()
	if err != nil {
		return err
	}
	want, err := full.Profile(ctx)
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	return s.compare(ctx, p, want)
}

// inFull opens the program again for full mode.
func (s *Session) inFull() (*Session, error) {
	opts := s.Options
	opts.Mode, opts.Verify, opts.PerCTA, opts.PathLists, opts.GPUs, opts.Kept = Full, false, false, false, nil, nil
	full, err := newSession(s.Manifest, s.modules, opts)
	if err != nil {
		return nil, err
	}
	full.traffic, full.Assumed = s.traffic, s.Assumed
	full.numberFrom(s.launches[0].number)
	return full, nil
}

// compare compares the profile with that of full emulation.
func (s *Session) compare(ctx context.Context, p, want *Profile) error {
	for i, lp := range p.Launches {
		if err := compareLaunch(lp, want.Launches[i]); err != nil {
			return s.blame(ctx, err, lp)
		}
		if what := compareTraffic(lp, want.Launches[i]); what != "" {
			return &mismatchError{lp.plan.number, lp.Kernel.Name, what}
		}
		a, b := lp, want.Launches[i]
		if x, y := a.Facts.Of(AssumedDecisions), b.Facts.Of(AssumedDecisions); a.Exactness != b.Exactness || a.MemoryExactness != b.MemoryExactness || x != y {
			return &mismatchError{lp.plan.number, lp.Kernel.Name, fmt.Sprintf("the counts agree, but not what they rest on: %s with %d assumed decisions, full emulation %s with %d",
				a.Exactness, x.N, b.Exactness, y.N)}
		}
	}
	return nil
}

// compareLaunch compares a launch's counts with those of full emulation: those of
// instructions first, because they name a line; a counter that differs while all
// instructions agree was added up wrongly.
func compareLaunch(got, want *LaunchProfile) *mismatchError {
	differ := func(format string, args ...any) *mismatchError {
		return &mismatchError{got.plan.number, got.Kernel.Name, fmt.Sprintf(format, args...)}
	}
	a, b := got.instructionCounts(), want.instructionCounts()
	for i, x := range a.list {
		if y := b.list[i]; x != y {
			in := &got.Kernel.Module.Instrs[x.PC]
			return differ("block %d, %s:%d (%s): %s counts %d issues, %d lanes, %d with a true guard, full emulation %d, %d, %d",
				in.Block, got.fileOf(in.PC), in.Pos.Line, got.Kernel.Module.FuncOf(x.PC).Text(x.PC), got.mode(), x.Issues, x.Lanes, x.PredOn, y.Issues, y.Lanes, y.PredOn)
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

// mode names the launch's mode for messages.
func (lp *LaunchProfile) mode() string {
	if lp.outcome == nil {
		return string(Static)
	}
	return string(lp.outcome.mode)
}

// instructionCounts sums what all CTAs did with each instruction of the kernel and of what
// it may call, in all repetitions of the launch.
func (lp *LaunchProfile) instructionCounts() *instrCounts {
	sum := newInstrCounts(lp.Kernel)
	o, times := lp.outcome, lp.standsFor()
	for i, res := range o.results {
		if len(res.Classes) == 0 {
			continue
		}
		total := make([]uint64, len(res.Classes[0].Counts)) // an instruction's counts are sums of counters
		for _, c := range res.Classes {
			n := uint64(c.CTAs) * o.partOf(i).weight * times
			for k, x := range c.Counts {
				total[k] += n * x
			}
		}
		res.Program.EachInstr(total, func(ic emulator.InstrCount) {
			s := sum.of(ic.PC)
			s.Issues += ic.Issues
			s.Lanes += ic.Lanes
			s.PredOn += ic.PredOn
		})
	}
	return sum
}

// branchCounts sums what all CTAs did with each branch, in all repetitions of
// the launch.
func (lp *LaunchProfile) branchCounts() map[ir.PC]emulator.BranchCount {
	sum := map[ir.PC]emulator.BranchCount{}
	o, times := lp.outcome, lp.standsFor()
	for i, res := range o.results {
		for _, c := range res.Classes {
			n := uint64(c.CTAs) * o.partOf(i).weight * times
			res.Program.EachBranch(c.Counts, func(bc emulator.BranchCount) {
				s := sum[bc.PC]
				s.PC = bc.PC
				s.Issues += n * bc.Issues
				s.Divergent += n * bc.Divergent
				s.Targets += n * bc.Targets
				sum[bc.PC] = s
			})
		}
	}
	return sum
}
