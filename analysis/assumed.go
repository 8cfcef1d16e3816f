package analysis

import (
	"fmt"
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
