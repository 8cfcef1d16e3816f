package analysis

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hyptx/emulator"
	"hyptx/internal/table"
)

// An answer that rests on a guess must say so where the answer stands. A row has two
// columns for that. `exactness` says whether anything that was counted depends on what
// nobody gave: contents of a buffer that no launch wrote before, a scalar of a bare file
// that got 1024, a grid, a structure. `assumed_inputs` names it. The first is found by
// following origins through the slice, so that a guess which decides nothing leaves a
// launch exact; the second is for people.
//
// What nobody gave reads as zero (1024 for scalars of a bare file) in every mode, so
// that the modes agree, also where all of them are wrong.

// explainAssumed says in assumed_inputs on what the assumed decisions and
// addresses of a manifest's launch rest: structures of which it gives no more than
// their size, and the buffers without contents from which this launch or an earlier
// one has read; else what the kernel itself never wrote.
func (s *Session) explainAssumed(lp *LaunchProfile) {
	var beside []string
	if lp.outcome.forgiven > 0 {
		beside = append(beside, "accesses that hit no memory read 0")
	}
	if lp.Facts.Of(LibraryCalls).N > 0 || usesHeap(lp.Kernel) {
		beside = append(beside, "what functions of CUDA's execute is not counted (library_calls)")
	}
	switch {
	case lp.AllExactness() != assumedCounts:
		return
	case lp.AssumedInputs != "":
		lp.AssumedInputs = strings.Join(append([]string{lp.AssumedInputs}, beside...), "; ")
		return
	}
	names := append(slices.Clone(lp.plan.block.Structs), s.unbound(lp.Kernel)...)
	for _, b := range s.Manifest.Buffers {
		if !s.memory[b].ReadUnspecified {
			continue
		}
		if b.Specified() {
			names = append(names, fmt.Sprintf("%s holds a copy of unspecified contents", b.Path))
		} else {
			names = append(names, fmt.Sprintf("%s has no init", b.Path))
		}
	}
	if s := lp.unexpectedStores(); s != "" {
		names = append(names, s)
	}
	names = append(names, beside...)
	if len(names) == 0 {
		names = []string{"registers, shared or local memory read before they are written"}
	}
	lp.AssumedInputs = strings.Join(names, "; ")
}

// onAssumed says on what assumptions an error of a launch rests, and which options give what
// nobody gave; "" if it may not rest on any.
func (s *Session) onAssumed(err error) string {
	fault, deadlock := (*emulator.Fault)(nil), (*emulator.DeadlockError)(nil)
	if len(s.Assumed) == 0 || !errors.As(err, &fault) && !errors.As(err, &deadlock) && !overran(err) {
		return ""
	}
	var options []string
	for _, phrase := range s.Assumed {
		name, _, given := strings.Cut(phrase, "=")
		option := "option arg"
		if name == "grid" || name == "block" || name == "dynamic_shared" {
			option = "option " + strings.ReplaceAll(name, "_", "-")
		}
		if given && !slices.Contains(options, option) {
			options = append(options, option)
		}
	}
	text := "assumed are " + strings.ReplaceAll(BriefAssumptions(strings.Join(s.Assumed, "; ")), "; ", ", ")
	if len(options) > 0 {
		text += ", which can be given with " + strings.Join(options, ", ")
	}
	return text
}

// parameter are the names that compilers give: the kernel's, mangled, and a
// position.
var parameter = regexp.MustCompile(`^.+_(param_\d+)$`)

// assumption is what is the same of one or several inputs.
type assumption struct {
	noun  string // what the inputs are; "" for a phrase that stays as it is
	what  string // what was assumed of them, or the phrase
	names []string
}

// mostNamed is how many inputs of an assumption are named.
const mostNamed = 3

// BriefAssumptions is a row's assumed_inputs for the eye: inputs of which the same
// was assumed are one phrase with their number and the names of the first. The
// column has all of them whole.
func BriefAssumptions(text string) string {
	var all []*assumption
	for phrase := range strings.SplitSeq(text, "; ") {
		a := newAssumption(phrase)
		same := slices.IndexFunc(all, func(b *assumption) bool { return a.noun != "" && a.noun == b.noun && a.what == b.what })
		if same >= 0 {
			all[same].names = append(all[same].names, a.names...)
			continue
		}
		all = append(all, a)
	}
	phrases := make([]string, len(all))
	for i, a := range all {
		phrases[i] = a.String()
	}
	return strings.Join(phrases, "; ")
}

// zeroBytes ends the phrase of a structure that nobody gave, nothingKnown that of a
// texture or a surface.
const (
	zeroBytes    = " zero bytes"
	nothingKnown = " of which nothing is known"
)

// assumedStructs are the structures among several launches' assumed inputs, for
// the eye; "" if there are none.
func assumedStructs(reasons []string) string {
	var structs []string
	for phrase := range strings.SplitSeq(strings.Join(reasons, "; "), "; ") {
		if strings.HasSuffix(phrase, zeroBytes) && !slices.Contains(structs, phrase) {
			structs = append(structs, phrase)
		}
	}
	return BriefAssumptions(strings.Join(structs, "; "))
}

// newAssumption reads a phrase as package manifest and explainAssumed write it.
func newAssumption(phrase string) *assumption {
	if buffer, ok := strings.CutSuffix(phrase, " has no init"); ok {
		return &assumption{"buffer", " without init", []string{buffer}}
	}
	name, value, ok := strings.Cut(phrase, "=")
	switch {
	case !ok || name == "grid" || name == "block" || name == "dynamic_shared":
		return &assumption{what: phrase}
	case value == "buffer of unspecified contents":
		return &assumption{"pointer", " to unspecified contents", []string{name}}
	case strings.HasSuffix(value, nothingKnown):
		return &assumption{strings.TrimSuffix(value, nothingKnown), nothingKnown, []string{name}}
	case strings.HasSuffix(value, zeroBytes):
		return &assumption{"struct", " of " + value, []string{name}}
	}
	return &assumption{"scalar", " = " + value, []string{name}}
}

func (a *assumption) String() string {
	var names []string
	for i, name := range a.names {
		if i == mostNamed {
			names = append(names, "...")
			break
		}
		if m := parameter.FindStringSubmatch(name); m != nil {
			name = m[1]
		}
		names = append(names, table.Shorten(Demangle(name), table.LeastName))
	}
	switch {
	case a.noun == "":
		return a.what
	case len(a.names) > 1:
		return fmt.Sprintf("%d %ss%s (%s)", len(a.names), a.noun, a.what, strings.Join(names, ", "))
	case a.noun == "scalar":
		return names[0] + "=" + strings.TrimPrefix(a.what, " = ")
	}
	return a.noun + " " + names[0] + a.what
}
