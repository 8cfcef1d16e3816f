package power

import (
	"testing"

	"hyptx/internal/source"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// instrs lowers statements of a kernel.
func instrs(t *testing.T, body string) []ir.Instr {
	t.Helper()
	text := `.version 7.0
.target sm_80
.address_size 64
.global .align 4 .b32 table[4];
.entry k(.param .u64 p) {
.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<16>; .reg .f32 %f<16>; .reg .b64 %rd<8>; .reg .f64 %d<8>;
` + body + "\nret;\n}\n"
	m, err := source.File{Name: "k.ptx", Text: []byte(text)}.Module()
	if err != nil {
		t.Fatal(err)
	}
	return m.Instrs
}

// TestExecCounters are rows of the published map from PTX to counters.
func TestExecCounters(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // counter, "-" for none
	}{
		{"add.s32 %r1, %r2, %r3;", "INT"}, {"add.f32 %f1, %f2, %f3;", "FP"}, {"add.f64 %d1, %d2, %d3;", "DP"},
		{"add.f16 %h1, %h2, %h3;", "FP"}, {"min.f32 %f1, %f2, %f3;", "FP"}, {"max.s64 %rd1, %rd2, %rd3;", "INT"},
		{"mul.lo.s32 %r1, %r2, %r3;", "IMUL32"}, {"mul.wide.u32 %rd1, %r2, %r3;", "IMUL32"}, {"mad.lo.u32 %r1, %r2, %r3, %r4;", "IMUL32"},
		{"mul.lo.u64 %rd1, %rd2, %rd3;", "IMUL"}, {"mul.lo.u16 %h1, %h2, %h3;", "IMUL"}, {"mul24.lo.u32 %r1, %r2, %r3;", "IMUL24"},
		{"mul.f32 %f1, %f2, %f3;", "FPMUL"}, {"fma.rn.f32 %f1, %f2, %f3, %f4;", "FPMUL"}, {"fma.rn.f64 %d1, %d2, %d3, %d4;", "DPMUL"},
		{"div.u32 %r1, %r2, %r3;", "IDIV"}, {"rem.s64 %rd1, %rd2, %rd3;", "IDIV"}, {"div.rn.f32 %f1, %f2, %f3;", "FPDIV"},
		{"rcp.approx.f32 %f1, %f2;", "FPDIV"}, {"rcp.rn.f64 %d1, %d2;", "DPDIV"}, {"sqrt.rn.f32 %f1, %f2;", "SQRT"}, {"rsqrt.approx.f64 %d1, %d2;", "SQRT"},
		{"lg2.approx.f32 %f1, %f2;", "LG"}, {"cos.approx.f32 %f1, %f2;", "SIN"}, {"ex2.approx.f32 %f1, %f2;", "EXP"},
		{"setp.lt.f32 %p1, %f1, %f2;", "FP"}, {"setp.lt.s32 %p1, %r1, %r2;", "INT"}, {"cvt.rn.f32.u32 %f1, %r1;", "FP"}, {"cvt.rzi.u32.f32 %r1, %f1;", "INT"},
		{"and.b32 %r1, %r2, %r3;", "INT"}, {"and.pred %p1, %p2, %p3;", "INT"}, {"selp.f32 %f1, %f2, %f3, %p1;", "FP"}, {"mov.f64 %d1, %d2;", "DP"},
		{"mov.u32 %r1, %tid.x;", "INT"}, {"mov.u64 %rd1, table;", "-"}, {"shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;", "INT"},
		{"ld.global.f32 %f1, [%rd1];", "-"}, {"st.shared.f32 [%r1], %f1;", "-"}, {"ld.param.u64 %rd1, [p];", "-"}, {"atom.global.add.u32 %r1, [%rd1], %r2;", "-"},
		{"bar.sync 0;", "-"}, {"cvta.to.global.u64 %rd1, %rd2;", "INT"}, {"ret;", "-"},
	} {
		in := &instrs(t, c.text)[0]
		got := "-"
		if counter, ok := execCounter(in.Inst, Paper); ok && executes(in) {
			got = counter.String()
		}
		if got != c.want {
			t.Errorf("%s counts as %s, want %s", c.text, got, c.want)
		}
	}
	half := &instrs(t, "add.f16 %h1, %h2, %h3;")[0]
	if c, ok := execCounter(half.Inst, Release); ok {
		t.Errorf("the release counts add.f16 as %s, want nowhere", c)
	}
}

// TestEvents are the events of fact 16, and of other operands.
func TestEvents(t *testing.T) {
	for _, c := range []struct {
		text               string
		read, write, other float64
	}{
		{"fma.rn.f32 %f1, %f2, %f3, %f4;", 96, 32, 0},
		{"add.s32 %r1, %r2, 5;", 32, 32, 32},
		{"mov.u32 %r1, %tid.x;", 0, 32, 32},
		{"ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];", 32, 128, 32},
		{"st.global.f32 [%rd1], %f1;", 64, 0, 0},
		{"st.global.v2.f32 [%rd1], {%f1, 0f00000000};", 64, 0, 32},
		{"st.global.u32 [table], %r1;", 32, 0, 0},
		{"atom.global.add.u32 %r1, [%rd1], 7;", 32, 32, 64},
		{"bar.sync 0;", 0, 0, 0},
		{"bar.sync 0, 64;", 0, 0, 32},
		{"ld.param.u64 %rd1, [p];", 0, 32, 32},
		{"setp.lt.and.s32 %p1|%p2, %r1, %r2, %p3;", 96, 64, 0},
	} {
		e := Execute([]InstrCount{{&instrs(t, c.text)[0], 1, 32, 0}}, Paper)
		near(t, c.text+" reads", e.Counts[RegRead], c.read, 0)
		near(t, c.text+" writes", e.Counts[RegWrite], c.write, 0)
		near(t, c.text+" other", e.Counts[NonReg], c.other, 0)
		near(t, c.text+" decoded", e.Counts[TotInst], 1, 0)
	}
	fma := Execute([]InstrCount{{&instrs(t, "fma.rn.f32 %f1, %f2, %f3, %f4;")[0], 1, 32, 0}}, Paper)
	energies := PTXSim.energies()
	sum := 0.0
	for c, n := range fma.Counts {
		sum += n * energies.perEventPJ(Counter(c))
	}
	near(t, "a warp's fma in pJ", sum, 263.056+1.17567+16.9726+166.03, 0.02)
}

