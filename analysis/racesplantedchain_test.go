package analysis

var plantedChains = []raceKernel{
	// In another order the flag is not yet set where it is read.
	{"a flag that is read and decides nothing", 2, 1, `
	@%c1 bra GET;
	st.global.u32 [%g], 9; //A
	st.release.gpu.global.u32 [%g+64], 1; //F
	bra.uni BOTH;
GET:	ld.acquire.gpu.global.u32 %r1, [%g+64]; //G
	ld.global.u32 %x, [%g]; //B
	setp.gt.u32 %p0, %x, 100;
	@%p0 mov.u32 %x, %r1;
BOTH:`, "write-read A B, write-read F G sync", scheduledCounts},
	{"a fence after a flag that decides nothing", 2, 1, `
	@%c1 bra GET;
	st.global.u32 [%g], 9; //A
	fence.acq_rel.gpu;
	st.relaxed.gpu.global.u32 [%g+64], 1; //F
	bra.uni BOTH;
GET:	ld.relaxed.gpu.global.u32 %r1, [%g+64]; //G
	fence.acq_rel.gpu;
	ld.global.u32 %x, [%g]; //B
	setp.gt.u32 %p0, %x, 100;
	@%p0 mov.u32 %x, %r1;
BOTH:`, "write-read A B, write-read F G sync", scheduledCounts},
	{"an mbarrier's phase that nobody waits for", 1, 64, `
	@%t0 mbarrier.init.shared.b64 [of], 1;
	@%t0 st.shared.u32 [sh], 0;
	bar.sync 0;
	@%w0 bra WAIT;
	@%t32 st.shared.u32 [sh], 9; //A
	@%t32 mbarrier.arrive.shared.b64 %d1, [of]; //F
	bra.uni BOTH;
WAIT:	mbarrier.test_wait.parity.shared.b64 %p0, [of], 0; //G
	ld.shared.u32 %x, [sh]; //B
	setp.gt.u32 %p1, %x, 100;
	@%p1 selp.u32 %x, 0, 1, %p0;
BOTH:`, "write-read A B, write-read F G sync", scheduledCounts},
	// Who hands the flag on may in another order have done so without having seen it.
	{"a flag that is handed on by who has not waited for it", 3, 1, `
	@%c1 bra HAND;
	@%c2 bra LAST;
	st.global.u32 [%g], 1; //A
	st.release.gpu.global.u32 [%g+64], 1; //F
	bra.uni BOTH;
HAND:	ld.acquire.gpu.global.u32 %r1, [%g+64]; //G
	st.release.gpu.global.u32 [%g+128], 1; //H
	add.u32 %x, %x, %r1;
	bra.uni BOTH;
LAST:	ld.acquire.gpu.global.u32 %r1, [%g+128]; //I
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra LAST;
	ld.global.u32 %x, [%g]; //B
BOTH:`, "write-read A B, write-read F G sync, write-read H I sync", scheduledCounts},
	// Chains of releases and acquires that lack a link.
	{"no fence before the flag", 1, 64, `
	@%w1 bra GET;
	@%t0 st.global.u32 [%g], 1; //A
	@%t0 st.relaxed.gpu.global.u32 [%g+64], 1; //F
	bra.uni BOTH;
GET:	@!%t32 bra BOTH;
SPIN:	ld.relaxed.gpu.global.u32 %r1, [%g+64]; //G
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra SPIN;
	fence.acq_rel.gpu;
	ld.global.u32 %x, [%g]; //B
BOTH:`,
		"write-read F G sync, write-read A B", scheduledCounts},
	{"no fence after the flag", 1, 64, `
	@%w1 bra GET;
	@%t0 st.global.u32 [%g], 1; //A
	fence.acq_rel.gpu;
	@%t0 st.relaxed.gpu.global.u32 [%g+64], 1; //F
	bra.uni BOTH;
GET:	@!%t32 bra BOTH;
SPIN:	ld.relaxed.gpu.global.u32 %r1, [%g+64]; //G
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra SPIN;
	ld.global.u32 %x, [%g]; //B
BOTH:`,
		"write-read F G sync, write-read A B", scheduledCounts},
	{"a fence of a CTA before the flag of another", 2, 1, `
	@%c1 bra SPIN;
	st.global.u32 [%g], 1; //A
	fence.acq_rel.cta;
	st.relaxed.gpu.global.u32 [%g+64], 1; //F
	bra.uni BOTH;
SPIN:	ld.relaxed.gpu.global.u32 %r1, [%g+64]; //G
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra SPIN;
	fence.acq_rel.gpu;
	ld.global.u32 %x, [%g]; //B
BOTH:`,
		"write-read F G sync, write-read A B", scheduledCounts},
	{"a fence of a CTA after the flag of another", 2, 1, `
	@%c1 bra SPIN;
	st.global.u32 [%g], 1; //A
	fence.acq_rel.gpu;
	st.relaxed.gpu.global.u32 [%g+64], 1; //F
	bra.uni BOTH;
SPIN:	ld.relaxed.gpu.global.u32 %r1, [%g+64]; //G
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra SPIN;
	membar.cta;
	ld.global.u32 %x, [%g]; //B
BOTH:`,
		"write-read F G sync, write-read A B", scheduledCounts},
	{"release and acquire in the scope of a CTA", 2, 1, `
	@%c1 bra SPIN;
	st.global.u32 [%g], 1; //A
	st.release.cta.global.u32 [%g+64], 1; //F
	bra.uni BOTH;
SPIN:	ld.acquire.cta.global.u32 %r1, [%g+64]; //G
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra SPIN;
	ld.global.u32 %x, [%g]; //B
BOTH:`,
		"write-read F G, write-read A B", scheduledCounts},
	{"a reduction of another CTA breaks the chain", 2, 64, `
	@%c1 bra LAST;
	@!%t0 bra BOTH;
	st.global.u32 [%g], 1; //A
	red.release.cta.global.add.u32 [%g+64], 1; //E
	bra.uni BOTH;
LAST:	@%w1 bra GET;
	@%t0 red.release.cta.global.add.u32 [%g+64], 1; //F
	bra.uni BOTH;
GET:	@!%t32 bra BOTH;
SPIN:	ld.acquire.cta.global.u32 %r1, [%g+64]; //G
	setp.lt.u32 %p0, %r1, 2;
	@%p0 bra SPIN;
	ld.global.u32 %x, [%g]; //B
BOTH:`,
		"write-write E F, write-read E G, write-read F G sync, write-read A B", scheduledCounts},
	{"the flag is seen by another lane", 1, 64, `
	@%w1 bra GET;
	@%t0 st.global.u32 [%g], 1; //A
	@%t0 st.release.gpu.global.u32 [%g+64], 1; //F
	bra.uni BOTH;
GET:	@!%t32 bra PAST;
SPIN:	ld.acquire.gpu.global.u32 %r1, [%g+64]; //G
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra SPIN;
PAST:	setp.eq.u32 %p0, %lane, 1;
	@%p0 ld.global.u32 %x, [%g]; //B
BOTH:`,
		"write-read F G sync, write-read A B", scheduledCounts},
	// The load is in order only if the flag happens to be set: no decision rests on
	// that, so the flag is in no slice, and the load races with the store.
	{"nobody asks what the flag says", 1, 64, `
	@%w1 bra GET;
	@%t0 st.global.u32 [%g], 9; //A
	@%t0 st.release.gpu.global.u32 [%g+64], 1; //F
	bra.uni BOTH;
GET:	@!%t32 bra BOTH;
	ld.acquire.gpu.global.u32 %r1, [%g+64]; //G
	ld.global.u32 %r2, [%g]; //B
	mov.u32 %x, %r2;
BOTH:`,
		"write-read A B", scheduledCounts},

	// Barriers that wait for too little.
	{"a barrier of one warp each", 1, 64, zeroShared + `
	@%t32 st.shared.u32 [sh], 1; //A
	bar.sync 1, 32;
	@%t0 ld.shared.u32 %x, [sh]; //B`,
		"write-read A B", scheduledCounts},
	{"arriving is not waiting", 1, 64, zeroShared + `
	@%w0 bra GET;
	@%t32 st.shared.u32 [sh], 1; //A
	bar.sync 1, 64;
	bra.uni BOTH;
GET:	bar.arrive 1, 64;
	@%t0 ld.shared.u32 %x, [sh]; //B
BOTH:`,
		"write-read A B", scheduledCounts},
	// More warps come to a barrier than it waits for.
	{"two pairs of warps at one barrier", 1, 128, `
	bar.sync 1, 64; //A`,
		"meeting A A sync", scheduledCounts},
	{"two pairs of warps exchange at one barrier", 1, 128, `
	shl.b32 %r1, %id, 2;
	mov.u32 %r2, sh;
	add.u32 %r1, %r1, %r2;
	st.shared.u32 [%r1], %id;
	bar.sync 1, 64; //A
	xor.b32 %r2, %id, 32;
	shl.b32 %r2, %r2, 2;
	mov.u32 %r1, sh;
	add.u32 %r1, %r1, %r2;
	ld.shared.u32 %x, [%r1];`,
		"meeting A A sync", scheduledCounts},
	{"more arrive than the barrier waits for", 1, 96, `
	@%w0 bra GET;
	bar.arrive 1, 64; //A
	bra.uni BOTH;
GET:	bar.sync 1, 64; //B
	bar.sync 2, 32;
BOTH:`,
		"meeting A A sync, meeting B A sync", scheduledCounts},
	{"one arrives twice", 1, 96, `
	@%w0 bra GET;
	@%w1 bra ONCE;
	bar.arrive 1, 128; //A
	bar.arrive 1, 128; //B
	bra.uni BOTH;
ONCE:	bar.arrive 1, 128;
	bra.uni BOTH;
GET:	mov.u32 %x, 0;
BOTH:`,
		"meeting A B sync warp", scheduledCounts},
	{"the next to come was not there", 1, 96, `
	@%w0 bra BOTH;
	bar.sync 1, 64; //A
	bra.uni PAST;
BOTH:	bar.sync 1, 32; //B
PAST:`,
		"meeting B A sync", scheduledCounts},
	{"counts that differ", 1, 96, `
	@%w0 bra ALL;
	@%w1 bra LESS;
	bra.uni BOTH;
ALL:	bar.sync 1, 96; //A
	bra.uni BOTH;
LESS:	bar.sync 1, 64; //B
BOTH:`,
		"meeting A B sync", scheduledCounts},
	// Those who reduce and those who do not come to one barrier.
	{"a reduction meets a wait", 1, 64, `
	@%w0 bra RED;
	bar.sync 0; //A
	bra.uni BOTH;
RED:	bar.red.popc.u32 %x, 0, %t0; //B
BOTH:`,
		"mixed-barrier B A sync", undefinedCounts},
	{"a reduction meets an arrival", 1, 96, `
	@%w0 bra PUT;
	bar.red.popc.u32 %x, 1, 96, %t1; //A
	bra.uni BOTH;
PUT:	bar.arrive 1, 96; //B
BOTH:`,
		"mixed-barrier B A sync", undefinedCounts},
	{"a reduction meets a wait of its warp", 1, 32, `
	@%lo bra RED;
	barrier.sync 0; //A
	bra.uni BOTH;
RED:	barrier.red.popc.u32 %x, 0, %t0; //B
BOTH:`,
		"mixed-barrier A B sync warp", undefinedCounts},
	{"a reduction meets another", 1, 64, `
	@%w0 bra RED;
	bar.red.and.pred %p0, 0, %t0; //A
	bra.uni BOTH;
RED:	bar.red.or.pred %p0, 0, %t0; //B
BOTH:
	selp.b32 %x, 1, 0, %p0;`,
		"mixed-barrier B A sync", undefinedCounts},
	{"different barriers", 1, 128, zeroShared + `
	@%t0 st.shared.u32 [sh], 1; //A
	shr.u32 %r1, %warp, 1;
	add.u32 %r1, %r1, 1;
	bar.sync %r1, 64;
	setp.eq.u32 %p0, %id, 64;
	@%p0 ld.shared.u32 %x, [sh]; //B`,
		"write-read A B", scheduledCounts},
	{"nobody waits for the mbarrier", 1, 64, zeroShared + `
	@%t0 mbarrier.init.shared.b64 [of], 1;
	bar.sync 0;
	@%t0 st.shared.u32 [sh], 1; //A
	@%t0 mbarrier.arrive.shared.b64 %d1, [of];
	@%t32 ld.shared.u32 %x, [sh]; //B`,
		"write-read A B", scheduledCounts},
	{"the wrong phase of an mbarrier", 1, 64, zeroShared + `
	@%t0 mbarrier.init.shared.b64 [of], 1;
	bar.sync 0;
	@%w1 bra PUT;
	@!%t0 bra BOTH;
WAIT:	mbarrier.test_wait.parity.shared.b64 %p0, [of], 1; //W
	@!%p0 bra WAIT;
	ld.shared.u32 %x, [sh]; //A
	bra.uni BOTH;
PUT:	@%t32 st.shared.u32 [sh], 1; //B
	@%t32 mbarrier.arrive.shared.b64 %d1, [of]; //V
BOTH:`,
		"read-write A B, read-write W V sync", scheduledCounts},

	// Asynchronous copies.
	{"a copy that nobody waits for", 1, 1, zeroShared + `
	cp.async.ca.shared.global [sh], [%g], 4; //A
	ld.shared.u32 %x, [sh]; //B`,
		"write-read A B warp value", exactCounts},
	{"a copy over what was there", 1, 1, zeroShared + `
	st.global.u32 [%g], 9;
	cp.async.ca.shared.global [sh], [%g], 4; //A
	ld.shared.u32 %x, [sh]; //B`,
		"write-read A B warp", undefinedCounts},
	{"a group that is left", 1, 1, zeroShared + `
	st.global.u32 [%g], 3;
	st.global.u32 [%g+4], 4;
	cp.async.ca.shared.global [sh], [%g], 4;
	cp.async.commit_group;
	cp.async.ca.shared.global [sh+4], [%g+4], 4; //A
	cp.async.commit_group;
	cp.async.wait_group 1;
	ld.shared.v2.u32 {%r1, %r2}, [sh]; //B
	add.u32 %x, %r1, %r2;`,
		"write-read A B warp", undefinedCounts},
	{"a copy that only its thread waits for", 1, 64, zeroShared + `
	@%t0 bra GET;
	@%t32 st.global.u32 [%g], 3;
	@%t32 cp.async.ca.shared.global [sh], [%g], 4; //A
	cp.async.wait_all;
	bra.uni BOTH;
GET:	ld.shared.u32 %x, [sh]; //B
BOTH:`,
		"write-read A B", scheduledCounts},
	{"a copy is overwritten", 1, 1, zeroShared + `
	st.global.u32 [%g], 9;
	cp.async.ca.shared.global [sh], [%g], 4; //A
	st.shared.u32 [sh], 1; //B
	cp.async.wait_all;
	ld.shared.u32 %x, [sh];`,
		"write-write A B warp", undefinedCounts},

	// Bytes.
	{"one byte of eight", 1, 64, zeroShared + `
	mov.u64 %d1, 0x0909090909090909;
	@%t32 st.shared.u64 [sh+8], %d1; //A
	@%t0 ld.shared.u8 %x, [sh+13]; //B`,
		"write-read A B", scheduledCounts},
	{"eight bytes over one", 1, 64, zeroShared + `
	mov.u64 %d1, 0x0909090909090909;
	@%t32 ld.shared.u8 %x, [sh+13]; //A
	@%t0 st.shared.u64 [sh+8], %d1; //B`,
		"read-write A B", scheduledCounts},
	{"a word of a vector", 1, 64, zeroShared + `
	@%t32 st.shared.v4.u32 [sh+16], {1, 2, 3, 4}; //A
	@%t0 ld.shared.u32 %x, [sh+24]; //B`,
		"write-read A B", scheduledCounts},
	{"the upper half of a word", 1, 64, zeroShared + `
	mov.u16 %h1, 5;
	@%t32 st.shared.u16 [sh+2], %h1; //A
	@%t0 ld.shared.u32 %x, [sh]; //B`,
		"write-read A B", scheduledCounts},
	{"the next byte", 1, 32, `
	mov.u32 %r1, sh;
	add.u32 %r1, %r1, %id;
	st.shared.u8 [%r1], %id; //A
	setp.lt.u32 %p0, %id, 31;
	@%p0 ld.shared.u8 %x, [%r1+1]; //B`,
		"write-read A B warp", undefinedCounts},
	{"the next warp's word", 1, 64, `
	mov.u32 %r1, sh;
	shl.b32 %r2, %id, 2;
	add.u32 %r3, %r1, %r2;
	add.u32 %r2, %r2, 4;
	and.b32 %r2, %r2, 255;
	add.u32 %r2, %r1, %r2;
	@%w0 bra ONCE;
	bar.sync 1, 32;
ONCE:	st.shared.u32 [%r3], %id; //A
	bar.warp.sync -1;
	setp.eq.u32 %p0, %id, 63;
	@%p0 ld.shared.u32 %x, [%r2]; //B`,
		"write-read A B", scheduledCounts},
	{"a place some pages on", 2, 1, `
	mul.lo.u32 %r1, %cta, 200000;
	cvt.u64.u32 %d1, %r1;
	add.u64 %d1, %g, %d1;
	@%c0 st.global.u32 [%d1+600000], 1; //A
	@%c1 ld.global.u32 %x, [%d1+400000]; //B`,
		"write-read A B", scheduledCounts},
	{"through a generic address", 1, 64, zeroShared + `
	mov.u32 %r1, sh;
	cvt.u64.u32 %d1, %r1;
	cvta.shared.u64 %d1, %d1;
	@%t32 st.u32 [%d1+4], 1; //A
	@%t0 ld.shared.u32 %x, [sh+4]; //B`,
		"write-read A B", scheduledCounts},
}
