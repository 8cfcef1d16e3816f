package analysis

import (
	"slices"
	"strings"
	"testing"
)

var plantedRaces = []raceKernel{
	// Threads of different warps.
	{"warps write", 1, 64, `
	@%t0 st.shared.u32 [sh], 1; //A
	@%t32 st.shared.u32 [sh], 9; //B
	bar.sync 0;
	ld.shared.u32 %x, [sh];`,
		"write-write A B", scheduledCounts},
	{"warp reads what another writes", 1, 64, zeroShared + `
	@%t32 st.shared.u32 [sh], 1; //A
	@%t0 ld.shared.u32 %x, [sh]; //B`,
		"write-read A B", scheduledCounts},
	{"warp overwrites what another reads", 1, 64, zeroShared + `
	@%t32 ld.shared.u32 %x, [sh]; //A
	@%t0 st.shared.u32 [sh], 1; //B`,
		"read-write A B", scheduledCounts},
	{"warps write one value", 1, 64, zeroShared + `
	@%t32 st.shared.u32 [sh], 1; //A
	@%t0 st.shared.u32 [sh], 1; //B
	bar.sync 0;
	ld.shared.u32 %x, [sh];`,
		"write-write A B value", exactCounts},
	{"write changes nothing that another reads", 1, 64, zeroShared + `
	@%t32 ld.shared.u32 %x, [sh]; //A
	@%t0 st.shared.u32 [sh], 0; //B`,
		"read-write A B value", exactCounts},
	{"atomics after a store, of which the last changes nothing", 1, 64, `
	@%t0 st.shared.u32 [sh], 7; //A
	@%t0 red.shared.xor.b32 [sh], 61;
	@%t0 red.shared.xor.b32 [sh], 0;
	@%t32 red.shared.xor.b32 [sh], 32; //B
	bar.sync 0;
	ld.shared.u32 %x, [sh];`,
		"write-write A B", scheduledCounts},
	{"the second and the third agree", 1, 96, `
	@%t0 st.shared.u32 [sh], 1; //A
	@%t32 st.shared.u32 [sh], 9; //B
	setp.eq.u32 %p0, %id, 64;
	@%p0 st.shared.u32 [sh], 9; //C
	bar.sync 0;
	ld.shared.u32 %x, [sh];`,
		"write-write A B, write-write A C, write-write B C value", scheduledCounts},
	{"loop without its second barrier", 1, 64, `
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
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p0, %r4, 3;
	@%p0 bra L;`,
		"read-write B A, write-read A B", scheduledCounts},

	// Lanes of one warp, of which the manual says nothing.
	{"lanes of one store", 1, 32, `
	st.shared.u32 [sh], %id; //A
	bar.warp.sync -1;
	ld.shared.u32 %x, [sh];`,
		"write-write A A warp", undefinedCounts},
	{"lane reads what another wrote", 1, 32, zeroShared + `
	@%t0 st.shared.u32 [sh], 1; //A
	@%t1 ld.shared.u32 %x, [sh]; //B`,
		"write-read A B warp", undefinedCounts},
	{"lane overwrites what another read", 1, 32, zeroShared + `
	@%t1 ld.shared.u32 %x, [sh]; //A
	@%t0 st.shared.u32 [sh], 1; //B`,
		"read-write A B warp", undefinedCounts},
	{"both sides of a branch write", 1, 32, `
	setp.eq.u32 %p0, %lane, 20;
	@%lo bra LOW;
	@%p0 st.global.u32 [%g], 1; //A
	bra.uni BOTH;
LOW:	@%t1 st.global.u32 [%g], 9; //B
BOTH:	bar.warp.sync -1;
	ld.global.u32 %x, [%g];`,
		"write-write A B warp", undefinedCounts},
	{"one side of a branch reads", 1, 32, `
	@%lo bra LOW;
	setp.eq.u32 %p0, %lane, 16;
	@%p0 st.global.u32 [%g], 1; //A
	bra.uni BOTH;
LOW:	ld.global.u32 %x, [%g]; //B
BOTH:`,
		"write-read A B warp", undefinedCounts},
	{"halves of a warp that sync apart", 1, 32, zeroShared + `
	@%t0 st.shared.u32 [sh], 1; //A
	@%lo bra LOW;
	bar.warp.sync 0xffff0000;
	setp.eq.u32 %p0, %lane, 20;
	@%p0 ld.shared.u32 %x, [sh]; //B
	bra.uni BOTH;
LOW:	bar.warp.sync 0x0000ffff;
BOTH:`,
		"write-read A B warp", undefinedCounts},
	{"halves of a warp that sync apart at one instruction", 1, 32, zeroShared + `
	@%t0 st.shared.u32 [sh], 1; //A
	selp.b32 %r1, 0xffff, 0xffff0000, %lo;
	bar.warp.sync %r1;
	setp.eq.u32 %p0, %lane, 20;
	@%p0 ld.shared.u32 %x, [sh]; //B`,
		"write-read A B warp", undefinedCounts},
	{"halves of a warp that sync apart after one waited", 1, 32, zeroShared + `
	@%t0 st.shared.u32 [sh], 1; //A
	selp.b32 %r1, 0xffff, 0xffff0000, %lo;
	setp.lt.u32 %p0, %lane, 24;
	@%p0 bra SOME;
	bar.warp.sync %r1;
	bra.uni BOTH;
SOME:	bar.warp.sync %r1;
BOTH:	setp.eq.u32 %p0, %lane, 20;
	@%p0 ld.shared.u32 %x, [sh]; //B`,
		"write-read A B warp", undefinedCounts},
	{"a thread reads through .nc what it has written", 1, 32, `
	@%t0 st.global.u32 [%g], 9; //A
	@%t0 ld.global.nc.u32 %x, [%g]; //B`,
		"stale B", undefinedCounts},
	{"what CUDA's driver sets", 1, 32, `
	mov.u32 %r1, %envreg3;
	and.b32 %x, %r1, 511; //A`,
		"machine A", undefinedCounts},
	{"shared memory in the machine's units", 1, 32, `
	mov.u32 %r1, %total_smem_size;
	and.b32 %x, %r1, 511; //A`,
		"machine A", undefinedCounts},
	{"a shuffle orders no memory", 1, 32, zeroShared + `
	@%t0 st.shared.u32 [sh], 1; //A
	shfl.sync.idx.b32 %r1, %id, 0, 31, -1;
	@%t1 ld.shared.u32 %x, [sh]; //B`,
		"write-read A B warp", undefinedCounts},
	{"a result that one thread writes over", 1, 64, `
	atom.global.add.u32 %x, [%g], 1; //A
	@%t0 mov.u32 %x, 3;`,
		"read-write A A sync, read-write A A sync warp, write-read A A sync, write-read A A sync warp", scheduledCounts},
	{"a result that another lane reads", 1, 32, `
	@%lo bra LOW;
	atom.global.add.u32 %r1, [%g], 1; //A
	bra.uni BOTH;
LOW:	mov.u32 %r1, %id;
BOTH:	shfl.sync.bfly.b32 %x, %r1, 16, 31, -1;`,
		"read-write A A sync warp, write-read A A sync warp", scheduledCounts},
	{"how many have not arrived", 1, 64, `
	@%t0 mbarrier.init.shared.b64 [sh], 64;
	bar.sync 0;
	mbarrier.arrive.shared.b64 %d1, [sh]; //A
	mbarrier.pending_count.b64 %x, %d1;`,
		"read-write A A sync, read-write A A sync warp, write-read A A sync, write-read A A sync warp", scheduledCounts},
	{"whether a phase is over, asked by who has not waited", 1, 64, `
	@%t0 mbarrier.init.shared.b64 [sh], 64;
	bar.sync 0;
	mbarrier.arrive.shared.b64 %d1, [sh]; //A
	mbarrier.test_wait.shared.b64 %p0, [sh], %d1; //B
	selp.b32 %x, 7, 0, %p0;`,
		"read-write B A sync, write-read A B sync, write-read A B sync warp", scheduledCounts},
	{"an addition that may come before another thread's store and addition", 1, 64, `
	@%t0 st.shared.u32 [sh], 5; //A
	@%t0 red.shared.add.u32 [sh], 1;
	@%t32 red.shared.add.u32 [sh], 1; //B
	bar.sync 0;
	ld.shared.u32 %x, [sh];`,
		"write-write A B", scheduledCounts},
	{"volatile lanes", 1, 32, `
	@%t0 st.volatile.global.u32 [%g], 1; //A
	@%t1 ld.volatile.global.u32 %x, [%g]; //B`,
		"write-read A B sync warp", scheduledCounts},

	// CTAs.
	{"CTA reads what another writes", 2, 1, `
	@%c0 st.global.u32 [%g], 1; //A
	@%c1 ld.global.u32 %x, [%g]; //B`,
		"write-read A B", scheduledCounts},
	{"CTAs write", 2, 1, `
	st.global.u32 [%g], %cta; //A
	ld.global.u32 %x, [%g]; //B`,
		"write-write A A, read-write B A, write-read A B", scheduledCounts},
	{"CTA overwrites what another read", 2, 32, `
	@%c0 ld.global.u32 %x, [%g]; //A
	@%c1 bra LAST;
	bra.uni BOTH;
LAST:	@%t0 st.global.u32 [%g], 1; //B
BOTH:`,
		"read-write A B", scheduledCounts},
	{"a barrier is of one CTA", 2, 32, `
	@%c0 st.global.u32 [%g], 1; //A
	bar.sync 0;
	@%c1 ld.global.u32 %x, [%g]; //B`,
		"write-read A B, write-write A A warp value", scheduledCounts},

	// Strong accesses and atomics: no data race where each is in the other's scope,
	// but open order.
	{"volatile warps", 1, 64, `
	@%t0 st.volatile.global.u32 [%g], 1; //A
	@%t32 ld.volatile.global.u32 %x, [%g]; //B`,
		"write-read A B sync", scheduledCounts},
	{"relaxed CTAs", 2, 1, `
	@%c0 st.relaxed.gpu.global.u32 [%g], 1; //A
	@%c1 ld.relaxed.gpu.global.u32 %x, [%g]; //B`,
		"write-read A B sync", scheduledCounts},
	{"relaxed CTAs in the scope of a CTA", 2, 1, `
	@%c0 st.relaxed.cta.global.u32 [%g], 1; //A
	@%c1 ld.relaxed.cta.global.u32 %x, [%g]; //B`,
		"write-read A B", scheduledCounts},
	{"a strong write and a plain read", 1, 64, `
	@%t0 st.relaxed.gpu.global.u32 [%g], 1; //A
	@%t32 ld.global.u32 %x, [%g]; //B`,
		"write-read A B", scheduledCounts},
	{"strong and plain reads of one warp", 1, 64, `
	@%t0 ld.relaxed.gpu.global.u32 %x, [%g]; //A
	@%t1 ld.global.u32 %x, [%g]; //B
	@%t32 st.relaxed.gpu.global.u32 [%g], 1; //C`,
		"read-write A C sync, read-write B C", scheduledCounts},
	{"add and min", 1, 64, `
	@%t0 red.global.add.u32 [%g], 3; //A
	@%t32 red.global.min.u32 [%g], 1; //B
	bar.sync 0;
	ld.global.u32 %x, [%g];`,
		"write-write A B sync", scheduledCounts},
	{"min of different types", 1, 64, `
	@%t0 red.global.min.s32 [%g], -1; //A
	@%t32 red.global.min.u32 [%g], 1; //B
	bar.sync 0;
	ld.global.u32 %x, [%g];`,
		"write-write A B sync", scheduledCounts},
	// Morally strong accesses overlap completely (PTX ISA 8.7.1): these do not.
	{"add of different widths", 1, 64, `
	@%t0 red.global.add.u32 [%g], -1; //A
	@%t32 red.global.add.u64 [%g], 1; //B
	bar.sync 0;
	ld.global.u32 %x, [%g+4];`,
		"write-write A B", scheduledCounts},
	{"inc with different bounds", 1, 64, `
	@%t0 atom.global.inc.u32 %r1, [%g], 0; //A
	@%t32 atom.global.inc.u32 %r1, [%g], 7; //B
	bar.sync 0;
	ld.global.u32 %x, [%g];`,
		"write-write A B sync", scheduledCounts},
	{"float additions", 1, 64, `
	cvt.rn.f32.u32 %f1, %warp;
	add.f32 %f1, %f1, 0f3F800000;
	setp.eq.u32 %p0, %lane, 0;
	@%p0 red.global.add.f32 [%g], %f1; //A
	bar.sync 0;
	ld.global.u32 %x, [%g];`,
		"write-write A A sync", scheduledCounts},
	{"exchanges", 1, 64, `
	setp.eq.u32 %p0, %lane, 0;
	@%p0 atom.global.exch.b32 %r1, [%g], %id; //A
	bar.sync 0;
	ld.global.u32 %x, [%g];`,
		"write-write A A sync", scheduledCounts},
	{"compare-and-swap of different values", 1, 64, `
	add.u32 %r2, %id, 1;
	setp.eq.u32 %p0, %lane, 0;
	@%p0 atom.global.cas.b32 %r1, [%g], 0, %r2; //A
	bar.sync 0;
	ld.global.u32 %x, [%g];`,
		"write-write A A sync", scheduledCounts},
	{"tickets", 1, 64, `
	setp.eq.u32 %p0, %lane, 0;
	@%p0 atom.global.add.u32 %x, [%g], 1; //A`,
		"write-read A A sync, read-write A A sync", scheduledCounts},
	// Its own addition does not hide that a thread has read before another's.
	{"a read before two additions", 1, 64, `
	@%t0 ld.global.u32 %x, [%g]; //A
	@%t0 red.global.add.u32 [%g], 1;
	@%t32 red.global.add.u32 [%g], 1; //B`,
		"read-write A B", scheduledCounts},
	{"a read before two equal writes", 1, 64, `
	@%t0 ld.global.u32 %x, [%g]; //A
	@%t0 st.global.u32 [%g], 7; //B
	@%t32 st.global.u32 [%g], 7; //C`,
		"read-write A C, write-write B C value", scheduledCounts},
	{"a ticket and an addition", 1, 64, `
	@%t0 atom.global.add.u32 %x, [%g], 1; //A
	@%t32 red.global.add.u32 [%g], 1; //B`,
		"read-write A B sync", scheduledCounts},
	{"atomic after a plain read", 1, 64, `
	@%t0 ld.global.u32 %x, [%g]; //A
	@%t32 red.global.add.u32 [%g], 1; //B`,
		"read-write A B", scheduledCounts},
	{"atomic after a plain write", 1, 64, `
	@%t0 st.global.u32 [%g], 5; //A
	@%t32 red.global.add.u32 [%g], 1; //B
	bar.sync 0;
	ld.global.u32 %x, [%g];`,
		"write-write A B", scheduledCounts},
	{"adds of CTAs in the scope of a CTA", 2, 1, `
	@%c0 red.relaxed.cta.global.add.u32 [%g], 1; //A
	@%c1 red.relaxed.cta.global.add.u32 [%g], 1; //B
	@%c1 ld.global.u32 %x, [%g]; //C`,
		"write-write A B, write-read A C", scheduledCounts},
}

