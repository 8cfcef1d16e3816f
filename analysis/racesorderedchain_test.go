package analysis

// flagRow is what a chain through a flag leaves: the order in which the flag is
// written and read is open, and decides how often a loop goes round; that is no data
// race, and nothing else is open.
const flagRow = "write-read F G sync"

var orderedChains = []raceKernel{
	// Chains of releases and acquires.
	{"release and acquire in a CTA", 1, 64, `
	@%w1 bra GET;
	@%t0 st.global.u32 [%g], 1; //A
	@%t0 st.release.cta.global.u32 [%g+64], 1; //F
	bra.uni BOTH;
GET:	@!%t32 bra BOTH;
SPIN:	ld.acquire.cta.global.u32 %r1, [%g+64]; //G
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra SPIN;
	ld.global.u32 %x, [%g]; //B
BOTH:`, flagRow, scheduledCounts},
	{"release and acquire between CTAs", 2, 1, `
	@%c1 bra SPIN;
	st.global.u32 [%g], 1; //A
	st.release.gpu.global.u32 [%g+64], 1; //F
	bra.uni BOTH;
SPIN:	ld.acquire.gpu.global.u32 %r1, [%g+64]; //G
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra SPIN;
	ld.global.u32 %x, [%g]; //B
BOTH:`, flagRow, scheduledCounts},
	{"the consumer comes first", 2, 1, `
	@%c0 bra SPIN;
	st.global.u32 [%g], 1; //A
	st.release.gpu.global.u32 [%g+64], 1; //F
	bra.uni BOTH;
SPIN:	ld.acquire.gpu.global.u32 %r1, [%g+64]; //G
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra SPIN;
	ld.global.u32 %x, [%g]; //B
BOTH:`, "read-write G F sync, " + flagRow, scheduledCounts},
	{"fences and relaxed accesses", 2, 1, `
	@%c1 bra SPIN;
	st.global.u32 [%g], 1; //A
	fence.acq_rel.gpu;
	st.relaxed.gpu.global.u32 [%g+64], 1; //F
	bra.uni BOTH;
SPIN:	ld.relaxed.gpu.global.u32 %r1, [%g+64]; //G
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra SPIN;
	fence.sc.gpu;
	ld.global.u32 %x, [%g]; //B
BOTH:`, flagRow, scheduledCounts},
	{"membar and volatile", 2, 1, `
	@%c1 bra SPIN;
	st.global.u32 [%g], 1; //A
	membar.gl;
	st.volatile.global.u32 [%g+64], 1; //F
	bra.uni BOTH;
SPIN:	ld.volatile.global.u32 %r1, [%g+64]; //G
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra SPIN;
	membar.gl;
	ld.global.u32 %x, [%g]; //B
BOTH:`, flagRow, scheduledCounts},
	{"a narrow fence after a wide one", 2, 1, `
	@%c1 bra SPIN;
	st.global.u32 [%g], 1; //A
	membar.gl;
	membar.cta;
	st.relaxed.gpu.global.u32 [%g+64], 1; //F
	bra.uni BOTH;
SPIN:	ld.relaxed.gpu.global.u32 %r1, [%g+64]; //G
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra SPIN;
	membar.cta;
	membar.gl;
	ld.global.u32 %x, [%g]; //B
BOTH:`, flagRow, scheduledCounts},
	{"a flag is swapped in", 2, 1, `
	@%c1 bra SPIN;
	st.global.u32 [%g], 1; //A
	atom.acq_rel.gpu.global.exch.b32 %r1, [%g+64], 1; //F
	bra.uni BOTH;
SPIN:	ld.acquire.gpu.global.u32 %r1, [%g+64]; //G
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra SPIN;
	ld.global.u32 %x, [%g]; //B
BOTH:`, flagRow, scheduledCounts},
	{"a reduction that releases", 2, 1, `
	@%c1 bra SPIN;
	st.global.u32 [%g], 1; //A
	red.release.gpu.global.add.u32 [%g+64], 1; //F
	bra.uni BOTH;
SPIN:	ld.acquire.gpu.global.u32 %r1, [%g+64]; //G
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra SPIN;
	ld.global.u32 %x, [%g]; //B
BOTH:`, flagRow, scheduledCounts},
	{"through a third thread", 3, 1, `
	@%c1 bra HAND;
	@%c2 bra LAST;
	st.global.u32 [%g], 1; //A
	st.release.gpu.global.u32 [%g+64], 1; //F
	bra.uni BOTH;
HAND:	ld.acquire.gpu.global.u32 %r1, [%g+64]; //G
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra HAND;
	st.release.gpu.global.u32 [%g+128], 1; //H
	bra.uni BOTH;
LAST:	ld.acquire.gpu.global.u32 %r1, [%g+128]; //I
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra LAST;
	ld.global.u32 %x, [%g]; //B
BOTH:`, flagRow + ", write-read H I sync", scheduledCounts},
	{"what the third thread has read it hands on", 3, 1, `
	@%c1 bra HAND;
	@%c2 bra LAST;
	st.global.u32 [%g], 1; //A
	st.release.gpu.global.u32 [%g+64], 1; //F
	bra.uni BOTH;
HAND:	ld.acquire.gpu.global.u32 %r1, [%g+64]; //G
	st.release.gpu.global.u32 [%g+128], %r1; //H
	bra.uni BOTH;
LAST:	ld.acquire.gpu.global.u32 %r1, [%g+128]; //I
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra LAST;
	ld.global.u32 %x, [%g]; //B
BOTH:`, flagRow + ", write-read H I sync", scheduledCounts},
	{"an addition of another thread keeps the release", 3, 1, `
	@%c1 bra MORE;
	@%c2 bra LAST;
	st.global.u32 [%g], 1; //A
	red.release.gpu.global.add.u32 [%g+64], 1; //F
	bra.uni BOTH;
MORE:	red.relaxed.gpu.global.add.u32 [%g+64], 1; //H
	bra.uni BOTH;
LAST:	ld.acquire.gpu.global.u32 %r1, [%g+64]; //G
	setp.lt.u32 %p0, %r1, 2;
	@%p0 bra LAST;
	ld.global.u32 %x, [%g]; //B
BOTH:`, flagRow + ", write-read H G sync", scheduledCounts},
	{"a flag behind a barrier", 2, 64, `
	@%c1 bra LAST;
	@%t32 st.global.u32 [%g], 1; //A
	bar.sync 0;
	@%t0 st.release.gpu.global.u32 [%g+64], 1; //F
	bra.uni BOTH;
LAST:	@!%t0 bra GO;
SPIN:	ld.acquire.gpu.global.u32 %r1, [%g+64]; //G
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra SPIN;
GO:	bar.sync 0;
	@%t32 ld.global.u32 %x, [%g]; //B
BOTH:`, flagRow, scheduledCounts},
	// What each CTA stores, the last to take a ticket reads.
	{"the last of the CTAs", 3, 1, `
	mov.u32 %r1, 4;
	mad.wide.u32 %d1, %cta, %r1, %g;
	st.global.u32 [%d1], %cta; //A
	membar.gl;
	atom.global.add.u32 %r2, [%g+64], 1; //T
	setp.ne.u32 %p0, %r2, 2;
	@%p0 bra BOTH;
	membar.gl;
	ld.global.u32 %r3, [%g]; //B
	ld.global.u32 %r4, [%g+4]; //C
	add.u32 %x, %r3, %r4;
BOTH:`, "write-read T T sync, read-write T T sync", scheduledCounts},

	// Barriers in memory.
	{"mbarrier", 1, 64, `
	@%t0 mbarrier.init.shared.b64 [of], 1;
	bar.sync 0;
	@%w0 bra WAIT;
	@%t32 st.shared.u32 [sh], 1; //A
	@%t32 mbarrier.arrive.shared.b64 %d1, [of]; //F
	bra.uni BOTH;
WAIT:	mbarrier.test_wait.parity.shared.b64 %p0, [of], 0; //G
	@!%p0 bra WAIT;
	ld.shared.u32 %x, [sh]; //B
BOTH:`, flagRow, scheduledCounts},
	{"an mbarrier of all, and its state", 1, 64, `
	@%t0 mbarrier.init.shared.b64 [of], 64;
	bar.sync 0;
	@%t32 st.shared.u32 [sh], 1; //A
	mbarrier.arrive.shared.b64 %d1, [of]; //F
WAIT:	mbarrier.test_wait.shared.b64 %p0, [of], %d1; //G
	@!%p0 bra WAIT;
	@%t0 ld.shared.u32 %x, [sh]; //B`, "write-read F G sync, write-read F G sync warp, read-write G F sync", scheduledCounts},

	// Asynchronous copies.
	{"a copy of one's own", 1, 1, `
	st.global.u32 [%g], 9;
	cp.async.ca.shared.global [sh], [%g], 4; //A
	cp.async.wait_all;
	ld.shared.u32 %x, [sh]; //B`, "", exactCounts},
	{"a group and a barrier", 1, 64, `
	@%t0 cp.async.ca.shared.global [sh], [%g], 16; //A
	cp.async.commit_group;
	cp.async.wait_group 0;
	bar.sync 0;
	@%t32 ld.shared.u32 %x, [sh+8]; //B`, "", exactCounts},
	{"the older of two groups", 1, 1, `
	cp.async.ca.shared.global [sh], [%g], 4; //A
	cp.async.commit_group;
	cp.async.ca.shared.global [sh+4], [%g+4], 4;
	cp.async.commit_group;
	cp.async.wait_group 1;
	ld.shared.u32 %x, [sh]; //B`, "", exactCounts},
	{"a stage ahead", 1, 64, `
	mov.u32 %r1, sh;
	shl.b32 %r2, %id, 2;
	add.u32 %r1, %r1, %r2;
	xor.b32 %r3, %r1, 128;
	cvt.u64.u32 %d1, %r2;
	add.u64 %d1, %g, %d1;
	cp.async.ca.shared.global [%r1], [%d1], 4; //A
	cp.async.commit_group;
	mov.u32 %r4, 0;
L:	xor.b32 %r1, %r1, 256;
	cp.async.ca.shared.global [%r1], [%d1], 4; //C
	cp.async.commit_group;
	cp.async.wait_group 1;
	bar.sync 0;
	ld.shared.u32 %x, [%r3]; //B
	bar.sync 0;
	xor.b32 %r3, %r3, 256;
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p0, %r4, 4;
	@%p0 bra L;`, "", exactCounts},
	{"copies that arrive at an mbarrier", 1, 64, `
	@%t0 mbarrier.init.shared.b64 [of], 1;
	bar.sync 0;
	@%w0 bra WAIT;
	@!%t32 bra BOTH;
	st.global.u32 [%g], 9;
	cp.async.ca.shared.global [sh], [%g], 4; //A
	cp.async.mbarrier.arrive.noinc.shared.b64 [of]; //F
	bra.uni BOTH;
WAIT:	mbarrier.test_wait.parity.shared.b64 %p0, [of], 0; //G
	@!%p0 bra WAIT;
	ld.shared.u32 %x, [sh]; //B
BOTH:`, flagRow, scheduledCounts},

	// One thread, or nobody who writes.
	{"a thread by itself", 1, 64, `
	mov.u32 %r1, sh;
	mad.lo.u32 %r1, %id, 4, %r1;
	st.shared.u32 [%r1], %id; //A
	ld.shared.u32 %r2, [%r1]; //B
	add.u32 %r2, %r2, 1;
	st.shared.u32 [%r1], %r2; //C
	ld.shared.u32 %x, [%r1]; //D`, "", exactCounts},
	{"all read", 4, 64, `
	ld.global.u32 %r1, [%g]; //A
	ld.global.u8 %r2, [%g+2]; //B
	add.u32 %x, %r1, %r2;`, "", exactCounts},

	// Bytes beside each other.
	{"bytes", 1, 64, `
	mov.u32 %r1, sh;
	add.u32 %r1, %r1, %id;
	st.shared.u8 [%r1], %id; //A
	ld.shared.u8 %x, [%r1]; //B`, "", exactCounts},
	{"halves of words", 1, 64, `
	mov.u32 %r1, sh;
	mad.lo.u32 %r1, %id, 2, %r1;
	st.shared.u16 [%r1], %id; //A
	ld.shared.u16 %x, [%r1]; //B`, "", exactCounts},
	{"vectors", 1, 64, `
	mov.u32 %r1, sh;
	mad.lo.u32 %r1, %id, 16, %r1;
	st.shared.v4.u32 [%r1], {%id, %id, %id, %id}; //A
	ld.shared.v2.u32 {%x, %r2}, [%r1+8]; //B`, "", exactCounts},
	{"a byte beside a word", 1, 64, `
	@%t0 st.shared.u32 [sh], 9; //A
	@%t32 st.shared.u8 [sh+4], 9; //B
	@%t0 ld.shared.u32 %x, [sh]; //C
	@%t32 ld.shared.u8 %x, [sh+4]; //D`, "", exactCounts},
	{"pages of CTAs", 3, 1, `
	mul.wide.u32 %d1, %cta, 131072;
	add.u64 %d1, %g, %d1;
	st.global.u32 [%d1+4], %cta; //A
	ld.global.u32 %x, [%d1+4]; //B`, "", exactCounts},
	{"each CTA has a shared memory", 3, 1, `
	st.shared.u32 [sh], %cta; //A
	ld.shared.u32 %x, [sh]; //B`, "", exactCounts},
}
