package ir

import (
	"fmt"

	"hyptx/parser"
)

// What is wrong by the manual and still has one meaning: a version or a target that
// is too old for an instruction, and what ptxas takes although the manual does not
// have it. Real files have such things: hand-written ones whose .version nobody
// raised, and what a compiler prints for a ptxas that it knows. They are errors by
// default, for a program that ptxas refuses has no counts; Lenient makes warnings of
// them. What has no meaning, an opcode that nobody knows, stays an error.

// Option changes what [Lower] takes.
type Option func(*lowerer)

// Lenient makes warnings ([Module.Warnings]) of versions and targets that an
// instruction does not have, and of what ptxas takes beyond the manual.
func Lenient(l *lowerer) { l.lenient = true }

// overlook reports whether work goes on after what is said: with a warning, told once
// of a module in the same words, or not at all, with an error.
func (l *lowerer) overlook(pos parser.Pos, format string, args ...any) bool {
	if !l.lenient {
		l.errorf(pos, format, args...)
		return false
	}
	msg := fmt.Sprintf(format, args...)
	if !l.warned[msg] && len(l.m.Warnings) < maxErrors {
		if l.warned == nil {
			l.warned = map[string]bool{}
		}
		l.warned[msg] = true
		l.m.Warnings = append(l.m.Warnings, &parser.Error{File: l.m.File, Pos: pos, Msg: msg})
	}
	return true
}

// lenientHint is for messages of what a later version or target has: compilers write what
// ptxas takes under an older one.
func (l *lowerer) lenientHint() string {
	if l.lenient {
		return ""
	}
	return "; option lenient makes this a warning"
}
