package analysis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"hyptx/depgraph"
	"hyptx/emulator"
	"hyptx/internal/guard"
	"hyptx/internal/manifest"
	"hyptx/internal/slice"
	"hyptx/ir"
)

// A session is run in two ways. Profile goes through the launches and counts, running
// of each what its mode asks; Run and Step execute everything, for the values that the
// program leaves. Step stops behind each launch, so that whoever compares with another
// machine can look at memory there. Both walk over the same steps in the manifest's
// order, and a session does one of them, once: its memory is that of one execution.
//
// Run executes the whole program and returns its outputs.
func (s *Session) Run(ctx context.Context) ([]Output, error) {
	if err := s.Execute(ctx); err != nil {
		return nil, err
	}
	return s.Outputs()
}

// Execute executes the whole program. It ends with the first launch that fails, unless
// additions are watched and Options.FailFast is not set: then whoever watches hears of it,
// and the error tells all.
func (s *Session) Execute(ctx context.Context) error {
	err := s.execute(ctx)
	return errors.Join(err, s.endDebug(ctx))
}

func (s *Session) execute(ctx context.Context) error {
	var failed []error
	for {
		launch, ok, err := s.Step(ctx)
		if !ok {
			s.uncheckedBy(nil, err)
		}
		if s.checking.noted(err) {
			err = nil
		}
		if !ok && err == nil && s.checking != nil {
			err = s.endCheck(ctx)
		}
		if err != nil {
			failed = append(failed, err)
		}
		if !ok || err != nil && (!s.goesOn() || ctx.Err() != nil || s.left != nil) {
			return errors.Join(failed...)
		}
		if err != nil && s.Options.Watching != nil {
			l := s.launches[launch]
			s.Options.Watching.Failed(s.watched(l), l.kernel, err)
		}
	}
}

// goesOn reports whether a program that is executed does not end with a launch that fails.
func (s *Session) goesOn() bool {
	return s.Options.Watching != nil && !s.Options.FailFast || s.checking != nil
}

// Step executes the program to the end of its next launch and returns the
// launch's index. ok is false where there was none left: then what the host does after
// the last launch is done, too.
func (s *Session) Step(ctx context.Context) (launch int, ok bool, err error) {
	if s.next == 0 {
		s.settle(ctx)
		s.Options.Mode, s.traffic = Full, false
		if err := s.debug(); err != nil {
			return 0, false, err
		}
	}
	if s.next == 0 && !s.goesOn() {
		if _, err := guarded(ctx, s, graceTime, func() (any, error) { return nil, s.precompile(ctx, nil) }); err != nil {
			return 0, false, err
		}
	}
	l, err := s.nextLaunch(ctx, &s.next)
	if l == nil {
		return 0, false, err
	}
	return l.index, true, s.runFull(ctx, l)
}

// nextLaunch does what the host does from step *next on, up to the next launch,
// which it returns; nil at the end of the program. *next is the step after that.
func (s *Session) nextLaunch(ctx context.Context, next *int) (*launchPlan, error) {
	for *next < len(s.steps) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if s.left != nil {
			return nil, s.left
		}
		step := s.steps[*next]
		*next++
		if step.launch != nil {
			return step.launch, nil
		}
		if _, err := guarded(ctx, s, blindTime, func() (any, error) { return nil, s.hostWatched(step.host) }); err != nil {
			return nil, err
		}
		s.hostSteps++
	}
	return nil, nil
}

// runFull executes a launch. If the session follows the order of threads, all values
// carry their origins, and it is noted whether that order decided a branch.
func (s *Session) runFull(ctx context.Context, l *launchPlan) error {
	limited, cancel := s.limitLaunch(ctx, l)
	defer cancel()
	s.checking.begin(l, s.Manifest.File)
	var origins *slice.Slice
	o, err := guarded(ctx, s, graceTime, func() (*outcome, error) {
		full := s.planner.Kernel(l.kernel).Specialise(l.dep).Slice(depgraph.Full)
		if origins = s.orderSlice(full); s.checking.detects(l) {
			origins = full.Slice
		}
		return s.runLaunch(limited, l, full, origins)
	})
	s.endCheckedLaunch(l, o, err)
	if err != nil {
		err = s.launchError(l, err)
		s.uncheckedBy(l, err)
		return err
	}
	for _, r := range o.results {
		if origins != nil {
			s.noteOrder(r.Program, r)
		}
	}
	return nil
}

