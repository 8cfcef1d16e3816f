package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// Error is one thing wrong with a manifest.
type Error struct {
	// File is the manifest as it was named; "" for one that was never a file.
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

// errorList collects errors up to MaxErrors.
type errorList struct {
	file string
	errs Errors
	// blanks are the paths at and below which nothing is wrong but that a
	// value is still to be filled in.
	blanks []string
}

func (l *errorList) fail(path, format string, args ...any) {
	l.add(&Error{l.file, path, fmt.Errorf(format, args...)})
}

func (l *errorList) add(err error) {
	if e, ok := err.(*Error); ok && slices.ContainsFunc(l.blanks, func(blank string) bool { return within(e.Path, blank) }) {
		return
	}
	switch n := len(l.errs); {
	case n < MaxErrors:
		l.errs = append(l.errs, err)
	case n == MaxErrors:
		l.errs = append(l.errs, &Error{File: l.file, Err: fmt.Errorf("more than %d errors; the others are not shown", MaxErrors)})
	}
}

// within reports whether a path is another one or leads into it.
func within(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// full reports whether further errors would not be shown.
func (l *errorList) full() bool { return len(l.errs) > MaxErrors }

func (l *errorList) err() error {
	if len(l.errs) == 0 {
		return nil
	}
	return l.errs
}

// Errorf returns an error about the part of the manifest at a JSON path, for
// callers that find what only they can know.
func (m *Manifest) Errorf(path, format string, args ...any) error {
	return &Error{m.File, path, fmt.Errorf(format, args...)}
}
