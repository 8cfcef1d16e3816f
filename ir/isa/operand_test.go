package isa

import (
	"strings"
	"testing"
)

// describe writes a form's operands in a fixed notation: name, kind, type,
// then w for written and the marks of the row.
func describe(in *Inst) string {
	var all []string
	for i := range in.Form.Operands {
		s := &in.Form.Operands[i]
		text := s.Name
		switch s.Kind {
		case Value:
			text += strings.ReplaceAll(in.OperandType(s).String(), ".", ":")
		case Address:
			text = "[" + text + "]"
		default:
			text += [...]string{"", "", ":imm", ":label", ":targets", ":func", ":args", ":policy"}[s.Kind]
		}
		for _, mark := range []struct {
			set  bool
			text string
		}{{s.Write, "!w"}, {s.Wider, ">"}, {s.Pair, "|p"}, {s.MayPair, "[|p]"}, {s.MayNot, "{!}"}, {s.Optional, "?"}} {
			if mark.set {
				text += mark.text
			}
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// TestOperands: the operands of one instruction of each shape, read off the
// manual's syntax and its text on types.
func TestOperands(t *testing.T) {
	for opcode, want := range map[string]string{
		"add.f32":                   "d:f32!w, a:f32, b:f32",
		"mad.wide.u16":              "d:u32!w, a:u16, b:u16, c:u32",
		"mul.wide.s32":              "d:s64!w, a:s32, b:s32",
		"shl.b64":                   "d:b64!w, a:b64, b:u32",
		"popc.b64":                  "d:u32!w, a:b64",
		"bfi.b64":                   "d:b64!w, a:b64, b:b64, pos:u32, len:u32",
		"setp.lt.and.f64":           "p:pred!w[|p], a:f64, b:f64, c:pred{!}",
		"setp.lt.f16x2":             "p:pred!w|p, a:f16x2, b:f16x2",
		"set.lt.u32.f32":            "d:u32!w, a:f32, b:f32",
		"slct.u64.f32":              "d:u64!w, a:u64, b:u64, c:f32",
		"lop3.or.b32":               "d:b32!w|p, a:b32, b:b32, c:b32, immLut:imm, q:pred",
		"min.f32":                   "d:f32!w, a:f32, b:f32, c:f32?",
		"cvt.rn.f16.f32":            "d:f16!w>, a:f32>",
		"cvt.rn.f16x2.f32":          "d:f16x2!w, a:f32, b:f32",
		"ld.global.v2.f32":          "d:f32!w>, [a], policy:policy?",
		"st.volatile.u8":            "[a], b:u8>",
		"mov.v4.u32":                "d:u32!w, a:u32",
		"cvta.to.global.u64":        "d:u64!w, a:u64",
		"shfl.sync.up.b32":          "d:b32!w[|p], a:b32, b:b32, c:b32, mask:b32",
		"vote.sync.ballot.b32":      "d:b32!w, a:pred{!}, mask:b32",
		"vote.sync.all.pred":        "p:pred!w, a:pred{!}, mask:b32",
		"match.all.sync.b64":        "d:b32!w[|p], a:b64, mask:b32",
		"elect.sync":                "d:b32!w|p, mask:b32",
		"bar.red.popc.u32":          "d:u32!w, a:u32, b:u32?, c:pred{!}",
		"barrier.sync":              "a:u32, b:u32?",
		"atom.cas.b16":              "d:b16!w, [a], b:b16, c:b16, policy:policy?",
		"red.add.f32":               "[a], b:f32, policy:policy?",
		"cp.async.ca.shared.global": "[dst], [src], size:imm, srcSize:u32?, policy:policy?",
		"bra":                       "target:label",
		"brx.idx":                   "index:u32, list:targets",
		"call.uni":                  "r:args!w?, f:func, a:args?, t:targets?",
		"ret":                       "",
		"mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32": "d:s32!w, a:b32, b:b32, c:s32",
	} {
		if got := describe(decode(t, opcode)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", opcode, got, want)
		}
	}
}

// TestFragments: the lengths of mma's operands follow from its shape: the
// warp's 32 lanes share the matrices evenly (PTX ISA 9.7.16.5.1 to .13).
func TestFragments(t *testing.T) {
	for _, f := range table().of(OpMma) {
		in := decode(t, f.spell(f.first(false)))
		m, n, k := shapeOf(t, in)
		products := 1
		if in.Types[1] == F16 && k == 4 {
			products = 4 // one in each quad pair (9.7.16.5.1)
		}
		for i, elements := range []int{m * n, m * k, n * k, m * n} {
			s := &f.Operands[i]
			register := in.OperandType(s)
			if want := products * elements * in.Types[i].Bits() / 32 / register.Bits(); s.Vector != want {
				t.Errorf("%s: operand %s has %d registers of %s, want %d", f.Syntax, s.Name, s.Vector, register, want)
			}
		}
	}
}

// shapeOf reads "m16n8k16" by its own means.
func shapeOf(t *testing.T, in *Inst) (m, n, k int) {
	t.Helper()
	for _, mod := range in.Mods {
		number := func(from, to string) int {
			_, rest, _ := strings.Cut(mod.String(), from)
			if to != "" {
				rest, _, _ = strings.Cut(rest, to)
			}
			n := 0
			for _, digit := range rest {
				n = 10*n + int(digit-'0')
			}
			return n
		}
		if s := mod.String(); s[0] == 'm' && strings.Contains(s, "n") && strings.Contains(s, "k") {
			return number("m", "n"), number("n", "k"), number("k", "")
		}
	}
	t.Fatalf("%s has no shape", in)
	return 0, 0, 0
}

// TestAccepts: register types against operands (PTX ISA 9.4, its table and
// 9.4.1 on wider registers).
func TestAccepts(t *testing.T) {
	for _, c := range []struct {
		opcode  string
		operand int
		yes, no string
	}{
		{"add.f32", 1, "f32 b32", "s32 u32 f64 b64 f16x2 pred"},
		{"add.s32", 1, "s32 u32 b32", "f32 s16 s64 u64"},
		{"and.b32", 1, "b32 u32 f32 f16x2", "b64 u16 pred"},
		{"and.pred", 1, "pred", "b8 b32"},
		{"add.f16", 1, "f16 b16", "f32 b32 u16"},
		{"fma.rn.bf16x2", 1, "b32", "u32 f32 f16x2"},
		{"add.u16x2", 1, "b32 u32 s32", "f32 u16"},
		{"ld.u8", 0, "u8 u16 u32 u64 s32 b8 b64", "f32 pred b128"},
		{"ld.f32", 0, "f32 b32 b64", "f64 u32 b16"},
		{"ld.b16", 0, "b16 u32 f32 f64 b64", "u8 pred"},
		{"ld.global.s64", 0, "s64 u64 b64", "s32 f64 b128"},
		{"cvt.rn.f16.f32", 0, "f16 b16 b32", "f32 u16"},
		{"cvt.u32.u64", 0, "u32 s64 b64", "f32 u16"},
		{"shl.b64", 2, "u32 b32 s32", "u64 u16"},
		{"mul.wide.s32", 0, "s64 u64 b64", "s32 f64"},
		{"isspacep.global", 1, "u64 u32 b64", "u16 f32"},
		{"cp.async.ca.shared.global", 3, "u32 b32 pred", "u64"},
		{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 1, "b32 f16x2", "f32 u32"},
	} {
		in := decode(t, c.opcode)
		spec := &in.Form.Operands[c.operand]
		for name := range strings.FieldsSeq(c.yes) {
			if !spec.Accepts(in, ParseType(name)) {
				t.Errorf("%s: operand %s does not accept .%s", c.opcode, spec.Name, name)
			}
		}
		for name := range strings.FieldsSeq(c.no) {
			if spec.Accepts(in, ParseType(name)) {
				t.Errorf("%s: operand %s accepts .%s", c.opcode, spec.Name, name)
			}
		}
	}
}

// TestTakes: a cache policy needs the modifier that announces it.
func TestTakes(t *testing.T) {
	for opcode, want := range map[string]bool{"ld.global.f32": false, "ld.global.L2::cache_hint.f32": true} {
		in := decode(t, opcode)
		policy := &in.Form.Operands[2]
		if in.Takes(policy) != want || !in.Takes(&in.Form.Operands[0]) {
			t.Errorf("%s takes a policy: %v", opcode, in.Takes(policy))
		}
	}
}
