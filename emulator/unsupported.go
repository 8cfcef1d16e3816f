package emulator

import (
	"slices"
	"strings"

	"hyptx/ir/isa"
)

// unsupported are the forms that hyptx reads and counts, but does not execute:
// prefixes of their syntax, or parts of it, with the reason. Where one of them is to
// be executed (in full mode always, in control mode where a decision depends on it),
// Compile is an error before anything runs. Everything else has semantics, in
// all its spellings; a test holds both.
var unsupported = []struct {
	prefix string
	part   string   // what the syntax must contain, too
	typ    isa.Type // only with this type; NoType for all
	reason string
}{
	{"createpolicy.range.fabric", "", isa.NoType, "there are no other GPUs"}, {"fence.proxy.fabric", "", isa.NoType, "there are no other GPUs"},
	{"fabric.", "", isa.NoType, "there are no other GPUs"},
}

// unsupportedSpellings are spellings of forms of which others are executed: those with
// a modifier.
var unsupportedSpellings = []struct{ prefix, mod, reason string }{
	{"tcgen05.mma.sp", "ashift", "whether the metadata move with the rows of A is not settled"},
}

// computesF64 reports whether an instruction computes with double precision, and does
// not only move its values.
func computesF64(in *isa.Inst) bool {
	return slices.Contains(in.Types[:], isa.F64) && in.Form.Class != isa.ComputeLdSt && in.Form.Class != isa.Misc
}

// NotExecuted returns why an instruction is not executed, "" if it is. Where the target
// is one without double precision (map_f64_to_f32) there may be other reasons.
func NotExecuted(in *isa.Inst) string {
	return whyNot(in.Form, in.Type(), in.Mods)
}

// Unsupported returns why a form is not executed in any spelling, "" if it is.
func Unsupported(f *isa.Form) string { return whyNot(f, isa.NoType, nil) }

// whyNot returns why a form is not executed with a type and modifiers; NoType stands for
// those types of which nothing in particular is said.
func whyNot(f *isa.Form, t isa.Type, mods []isa.Mod) string {
	for _, u := range unsupported {
		if (u.typ == isa.NoType || u.typ == t) && strings.HasPrefix(f.Syntax, u.prefix) && strings.Contains(f.Syntax, u.part) {
			return u.reason
		}
	}
	for _, u := range unsupportedSpellings {
		if strings.HasPrefix(f.Syntax, u.prefix) && slices.ContainsFunc(mods, func(m isa.Mod) bool { return m.String() == u.mod }) {
			return u.reason
		}
	}
	return ""
}
