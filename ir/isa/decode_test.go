package isa

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
)

func decode(t *testing.T, opcode string) *Inst {
	t.Helper()
	in, err := Decode(opcode)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestOrderFree: spellings that ptxas 13.0 accepted, or that compilers print,
// mean what the manual's order means.
func TestOrderFree(t *testing.T) {
	for other, manual := range map[string]string{
		"ld.global.relaxed.gpu.b32":                      "ld.relaxed.gpu.global.b32",
		"ld.global.nc.ca.b32":                            "ld.global.ca.nc.b32",
		"lop3.b32.and":                                   "lop3.and.b32",
		"add.rn.sat.ftz.f32":                             "add.rn.ftz.sat.f32",
		"cvt.rn.relu.satfinite.tf32.f32":                 "cvt.rn.satfinite.relu.tf32.f32",
		"setp.ftz.gt.f32":                                "setp.gt.ftz.f32",
		"red.add.global.relaxed.gpu.f64":                 "red.relaxed.gpu.global.add.f64",
		"atom.add.relaxed.cta.u64":                       "atom.relaxed.cta.add.u64",
		"ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16": "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
		"match.sync.any.b32":                             "match.any.sync.b32",
		"prmt.f4e.b32":                                   "prmt.b32.f4e",
		"mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32.satfinite": "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32",
	} {
		a, b := decode(t, other), decode(t, manual)
		if a.Form != b.Form || a.Types != b.Types || a.Space != b.Space || a.Sem != b.Sem || a.Scope != b.Scope ||
			a.Sub != b.Sub || a.Cmp != b.Cmp || a.Bool != b.Bool || a.Rnd != b.Rnd || a.Vec != b.Vec {
			t.Errorf("%s: %+v\n%s: %+v", other, a, manual, b)
		}
	}
	// Types keep their order: these are two conversions.
	if a, b := decode(t, "cvt.f32.f16"), decode(t, "cvt.rn.f16.f32"); a.Types != [5]Type{F32, F16} || b.Types != [5]Type{F16, F32} {
		t.Errorf("types are %v and %v", a.Types, b.Types)
	}
}

// TestFields: what the modifiers of an opcode set.
func TestFields(t *testing.T) {
	for _, c := range []struct {
		opcode string
		want   Inst
	}{
		{"ld.global.v4.f32", Inst{Op: OpLd, Types: [5]Type{F32}, Space: Global, Vec: 4}},
		{"ld.global.v8.f32", Inst{Op: OpLd, Types: [5]Type{F32}, Space: Global, Vec: 8}},
		{"st.global.v4.b64", Inst{Op: OpSt, Types: [5]Type{B64}, Space: Global, Vec: 4}},
		{"ld.f32", Inst{Op: OpLd, Types: [5]Type{F32}, Vec: 1}},
		{"ld.shared::cta.u8", Inst{Op: OpLd, Types: [5]Type{U8}, Space: Shared, Vec: 1}},
		{"ld.acquire.gpu.global.u32", Inst{Op: OpLd, Types: [5]Type{U32}, Space: Global, Sem: Acquire, Scope: GPU, Vec: 1}},
		{"ld.mmio.relaxed.sys.global.u32", Inst{Op: OpLd, Types: [5]Type{U32}, Space: Global, Sem: MMIO, Scope: Sys, Vec: 1}},
		{"cp.async.cg.shared.global.L2::128B", Inst{Op: OpCpAsync, Space: Shared, Space2: Global, Vec: 1}},
		{"mul.wide.s32", Inst{Op: OpMul, Types: [5]Type{S32}, Mul: WIDE, Vec: 1}},
		{"mad.hi.sat.s32", Inst{Op: OpMad, Types: [5]Type{S32}, Mul: HI_, Vec: 1}},
		{"setp.hi.and.u32", Inst{Op: OpSetp, Types: [5]Type{U32}, Cmp: HI, Bool: AND, Vec: 1}},
		{"set.nan.s32.f32", Inst{Op: OpSet, Types: [5]Type{S32, F32}, Cmp: NAN, Vec: 1}},
		{"fma.rm.f32", Inst{Op: OpFma, Types: [5]Type{F32}, Rnd: RM, Vec: 1}},
		{"cvt.rzi.s32.f64", Inst{Op: OpCvt, Types: [5]Type{S32, F64}, Rnd: RZI, Vec: 1}},
		{"atom.global.cas.b64", Inst{Op: OpAtom, Types: [5]Type{B64}, Space: Global, Sub: modCas, Vec: 1}},
		{"shfl.sync.bfly.b32", Inst{Op: OpShfl, Types: [5]Type{B32}, Sub: modBfly, Vec: 1}},
		{"bar.red.and.pred", Inst{Op: OpBar, Types: [5]Type{Pred}, Bool: AND, Vec: 1}},
		{"membar.gl", Inst{Op: OpMembar, Scope: GPU, Vec: 1}},
		{"shf.l.wrap.b32", Inst{Op: OpShf, Types: [5]Type{B32}, Sub: ModWrap, Vec: 1}},
		{"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", Inst{Op: OpMma, Types: [5]Type{F32, BF16, BF16, F32}, Vec: 1}},
	} {
		got := *decode(t, c.opcode)
		if got.String() != c.opcode {
			t.Errorf("%s prints as %s", c.opcode, &got)
		}
		got.Form, got.Mods, got.Opcode = nil, nil, ""
		if !sameFields(&got, &c.want) {
			t.Errorf("%s: %+v, want %+v", c.opcode, got, c.want)
		}
	}
}

func sameFields(a, b *Inst) bool {
	return a.Op == b.Op && a.Types == b.Types && a.Space == b.Space && a.Space2 == b.Space2 && a.Vec == b.Vec && a.Rnd == b.Rnd &&
		a.Cmp == b.Cmp && a.Bool == b.Bool && a.Mul == b.Mul && a.Sem == b.Sem && a.Scope == b.Scope && a.Sub == b.Sub
}

// TestErrors: place and text of what Decode rejects.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		opcode string
		offset int
		text   string
	}{
		{"fmaa.rn.f32", 0, `did you mean "fma"?`},
		{"madd.lo.u32", 0, `unknown opcode "madd" (did you mean "mad"?)`},
		{"frobnicate", 0, `unknown opcode "frobnicate"`},
		{"", 0, "unknown opcode"},
		{"add.xyz.f32", 4, "illegal modifier .xyz for add (allowed here: .rn"},
		{"add" + strings.Repeat(".s32", 100000), 0, "add with 100000 modifiers; no opcode has more than 31"},
		{"add.f32.wide", 8, "illegal modifier .wide for add (allowed here: .rn"},
		{"add..f32", 4, "between the dots"},
		{"add", 0, "add needs a type: .u16"},
		{"fma.f32", 0, "fma.f32 needs a rounding: .rn .rz .rm .rp"},
		{"div.ftz.f32", 0, "div.ftz.f32 needs a modifier: .approx"},
		{"setp.s32", 0, "a comparison: .eq .ne .lt .le .gt .ge"},
		{"mul.s32", 0, "which part of the product: .lo .hi .wide"},
		{"cvta.u64", 0, "a state space: .const"},
		{"mbarrier.expect_tx.relaxed.b64", 0, "a scope: .cta .cluster"},
		{"add.sat.f64", 4, "add.sat.f64: .sat takes .s32 .u32"},
		{"mul.wide.s64", 4, "mul.wide.s64: .wide takes .u16 .u32 .s16 .s32, not .s64 (PTX ISA 9.7.1.3)"},
		{"ld.gobal.u32", 3, "illegal modifier .gobal for ld (did you mean .global?) (PTX ISA 9.7.10.8)"},
		{"ld.global.f16", 10, "illegal modifier .f16 for ld (allowed here: .b8 .b16"},
		{"setp.lo.s32", 5, ".lo takes .u16 .u32 .u64, not .s32 (PTX ISA 9.7.7.2)"},
		{"add.f32.f32", 8, ".f32 cannot be combined"},
		{"ld.global.ca.L1::evict_last.f32", 13, ".ca and .L1::evict_last exclude each other"},
		{"ld.global.v8.b128", 0, "ld.global.v8.b128: a vector of 1024 bits; the widest has 256 (PTX ISA 9.7.10.8)"},
		{"st.global.v8.f64", 0, "a vector of 512 bits; the widest has 256 (PTX ISA 9.7.10.11)"},
		{"ld.global.nc.v4.b128", 0, "a vector of 512 bits"},
	} {
		_, err := Decode(c.opcode)
		var e *DecodeError
		if !errors.As(err, &e) {
			t.Errorf("%q: error %v", c.opcode, err)
			continue
		}
		if e.Offset != c.offset || !strings.Contains(e.Error(), c.text) {
			t.Errorf("%q: byte %d: %v", c.opcode, e.Offset, e)
		}
	}
}

