package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

var orderedKernels = []raceKernel{
	// Barriers of a CTA.
	{"bar.sync", 1, 64, `
	@%t0 st.shared.u32 [sh], 9; //A
	bar.sync 0;
	@%t32 ld.shared.u32 %x, [sh]; //B`, "", exactCounts},
	{"a barrier with a count", 1, 64, `
	@%t0 st.shared.u32 [sh], 9; //A
	bar.sync 1, 64;
	@%t32 ld.shared.u32 %x, [sh]; //B`, "", exactCounts},
	{"barrier.sync of a number in a register", 1, 64, `
	mov.u32 %r1, 7;
	@%t0 st.shared.u32 [sh], 9; //A
	barrier.sync %r1;
	@%t32 ld.shared.u32 %x, [sh]; //B`, "", exactCounts},
	{"pairs of warps with a barrier each", 1, 128, `
	shr.u32 %r1, %warp, 1;
	add.u32 %r1, %r1, 1;
	mov.u32 %r2, sh;
	mad.lo.u32 %r2, %r1, 4, %r2;
	setp.eq.u32 %p0, %lane, 0;
	and.b32 %r3, %warp, 1;
	setp.eq.and.u32 %p1, %r3, 0, %p0;
	@%p1 st.shared.u32 [%r2], %r1; //A
	bar.sync %r1, 64;
	ld.shared.u32 %x, [%r2]; //B`, "", exactCounts},
	{"each warp by itself at one barrier", 1, 128, `
	bar.sync 1, 32;
	bar.sync 1, 32;`, "", exactCounts},
	{"pairs of warps, one after the other, at one barrier", 1, 128, `
	shr.u32 %r1, %warp, 1;
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bar.sync 1, 64;
	bar.sync 2, 128;
	@!%p0 bar.sync 1, 64;`, "", exactCounts},
	{"reductions and waits in turn at one barrier", 1, 64, `
	@%w0 bra LEFT;
	bar.sync 1, 64;
	bar.red.popc.u32 %x, 1, 64, %t1;
	bar.sync 1, 64;
	bra.uni BOTH;
LEFT:	bar.sync 1, 64;
	bar.red.popc.u32 %x, 1, 64, %t0;
	bar.sync 1, 64;
BOTH:`, "", exactCounts},
	{"reductions and waits in turn, for all threads", 1, 64, `
	bar.sync 0;
	bar.red.popc.u32 %x, 0, %t0;
	bar.sync 0;
	@%t1 mov.u32 %x, 0;
	bar.red.popc.u32 %x, 0, %t1;`, "", exactCounts},
	{"a reduction here, a wait there", 1, 64, `
	@%w0 bra RED;
	bar.sync 1, 32;
	bra.uni BOTH;
RED:	bar.red.popc.u32 %x, 2, 32, %t0;
BOTH:`, "", exactCounts},
	{"one of the pair tells the next", 1, 128, `
	@%w0 bra LAST;
	@%w1 bra LAST;
	bar.sync 1, 64;
	@%w3 bra BOTH;
	bar.arrive 2, 96;
	bra.uni BOTH;
LAST:	bar.sync 2, 96;
	bar.sync 1, 64;
BOTH:`, "", exactCounts},
	{"the producer arrives, the consumer waits", 1, 64, `
	@%w1 bra GET;
	@%t0 st.shared.u32 [sh], 9; //A
	bar.arrive 1, 64;
	bra.uni BOTH;
GET:	bar.sync 1, 64;
	ld.shared.u32 %x, [sh]; //B
BOTH:`, "", exactCounts},
	{"producer and consumer take turns", 1, 64, `
	mov.u32 %r1, 0;
	@%w1 bra GET;
PUT:	add.u32 %r1, %r1, 1;
	@%t0 st.shared.u32 [sh], %r1; //A
	bar.arrive 1, 64;
	bar.sync 2, 64;
	setp.lt.u32 %p0, %r1, 3;
	@%p0 bra PUT;
	bra.uni BOTH;
GET:	bar.sync 1, 64;
	ld.shared.u32 %x, [sh]; //B
	bar.arrive 2, 64;
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p0, %r1, 3;
	@%p0 bra GET;
BOTH:`, "", exactCounts},
	{"a result that is written over before it is read", 1, 64, `
	atom.global.add.u32 %r1, [%g], 1; //A
	mov.u32 %r1, %id;
	bar.sync 0;
	ld.global.u32 %x, [%g]; //B
	add.u32 %x, %x, %r1;`, "", exactCounts},
	{"a result that is written over on every way to where it is read", 1, 64, `
	atom.global.add.u32 %r1, [%g], 1; //A
	@%lo bra LOW;
	mov.u32 %r1, 3;
	bra.uni BOTH;
LOW:	mov.u32 %r1, %id;
BOTH:	bar.sync 0;
	ld.global.u32 %x, [%g]; //B
	add.u32 %x, %x, %r1;`, "", exactCounts},
	{"bar.red", 1, 64, `
	@%t0 st.shared.u32 [sh], 9; //A
	bar.red.popc.u32 %r1, 0, %t0;
	@%t32 ld.shared.u32 %x, [sh]; //B`, "", exactCounts},
	{"a loop with both barriers", 1, 64, `
	shl.b32 %r1, %id, 2;
	xor.b32 %r2, %r1, 128;
	mov.u32 %r3, sh;
	add.u32 %r1, %r1, %r3;
	add.u32 %r2, %r2, %r3;
	mov.u32 %r4, 0;
L:	add.u32 %r5, %r4, %id;
	st.shared.u32 [%r1], %r5; //A
	bar.sync 0;
	ld.shared.u32 %x, [%r2]; //B
	bar.sync 0;
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p0, %r4, 3;
	@%p0 bra L;`, "", exactCounts},
	{"two buffers and one barrier", 1, 64, `
	shl.b32 %r1, %id, 2;
	xor.b32 %r2, %r1, 128;
	mov.u32 %r3, sh;
	add.u32 %r1, %r1, %r3;
	add.u32 %r2, %r2, %r3;
	mov.u32 %r4, 0;
L:	add.u32 %r5, %r4, %id;
	st.shared.u32 [%r1], %r5; //A
	bar.sync 0;
	ld.shared.u32 %x, [%r2]; //B
	xor.b32 %r1, %r1, 256;
	xor.b32 %r2, %r2, 256;
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p0, %r4, 5;
	@%p0 bra L;`, "", exactCounts},
	{"threads that have left", 1, 96, `
	@%w2 ret;
	@%t0 st.shared.u32 [sh], 9; //A
	bar.sync 0;
	@%t32 ld.shared.u32 %x, [sh]; //B`, "", exactCounts},

	{"an mbarrier's phase that a barrier ends for certain", 1, 64, `
	@%t0 mbarrier.init.shared.b64 [sh], 64;
	bar.sync 0;
	mbarrier.arrive.shared.b64 %d1, [sh];
	bar.sync 0;
	mbarrier.test_wait.shared.b64 %p0, [sh], %d1;
	bar.sync 0;
	mbarrier.arrive.shared.b64 %d2, [sh];
	selp.b32 %x, 7, 0, %p0;`, "", exactCounts},

	// Warps.
	{"bar.warp.sync", 1, 32, `
	@%t0 st.shared.u32 [sh], 9; //A
	bar.warp.sync -1;
	@%t1 ld.shared.u32 %x, [sh]; //B`, "", exactCounts},
	{"halves of a warp", 1, 32, `
	mov.u32 %r1, sh;
	and.b32 %r2, %lane, 16;
	add.u32 %r1, %r1, %r2;
	and.b32 %r2, %lane, 15;
	setp.eq.u32 %p0, %r2, 3;
	@%p0 st.shared.u32 [%r1], %lane; //A
	@%lo bra LOW;
	bar.warp.sync 0xffff0000;
	bra.uni BOTH;
LOW:	bar.warp.sync 0x0000ffff;
BOTH:	ld.shared.u32 %x, [%r1]; //B`, "", exactCounts},
	{"sides of a branch that meet", 1, 32, `
	setp.eq.u32 %p0, %lane, 20;
	@%lo bra BOTH;
	@%p0 st.shared.u32 [sh+4], 4; //A
BOTH:	bar.warp.sync -1;
	ld.shared.u32 %x, [sh+4]; //B`, "", exactCounts},
	{"a bar.warp.sync on each side of a branch", 1, 32, `
	@%lo bra LOW;
	bar.warp.sync -1;
	ld.shared.u32 %x, [sh]; //B
	bra.uni BOTH;
LOW:	@%t0 st.shared.u32 [sh], 9; //A
	bar.warp.sync -1;
BOTH:`, "", exactCounts},
	{"what an earlier store left, read through .nc", 1, 32, `
	@%t0 st.global.u32 [%g], 9; //A
	ld.global.nc.u32 %x, [%g+4]; //B`, "", exactCounts},
	{"a sum of a warp", 1, 32, `
	mov.u32 %r1, sh;
	shl.b32 %r2, %lane, 2;
	add.u32 %r1, %r1, %r2;
	st.shared.u32 [%r1], %lane; //A
	mov.u32 %r3, 16;
L:	bar.warp.sync -1;
	shl.b32 %r4, %r3, 2;
	add.u32 %r4, %r1, %r4;
	setp.lt.u32 %p0, %lane, %r3;
	@%p0 ld.shared.u32 %r5, [%r4]; //B
	@%p0 ld.shared.u32 %r6, [%r1]; //C
	@%p0 add.u32 %r5, %r5, %r6;
	@%p0 st.shared.u32 [%r1], %r5; //D
	shr.u32 %r3, %r3, 1;
	setp.ne.u32 %p1, %r3, 0;
	@%p1 bra L;
	bar.warp.sync -1;
	ld.shared.u32 %x, [sh]; //E`, "", exactCounts},
	{"a matrix turned by a warp", 1, 32, `
	mov.u32 %r1, sh;
	shl.b32 %r2, %lane, 2;
	add.u32 %r2, %r1, %r2;
	st.shared.u32 [%r2], %lane; //A
	bar.warp.sync -1;
	xor.b32 %r3, %lane, 31;
	shl.b32 %r3, %r3, 2;
	add.u32 %r3, %r1, %r3;
	ld.shared.u32 %x, [%r3]; //B
	bar.warp.sync -1;
	st.shared.u32 [%r2], %x; //C`, "", exactCounts},
}

