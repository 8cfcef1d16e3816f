package analysis

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hyptx/depgraph"
	"hyptx/internal/manifest"
	"hyptx/ir"
)

// A user asks for some of a network's launches, but launches depend on each other: the
// tenth may loop as often as a word says that the third one wrote. So choosing is two
// things. Which launches get a row follows from the options. What has to run for these
// rows to be right follows from the slices: of the chosen launches what decides them,
// of earlier ones what stores what these read, of all others nothing. A row is the same
// whether it was chosen alone or with all others; a test holds that.

// chosen tells of every launch whether it gets a row: those of
// Options.Kernel that Options.Launch names. It is an error if one of the names
// means no launch.
func (s *Session) chosen() ([]bool, error) {
	if len(s.launches) == 0 {
		return nil, fmt.Errorf("%s: there is no launch", s.Manifest.File)
	}
	o := s.Options
	var kernels []*ir.Func // by name
	for _, l := range s.launches {
		if !slices.ContainsFunc(kernels, func(k *ir.Func) bool { return k.Name == l.kernel.Name }) {
			kernels = append(kernels, l.kernel)
		}
	}
	only, err := kernelNamed(o.Kernel, kernels)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Manifest.File, err)
	}
	out := make([]bool, len(s.launches))
	if err := s.chooseLaunches(out, s.Options.Launch); err != nil {
		return nil, fmt.Errorf("%s: option launch: %w", s.Manifest.File, err)
	}
	for i, l := range s.launches {
		out[i] = out[i] && (only == "" || only == l.kernel.Name)
	}
	if !slices.Contains(out, true) {
		return nil, fmt.Errorf("%s: none of the launches %s is of kernel %s", s.Manifest.File, o.Launch, o.Kernel)
	}
	return out, nil
}

// kernelNamed returns the PTX name of the one of kernels that a user means by
// option kernel, "" for all of them if that is "".
func kernelNamed(want string, kernels []*ir.Func) (string, error) {
	if want == "" {
		return "", nil
	}
	k, err := matchKernel(want, kernels)
	if none := (*manifest.NoKernelError)(nil); errors.As(err, &none) {
		none.Chosen = true
	}
	if err != nil {
		return "", err
	}
	return k.Name, nil
}

// kernelOf finds a module's kernel: by its PTX name at once, as a file may have thousands,
// each of which is looked for.
func kernelOf(m *ir.Module, want string) (*ir.Func, error) {
	if k := m.Func(want); k != nil && k.Kernel && (k.Defined || k.Refused != nil) {
		return k, nil
	}
	return matchKernel(want, m.Kernels())
}

// matchKernel finds a kernel by its PTX name, its demangled name or an unambiguous
// part of it.
func matchKernel(want string, kernels []*ir.Func) (*ir.Func, error) {
	names := make([]string, len(kernels))
	for i, k := range kernels {
		names[i] = k.Name
	}
	i, err := manifest.MatchKernel(want, names, Demangle)
	if err != nil {
		return nil, err
	}
	return kernels[i], nil
}

// refusal says why a kernel cannot be launched, nil if it can: in a line where there
// are other kernels, for of a file's errors `hyptx parse` tells more.
func refusal(k *ir.Func) error {
	switch {
	case k.Refused == nil:
		return nil
	case len(k.Module.Kernels()) == 1:
		return k.Refused
	}
	more := ""
	if n := len(k.Refused) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more: hyptx parse %s)", n, k.Module.File)
	}
	return fmt.Errorf("kernel %s is refused: %w%s", k.Name, k.Refused[0], more)
}

// RangeError says that a range in Options.Launch is empty, whatever the
// launches are.
type RangeError struct{ Range string }

func (e *RangeError) Error() string { return fmt.Sprintf("the range %s is empty", e.Range) }

// chooseLaunches marks the launches that somebody wants: a label, or a
// list of labels, numbers and ranges of numbers; all if it is empty.
func (s *Session) chooseLaunches(out []bool, want string) error {
	for i := range out {
		out[i] = want == ""
	}
	if want == "" || s.chooseLabel(out, want) {
		return nil
	}
	for item := range strings.SplitSeq(want, ",") {
		item = strings.TrimSpace(item)
		if s.chooseLabel(out, item) {
			continue
		}
		first, last, isRange := strings.Cut(item, "-")
		if !isRange {
			last = first
		}
		low, err1 := strconv.Atoi(strings.TrimSpace(first))
		high, err2 := strconv.Atoi(strings.TrimSpace(last))
		switch {
		case err1 != nil || err2 != nil:
			return fmt.Errorf("%q is no label of a launch; give labels, numbers (the last one is %d), or ranges of them, as 0,7-9", item, len(out)-1)
		case low > high:
			return &RangeError{item}
		case high >= len(out):
			return fmt.Errorf("there is no launch %d; the launches are 0 to %d", high, len(out)-1)
		}
		for i := low; i <= high; i++ {
			out[i] = true
		}
	}
	return nil
}

// chooseLabel marks the launches of a label and reports whether there are any.
func (s *Session) chooseLabel(out []bool, label string) (found bool) {
	for i, l := range s.launches {
		if label != "" && l.launch.Label == label {
			out[i], found = true, true
		}
	}
	return found
}

// narrowed returns what has to run of each launch to have the rows of the
// chosen ones; nil for a launch that none of them depends on. all are the
// slices for the whole program.
func (s *Session) narrowed(all []*depgraph.Filtered, chosen []bool) []*depgraph.Filtered {
	if !slices.Contains(chosen, false) {
		return all
	}
	if s.Options.Mode != Full {
		return s.plan(chosen)
	}
	// Full mode is asked for values, too, which any earlier store may give.
	runs := slices.Clone(all)
	for i := len(runs) - 1; i >= 0 && !chosen[i]; i-- {
		runs[i] = nil
	}
	return runs
}
