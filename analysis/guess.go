package analysis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hyptx/emulator"
	"hyptx/internal/manifest"
	"hyptx/ir"
)

// A bare file's kernel is launched as nobody may ever have meant it, and so it may fail
// though nothing is wrong with it: a tile is smaller than the assumed block, a pointer
// lies in memory that nobody filled, three nested loops run to 1024 each. Then others of
// the assumptions are tried, one at a time and the likeliest first, until a launch ends.
// Its row says what was assumed in the end, and why not the first. If none ends, the row
// tells the first failure. What was given is never changed, and a manifest has no guesses.

// guesses are what a session of a bare file's kernel is made from, again and again.
type guesses struct {
	kernel *ir.Func
	of     *files
	flags  manifest.Flags
}

// guessedInstructions bounds a launch whose grid is assumed, of a kernel that may well
// never end so: some seconds' work. Each launch of the file that met the bound halves it
// for those after it, down to leastGuessed, so that a file with hundreds ends, too.
const (
	guessedInstructions = 1 << 25
	leastGuessed        = 1 << 22
	// guessedAgain is the share of it that each further guess gets.
	guessedAgain = 8
)

// guessedTime bounds such a launch, too, halved like its instructions down to leastTime:
// the detector of races may take a thousand times as long for one as they do by themselves.
const (
	guessedTime = time.Minute
	leastTime   = 4 * time.Second
)

// limitless reports whether nobody limited a launch of which the grid is assumed.
func (s *Session) limitless(l *launchPlan) bool {
	o := &s.Options
	return l.launch.AssumedGrid && o.overrun != nil && o.MaxInstructions == defaultInstructions && o.LaunchTimeout == 0
}

// maxInstructions is how many warp instructions a launch may issue.
func (s *Session) maxInstructions(l *launchPlan) int64 {
	if !s.limitless(l) {
		return s.Options.MaxInstructions
	}
	return max(int64(guessedInstructions)>>*s.Options.overrun, leastGuessed)
}

// launchTimeout is how long a launch may take, 0 for as long as it likes.
func (s *Session) launchTimeout(l *launchPlan) time.Duration {
	if !s.limitless(l) {
		return s.Options.LaunchTimeout
	}
	return max(guessedTime>>*s.Options.overrun, leastTime)
}

// another is a guess, and why it is made.
type another struct {
	manifest.Guess
	forgive bool
	why     string
}

// guessAgain returns the profile of the first guess with which a launch that failed ends,
// and notes its session; nil if there is none.
func (s *Session) guessAgain(ctx context.Context, failed error) *Profile {
	if failed == nil || s.guesses == nil || s.left != nil || ctx.Err() != nil {
		return nil
	}
	l, opts := s.launches[0], s.Options
	opts.FailFast = true
	opts.MaxInstructions, opts.LaunchTimeout = s.maxInstructions(l)/guessedAgain, s.launchTimeout(l)/guessedAgain
	var limit *emulator.LimitError
	if errors.As(failed, &limit) || errors.As(failed, new(tooLong)) {
		*s.Options.overrun++
	}
	for _, g := range s.others(failed) {
		opts.Forgive = g.forgive || s.Options.Forgive
		t, err := s.guesses.open(g.Guess, opts)
		if err != nil {
			continue
		}
		t.numberFrom(l.number)
		t.Assumed = append(t.Assumed, g.why)
		p, err := t.Profile(ctx)
		if err == nil {
			to, from := &t.Options, &s.Options
			to.FailFast, to.MaxInstructions, to.LaunchTimeout = from.FailFast, from.MaxInstructions, from.LaunchTimeout
			s.guessed = t
			return p
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil
}

// others are the guesses that are worth a try after a failure.
func (s *Session) others(failed error) (all []another) {
	fault, limit := (*emulator.Fault)(nil), (*emulator.LimitError)(nil)
	deadlock, late := (*emulator.DeadlockError)(nil), tooLong{}
	l, flags := s.launches[0].launch, s.guesses.flags
	blocks := func(why string) {
		for _, g := range manifest.OtherBlocks(DescribeKernel(s.guesses.kernel), flags, l) {
			block := fmt.Sprintf("%d,%d,%d", l.Block[0], l.Block[1], l.Block[2])
			all = append(all, another{Guess: g, why: fmt.Sprintf(why, block)})
		}
	}
	forgive := func() {
		if l.AssumedGrid && len(flags.Block) == 0 { // else somebody knows what is launched
			all = append(all, another{forgive: true, why: "accesses that hit no memory are no faults"})
		}
	}
	scalars := func(why string) {
		for _, g := range manifest.SmallerScalars(flags, l) {
			all = append(all, another{Guess: g, why: why})
		}
	}
	switch {
	case errors.As(failed, &fault) && strings.HasSuffix(fault.Msg, "(limits.stackBytes)"):
		scalars("with larger scalars calls need too much stack")
	case errors.As(failed, &fault) && perThread(fault):
		blocks("a block of %s ends in a fault")
		forgive()
	case errors.As(failed, &fault):
		forgive()
		blocks("a block of %s ends in a fault")
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
	return strings.Contains(f.Msg, "at shared address") || strings.Contains(f.Msg, "at local address")
}