// TestManyTokens: an opcode longer than any form is an error, not a panic.
func TestManyTokens(t *testing.T) {
	if in, err := Decode("add.f32" + strings.Repeat(".sat", 100)); err == nil {
		t.Errorf("decoded as %s", in.Form.Syntax)
	}
}

// TestConcurrentDecode: goroutines share the table; meant for -race.
func TestConcurrentDecode(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if in, err := Decode("ld.global.L1::no_allocate.v2.f32"); err != nil || in.Mods[1].String() != "L1::no_allocate" {
				t.Errorf("%v, %v", in, err)
			}
		})
	}
	wg.Wait()
}

// FuzzDecode: Decode does not panic, and what it takes it takes in the reverse
// order too, unless types or spaces change places.
func FuzzDecode(f *testing.F) {
	for _, form := range Forms() {
		f.Add(form.spell(form.first(true)))
	}
	f.Add("add.type.f32")
	f.Add("..")
	f.Fuzz(func(t *testing.T, opcode string) {
		in, err := Decode(opcode)
		if err != nil {
			var e *DecodeError
			if !errors.As(err, &e) || e.Offset > len(opcode) {
				t.Fatalf("%q: %v", opcode, err)
			}
			return
		}
		words := strings.Split(opcode[len(in.Op.String()):], ".")[1:]
		if ordered(words) {
			return
		}
		slices.Reverse(words)
		again, err := Decode(strings.Join(append([]string{in.Op.String()}, words...), "."))
		if err != nil || again.Form != in.Form {
			t.Fatalf("%q reversed: %v, %v", opcode, again, err)
		}
	})
}

// ordered reports whether the order among words matters: there are two types,
// two spaces, or two of something else that could change places.
func ordered(words []string) bool {
	var kinds [spaceSlot + 1]int
	for _, w := range words {
		kinds[kindOf(w)]++
	}
	return kinds[typeSlot] > 1 || kinds[spaceSlot] > 1 || slices.Contains(words, "row") || slices.Contains(words, "col") ||
		slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "L2::") })
}

func BenchmarkDecode(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode("ld.global.nc.L1::no_allocate.v4.f32"); err != nil {
			b.Fatal(err)
		}
	}
}
