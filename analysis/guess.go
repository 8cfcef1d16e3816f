package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hyptx/depgraph"
	"hyptx/emulator"
	"hyptx/internal/manifest"
	"hyptx/internal/tensormap"
	"hyptx/ir"
	"hyptx/ir/isa"
	"hyptx/parser"
)

// A bare file's kernel is launched as nobody may ever have meant it, and so it may fail
// though nothing is wrong with it: a tile is smaller than the assumed block, a pointer
// lies in memory that nobody filled, three nested loops run to 1024 each. Then others of
// the assumptions are tried, one at a time and the likeliest first, until a launch ends.
// Its row says what was assumed in the end, and why not the first. If none ends, the
// first stays. What was given is never changed, and a manifest has no guesses.
//
// What is assumed must be the same whoever asks: a control profile sees no fault of a
// store that decides nothing, and would call 256 threads what faults in full mode. So a
// launch is tried in full before it is profiled or executed, within bounds that depend
// neither on the mode nor on the other kernels of the file; only where it cannot be
// executed whole, what memory mode runs of it is, or control mode.

// guesses are what a session of a bare file's kernel is made from, again and again, and
// what is known of it whatever is assumed.
type guesses struct {
	kernel  *ir.Func
	of      *files
	flags   manifest.Flags
	texts   []Input // what it was read from: the same of all kernels
	about   manifest.Kernel
	planner *depgraph.Planner
	sizes   map[*ir.Module]uint64 // Session.written
	chosen  []string              // what is assumed of which module is meant
}

// guessedInstructions bounds a launch whose grid is assumed, of a kernel that may well
// never end so: some seconds' work. Each launch of the file that met the bound halves it
// for those after it, down to leastGuessed, so that a file with hundreds ends, too. A
// trial has leastGuessed, which a launch that ends within has in any case.
const (
	guessedInstructions = 1 << 25
	leastGuessed        = 1 << 22
)

// guessedTime bounds such a launch, too, halved like its instructions down to leastTime:
// the detector of races may take a thousand times as long for one as they do by themselves.
// triedTime is for trials, which it does not follow: a hundred times what one needs.
const (
	guessedTime = time.Minute
	leastTime   = 4 * time.Second
	triedTime   = 15 * time.Second
)

// limitless reports whether nobody limited a launch of which the grid is assumed.
func (s *Session) limitless(l *launchPlan) bool {
	o := &s.Options
	return l.launch.AssumedGrid && o.overrun != nil && o.MaxInstructions == defaultInstructions && o.LaunchTimeout == 0
}

// halved is how often the bounds of a launch are: not at all if it is known to end.
func (s *Session) halved() int {
	if s.ends {
		return 0
	}
	return *s.Options.overrun
}

// maxInstructions is how many warp instructions a launch may issue.
func (s *Session) maxInstructions(l *launchPlan) int64 {
	if !s.limitless(l) {
		return s.Options.MaxInstructions
	}
	return max(int64(guessedInstructions)>>s.halved(), leastGuessed)
}

// launchTimeout is how long a launch may take, 0 for as long as it likes.
func (s *Session) launchTimeout(l *launchPlan) time.Duration {
	if !s.limitless(l) {
		return s.Options.LaunchTimeout
	}
	return max(guessedTime>>s.halved(), leastTime)
}

// another is a guess, and why it is made.
type another struct {
	manifest.Guess
	forgive bool
	why     string
}