// TestRaceOfEarlierLaunch: what a decision rests on may have happened in an earlier
// launch, and is found there.
func TestRaceOfEarlierLaunch(t *testing.T) {
	k := raceKernel{block: 1, body: `
	st.global.u32 [%g], %cta; //A`}
	for _, mode := range runningModes {
		p := k.beforeReader(t, mode, 2)
		if rows := k.rows(t, p); !slices.Equal(rows, []string{"write-write A A"}) {
			t.Errorf("%s: found %q", mode, rows)
		}
		for i, want := range []string{exactCounts, scheduledCounts} {
			if r := p.Rows[i]; r.Exactness != want {
				t.Errorf("%s: launch %d is %s, by hand %s", mode, i, r.Exactness, want)
			}
		}
		said := strings.Join(p.Explain(), "\n")
		const from = "CTA 0 warp 0 lane 0 (k.ptx:28 `st.global.u32 [%g], %cta`) writes what another CTA (CTA 1 warp 0 lane 0) writes"
		if !strings.Contains(said, from) {
			t.Errorf("%s: %s\ndoes not say: %s", mode, said, from)
		}
	}
}

// TestPlantedRaces: of each kernel the race is found that is in it, and no other.
func TestPlantedRaces(t *testing.T) {
	for _, k := range slices.Concat(plantedRaces, plantedChains) {
		t.Run(k.name, k.check)
	}
}

// TestMeetingBeforeReader: what a kernel leaves in which the order of threads decides who
// meets whom, or in which those meet who must not, is not exact for the launches after it,
// even what it stored before anything told of that.
func TestMeetingBeforeReader(t *testing.T) {
	kernels := []raceKernel{{exactness: scheduledCounts, block: 128, body: `
	shl.b32 %r1, %id, 2;
	mov.u32 %r2, sh;
	add.u32 %r1, %r1, %r2;
	st.shared.u32 [%r1], %id;
	bar.sync 1, 64;
	ld.shared.u32 %r1, [sh+128];
	@%t0 st.global.u32 [%g], %r1;`}, {exactness: undefinedCounts, block: 64, body: `
	@%t0 st.global.u32 [%g], 1;
	@%w0 bra RED;
	bar.sync 0;
	bra.uni BOTH;
RED:	bar.red.popc.u32 %r1, 0, %t0;
BOTH:`}}
	for _, k := range kernels {
		for _, mode := range runningModes {
			for i, r := range k.beforeReader(t, mode, 1).Rows[:2] {
				if r.Exactness != k.exactness {
					t.Errorf("%s: launch %d is %s, not %s", mode, i, r.Exactness, k.exactness)
				}
			}
		}
	}
}
