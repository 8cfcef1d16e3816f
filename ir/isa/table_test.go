package isa

import (
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestEveryRow decodes what every row spells: each spelling is an opcode, and
// no row is hidden by the others.
func TestEveryRow(t *testing.T) {
	for i, f := range Forms() {
		if f.Index != i {
			t.Errorf("%s: index %d at %d", f.Syntax, f.Index, i)
		}
		reached := false
		for _, opcode := range f.Spellings() {
			in, err := Decode(opcode)
			if err != nil {
				t.Errorf("%s: %v", f.Syntax, err)
				continue
			}
			if in.Op != f.Op || in.Form.Class != f.Class && f.Class != Misc {
				t.Errorf("%s: %s is decoded as %s, of class %s", f.Syntax, opcode, in.Form.Syntax, in.Form.Class)
			}
			if got := in.Op.String() + modText(in); got != opcode {
				t.Errorf("%s: the modifiers of %s are %s", f.Syntax, opcode, got)
			}
			reached = reached || in.Form == f
		}
		if !reached {
			t.Errorf("%s: no opcode leads to this row", f.Syntax)
		}
	}
}

func modText(in *Inst) string {
	var b strings.Builder
	for _, m := range in.Mods {
		b.WriteString("." + m.String())
	}
	return b.String()
}

// TestEveryOp: an Op has a row.
func TestEveryOp(t *testing.T) {
	for _, op := range operations {
		if op == nil {
			continue
		}
		o := op.op
		if len(table().byOp[o]) == 0 && Library(o.String()) == nil {
			t.Errorf("%s has no row", o)
		}
	}
}

// TestModNames: the modifiers that have names are modifiers of some row.
func TestModNames(t *testing.T) {
	for m := noMod + 1; m < numNamedMods; m++ {
		if !slices.ContainsFunc(Forms(), func(f *Form) bool { return f.takes(m) }) {
			t.Errorf("no row has .%s", m)
		}
	}
}

// TestManual: every section of the manual has a row.
func TestManual(t *testing.T) {
	file, err := os.Open("../../../shared/isa/ptx-isa-instructions.tsv")
	if err != nil {
		t.Skip("../shared/isa is absent")
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comma, r.LazyQuotes = '\t', true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	sections := make(map[string]bool)
	for _, f := range Forms() {
		sections[f.Section] = true
	}
	for _, row := range rows[1:] {
		opcode, section := row[1], row[10]
		if opcode != "{}" && opcode != "@" && !sections[section] && section != "9.7.10.4" {
			t.Errorf("%s (%s) has no row", opcode, section)
		}
	}
}

// TestClasses: one form or more of each family and class (docs/columns.md, inst_*).
func TestClasses(t *testing.T) {
	for opcodes, want := range map[string]Class{
		"add.f16 mul.bf16x2 fma.rn.relu.f16 min.f16x2 setp.lt.f16x2 set.eq.u32.f16 abs.bf16":                          FP16,
		"add.f32 mul.rz.ftz.f32 mad.rn.f32 fma.rn.f32x2 testp.normal.f32 copysign.f32 setp.lt.f32 set.num.s32.f32":    FP32,
		"slct.u64.f32 neg.ftz.f32 max.f32 add.f32.bf16 set.gtu.f16.f32":                                               FP32,
		"add.f64 fma.rm.f64 setp.lt.and.f64 set.lt.u32.f64 min.f64":                                                   FP64,
		"tanh.approx.f16 ex2.approx.ftz.bf16x2":                                                                       SpecialFP16,
		"div.full.f32 rcp.approx.f32 sqrt.rn.f32 sin.approx.f32 tanh.approx.f32":                                      SpecialFP32,
		"div.rn.f64 rsqrt.approx.ftz.f64":                                                                             SpecialFP64,
		"add.s32 add.cc.u32 addc.u32 div.s32 mul.wide.u16 min.s16x2 popc.b64 dp4a.s32.u32 prmt.b32 lop3.b32":          Integer,
		"and.pred shl.b32 setp.lt.s32 set.eq.u32.b64 slct.f32.s32 cvta.to.global.u64 isspacep.shared mapa.u64":        Integer,
		"cvt.f32.f16 cvt.rn.bf16x2.f32 cvt.pack.sat.s16.s32":                                                          BitConvert,
		"bra bra.uni brx.idx call.uni ret exit trap brkpt":                                                            Control,
		"ld.global.f32 ld.const.u8 ldu.global.u32 st.shared.v4.f32 ldmatrix.sync.aligned.m8n8.x4.shared.b16":          ComputeLdSt,
		"prefetch.global.L1 cp.async.ca.shared.global cp.async.wait_all ld.f32 discard.L2":                            ComputeLdSt,
		"atom.add.u32 red.global.add.f32 atom.cas.b128":                                                               Atomic,
		"shfl.sync.up.b32 vote.sync.ballot.b32 match.any.sync.b32 redux.sync.add.s32 activemask.b32 elect.sync":       InterThread,
		"bar.sync barrier.cluster.wait membar.gl fence.sc.cta nanosleep.u32 bar.warp.sync mbarrier.init.b64":          Barrier,
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32":                                                           Tensor,
		"mov.u32 selp.f32 ld.param.u64 st.param.b32 stacksave.u32 pmevent createpolicy.fractional.L2::evict_last.b64": Misc,
	} {
		for opcode := range strings.FieldsSeq(opcodes) {
			in, err := Decode(opcode)
			if err != nil {
				t.Error(err)
			} else if in.Form.Class != want {
				t.Errorf("%s is of class %s, want %s", opcode, in.Form.Class, want)
			}
		}
	}
}

// TestMalformedRow: the parser of rows rejects what is no row.
func TestMalformedRow(t *testing.T) {
	good := row{"add{.rnd}.type d, a, b", ".rnd = .rn .rz; .type = .f32", FP32, "1.0", "", "9.7.3.3"}
	parseRow(&good, newMods())
	for _, change := range []func(*row){
		func(r *row) { r.syntax = "nosuch.type d" },
		func(r *row) { r.syntax = "add{.rnd.type d, a, b" },
		func(r *row) { r.syntax = "add{.rnd}.type d, [a, b" },
		func(r *row) { r.syntax = "add{.rnd}.type d:nosuch, a" },
		func(r *row) { r.syntax = "add{.rnd}.type d[x], a" },
		func(r *row) { r.syntax = "add.type d, a, b" }, // .rnd is not used
		func(r *row) { r.syntax = "ret d"; r.slots = "" },
		func(r *row) { r.slots = ".rnd = .rn .rn; .type = .f32" },
		func(r *row) { r.slots = ".rnd = .rn .up; .type = .f32" },
		func(r *row) { r.slots = ".rnd = .rn@x; .type = .f32" },
		func(r *row) { r.slots = ".rnd; .type = .f32" },
		func(r *row) { r.class = noClass },
		func(r *row) { r.ptx = "" },
		func(r *row) { r.sm = "91" },
		func(r *row) { r.section = "" },
	} {
		bad := good
		change(&bad)
		func() {
			defer func() {
				if msg, _ := recover().(string); !strings.HasPrefix(msg, "BUG: ") {
					t.Errorf("%+v: panic %q", bad, msg)
				}
			}()
			parseRow(&bad, newMods())
			t.Errorf("%+v is taken", bad)
		}()
	}
}
