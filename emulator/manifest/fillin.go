package manifest

import (
	"fmt"
	"strings"
)

// fillIn begins a string that stands for what nobody has given yet. [New]
// writes such strings, with what belongs there behind it; a manifest that still
// has one is refused.
const fillIn = "FILL IN"

func toFillIn(format string, args ...any) string {
	return fillIn + ": " + fmt.Sprintf(format, args...)
}

// unfilled reports what is still to be filled in below a node; meta is free.
func (r *reader) unfilled(n *node, at *trail) {
	if n.kind == stringNode && strings.HasPrefix(n.text, fillIn) {
		what := strings.TrimPrefix(strings.TrimPrefix(n.text, fillIn), ": ")
		if what == "" {
			what = "a value"
		}
		r.fail(at.String(), "still to be filled in: %s", clipText(what))
	}
	for i, e := range n.list {
		if n.kind == listNode {
			r.unfilled(e, &trail{at, "", i})
		} else if at != nil || n.keys[i] != "meta" {
			r.unfilled(e, &trail{at, n.keys[i], -1})
		}
	}
}

// clipText shortens a text for a message.
func clipText(s string) string {
	if len(s) > mostQuoted {
		return s[:mostQuoted] + "..."
	}
	return s
}
