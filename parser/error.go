package parser

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Error is one fault of a source text: where it stands, what is wrong, and
// what would be right.
type Error struct {
	File string
	Pos  Pos
	Msg  string
}

// maxMsg is how much of a message is shown, in bytes: it may quote a name of any length.
const maxMsg = 2000

// Error formats e as "file:line:col: message".
func (e *Error) Error() string {
	msg := e.Msg
	if len(msg) > maxMsg {
		msg = strings.ToValidUTF8(msg[:maxMsg/2], "") + "..." + strings.ToValidUTF8(msg[len(msg)-maxMsg/2:], "")
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Pos.Line, e.Pos.Col, msg)
}

// ErrorList is the faults of one source text in the order of their places; it
// is what [Parse] returns as its error.
type ErrorList []*Error

// Error puts one fault on a line.
func (l ErrorList) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find a single [Error].
func (l ErrorList) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

// add takes an error unless there are too many.
func (l *ErrorList) add(e *Error) {
	if len(*l) < maxErrors {
		*l = append(*l, e)
	}
}

func (l ErrorList) sort() {
	slices.SortStableFunc(l, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
}
