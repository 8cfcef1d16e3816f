package analysis

import (
	"fmt"
	"regexp"
	"strings"
)

// explainAssumed says in assumed_inputs on what the assumed decisions and
// addresses of a manifest's launch rest: the buffers without contents from which this launch
// or an earlier one has read; else what the kernel itself never wrote.
func (s *Session) explainAssumed(lp *LaunchProfile) {
	if lp.Exactness != "assumed" || lp.AssumedInputs != "" {
		return
	}
	var names []string
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
	if len(names) == 0 {
		names = []string{"registers, shared or local memory read before they are written"}
	}
	lp.AssumedInputs = strings.Join(names, "; ")
}

// parameter are the names that compilers give: the kernel's, mangled, and a
// position.
var parameter = regexp.MustCompile(`^.+_(param_\d+)$`)

// BriefAssumptions is a row's assumed_inputs for the eye: parameters of which the
// same was assumed are one phrase with their number and the names of the first.
// The column has all of them whole.
func BriefAssumptions(text string) string {
	type group struct {
		what  string // the phrase as it is, or what the names have in common
		noun  string // "" for a phrase
		names []string
	}
	var groups []*group
	for phrase := range strings.SplitSeq(text, "; ") {
		g := &group{what: phrase}
		name, value, isValue := strings.Cut(phrase, "=")
		buffer, noInit := strings.CutSuffix(phrase, " has no init")
		switch {
		case noInit:
			g = &group{" without init", "buffer", []string{buffer}}
		case !isValue || name == "grid" || name == "block" || name == "dynamic_shared":
		case value == "buffer of unspecified contents":
			g = &group{" to unspecified contents", "pointer", []string{name}}
		case strings.HasSuffix(value, " zero bytes"):
			g = &group{" of " + value, "struct", []string{name}}
		default:
			g = &group{" = " + value, "scalar", []string{name}}
		}
		same := false
		for _, old := range groups {
			if same = g.noun != "" && old.noun == g.noun && old.what == g.what; same {
				old.names = append(old.names, g.names...)
				break
			}
		}
		if !same {
			groups = append(groups, g)
		}
	}
	const named = 3
	var phrases []string
	for _, g := range groups {
		for i, name := range g.names {
			if m := parameter.FindStringSubmatch(name); m != nil {
				name = m[1]
			}
			g.names[i] = shorten(Demangle(name), leastName)
		}
		switch n := len(g.names); {
		case n == 0:
			phrases = append(phrases, g.what)
		case n == 1 && g.noun == "scalar":
			phrases = append(phrases, g.names[0]+strings.Replace(g.what, " = ", "=", 1))
		case n == 1:
			phrases = append(phrases, g.noun+" "+g.names[0]+g.what)
		default:
			if n > named {
				g.names = append(g.names[:named:named], "...")
			}
			phrases = append(phrases, fmt.Sprintf("%d %ss%s (%s)", n, g.noun, g.what, strings.Join(g.names, ", ")))
		}
	}
	return strings.Join(phrases, "; ")
}
