package manifest

import (
	"strings"

	"hyptx/internal/strictjson"
)

// A manifest that [New] wrote is no manifest yet. If its blanks were values, as 1
// or 1024, it would run as it is, and nobody would see in the result that a grid
// was never given. So blanks are strings that no key takes. Every other error in
// the file is told as well, but not "must be a number" for a blank: Parse looks
// for blanks first and keeps the list of errors silent about these places.

// fillIn begins a string that stands for what nobody has given yet. [New]
// writes such strings, with what belongs there behind it; a manifest that still
// has one is refused.
const fillIn = "FILL IN"

// blank is a place that is still to be filled in, and with what.
type blank struct{ path, what string }

// unfilled returns what is still to be filled in below a node; meta is free.
func unfilled(n *strictjson.Node, path string) (list []blank) {
	if n.Kind == strictjson.String && strings.HasPrefix(n.Text, fillIn) {
		what := strings.TrimPrefix(strings.TrimPrefix(n.Text, fillIn), ": ")
		if what == "" {
			what = "a value"
		}
		list = append(list, blank{path, what})
	}
	for i, e := range n.List {
		if n.Kind == strictjson.Array {
			list = append(list, unfilled(e, strictjson.ElementPath(path, i))...)
		} else if path != "" || n.Keys[i] != "meta" {
			list = append(list, unfilled(e, strictjson.KeyPath(path, n.Keys[i]))...)
		}
	}
	return list
}

// mostBlanks is how many blanks are listed one by one.
const mostBlanks = 10

// toFill reports what is still to be filled in, behind what is wrong.
func (r *reader) toFill(list []blank) {
	r.Silent = nil
	for i, b := range list {
		if i == mostBlanks {
			r.Fail("", "and %d more to be filled in", len(list)-i)
			return
		}
		r.Fail(b.path, "still to be filled in: %s", clipText(b.what))
	}
}

// clipText shortens a text for a message.
func clipText(s string) string {
	if len(s) > strictjson.MostQuoted {
		return s[:strictjson.MostQuoted] + "..."
	}
	return s
}
