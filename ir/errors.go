package ir

import (
	"errors"
	"fmt"

	"hyptx/parser"
)

// maxErrors is the number of errors after which lowering a body gives up, and that
// are told of a file.
const maxErrors = 50

// full reports whether there are enough errors.
func (l *lowerer) full() bool { return len(l.errs) >= l.most }

// errorf reports an error at a place.
func (l *lowerer) errorf(pos parser.Pos, format string, args ...any) {
	if !l.full() {
		l.errs = append(l.errs, &parser.Error{File: l.m.File, Pos: pos, Msg: fmt.Sprintf(format, args...)})
	}
}

// fail reports err at the place that it knows, else at pos.
func (l *lowerer) fail(pos parser.Pos, err error) {
	var e *exprError
	if errors.As(err, &e) && e.pos != (parser.Pos{}) {
		pos = e.pos
	}
	l.errorf(pos, "%v", err)
}

// refuse reports an error about an operand, of which there is none then.
func (fl *funcLowerer) refuse(pos parser.Pos, format string, args ...any) (Operand, bool) {
	fl.errorf(pos, format, args...)
	return Operand{}, false
}
