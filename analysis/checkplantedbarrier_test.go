package analysis

// ticketFaults are faults of who counts by an atomic whether he is the last.
var ticketFaults = []checkPair{
	{"counter that the last to count resets, without a fence", "data-race", 4, 32,
		`
	mov.u32 %r0, 0;
	@%t0 atom.global.add.u32 %r0, [%s], 1;
	setp.ne.u32 %p0, %r0, 3;
	@%p0 bra OVER;
	membar.gl;
	@%t0 st.global.u32 [%s], 0;
	OVER:`,
		`
	mov.u32 %r0, 0;
	membar.gl;
	@%t0 atom.global.add.u32 %r0, [%s], 1;
	setp.ne.u32 %p0, %r0, 3;
	@%p0 bra OVER;
	@%t0 st.global.u32 [%s], 0;
	OVER:`},
	{"store between the fence and the count", "data-race", 4, 32,
		`
	mul.wide.u32 %d0, %cta, 4;
	add.u64 %d0, %b, %d0;
	mov.u32 %r0, 0;
	membar.gl;
	@%t0 st.global.u32 [%d0], 1;
	@%t0 atom.global.add.u32 %r0, [%s], 1;
	setp.ne.u32 %p0, %r0, 3;
	@%p0 bra OVER;
	membar.gl;
	@%t0 ld.global.u32 %x, [%b];
	OVER:`,
		`
	mul.wide.u32 %d0, %cta, 4;
	add.u64 %d0, %b, %d0;
	mov.u32 %r0, 0;
	@%t0 st.global.u32 [%d0], 1;
	membar.gl;
	@%t0 atom.global.add.u32 %r0, [%s], 1;
	setp.ne.u32 %p0, %r0, 3;
	@%p0 bra OVER;
	membar.gl;
	@%t0 ld.global.u32 %x, [%b];
	OVER:`},
}

// memberFaults are member masks that name threads which do not come.
var memberFaults = []checkPair{
	{"shuffle with members that wait at a barrier of the warp", "not-together", 1, 32,
		`
	@!%lo bra OTHER;
	shfl.sync.idx.b32 %x, %id, 0, 31, 0xffffffff;
	bra.uni BOTH;
	OTHER: bar.warp.sync 0xffffffff;
	BOTH:`,
		`
	@!%lo bra OTHER;
	shfl.sync.idx.b32 %x, %id, 0, 31, 0x0000ffff;
	OTHER: bar.warp.sync 0xffffffff;`},
	{"shuffle with members that go round it", "not-together", 1, 32,
		`
	@!%lo bra OTHER;
	shfl.sync.idx.b32 %x, %id, 0, 31, 0xffffffff;
	OTHER: add.u32 %x, %x, 1;`,
		`
	@!%lo bra END;
	shfl.sync.idx.b32 %x, %id, 0, 31, 0xffffffff;
	add.u32 %x, %x, 1;`},
	{"vote with members that go round it", "not-together", 1, 32,
		`
	@!%lo bra OTHER;
	vote.sync.ballot.b32 %x, %t0, 0xffffffff;
	OTHER: add.u32 %x, %x, 1;`,
		`
	@!%lo bra OTHER;
	vote.sync.ballot.b32 %x, %t0, 0xffff;
	OTHER: add.u32 %x, %x, 1;`},
}

// barrierFaults are barriers that a part of a warp goes round.
var barrierFaults = []checkPair{
	{"barrier in a branch of some lanes", "divergent-barrier", 1, 64,
		`
	@%lo bra LOW;
	bar.sync 0;
	bra.uni BOTH;
	LOW: bar.sync 0;
	BOTH:`,
		`
	bar.sync 0;
	@%lo bra LOW;
	add.u32 %x, %x, 1;
	LOW:`},
	{"barrier with a guard", "divergent-barrier", 1, 64,
		`
	@%lo bar.sync 0;
	@!%lo bar.sync 0;`,
		`bar.sync 0;`},
	{"barrier.sync that is aligned, of half a warp", "divergent-barrier", 1, 64,
		`
	@%lo bra LOW;
	barrier.sync.aligned 0;
	bra.uni BOTH;
	LOW: barrier.sync.aligned 0;
	BOTH:`,
		`
	@%lo bra LOW;
	barrier.sync 0;
	bra.uni BOTH;
	LOW: barrier.sync 0;
	BOTH:`},
	{"threads that exit before a barrier", "divergent-barrier", 1, 32,
		`
	@%lo bra BAR;
	add.u32 %x, %x, 1;
	bra.uni OTHER;
	BAR: bar.sync 0;
	OTHER: bar.sync 0;`,
		`
	@%lo bra END;
	bar.sync 0;`},
	{"barrier that some lanes go round", "divergent-barrier", 1, 64,
		`
	@%lo bra ON;
	bar.sync 0;
	ON: ld.global.u32 %x, [%s];`,
		`
	@%lo bra ON;
	add.u32 %x, %x, 1;
	ON: bar.sync 0;
	ld.global.u32 %x, [%s];`},
	{"barrier in a loop that some lanes leave before others", "divergent-barrier", 1, 64,
		`
	selp.u32 %r0, 3, 2, %lo;
	L: bar.sync 0;
	add.u32 %x, %x, 1;
	setp.lt.u32 %p0, %x, %r0;
	@%p0 bra L;`,
		`
	selp.u32 %r0, 3, 3, %lo;
	L: bar.sync 0;
	add.u32 %x, %x, 1;
	setp.lt.u32 %p0, %x, %r0;
	@%p0 bra L;`},
	{"barriers before and behind a loop in which a lane waits", "divergent-barrier", 2, 64,
		`
	@%c1 bra TELL;
	@!%t0 bra ON;
	L: ld.acquire.gpu.global.u32 %r0, [%s];
	setp.eq.u32 %p0, %r0, 0;
	@%p0 bra L;
	bar.sync 0;
	bra.uni OVER;
	ON: bar.sync 0;
	bra.uni OVER;
	TELL: @%t0 st.release.gpu.global.u32 [%s], 1;
	OVER:`,
		`
	@%c1 bra TELL;
	bar.sync 0;
	@!%t0 bra ON;
	L: ld.acquire.gpu.global.u32 %r0, [%s];
	setp.eq.u32 %p0, %r0, 0;
	@%p0 bra L;
	ON: bar.sync 0;
	bra.uni OVER;
	TELL: @%t0 st.release.gpu.global.u32 [%s], 1;
	OVER:`},
}