// settle chooses what is assumed of a bare file's launch: it becomes the session of the
// first guess with which the launch ends, and stays what it is if there is none. Nothing
// is tried of a program that does not run, or of which nothing may be assumed otherwise.
func (s *Session) settle(ctx context.Context) {
	g, l := s.guesses, s.launches
	if g == nil || s.Options.Mode == Static || len(l) == 0 {
		return
	}
	if s.guesses = nil; !g.open(l[0].launch) {
		return
	}
	if s.ends = ends(g.kernel); s.ends {
		return
	}
	failed := s.try(ctx, g, another{})
	if s.ends = failed == nil; s.ends || ctx.Err() != nil {
		return
	}
	if overran(failed) {
		*s.Options.overrun++
	}
	for _, a := range g.others(l[0].launch, s.limitless(l[0]) || s.Options.MaxInstructions <= leastGuessed, failed) {
		if s.try(ctx, g, a) == nil {
			s.become(g, a)
		}
		if s.ends || ctx.Err() != nil {
			return
		}
	}
}

// become makes the session that of a guess with which its launch ends. Whoever holds it
// sees the launch that will run.
func (s *Session) become(g *guesses, a another) {
	opts := s.Options
	opts.Forgive = opts.Forgive || a.forgive
	t, err := g.session(a.Guess, opts)
	if err != nil {
		return
	}
	t.numberFrom(s.launches[0].number)
	t.Assumed = append(t.Assumed, a.why)
	*s = *t
	s.ends = true
}

// overran reports whether a launch needed more than it may.
func overran(failed error) bool {
	limit := (*emulator.LimitError)(nil)
	return errors.As(failed, &limit) && limit.Option == "max-instructions" || errors.As(failed, new(tooLong))
}

// uncompiled says that a launch cannot be decoded: there is something that is not executed.
type uncompiled struct{ error }

func (u uncompiled) Unwrap() error { return u.error }

// try runs as much of a launch as can be executed, as a guess has it, and returns why it
// does not end.
func (s *Session) try(ctx context.Context, g *guesses, a another) (failed error) {
	o := DefaultOptions()
	o.Jobs, o.MaxMemoryBytes, o.InvertedBorrow = s.Options.Jobs, s.Options.MaxMemoryBytes, s.Options.InvertedBorrow
	o.FailFast, o.Forgive, o.bare = true, s.Options.Forgive || a.forgive, true
	o.MaxInstructions, o.LaunchTimeout = min(s.Options.MaxInstructions, leastGuessed), triedTime
	if s.Options.Lenient != nil {
		o.Lenient = func(parser.ErrorList) {} // it hears of the run that counts
	}
	for _, o.Mode = range []Mode{Full, Memory, Control} {
		t, err := g.session(a.Guess, o)
		if err != nil {
			return err
		}
		if failed = t.runThrough(ctx); !errors.As(failed, new(uncompiled)) {
			return failed
		}
	}
	return failed
}

// runThrough runs the launch of a bare file for nothing but its end: no origins are
// followed, no requests counted.
func (s *Session) runThrough(ctx context.Context) error {
	l := s.launches[0]
	limited, cancel := s.limitLaunch(ctx, l)
	defer cancel()
	_, err := guarded(limited, s, graceTime, func() (*outcome, error) {
		run := s.planner.Kernel(l.kernel).Specialise(l.dep).Slice(depgraph.Full)
		if s.Options.Mode != Full {
			run = s.plan(nil)[0]
		}
		s.traffic = false
		return s.runLaunch(limited, l, run, nil)
	})
	return err
}

// forgivable reports whether accesses that hit no memory may be: not where somebody knows
// what is launched.
func (g *guesses) forgivable(l *manifest.Launch) bool {
	return l.AssumedGrid && len(g.flags.Block) == 0
}

// open reports whether something of a launch may be assumed otherwise.
func (g *guesses) open(l *manifest.Launch) bool {
	return l.AssumedBlock || g.forgivable(l) || manifest.SmallerScalars(g.flags, l) != nil
}

