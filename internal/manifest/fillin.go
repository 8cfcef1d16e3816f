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

// blank is a place that is still to be filled in, and with what.
type blank struct{ path, what string }

// unfilled returns what is still to be filled in below a node; meta is free.
func (r *reader) unfilled(n *node, at *trail) (list []blank) {
	if n.kind == stringNode && strings.HasPrefix(n.text, fillIn) {
		what := strings.TrimPrefix(strings.TrimPrefix(n.text, fillIn), ": ")
		if what == "" {
			what = "a value"
		}
		list = append(list, blank{at.String(), what})
	}
	for i, e := range n.list {
		if n.kind == listNode {
			list = append(list, r.unfilled(e, &trail{at, "", i})...)
		} else if at != nil || n.keys[i] != "meta" {
			list = append(list, r.unfilled(e, &trail{at, n.keys[i], -1})...)
		}
	}
	return list
}

// mostBlanks is how many blanks are listed one by one.
const mostBlanks = 10

// toFill reports what is still to be filled in, behind what is wrong.
func (r *reader) toFill(list []blank) {
	r.blanks = nil
	for i, b := range list {
		if i == mostBlanks {
			r.fail("", "and %d more to be filled in", len(list)-i)
			return
		}
		r.fail(b.path, "still to be filled in: %s", clipText(b.what))
	}
}

// clipText shortens a text for a message.
func clipText(s string) string {
	if len(s) > mostQuoted {
		return s[:mostQuoted] + "..."
	}
	return s
}
