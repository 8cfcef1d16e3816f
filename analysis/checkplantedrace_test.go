package analysis

// otherFaults are races, wrong barriers and exchanges, and what is wrong with the heap.
var otherFaults = []checkPair{
	{"shared store and load of two warps", "data-race", 1, 64,
		`
	@%t0 st.shared.u32 [sh], 1;
	@%t32 st.shared.u32 [sh], 9;`,
		`
	@%t0 st.shared.u32 [sh], 1;
	bar.sync 0;
	@%t32 st.shared.u32 [sh], 9;`},
	{"shared store that another warp reads", "data-race", 1, 64,
		`
	@%t0 st.shared.u32 [sh], 0;
	bar.sync 0;
	@%t0 st.shared.u32 [sh], 1;
	@%t32 ld.shared.u32 %x, [sh];`,
		`
	@%t0 st.shared.u32 [sh], 0;
	bar.sync 0;
	@%t0 st.shared.u32 [sh], 1;
	bar.sync 0;
	@%t32 ld.shared.u32 %x, [sh];`},
	{"shared store over what another warp reads", "data-race", 1, 64,
		`
	@%t0 st.shared.u32 [sh], 0;
	bar.sync 0;
	@%t0 ld.shared.u32 %x, [sh];
	@%t32 st.shared.u32 [sh], 1;`,
		`
	@%t0 st.shared.u32 [sh], 0;
	bar.sync 0;
	@%t0 ld.shared.u32 %x, [sh];
	bar.sync 0;
	@%t32 st.shared.u32 [sh], 1;`},
	{"lanes of a warp without syncwarp", "data-race", 1, 64,
		`
	@%t0 st.shared.u32 [sh], 1;
	@%t1 st.shared.u32 [sh], 2;`,
		`
	@%t0 st.shared.u32 [sh], 1;
	bar.warp.sync -1;
	@%t1 st.shared.u32 [sh], 2;`},
	{"one store of all lanes", "data-race", 1, 64,
		`@%lo st.shared.u32 [sh], %id;`,
		`@%t0 st.shared.u32 [sh], %id;`},
	{"one store of all lanes, of one value", "benign-race", 1, 64,
		`@%lo st.shared.u32 [sh], 7;`,
		`@%t1 st.shared.u32 [sh], 7;`},
	{"atomic and plain store in shared memory", "data-race", 1, 64,
		`
	@%t0 st.shared.u32 [sh], 0;
	bar.sync 0;
	@%t0 atom.shared.add.u32 %x, [sh], 1;
	@%t32 st.shared.u32 [sh], 5;`,
		`
	@%t0 st.shared.u32 [sh], 0;
	bar.sync 0;
	@%t0 atom.shared.add.u32 %x, [sh], 1;
	@%t32 atom.shared.exch.b32 %x, [sh], 5;`},
	{"global stores of two CTAs", "data-race", 2, 64,
		`@%t0 st.global.u32 [%b], %cta;`,
		`
	setp.eq.and.u32 %p0, %cta, 0, %t0;
	@%p0 st.global.u32 [%b+4], 1;`},
	{"histogram without an atomic", "data-race", 2, 64,
		`
	ld.global.u32 %r1, [%b];
	add.u32 %r1, %r1, 1;
	st.global.u32 [%b], %r1;`,
		`red.global.add.u32 [%b], 1;`},
	{"first guess of a compare-and-swap", "benign-race", 1, 64, guessLoop("ld.global", "%r1"), guessLoop("ld.volatile.global", "%r1")},
	{"load that no compare-and-swap looks at again", "data-race", 1, 64, guessLoop("ld.global", "0"), guessLoop("ld.relaxed.gpu.global", "0")},
	{"global word of two warps", "data-race", 1, 64,
		`
	@%t0 st.global.u32 [%b], 3;
	@%t32 ld.global.u32 %x, [%b];`,
		`
	@%t0 st.global.u32 [%b], 3;
	bar.sync 0;
	@%t32 ld.global.u32 %x, [%b];`},
	{"bytes of one word, and one byte", "data-race", 1, 64,
		`
	@%t0 st.global.u8 [%b+1], %id;
	@%t32 st.global.u8 [%b+1], %id;`,
		`
	@%t0 st.global.u8 [%b+1], %id;
	@%t32 st.global.u8 [%b+2], %id;`},
	{"vector store over another's word", "data-race", 1, 64,
		`
	@%t0 st.global.v4.u32 [%b], {1, 2, 3, 4};
	@%t32 st.global.u32 [%b+12], 9;`,
		`
	@%t0 st.global.v4.u32 [%b], {1, 2, 3, 4};
	@%t32 st.global.u32 [%b+16], 9;`},
	{"atomic whose scope is the CTA", "data-race", 2, 64,
		`red.cta.global.add.u32 [%b], 1;`,
		`red.gpu.global.add.u32 [%b], 1;`},
	{"flag without release and acquire", "data-race", 2, 32,
		`
	@%c0 bra WRITE;
	W: ld.volatile.global.u32 %r1, [%b+128];
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra W;
	ld.global.u32 %x, [%b];
	bra.uni DONE;
	WRITE: @%t0 st.global.u32 [%b], 7;
	@%t0 st.volatile.global.u32 [%b+128], 1;
	DONE:`,
		`
	@%c0 bra WRITE;
	W: ld.acquire.gpu.global.u32 %r1, [%b+128];
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra W;
	ld.global.u32 %x, [%b];
	bra.uni DONE;
	WRITE: @%t0 st.global.u32 [%b], 7;
	@%t0 st.release.gpu.global.u32 [%b+128], 1;
	DONE:`},
	{"loop without its second barrier", "data-race", 1, 64,
		`
	shl.b32 %r1, %id, 2;
	xor.b32 %r2, %r1, 128;
	mov.u32 %r3, sh;
	add.u32 %r1, %r1, %r3;
	add.u32 %r2, %r2, %r3;
	mov.u32 %r4, 0;
	L: add.u32 %r5, %r4, %id;
	st.shared.u32 [%r1], %r5;
	bar.sync 0;
	ld.shared.u32 %x, [%r2];
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p0, %r4, 3;
	@%p0 bra L;`,
		`
	shl.b32 %r1, %id, 2;
	xor.b32 %r2, %r1, 128;
	mov.u32 %r3, sh;
	add.u32 %r1, %r1, %r3;
	add.u32 %r2, %r2, %r3;
	mov.u32 %r4, 0;
	L: add.u32 %r5, %r4, %id;
	st.shared.u32 [%r1], %r5;
	bar.sync 0;
	ld.shared.u32 %x, [%r2];
	bar.sync 0;
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p0, %r4, 3;
	@%p0 bra L;`},
	{"cp.async that nobody waits for", "unfinished", 1, 64,
		`
	@%t0 cp.async.ca.shared.global [sh], [%b], 4;
	@%t0 ld.shared.u32 %x, [sh];`,
		`
	@%t0 cp.async.ca.shared.global [sh], [%b], 4;
	cp.async.wait_all;
	@%t0 ld.shared.u32 %x, [sh];`},
	{"cp.async waited for by one, read by another", "data-race", 1, 64,
		`
	@%t0 cp.async.ca.shared.global [sh], [%b], 4;
	cp.async.wait_all;
	@%t32 ld.shared.u32 %x, [sh];`,
		`
	@%t0 cp.async.ca.shared.global [sh], [%b], 4;
	cp.async.wait_all;
	bar.sync 0;
	@%t32 ld.shared.u32 %x, [sh];`},
	{"non-coherent load of what the launch has written", "no-proxy-fence", 1, 64,
		`
	@%t0 st.global.u32 [%b], 1;
	@%t0 ld.global.nc.u32 %x, [%b];`,
		`
	@%t0 st.global.u32 [%b], 1;
	@%t0 ld.global.nc.u32 %x, [%b+4];`},
	{"member mask without the lane", "membermask", 1, 32,
		`vote.sync.any.pred %p0, %t0, 0xfffffffe;`,
		`vote.sync.any.pred %p0, %t0, 0xffffffff;`},
	{"shuffle from a lane that has exited", "absent-lane", 1, 32,
		`
	@%lo bra END;
	shfl.sync.idx.b32 %x, %id, 0, 31, 0xffff0000;`,
		`
	@%lo bra END;
	shfl.sync.idx.b32 %x, %id, 16, 31, 0xffff0000;`},
	{"shuffle in half a warp from the other half", "absent-lane", 1, 32,
		`
	@%lo bra LOW;
	shfl.sync.idx.b32 %x, %id, 2, 31, 0xffff0000;
	bra.uni BOTH;
	LOW: add.u32 %x, %x, 1;
	BOTH:`,
		`
	@%lo bra LOW;
	shfl.sync.idx.b32 %x, %id, 18, 31, 0xffff0000;
	bra.uni BOTH;
	LOW: add.u32 %x, %x, 1;
	BOTH:`},
	{"vote of members at two places", "absent-lane", 1, 32,
		`
	@%lo bra LOW;
	vote.sync.ballot.b32 %x, %t0, 0xffffffff;
	bra.uni BOTH;
	LOW: vote.sync.ballot.b32 %x, %t1, 0xffffffff;
	BOTH:`,
		`
	@%lo bra LOW;
	vote.sync.ballot.b32 %x, %t0, 0xffff0000;
	bra.uni BOTH;
	LOW: vote.sync.ballot.b32 %x, %t1, 0x0000ffff;
	BOTH:`},
	{"warps at two barriers", "deadlock", 1, 64,
		`
	setp.lt.u32 %p0, %id, 32;
	@%p0 bra ONE;
	bar.sync 1;
	bra.uni BOTH;
	ONE: bar.sync 2;
	BOTH:`,
		`
	setp.lt.u32 %p0, %id, 32;
	@%p0 bra ONE;
	bar.sync 1;
	bra.uni BOTH;
	ONE: bar.sync 1;
	BOTH:`},
	{"flag that nobody sets", "deadlock", 1, 64,
		`
	W: ld.volatile.global.u32 %r1, [%b];
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra W;`,
		`
	@%t0 st.volatile.global.u32 [%b], 1;
	W: ld.volatile.global.u32 %r1, [%b];
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra W;`},
	{"matrix that half a warp loads", "not-together", 1, 32,
		`
	shl.b32 %r1, %lane, 4;
	mov.u32 %r2, sh;
	add.u32 %r2, %r2, %r1;
	st.shared.v4.u32 [%r2], {1, 2, 3, 4};
	bar.warp.sync -1;
	@%lo ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%x}, [%r2];`,
		`
	shl.b32 %r1, %lane, 4;
	mov.u32 %r2, sh;
	add.u32 %r2, %r2, %r1;
	st.shared.v4.u32 [%r2], {1, 2, 3, 4};
	bar.warp.sync -1;
	ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%x}, [%r2];`},
	{"malloc without free", "leak", 1, 32,
		`{ .param .b64 n; .param .b64 r; st.param.b64 [n], 40; call (r), malloc, (n); ld.param.b64 %d0, [r]; }`,
		`
	{ .param .b64 n; .param .b64 r; st.param.b64 [n], 40; call (r), malloc, (n); ld.param.b64 %d0, [r]; }
	{ .param .b64 p; st.param.b64 [p], %d0; call free, (p); }`},
	{"free of what malloc has not given", "bad-free", 1, 32,
		`
	mov.u64 %d0, %b;
	{ .param .b64 p; st.param.b64 [p], %d0; call free, (p); }`,
		`
	mov.u64 %d0, 0;
	{ .param .b64 p; st.param.b64 [p], %d0; call free, (p); }`},
	{"free twice", "bad-free", 1, 32,
		`
	@!%t0 bra END;
	{ .param .b64 n; .param .b64 r; st.param.b64 [n], 40; call (r), malloc, (n); ld.param.b64 %d0, [r]; }
	{ .param .b64 p; st.param.b64 [p], %d0; call free, (p); }
	{ .param .b64 p; st.param.b64 [p], %d0; call free, (p); }`,
		`
	@!%t0 bra END;
	{ .param .b64 n; .param .b64 r; st.param.b64 [n], 40; call (r), malloc, (n); ld.param.b64 %d0, [r]; }
	{ .param .b64 p; st.param.b64 [p], %d0; call free, (p); }`},
	{"trap", "failed", 1, 64,
		`@%t1 trap;`,
		`
	setp.eq.u32 %p1, %id, 999;
	@%p1 trap;`},
}

// guessLoop adds to a word by compare-and-swap, beginning with what a load finds or a number.
func guessLoop(load, first string) string {
	return "\n\t" + load + ".u32 %r1, [%b];\n\tadd.u32 %x, %r1, 0;\n\tmov.u32 %r2, " + first + `;
	L: mov.u32 %r3, %r2;
	add.u32 %r4, %r3, %id;
	atom.global.cas.b32 %r2, [%b], %r3, %r4;
	setp.ne.u32 %p0, %r2, %r3;
	@%p0 bra L;`
}