// others are the guesses that are worth a try after a failure; limited: that of a limit is
// one of the launch, and not of the trial alone.
func (g *guesses) others(l *manifest.Launch, limited bool, failed error) (all []another) {
	fault, limit := (*emulator.Fault)(nil), (*emulator.LimitError)(nil)
	deadlock, late := (*emulator.DeadlockError)(nil), tooLong{}
	blocks := func(why string) {
		for _, other := range manifest.OtherBlocks(g.about, g.flags, l) {
			block := fmt.Sprintf("%d,%d,%d", l.Block[0], l.Block[1], l.Block[2])
			all = append(all, another{Guess: other, why: fmt.Sprintf(why, block)})
		}
	}
	forgive := func(why string) {
		if g.forgivable(l) {
			all = append(all, another{forgive: true, why: why})
		}
	}
	const beyond = "accesses that hit no memory are no faults"
	shared := func(why string) {
		for _, other := range manifest.MoreShared(g.about, g.flags) {
			all = append(all, another{Guess: other, why: fmt.Sprintf(why, l.DynamicSharedBytes)})
			if g.forgivable(l) {
				all = append(all, another{Guess: other, forgive: true, why: fmt.Sprintf(why, l.DynamicSharedBytes) + "; " + beyond})
			}
		}
	}
	scalars := func(why string) {
		for _, other := range manifest.SmallerScalars(g.flags, l) {
			all = append(all, another{Guess: other, why: why})
		}
	}
	switch {
	case errors.As(failed, &fault) && strings.HasSuffix(fault.Msg, "(limits.stackBytes)"):
		scalars("with larger scalars calls need too much stack")
	case errors.As(failed, &fault) && perThread(fault):
		if strings.Contains(fault.Msg, sharedAddress) {
			shared("dynamic shared memory of %d bytes is too little")
		}
		blocks("a block of %s ends in a fault")
		forgive(beyond)
	case errors.As(failed, &fault) && strings.Contains(fault.Msg, tensormap.ErrNoMap.Error()):
		forgive("tensor maps that nobody gave move nothing and complete what is expected")
	case errors.As(failed, &fault):
		forgive(beyond)
		blocks("a block of %s ends in a fault")
	case overran(failed) && !limited:
	case errors.As(failed, &limit) && limit.Option == "max-instructions":
		scalars("with larger scalars it takes more than " + limit.Limit)
	case errors.As(failed, &late):
		scalars("with larger scalars it takes more than " + late.limit.String())
	case errors.As(failed, &deadlock):
		blocks("a block of %s ends in a deadlock")
	}
	return all
}

// perThread reports whether a fault is of memory whose size goes with the block: shared,
// or a thread's own. Anything else is more likely a pointer that nobody gave.
func perThread(f *emulator.Fault) bool {
	return strings.Contains(f.Msg, sharedAddress) || strings.Contains(f.Msg, "at local address")
}

// sharedAddress is how a fault of an access to shared memory says so.
const sharedAddress = "at shared address"

// ends reports whether a kernel ends for certain, whatever is assumed of its launch: it goes
// forwards only, waits for nobody, and touches nothing but its parameters.
func ends(k *ir.Func) bool {
	code := k.Instrs()
	for i := range code {
		in := &code[i]
		backwards := func(to ir.PC) bool { return to <= in.PC }
		switch x := in.Inst; {
		case x.IsBranch():
			if !x.IsSwitch() && backwards(in.Target) || slices.ContainsFunc(in.Targets(), backwards) {
				return false
			}
		case x.IsReturn(), x.Form.Flow == isa.FlowExit, x.Op == isa.OpMov, x.Form.Class >= isa.FP16 && x.Form.Class <= isa.BitConvert:
		case x.IsLoad() && x.Space == isa.Param && inParameter(&in.Ops()[len(in.Ops())-1]):
		default:
			return false
		}
	}
	return true
}

// inParameter reports whether an operand is a place in a parameter.
func inParameter(o *ir.Operand) bool {
	return o.Kind == ir.OperandAddr && o.Var != nil && o.Reg == ir.NoReg && int64(o.Imm) >= 0 && int64(o.Imm)+int64(o.Type.Bytes()) <= o.Var.Bytes
}