// TestLanesAndPairs are the release's bugs and our plain rules.
func TestLanesAndPairs(t *testing.T) {
	list := instrs(t, "add.f32 %f1, %f2, %f3;\nadd.s32 %r1, %r2, %r3;\nld.global.f32 %f1, [%rd1];")
	counts := []InstrCount{{&list[0], 10, 200, 0}, {&list[1], 10, 100, 0}, {&list[2], 10, 320, 0}}
	paper, release := Execute(counts, Paper), Execute(counts, Release)
	near(t, "lanes of what executes", paper.Lanes, 15, 0)
	near(t, "scheduled", paper.Counts[IntInst]+paper.Counts[FPInst], 30, 0)
	near(t, "scheduled, pairs", release.Counts[IntInst]+release.Counts[FPInst], 20, 0)
	huge := []InstrCount{{&list[1], 1 << 28, 32 << 28, 0}}
	near(t, "lanes", Execute(huge, Paper).Lanes, 32, 0)
	near(t, "lanes, wrapped", Execute(huge, Release).Lanes, 0, 0)
}

// TestShape: fetches, duty and idle SMs by our rules.
func TestShape(t *testing.T) {
	s := shape{CTAs: 200, CTAsPerSM: 2, StaticInstructions: 20, ThreadInstructions: 1e6, Repetitions: 1}
	near(t, "active SMs of a full and a part wave", s.activeSMs(80), (80.+20)/2, 0)
	s.CTAs = 320
	near(t, "active SMs of two full waves", s.activeSMs(80), 80, 0)
	s.CTAs = 1
	near(t, "active SMs of one CTA", s.activeSMs(80), 0.5, 0)
	s.CTAs = 160
	a := &Activity{Cycles: 1000, ClockMHz: 1000}
	a.Counts[TotInst] = 1001
	s.fill(a, 80)
	near(t, "misses", a.Counts[ICacheMiss], 3*80, 0)
	near(t, "hits", a.Counts[ICacheHit], 501-240, 0)
	near(t, "duty", a.Duty, 1e6/(1000*80*256), 1e-15)
	a.Cycles = 1
	s.fill(a, 80)
	near(t, "duty is capped", a.Duty, 0.8, 0)
}

// TestEveryComponentHasACounter: no row of the table has a component without a
// counter, and nothing but memory, control and barriers is free of one.
func TestEveryComponentHasACounter(t *testing.T) {
	for _, f := range isa.Forms() {
		_, counted := counters[f.Power]
		if counted == (f.Power == isa.PowerNone) {
			t.Errorf("%s: component %d, counted %v", f.Syntax, f.Power, counted)
		}
		switch f.Unit {
		case isa.UnitMemory, isa.UnitAtomic, isa.UnitBranch, isa.UnitBarrier:
			if counted {
				t.Errorf("%s has the energy of an execution", f.Syntax)
			}
		case isa.UnitMove:
		default:
			if !counted {
				t.Errorf("%s has no energy of its execution", f.Syntax)
			}
		}
	}
}

// TestProducts: a wgmma counts as the products mma.m16n8 that do the same work, every other
// matrix instruction as one, as published.
func TestProducts(t *testing.T) {
	seen := 0
	for _, f := range isa.Forms() {
		if f.Power != isa.PowerTensor {
			continue
		}
		for _, opcode := range f.Spellings() {
			in, err := isa.Decode(opcode)
			if err != nil || in.Form != f {
				continue
			}
			want := 1.0
			if in.Op == isa.OpWgmmaMmaAsync || in.Op == isa.OpWgmmaMmaAsyncSp {
				_, _, k := in.Shape()
				float, integer := in.TensorOps() // of one of the four warps
				want = float64(float+integer) / float64(2*16*8*k)
				seen++
			}
			near(t, opcode, products(in), want, 0)
		}
	}
	if seen == 0 {
		t.Error("no wgmma was looked at")
	}
	var c counts
	c.addInstr(InstrCount{warpgroup(t), 4, 128, 0}, Paper)
	near(t, "lanes of m64n256k16 by four warps", c[Tensor], 4*32*32, 0)
	e := Execute([]InstrCount{{warpgroup(t), 4, 128, 0}}, Paper)
	near(t, "products for each matrix instruction", e.Counts[Tensor]/e.matrices, 32, 0)
}

// warpgroup is a wgmma of 64 by 256 by 16.
func warpgroup(t *testing.T) *ir.Instr {
	t.Helper()
	in, err := isa.Decode("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16")
	if err != nil {
		t.Fatal(err)
	}
	return &ir.Instr{Inst: in}
}
