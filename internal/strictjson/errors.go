package strictjson

import (
	"fmt"
	"slices"
	"strings"
)

// Error is one thing wrong with a file.
type Error struct {
	// File as it was named; "" for a text that was never a file.
	File string
	// Path is the JSON path within it: launches[3].args[1].
	Path string
	Err  error
}

// Error returns "file: path: what".
func (e *Error) Error() string {
	var b strings.Builder
	for _, s := range []string{e.File, e.Path} {
		if s != "" {
			b.WriteString(s)
			b.WriteString(": ")
		}
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns what is wrong without its place.
func (e *Error) Unwrap() error { return e.Err }

// Errors are several independent errors, in the order in which they were
// found.
type Errors []error

// Error returns one line for each error.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, err := range e {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the single errors.
func (e Errors) Unwrap() []error { return e }

// MaxErrors is how many errors one reading reports.
const MaxErrors = 50

// List gathers the errors of one file, up to [MaxErrors]: who writes a file by
// hand wants to see all that is wrong, but not a million times the same.
type List struct {
	File string
	// Silent are paths at and below which errors are not told, because the
	// caller reports these places himself.
	Silent []string

	errs Errors
	// failed counts what went wrong, told or not.
	failed int
}

// Watch returns a function that reports whether all went well since. Reading
// goes on after an error, with zeros for what could not be read; who would build
// on them asks first:
//
//	sound := errs.Watch()
//	bytes, size := o.Integer("bytes", 1, most, 0), o.Integer("size", 1, 8, 1)
//	if sound() && bytes%size != 0 {
//
// Errors that are not shown, being silent or too many, count as well.
func (l *List) Watch() (sound func() bool) {
	before := l.failed
	return func() bool { return l.failed == before }
}

// Fail adds an error at a path.
func (l *List) Fail(path, format string, args ...any) {
	if l.failed++; !l.Full() {
		l.Add(&Error{l.File, path, fmt.Errorf(format, args...)})
	}
}

// Add adds an error that says itself where it is.
func (l *List) Add(err error) {
	l.failed++
	if e, ok := err.(*Error); ok && slices.ContainsFunc(l.Silent, func(outer string) bool { return within(e.Path, outer) }) {
		return
	}
	switch n := len(l.errs); {
	case n < MaxErrors:
		l.errs = append(l.errs, err)
	case n == MaxErrors:
		l.errs = append(l.errs, &Error{File: l.File, Err: fmt.Errorf("more than %d errors; the others are not shown", MaxErrors)})
	}
}

// Full reports whether further errors would not be shown.
func (l *List) Full() bool { return len(l.errs) > MaxErrors }

// Err returns all errors as [Errors], nil if there are none.
func (l *List) Err() error {
	if len(l.errs) == 0 {
		return nil
	}
	return l.errs
}

// Expect reports whether n is of a kind; if not, that is an error.
func (l *List) Expect(n *Node, path string, kind Kind) bool {
	if n.Kind == kind {
		return true
	}
	what := n.Kind.String()
	if n.Kind == String && len(n.Text) < 30 {
		what = fmt.Sprintf("the string %q", n.Text)
	}
	l.Fail(path, "must be %s, not %s", kind, what)
	return false
}
