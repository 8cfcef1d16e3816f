package analysis

import (
	"errors"
	"slices"

	"hyptx/depgraph"
)

// A launch that fails (a fault, a limit, an instruction that cannot be executed) costs
// its own figures and no others: of 75 launches with a wrong one, 74 have counts. Its
// row has the reason in column error and no counts, totals leave it out and say how
// many they lack, and the program's error names each.
//
// What it had written by then stays in memory, and the launches after it run on that.
// Most do not notice: the slice of a launch of a network reads nothing that another
// launch has computed. Where a slice may read what the failed launch was to write, a
// decision may be another, so that the counts are assumed; and what such a launch
// writes in turn is as doubtful. Which CTAs had run when one failed is what the schedule
// says, whatever Options.Jobs is.

// failures are the launches of a program that failed.
type failures struct {
	errs []error
	// doubtful are the slices of those and of the ones that rest on them; by names
	// the failed ones.
	doubtful []*depgraph.Filtered
	by       string
}

// add notes that a launch, of which slice f was run, failed.
func (x *failures) add(lp *LaunchProfile, f *depgraph.Filtered, err error) {
	x.errs, x.doubtful = append(x.errs, err), append(x.doubtful, f)
	if x.by != "" {
		x.by += ", "
	}
	x.by += lp.Name()
}

// mark says of a launch's counts that they are assumed if slice f may read what a
// failed launch was to write. The host's copies move bytes between buffers, which is
// not followed: if there are any, every read of global memory may be one.
func (x *failures) mark(lp *LaunchProfile, f *depgraph.Filtered, copies bool) {
	if lp.outcome == nil || x.errs == nil || !(copies && f.ReadsGlobal() || slices.ContainsFunc(x.doubtful, f.Reads)) {
		return
	}
	x.doubtful = append(x.doubtful, f)
	lp.assume("what failed before may write what is read (launch " + x.by + ")")
}

// join adds the failures to an error that came after them.
func (x *failures) join(err error) error { return errors.Join(append(x.errs, err)...) }

// assume says of a launch's counts that they rest on something assumed.
func (lp *LaunchProfile) assume(what string) {
	lp.Exactness = assumedCounts
	if lp.MemoryExactness != "" {
		lp.MemoryExactness = assumedCounts
	}
	if lp.AssumedInputs != "" {
		what = lp.AssumedInputs + "; " + what
	}
	lp.AssumedInputs = what
}

// Complete reports whether the program ran to its end, so that there is a total:
// launches that failed are not in it.
func (p *Profile) Complete() bool { return p.complete }

// Ended returns how many launches were counted to their ends, and how many failed.
func (p *Profile) Ended() (counted, failed int) { return p.of.counted, p.of.failed }
