package machine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"hyptx/internal/ssa"
)

// overhead is what every kernel has: the stack pointer and EXIT.
var overhead = map[string]int64{"misc": 1, "control": 1}

// kernel wraps a body; a and b are pointers in %rda and %rdb, n is in %rn.
func kernel(sm int, body string) string {
	return fmt.Sprintf(`.version 7.0
.target sm_%d
.address_size 64
.const .b32 table[64];
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u32 pn)
{
.reg .pred %%p<9>; .reg .b32 %%r<30>; .reg .f32 %%f<20>; .reg .b64 %%rd<20>; .reg .f64 %%d<9>;
.reg .b64 %%rda, %%rdb; .reg .b32 %%rn, %%i, %%c;
.shared .b32 sh[64];
ld.param.u64 %%rda, [pa]; ld.param.u64 %%rdb, [pb]; ld.param.u32 %%rn, [pn];
%s
ret;
}
`, sm, body)
}

// transformCase is a body and what it becomes, beside the overhead. The counts
// are per thread that runs each block once; loops name their own.
type transformCase struct {
	name string
	sm   int
	body string
	want string // class count, ...
}

// charged sums up what a kernel costs by class, without the overhead and without the rounds
// that loops leave over.
func charged(t *testing.T, sm int, body string, l *Launch) string {
	t.Helper()
	c := codeOf(ssa.Build(parseKernel(t, "test.ptx", []byte(kernel(sm, body)))), l, sm)
	return c.summed(false, overhead)
}

// summed sums up the charges of rounds that are left over, or all others, by class, less
// some.
func (c *Code) summed(left bool, less map[string]int64) string {
	sums, dens := map[string]int64{}, map[string]int64{}
	for _, ch := range c.Charges {
		if ch.Left != left {
			continue
		}
		k := ch.Class.String()
		if d := dens[k]; d != 0 && d != ch.IssueDen {
			sums[k], dens[k] = sums[k]*ch.IssueDen+ch.Num*d, d*ch.IssueDen
			continue
		}
		sums[k] += ch.Num
		dens[k] = ch.IssueDen
	}
	for k, n := range less {
		sums[k] -= n * dens[k]
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(sums)) {
		if n, d := sums[k], dens[k]; n%d != 0 {
			parts = append(parts, fmt.Sprintf("%s %d/%d", k, n, d))
		} else if n != 0 {
			parts = append(parts, fmt.Sprintf("%s %d", k, n/d))
		}
	}
	return strings.Join(parts, ", ")
}

