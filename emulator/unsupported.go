package emulator

import (
	"strings"

	"hyptx/ir/isa"
)

// unsupported are the forms that hyptx reads and counts, but does not execute:
// prefixes of their syntax with the reason. Where one of them is to be executed
// (in full mode always, in control mode where a decision depends on it), Compile
// is an error before anything runs. Everything else has semantics, in
// all its spellings; a test holds both.
var unsupported = []struct {
	prefix string
	typ    isa.Type // only with this type; NoType for all
	reason string
}{
	{"cvta.", isa.U32, narrowAddress},
	{"cvt.rs{", isa.NoType, "which random bits round which element is not settled"},
	{"stmatrix.sync.aligned.m16n8", isa.NoType, "which lane holds which bytes is not settled"},
	{"barrier.cluster.", isa.NoType, "launches have no clusters"},
	{"stacksave", isa.NoType, stackFixed},
	{"stackrestore", isa.NoType, stackFixed},
	{"alloca", isa.NoType, stackFixed},
}

const (
	narrowAddress = "generic addresses have 64 bits here"
	stackFixed    = "a thread's stack is laid out before it runs"
)

// Unsupported returns why a form is not executed, "" if it is.
func Unsupported(f *isa.Form) string { return whyNot(f, isa.NoType) }

// whyNot returns why a form is not executed with a type; NoType stands for those
// types of which nothing in particular is said.
func whyNot(f *isa.Form, t isa.Type) string {
	for _, u := range unsupported {
		if (u.typ == isa.NoType || u.typ == t) && strings.HasPrefix(f.Syntax, u.prefix) {
			return u.reason
		}
	}
	return ""
}