// limitLaunch bounds the context of one launch by Options.LaunchTimeout.
func (s *Session) limitLaunch(ctx context.Context, l *launchPlan) (context.Context, context.CancelFunc) {
	d := s.launchTimeout(l)
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, d, tooLong{
		fmt.Errorf("more than %s needed; the limit of a launch can be raised with option launch-timeout", d), d})
}

// tooLong says that a launch needs more than its time.
type tooLong struct {
	error
	limit time.Duration
}

// graceTime is what the work on a launch gets to end by itself, blindTime what work gets
// that never looks whether it is to end, if it is about to.
const (
	graceTime = 100 * time.Millisecond
	blindTime = 10 * time.Millisecond
)

// guarded does work on a session. The emulator looks at its context; the analyses
// around it (slices, decoding, machine code) do not, and are left behind where the
// run ends: from then on the session belongs to them, and no launch of it can follow.
// A launch that has reached a limit of its own is waited for, so that others can.
func guarded[T any](ctx context.Context, s *Session, grace time.Duration, work func() (T, error)) (T, error) {
	value, ended, err := guard.Within(ctx, grace, work)
	if !ended {
		s.left = err
	}
	return value, err
}

// grace is what the work on a launch gets: of static mode nothing looks.
func (s *Session) grace() time.Duration {
	if s.Options.Mode == Static {
		return blindTime
	}
	return graceTime
}

// launchError says in which launch an error came up and, of what the program did, what was
// assumed of it.
func (s *Session) launchError(l *launchPlan, err error) error {
	if why := s.onAssumed(err); why != "" {
		return fmt.Errorf("launch %d (%s): %w; %s", l.number, l.kernel.Name, err, why)
	}
	return fmt.Errorf("launch %d (%s): %w", l.number, l.kernel.Name, err)
}

// Outputs reads the manifest's outputs from memory: before Run what they hold at
// first.
func (s *Session) Outputs() ([]Output, error) {
	readers, err := s.OutputReaders()
	var outs []Output
	for i, r := range readers {
		out, err := r.whole()
		if err != nil {
			return nil, s.Manifest.Errorf(s.Manifest.Outputs[i].Path, "%w", err)
		}
		outs = append(outs, out)
	}
	return outs, err
}

// OutputReaders returns the manifest's outputs as they lie in memory, to be read
// before anything else runs.
func (s *Session) OutputReaders() ([]OutputReader, error) {
	var outs []OutputReader
	for _, o := range s.Manifest.Outputs {
		out, err := s.output(o)
		if err != nil {
			return nil, s.Manifest.Errorf(o.Path, "%w", err)
		}
		outs = append(outs, out)
	}
	return outs, nil
}

// output finds one output. That of a variable may leave out its size and type.
func (s *Session) output(o *manifest.Output) (OutputReader, error) {
	b, v, err := s.outputPlace(o)
	if err != nil {
		return OutputReader{}, err
	}
	out, size := OutputReader{Name: o.Name, Type: o.Type}, o.Bytes
	if size < 0 {
		size = b.Bytes - o.Offset
	}
	if out.Type == manifest.NoType && v != nil {
		out.Type = symbolType(v.Type)
	}
	out.SectionReader = io.NewSectionReader(b, o.Offset, size)
	return out, nil
}

// outputPlace returns where an output lies: a buffer, or a variable's.
func (s *Session) outputPlace(o *manifest.Output) (*emulator.Buffer, *ir.Var, error) {
	if o.Buffer != nil {
		return s.memory[o.Buffer], nil, nil
	}
	mod, v, err := resolver{s}.variable(o.Symbol.Module, o.Symbol.Name)
	if err != nil {
		return nil, nil, err
	}
	b := s.machine.Variable(mod, v)
	if b == nil {
		err = fmt.Errorf("variable %s is not in global memory", v.Name)
	}
	return b, v, err
}

// Executed returns how many launches Step and Run have executed.
func (s *Session) Executed() int {
	n := 0
	for _, step := range s.steps[:s.next] {
		if step.launch != nil {
			n++
		}
	}
	return n
}