var transformCases = []transformCase{
	{"constants fold, and a store of zero needs no register", 70, `
		mov.u32 %r1, 4; mul.lo.s32 %r2, %r1, 8; sub.s32 %r3, %r2, 32;
		st.global.u32 [%rda], %r3;`,
		"compute_ld_st 1, misc 2"}, // STG; MOV twice for the 64-bit address
	{"of two constants one is in a register, once in a block", 70, `
		ld.global.f32 %f1, [%rda]; fma.rn.f32 %f2, %f1, 0f40000000, 0f40400000; fma.rn.f32 %f3, %f1, %f2, 0f40400000;
		fma.rn.f32 %f4, %f3, 0f40000000, 0f40400000; fma.rn.f32 %f5, %f4, 0f40000000, 0f00000000;
		st.global.f32 [%rda], %f5;`,
		"compute_ld_st 2, fp_32 4, misc 3"}, // MOV of the second constant, of the first no more; RZ
	{"what counts bits", 70, `
		ld.global.u32 %r1, [%rda]; clz.b32 %r2, %r1; popc.b32 %r3, %r2; brev.b32 %r4, %r3; ld.global.u64 %rd1, [%rda+8]; popc.b64 %r5, %rd1;
		xor.b32 %r6, %r4, %r5; st.global.u32 [%rda], %r6;`,
		"compute_ld_st 3, integer 9, misc 2"}, // FLO, IADD; POPC; BREV, SGXT; two POPC, IADD; LOP3
	{"what nobody reads is dead", 70, `
		ld.global.u32 %r1, [%rda]; add.s32 %r2, %r1, %rn; mul.lo.s32 %r3, %r1, %r1;
		st.global.u32 [%rda], %r1;`,
		"compute_ld_st 2, misc 2"},
	{"common subexpressions, over copies", 70, `
		mov.u32 %i, %tid.x; mov.u32 %r1, %i; xor.b32 %r2, %i, %rn; xor.b32 %r3, %r1, %rn; xor.b32 %r4, %rn, 5;
		mul.hi.u32 %r5, %r2, %r3;
		st.global.u32 [%rda], %r5;`,
		"compute_ld_st 1, integer 2, misc 3"}, // S2R; LOP3, IMAD.HI
	{"an index becomes one IMAD.WIDE", 70, `
		mov.u32 %i, %tid.x; cvt.s64.s32 %rd1, %i; mad.lo.s64 %rd2, %rd1, 4, %rda;
		st.global.u32 [%rd2], %rn;`,
		"compute_ld_st 1, integer 1, misc 3"}, // S2R, MOV of n and of 4; IMAD.WIDE
	{"mul.wide and add.s64 as well", 70, `
		mov.u32 %i, %tid.x; mul.wide.s32 %rd1, %i, 4; add.s64 %rd2, %rda, %rd1; cvta.to.global.u64 %rd3, %rd2;
		st.global.u32 [%rd3], %i;`,
		"compute_ld_st 1, integer 1, misc 2"},
	{"offsets are part of the access", 70, `
		mov.u32 %i, %tid.x; mul.wide.u32 %rd1, %i, 4; add.s64 %rd2, %rda, %rd1; add.s64 %rd3, %rd2, 16; add.s64 %rd4, %rd2, 4096;
		st.global.u32 [%rd2], %i; st.global.u32 [%rd3+4], %i; st.global.u32 [%rd4], %i;`,
		"compute_ld_st 3, integer 1, misc 2"},
	{"offsets added in 32 bits, where nothing wraps around", 70, `
		mov.u32 %i, %tid.x; add.s32 %r1, %i, 3; mul.wide.s32 %rd1, %i, 4; mul.wide.s32 %rd2, %r1, 4;
		add.s64 %rd3, %rda, %rd1; add.s64 %rd4, %rda, %rd2;
		st.global.u32 [%rd3], %i; st.global.u32 [%rd4], %i;`,
		"compute_ld_st 2, integer 1, misc 2"},
	{"offsets added in 32 bits, where something may", 70, `
		mov.u32 %i, %tid.x; add.s32 %r1, %rn, 3; mul.wide.s32 %rd1, %rn, 4; mul.wide.s32 %rd2, %r1, 4;
		add.s64 %rd3, %rda, %rd1; add.s64 %rd4, %rda, %rd2;
		st.global.u32 [%rd3], %i; st.global.u32 [%rd4], %i;`,
		"compute_ld_st 2, integer 3, misc 2"},
	{"three addends are one IADD3", 70, `
		mov.u32 %i, %tid.x; mov.u32 %c, %ctaid.x; add.s32 %r1, %i, %c; add.s32 %r2, %r1, %rn;
		st.shared.u32 [sh], %r2;`,
		"compute_ld_st 1, integer 1, misc 2"},
	{"but two IADD on Kepler", 35, `
		mov.u32 %i, %tid.x; mov.u32 %c, %ctaid.x; add.s32 %r1, %i, %c; add.s32 %r2, %r1, %rn;
		st.shared.u32 [sh], %r2;`,
		"compute_ld_st 1, integer 2, misc 2"},
	{"a sum goes on from one that is needed anyway", 70, `
		mov.u32 %i, %tid.x; mov.u32 %c, %ctaid.x; mad.lo.s32 %r1, %i, %c, %i; add.s32 %r2, %r1, %rn; add.s32 %r3, %r2, %rn;
		st.shared.u32 [sh], %r1; st.shared.u32 [sh+12], %r2; st.shared.u32 [sh+20], %r3;`,
		"compute_ld_st 3, integer 3, misc 2"},
	{"a product takes an addend along", 70, `
		mov.u32 %i, %tid.x; mov.u32 %c, %ctaid.x; mul.lo.s32 %r1, %i, %c; add.s32 %r2, %r1, %rn;
		st.shared.u32 [sh], %r2;`,
		"compute_ld_st 1, integer 1, misc 2"},
	{"three XMAD on Pascal", 60, `
		mov.u32 %i, %tid.x; mov.u32 %c, %ctaid.x; mul.lo.s32 %r1, %i, %c; add.s32 %r2, %r1, %rn;
		st.shared.u32 [sh], %r2;`,
		"compute_ld_st 1, integer 3, misc 2"},
	{"an index of Pascal: SHL, SHR, IADD, IADD.X", 60, `
		mov.u32 %i, %tid.x; mul.wide.s32 %rd1, %i, 4; add.s64 %rd2, %rda, %rd1;
		st.global.u32 [%rd2], %i;`,
		"compute_ld_st 1, integer 4, misc 1"},
	{"of two arrays the first two once", 60, `
		mov.u32 %i, %tid.x; mul.wide.s32 %rd1, %i, 4; add.s64 %rd2, %rda, %rd1; add.s64 %rd3, %rdb, %rd1;
		st.global.u32 [%rd2], %i; st.global.u32 [%rd3], %i;`,
		"compute_ld_st 2, integer 6, misc 1"},
	{"what is shifted may be subtracted", 60, `
		mov.u32 %i, %tid.x; shl.b32 %r1, %i, 3; sub.s32 %r2, %rn, %r1;
		st.shared.u32 [sh], %r2;`,
		"compute_ld_st 1, integer 1, misc 1"},
	{"a difference goes on from what is subtracted", 60, `
		mov.u32 %i, %tid.x; mov.u32 %c, %ctaid.x; mad.lo.s32 %r1, %i, %c, %rn; neg.s32 %r2, %r1; sub.s32 %r3, -15, %r1; add.s32 %r4, %r3, %i;
		st.shared.u32 [sh], %r1; st.shared.u32 [sh+12], %r2; st.shared.u32 [sh+20], %r4;`,
		"compute_ld_st 3, integer 5, misc 2"}, // XMAD three times, IADD, IADD3
	{"zeros above 32 bits are no instruction", 70, `
		ld.global.u32 %r1, [%rda]; cvt.u64.u32 %rd1, %r1; ld.global.u64 %rd2, [%rda+8]; xor.b64 %rd3, %rd1, %rd2;
		st.global.u64 [%rda], %rd3;`,
		"compute_ld_st 3, integer 2, misc 2"},
	{"signs are one", 70, `
		ld.global.u32 %r1, [%rda]; cvt.s64.s32 %rd1, %r1; ld.global.u64 %rd2, [%rda+8]; xor.b64 %rd3, %rd1, %rd2;
		st.global.u64 [%rda], %rd3;`,
		"compute_ld_st 3, integer 3, misc 2"},
	{"shl and add are LEA", 60, `
		mov.u32 %i, %tid.x; shl.b32 %r1, %i, 3; add.s32 %r2, %r1, %rn;
		st.shared.u32 [sh], %r2;`,
		"compute_ld_st 1, integer 1, misc 1"},
	{"64-bit additions are two", 70, `
		ld.global.u64 %rd1, [%rda]; ld.global.u64 %rd2, [%rda+8]; add.s64 %rd3, %rd1, %rd2; xor.b64 %rd4, %rd3, %rd1;
		st.global.u64 [%rda], %rd4;`,
		"compute_ld_st 3, integer 4, misc 2"},
	{"a 64-bit product is four", 70, `
		ld.global.u64 %rd1, [%rda]; ld.global.u64 %rd2, [%rda+8]; mul.lo.s64 %rd3, %rd1, %rd2;
		st.global.u64 [%rda], %rd3;`,
		"compute_ld_st 3, integer 4, misc 2"},
	{"mul and add without a rounding contract", 70, `
		ld.global.f32 %f1, [%rda]; ld.global.f32 %f2, [%rda+4]; mul.f32 %f3, %f1, %f2; add.f32 %f4, %f3, %f1;
		st.global.f32 [%rda], %f4;`,
		"compute_ld_st 3, fp_32 1, misc 2"},
	{"with .rn they do not", 70, `
		ld.global.f32 %f1, [%rda]; ld.global.f32 %f2, [%rda+4]; mul.rn.f32 %f3, %f1, %f2; add.f32 %f4, %f3, %f1;
		st.global.f32 [%rda], %f4;`,
		"compute_ld_st 3, fp_32 2, misc 2"},
	{"nor if the product is used twice", 70, `
		ld.global.f32 %f1, [%rda]; ld.global.f32 %f2, [%rda+4]; mul.f32 %f3, %f1, %f2; add.f32 %f4, %f3, %f1; mul.f32 %f5, %f3, %f4;
		st.global.f32 [%rda], %f5;`,
		"compute_ld_st 3, fp_32 3, misc 2"},
	{"three inputs are one LOP3", 70, `
		mov.u32 %i, %tid.x; mov.u32 %c, %ctaid.x; and.b32 %r1, %i, %c; xor.b32 %r2, %r1, %rn;
		st.shared.u32 [sh], %r2;`,
		"compute_ld_st 1, integer 1, misc 2"},
	{"four are two", 70, `
		mov.u32 %i, %tid.x; mov.u32 %c, %ctaid.x; and.b32 %r1, %i, %c; xor.b32 %r2, %r1, %rn; or.b32 %r3, %r2, 77;
		st.shared.u32 [sh], %r3;`,
		"compute_ld_st 1, integer 2, misc 2"},
	{"setp takes a predicate along", 70, `
		ld.global.u32 %r1, [%rda]; ld.global.u32 %r2, [%rda+4]; setp.lt.s32 %p1, %r1, %rn; setp.lt.s32 %p2, %r2, %rn; and.pred %p3, %p1, %p2;
		selp.u32 %r3, %r1, %r2, %p3; st.global.u32 [%rda], %r3;`,
		"compute_ld_st 3, integer 2, misc 3"}, // MOV twice, SEL
	{"setp of a selp of constants is the predicate", 70, `
		ld.global.u32 %r1, [%rda]; ld.global.u32 %r2, [%rda+4]; setp.lt.s32 %p1, %r1, %rn; selp.u32 %r4, 1, 0, %p1; setp.ne.s32 %p3, %r4, 0;
		selp.u32 %r3, %r1, %r2, %p3; st.global.u32 [%rda], %r3;`,
		"compute_ld_st 3, integer 1, misc 3"},
	{"setp and selp of the same are IMNMX", 70, `
		ld.global.u32 %r1, [%rda]; ld.global.u32 %r2, [%rda+4]; setp.lt.s32 %p1, %r1, %r2; selp.u32 %r3, %r1, %r2, %p1;
		st.global.u32 [%rda], %r3;`,
		"compute_ld_st 3, misc 3"},
	{"a guarded load writes over the other value", 70, `
		mov.u32 %i, %tid.x; setp.lt.s32 %p1, %i, %rn;
		@%p1 ld.global.f32 %f1, [%rda]; @!%p1 mov.f32 %f1, 0f00000000;
		st.global.f32 [%rda], %f1;`,
		"compute_ld_st 2, integer 1, misc 4"}, // S2R; MOV twice for the address; MOV of 0
	{"a guarded operation writes over its own operand", 70, `
		mov.u32 %i, %tid.x; ld.global.u32 %r1, [%rda]; setp.lt.s32 %p1, %i, %rn;
		@%p1 add.s32 %r1, %r1, %i;
		st.shared.u32 [sh], %r1;`,
		"compute_ld_st 2, integer 2, misc 3"}, // S2R; MOV twice for the address
	{"but not over what is used later", 70, `
		mov.u32 %i, %tid.x; ld.global.u32 %r1, [%rda]; mov.u32 %r2, %r1; setp.lt.s32 %p1, %i, %rn;
		@%p1 add.s32 %r1, %r1, %i;
		st.shared.u32 [sh], %r1; st.shared.u32 [sh+12], %r2;`,
		"compute_ld_st 3, integer 2, misc 4"},
	{"a word of constant memory at a known address is an operand", 70, `
		ld.global.f32 %f1, [%rda]; ld.const.f32 %f2, [table+8]; mov.u64 %rd1, table; ld.const.f32 %f3, [%rd1+8]; mul.rn.f32 %f1, %f1, %f2; mul.rn.f32 %f1, %f1, %f3;
		st.global.f32 [%rda], %f1;`,
		"compute_ld_st 2, fp_32 2, misc 2"},
	{"at one that is not it is LDC", 70, `
		mov.u32 %i, %tid.x; mul.wide.u32 %rd2, %i, 4; mov.u64 %rd1, table; add.s64 %rd1, %rd1, %rd2; ld.const.f32 %f2, [%rd1+8]; st.shared.f32 [sh], %f2;`,
		"compute_ld_st 2, integer 1, misc 1"},
	{"four adjacent loads of shared memory are LDS.128", 70, `
		ld.shared.f32 %f1, [sh+16]; ld.shared.f32 %f2, [sh+24]; ld.shared.f32 %f3, [sh+20]; ld.shared.f32 %f4, [sh+28];
		mul.rn.f32 %f1, %f1, %f2; mul.rn.f32 %f3, %f3, %f4; mul.rn.f32 %f1, %f1, %f3; st.shared.f32 [sh+64], %f1;`,
		"compute_ld_st 2, fp_32 3"},
	{"two are LDS.64, if the whole is aligned", 70, `
		ld.shared.f32 %f1, [sh+12]; ld.shared.f32 %f2, [sh+16]; ld.shared.f32 %f3, [sh+20];
		mul.rn.f32 %f1, %f1, %f2; mul.rn.f32 %f1, %f1, %f3; st.shared.f32 [sh+64], %f1;`,
		"compute_ld_st 3, fp_32 2"},
	{"a thread's index is aligned by its factor", 70, `
		mov.u32 %i, %tid.x; shl.b32 %r1, %i, 3; mov.u32 %r2, sh; add.s32 %r1, %r1, %r2;
		ld.shared.f32 %f1, [%r1]; ld.shared.f32 %f2, [%r1+4]; ld.shared.f32 %f3, [%r1+8]; ld.shared.f32 %f4, [%r1+12];
		mul.rn.f32 %f1, %f1, %f2; mul.rn.f32 %f3, %f3, %f4; mul.rn.f32 %f1, %f1, %f3; st.shared.f32 [sh+64], %f1;`,
		"compute_ld_st 3, fp_32 3, integer 1, misc 1"},
	{"no load passes a store that may meet it", 70, `
		mov.u32 %i, %tid.x; shl.b32 %r1, %i, 2; mov.u32 %r2, sh; add.s32 %r1, %r1, %r2;
		ld.shared.f32 %f1, [sh]; st.shared.u32 [%r1], %rn; ld.shared.f32 %f2, [sh+4];
		mul.rn.f32 %f1, %f1, %f2; st.shared.f32 [sh+64], %f1;`,
		"compute_ld_st 4, fp_32 1, integer 1, misc 2"},
	{"nor a barrier", 70, `
		ld.shared.f32 %f1, [sh]; bar.sync 0; ld.shared.f32 %f2, [sh+4];
		mul.rn.f32 %f1, %f1, %f2; st.shared.f32 [sh+64], %f1;`,
		"barrier 1, compute_ld_st 3, fp_32 1"},
	{"adjacent stores are merged, too", 70, `
		mov.u32 %i, %tid.x; st.shared.u32 [sh+4], %i; st.shared.u32 [sh], %i;`,
		"compute_ld_st 1, misc 1"},
	{"set is SETP and SEL", 70, `
		mov.u32 %i, %tid.x; set.lt.u32.s32 %r1, %i, %rn;
		st.shared.u32 [sh], %r1;`,
		"compute_ld_st 1, integer 1, misc 2"},
	{"division by a power of two, and by another constant", 70, `
		mov.u32 %i, %tid.x; div.u32 %r1, %i, 8; rem.u32 %r2, %i, 10; xor.b32 %r3, %r1, %r2;
		st.shared.u32 [sh], %r3;`,
		"compute_ld_st 1, integer 5, misc 1"}, // SHF; IMAD.HI, SHF, IMAD; LOP3
	{"division by a variable", 70, `
		mov.u32 %i, %tid.x; div.u32 %r1, %i, %rn;
		st.shared.u32 [sh], %r1;`,
		"bit_convert 2, compute_ld_st 1, integer 14, misc 2, special 1"},
	{"square root and reciprocal", 70, `
		ld.global.f32 %f1, [%rda]; sqrt.approx.ftz.f32 %f2, %f1; rcp.rn.f32 %f3, %f2;
		st.global.f32 [%rda], %f3;`,
		"compute_ld_st 2, control 3, fp_32 3, integer 3, misc 2, special 2"},
	{"ranges decide comparisons", 70, `
		mov.u32 %i, %tid.x; setp.ge.s32 %p1, %i, 0; selp.u32 %r1, %i, %rn, %p1;
		st.shared.u32 [sh], %r1;`,
		"compute_ld_st 1, misc 1"},
	{"barriers of warps that are together", 70, "bar.sync 0; barrier.sync.aligned 0;", "barrier 2"},
	{"a barrier that asks whether they are", 70, "barrier.sync 0; barrier.sync 1, 64;", "barrier 2, control 2"}, // BRA.CONV
	{"which Pascal does not", 61, "barrier.sync 0;", "barrier 1"},
}

// TestTransform holds each transformation against counts made by hand.
func TestTransform(t *testing.T) {
	for _, c := range transformCases {
		if got := charged(t, c.sm, c.body, nil); got != c.want {
			t.Errorf("%s (sm_%d): %s, by hand it is %s", c.name, c.sm, got, c.want)
		}
	}
}