// TestOrderedKernels: where everything is in order nothing is found but what the
// kernel says, and counts are exact unless a flag decides.
func TestOrderedKernels(t *testing.T) {
	for _, k := range slices.Concat(orderedKernels, orderedChains) {
		t.Run(k.name, k.check)
	}
}

// TestCommutingAtomics: atomics of one family leave the same in any order, be they
// few or very many, of one CTA or of several.
func TestCommutingAtomics(t *testing.T) {
	for _, op := range []string{
		"add.u32", "add.s32", "add.u64", "and.b32", "or.b32", "xor.b32", "min.u32", "max.u32", "min.s32", "max.s32",
		"and.b64", "or.b64", "xor.b64", "min.u64", "max.u64", "min.s64", "max.s64",
	} {
		t.Run(op, func(t *testing.T) {
			body := `
	add.u32 %r1, %id, 3;
	cvt.u64.u32 %d1, %r1;
	red.global.OP [%g], VALUE; //A
	red.shared.OP [sh], VALUE; //B
	bar.sync 0;
	ld.shared.u32 %x, [sh]; //C`
			value := "%r1"
			if strings.HasSuffix(op, "64") {
				value = "%d1"
			}
			init := "\n	@%t0 st.shared.u64 [sh], 0;\n	bar.sync 0;"
			k := raceKernel{op, 1, 96, init + strings.NewReplacer("OP", op, "VALUE", value).Replace(body), "", exactCounts}
			k.check(t)
			// The next launch decides on what CTAs have added.
			k.block = 32
			k.body = fmt.Sprintf("\n	add.u32 %%r1, %%id, 3;\n	cvt.u64.u32 %%d1, %%r1;\n	red.global.%s [%%g], %s; //A", op, value)
			p := k.beforeReader(t, Control, 100)
			if rows := k.rows(t, p); len(rows) > 0 || Worse(p.Rows[0].Exactness, p.Rows[1].Exactness) != exactCounts {
				t.Errorf("100 CTAs, then a launch that decides: found %q; %s, %s", rows, p.Rows[0].Exactness, p.Rows[1].Exactness)
			}
		})
	}
}
