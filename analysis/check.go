package analysis

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"hyptx/emulator"
	"hyptx/internal/check"
)

// A program that is checked (Options.Check) is executed as by Run, but notes what is wrong
// with it and goes on (emulator/check.go). Races are found in two steps. The first run
// looks at accesses by a filter, which is quick and says of a launch only that it has
// none, or that it may. Launches that may have some run a second time, in a second session
// that begins anew, with the happens-before detector: what that finds is told, what it does
// not was none. So nearly all programs pay for the filter alone.

// checking is what a session knows of its check.
type checking struct {
	*check.Run
	log  *check.Log // of the launch that runs
	heap check.Heap
	// suspects are the launches that the detector has to see. second: this session is
	// the one in which it does.
	suspects map[int]bool
	second   bool
}

// newChecking returns what a session needs for its check, nil if nobody asked for one.
func newChecking(r *check.Run) *checking {
	if r == nil {
		return nil
	}
	return &checking{Run: r, suspects: map[int]bool{}}
}

// looks reports whether accesses are looked at.
func (c *checking) looks() bool { return c != nil && !c.second && c.Looks() }

// detects reports whether the detector sees a launch.
func (c *checking) detects(l *launchPlan) bool { return c != nil && c.second && c.suspects[l.index] }

// begin begins a launch of a program.
func (c *checking) begin(l *launchPlan, program string) {
	if c != nil {
		c.List.Program = program
		c.log = &check.Log{Launch: l.number, Heap: &c.heap}
	}
}

// logOf is where a launch notes what is wrong, nil if nobody asked.
func (c *checking) logOf() *check.Log {
	if c == nil {
		return nil
	}
	return c.log
}

// noted reports whether an error that ended a launch stands among what was noted.
func (c *checking) noted(err error) bool {
	var fault *emulator.Fault
	var deadlock *emulator.DeadlockError
	return c != nil && (errors.As(err, &fault) || errors.As(err, &deadlock))
}

// uncheckedBy notes that an error ended a launch, or with nil the whole program, before all
// of it was checked. The second run fails as the first one did, but where the detector alone
// has come to a limit.
func (s *Session) uncheckedBy(l *launchPlan, err error) {
	c := s.checking
	if c == nil || err == nil || c.noted(err) || c.second && l != nil && !c.suspects[l.index] {
		return
	}
	u := check.Unchecked{Program: s.Manifest.File, Reason: err.Error()}
	if l != nil {
		u.Kernel, u.Launch = l.kernel.Name, l.number
	}
	if c.second {
		u.Reason += " (while the race detector looked at it)"
	}
	c.Unchecked = append(c.Unchecked, u)
}

// endCheckedLaunch adds what a launch has noted to what was found; err is what ended it, o
// is nil of one that failed.
func (s *Session) endCheckedLaunch(l *launchPlan, o *outcome, err error) {
	c := s.checking
	if c == nil || s.left != nil {
		return
	}
	if c.second {
		if o != nil {
			for _, r := range o.results {
				s.addOrderFindings(l, r.Order)
			}
		}
		return
	}
	whole := err == nil || c.noted(err)
	if whole {
		c.Checked(check.Kernel{Program: s.Manifest.File, Name: l.kernel.Name})
	}
	for i := range c.log.Facts {
		s.addFinding(l, &c.log.Facts[i])
	}
	if whole && (c.log.Suspect && c.Groups.Has(check.Races) || c.log.Unfiltered) {
		c.suspects[l.index] = true
	}
}

// endCheck ends the check of a program: what is left of the heap, and the launches that
// may have races.
func (s *Session) endCheck(ctx context.Context) error {
	c := s.checking
	if c.second {
		return nil
	}
	at := slices.SortedFunc(maps.Keys(c.heap.Blocks), func(a, b uint64) int { return cmp.Compare(a, b) })
	for _, addr := range at {
		s.addLeak(c.heap.Blocks[addr])
	}
	if len(c.suspects) == 0 {
		return nil
	}
	opts := s.Options
	opts.Print, opts.Watching = nil, nil
	again, err := newSession(s.Manifest, s.modules, opts)
	if err != nil {
		s.uncheckedBy(nil, err)
		return err
	}
	again.numberFrom(s.launches[0].number)
	again.checking.second, again.checking.suspects = true, c.suspects
	c.Again += len(c.suspects)
	return again.executeUpTo(ctx, slices.Max(slices.Collect(maps.Keys(c.suspects))))
}

// executeUpTo executes the program up to a launch, which is the last.
func (s *Session) executeUpTo(ctx context.Context, last int) error {
	var failed []error
	for {
		launch, ok, err := s.Step(ctx)
		if !ok {
			s.uncheckedBy(nil, err)
		}
		if err != nil && !s.checking.noted(err) {
			failed = append(failed, err)
		}
		if !ok || launch >= last || ctx.Err() != nil || s.left != nil {
			return errors.Join(failed...)
		}
	}
}
