package analysis

// astrayFaults are accesses that hit memory, and not that which their address stems from. The
// buffer s lies 4,352 bytes behind b: 4,096 of b and 256 of guard (Manifest.layout).
var astrayFaults = []checkPair{
	{"global load in the next buffer", "out-of-bounds", 1, 64,
		`@%t0 ld.global.u32 %x, [%b+4352];`,
		`@%t0 ld.global.u32 %x, [%b+4092];`},
	{"global store in the next buffer, by an index", "out-of-bounds", 1, 64,
		`
	mul.wide.u32 %d0, %id, 80;
	add.u64 %d0, %b, %d0;
	setp.gt.u32 %p0, %id, 54;
	setp.lt.u32 %p1, %id, 57;
	and.pred %p0, %p0, %p1;
	@%p0 st.global.u32 [%d0], %id;`,
		`
	mul.wide.u32 %d0, %id, 80;
	add.u64 %d0, %b, %d0;
	setp.lt.u32 %p0, %id, 52;
	@%p0 st.global.u32 [%d0], %id;`},
	{"global load in the buffer before", "out-of-bounds", 1, 64,
		`@%t0 ld.global.u32 %x, [%s+-4352];`,
		`
	sub.u64 %d0, %b, %s;
	add.u64 %d0, %s, %d0;
	@%t0 ld.global.u32 %x, [%d0];`},
	{"global atomic in the next buffer", "out-of-bounds", 1, 64,
		`
	add.u64 %d0, %b, 4352;
	@%t0 red.global.add.u32 [%d0], 1;`,
		`
	selp.b64 %d0, %b, %s, %t1;
	@%t0 red.global.add.u32 [%d0+252], 1;`},
	{"every thread, in the next buffer", "out-of-bounds", 1, 64,
		`
	mul.wide.u32 %d0, %id, 4;
	add.u64 %d0, %b, %d0;
	ld.global.u32 %x, [%d0+4352];`,
		`
	mul.wide.u32 %d0, %id, 4;
	add.u64 %d0, %b, %d0;
	ld.global.u32 %x, [%d0+3840];`},
	{"shared load in the variable behind", "out-of-bounds", 1, 64,
		`
	.shared .align 4 .b8 front[64];
	.shared .align 4 .b8 behind[64];
	shl.b32 %r1, %id, 2;
	mov.u32 %r2, front;
	mov.u32 %r3, behind;
	add.u32 %r2, %r2, %r1;
	add.u32 %r3, %r3, %r1;
	setp.lt.u32 %p0, %id, 16;
	@%p0 st.shared.u32 [%r2], 1;
	@%p0 st.shared.u32 [%r3], 1;
	bar.sync 0;
	setp.le.u32 %p0, %id, 16;
	@%p0 ld.shared.u32 %x, [%r2];`,
		`
	.shared .align 4 .b8 front[64];
	.shared .align 4 .b8 behind[64];
	shl.b32 %r1, %id, 2;
	mov.u32 %r2, front;
	mov.u32 %r3, behind;
	add.u32 %r2, %r2, %r1;
	add.u32 %r3, %r3, %r1;
	setp.lt.u32 %p0, %id, 16;
	@%p0 st.shared.u32 [%r2], 1;
	@%p0 st.shared.u32 [%r3], 1;
	bar.sync 0;
	setp.lt.u32 %p0, %id, 16;
	@%p0 ld.shared.u32 %x, [%r2];`},
	{"every thread, in the variable behind", "out-of-bounds", 1, 64,
		`
	.shared .align 4 .b8 front[256];
	.shared .align 4 .b8 behind[256];
	mov.u32 %r3, behind;
	shl.b32 %r1, %id, 2;
	mov.u32 %r2, front;
	add.u32 %r2, %r2, %r1;
	st.shared.u32 [%r2+256], 1;`,
		`
	.shared .align 4 .b8 front[256];
	.shared .align 4 .b8 behind[256];
	mov.u32 %r3, behind;
	shl.b32 %r1, %id, 2;
	mov.u32 %r2, front;
	add.u32 %r2, %r2, %r1;
	st.shared.u32 [%r2], 1;`},
	{"generic store in the variable behind", "out-of-bounds", 1, 64,
		`
	.shared .align 8 .b8 front[64];
	.shared .align 8 .b8 behind[64];
	mov.u64 %d0, behind;
	mov.u64 %d1, front;
	cvta.shared.u64 %d0, %d1;
	@%t0 st.u32 [%d0+64], 1;`,
		`
	.shared .align 8 .b8 front[64];
	.shared .align 8 .b8 behind[64];
	mov.u64 %d0, behind;
	mov.u64 %d1, front;
	cvta.shared.u64 %d0, %d1;
	@%t0 st.u32 [%d0+60], 1;`},
	{"shared vector that crosses into the next variable", "out-of-bounds", 1, 64,
		`
	.shared .align 16 .b8 front[40];
	.shared .align 4 .b8 behind[64];
	mov.u32 %r3, behind;
	mov.u32 %r2, front;
	@%t0 st.shared.v4.u32 [%r2+32], {1, 1, 1, 1};`,
		`
	.shared .align 16 .b8 front[40];
	.shared .align 4 .b8 behind[64];
	mov.u32 %r3, behind;
	mov.u32 %r2, front;
	@%t0 st.shared.v2.u32 [%r2+32], {1, 1};`},
	{"heap load behind the free", "use-after-free", 1, 1,
		`
	{ .param .b64 a; .param .b64 r; st.param.b64 [a], 64; call (r), malloc, (a); ld.param.b64 %d0, [r]; }
	st.u32 [%d0], 5;
	{ .param .b64 a; st.param.b64 [a], %d0; call free, (a); }
	ld.u32 %x, [%d0];`,
		`
	{ .param .b64 a; .param .b64 r; st.param.b64 [a], 64; call (r), malloc, (a); ld.param.b64 %d0, [r]; }
	st.u32 [%d0], 5;
	ld.u32 %x, [%d0];
	{ .param .b64 a; st.param.b64 [a], %d0; call free, (a); }`},
	{"heap store behind the free, of a block that is given again", "use-after-free", 1, 1,
		`
	{ .param .b64 a; .param .b64 r; st.param.b64 [a], 64; call (r), malloc, (a); ld.param.b64 %d0, [r]; }
	st.u32 [%d0], 5;
	{ .param .b64 a; st.param.b64 [a], %d0; call free, (a); }
	mov.u64 %d1, %d0;
	{ .param .b64 a; .param .b64 r; st.param.b64 [a], 64; call (r), malloc, (a); ld.param.b64 %d0, [r]; }
	st.u32 [%d0], 5;
	{ .param .b64 a; st.param.b64 [a], %d0; call free, (a); }
	@%t0 st.u32 [%d1], 7;`,
		`
	{ .param .b64 a; .param .b64 r; st.param.b64 [a], 64; call (r), malloc, (a); ld.param.b64 %d0, [r]; }
	st.u32 [%d0], 5;
	{ .param .b64 a; st.param.b64 [a], %d0; call free, (a); }
	mov.u64 %d1, %d0;
	{ .param .b64 a; .param .b64 r; st.param.b64 [a], 64; call (r), malloc, (a); ld.param.b64 %d0, [r]; }
	st.u32 [%d0], 5;
	@%t0 st.u32 [%d0], 7;
	{ .param .b64 a; st.param.b64 [a], %d0; call free, (a); }`},
	{"heap store behind the block", "out-of-bounds", 1, 64,
		`
	{ .param .b64 a; .param .b64 r; st.param.b64 [a], 64; call (r), malloc, (a); ld.param.b64 %d0, [r]; }
	st.u32 [%d0], 5;
	st.u32 [%d0+64], 1;
	{ .param .b64 a; st.param.b64 [a], %d0; call free, (a); }`,
		`
	{ .param .b64 a; .param .b64 r; st.param.b64 [a], 64; call (r), malloc, (a); ld.param.b64 %d0, [r]; }
	st.u32 [%d0], 5;
	st.u32 [%d0+60], 1;
	{ .param .b64 a; st.param.b64 [a], %d0; call free, (a); }`},
	{"block that is freed twice", "bad-free", 1, 64,
		`
	{ .param .b64 a; .param .b64 r; st.param.b64 [a], 64; call (r), malloc, (a); ld.param.b64 %d0, [r]; }
	st.u32 [%d0], 5;
	{ .param .b64 a; st.param.b64 [a], %d0; call free, (a); }
	{ .param .b64 a; st.param.b64 [a], %d0; call free, (a); }`,
		`
	{ .param .b64 a; .param .b64 r; st.param.b64 [a], 64; call (r), malloc, (a); ld.param.b64 %d0, [r]; }
	st.u32 [%d0], 5;
	{ .param .b64 a; st.param.b64 [a], %d0; call free, (a); }
	{ .param .b64 a; .param .b64 r; st.param.b64 [a], 64; call (r), malloc, (a); ld.param.b64 %d0, [r]; }
	st.u32 [%d0], 5;
	{ .param .b64 a; st.param.b64 [a], %d0; call free, (a); }`},
}

// partlyFaults are reads of words of which a part was never written.
var partlyFaults = []checkPair{
	{"shared word of which a half is written", "unwritten-memory", 1, 64,
		`
	@%t0 st.shared.u16 [sh+2], 1;
	@%t0 ld.shared.u32 %x, [sh];`,
		`
	@%t0 st.shared.u16 [sh+2], 1;
	@%t0 st.shared.u16 [sh], 1;
	@%t0 ld.shared.u32 %x, [sh];`},
	{"shared word of which a byte is not written", "unwritten-memory", 1, 64,
		`
	@%t0 st.shared.v2.u8 [sh], {1, 2};
	@%t0 st.shared.u8 [sh+2], 1;
	@%t0 ld.shared.u32 %x, [sh];`,
		`
	@%t0 st.shared.v2.u8 [sh], {1, 2};
	@%t0 st.shared.v2.u8 [sh+2], {1, 2};
	@%t0 ld.shared.u32 %x, [sh];`},
	{"global word of which a half is written", "unwritten-memory", 1, 64,
		`
	@%t0 st.global.u16 [%u], 1;
	@%t0 ld.global.u32 %x, [%u];`,
		`
	@%t0 st.global.u16 [%u], 1;
	@%t0 ld.global.u16 %h0, [%u];`},
	{"local word of which a half is written", "unwritten-memory", 1, 64,
		`
	st.local.u16 [lo+4], 1;
	ld.local.u32 %x, [lo+4];`,
		`
	st.local.u16 [lo+4], 1;
	st.local.u16 [lo+6], 1;
	ld.local.u32 %x, [lo+4];`},
}

// astrayCopies are asynchronous copies that hit memory, and not that which their addresses stem from.
var astrayCopies = []checkPair{
	{"cp.async from the next buffer", "out-of-bounds", 1, 64, astrayBefore + `
	@%t0 cp.async.ca.shared.global [%r2+48], [%b+4352], 16;
	cp.async.wait_all;`,
		astrayBefore + `
	@%t0 cp.async.ca.shared.global [%r2+48], [%b+4080], 16;
	cp.async.wait_all;`},
	{"cp.async into the variable behind", "out-of-bounds", 1, 64, astrayBefore + `
	@%t0 cp.async.ca.shared.global [%r2+64], [%b], 16;
	cp.async.wait_all;`,
		astrayBefore + `
	@%t0 cp.async.ca.shared.global [%r2+48], [%b], 16;
	cp.async.wait_all;`},
	{"bulk copy that runs into the variable behind", "out-of-bounds", 1, 64, astrayBefore + `
	@%t0 mbarrier.arrive.expect_tx.shared.b64 %state, [sh+512], 80;
	@%t0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%b], 80, [sh+512];` + bulkWait,
		astrayBefore + `
	@%t0 mbarrier.arrive.expect_tx.shared.b64 %state, [sh+512], 64;
	@%t0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%b], 64, [sh+512];` + bulkWait},
	{"bulk copy from the next buffer", "out-of-bounds", 1, 64, astrayBefore + `
	@%t0 mbarrier.arrive.expect_tx.shared.b64 %state, [sh+512], 64;
	@%t0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%b+4352], 64, [sh+512];` + bulkWait,
		astrayBefore + `
	@%t0 mbarrier.arrive.expect_tx.shared.b64 %state, [sh+512], 64;
	@%t0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%s], 64, [sh+512];` + bulkWait},
	{"bulk copy into the next buffer", "out-of-bounds", 1, 64, astrayBefore + `
	@%t0 st.shared.v4.u32 [%r2], {%id, %id, %id, %id};
	fence.proxy.async;
	@%t0 cp.async.bulk.global.shared::cta.bulk_group [%b+4352], [%r2], 16;
	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group 0;`,
		astrayBefore + `
	@%t0 st.shared.v4.u32 [%r2], {%id, %id, %id, %id};
	fence.proxy.async;
	@%t0 cp.async.bulk.global.shared::cta.bulk_group [%s], [%r2], 16;
	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group 0;`},
	{"reduction in bulk in the next buffer", "out-of-bounds", 1, 64, astrayBefore + `
	@%t0 st.shared.v4.u32 [%r2], {%id, %id, %id, %id};
	fence.proxy.async;
	@%t0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%b+4352], [%r2], 16;
	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group 0;`,
		astrayBefore + `
	@%t0 st.shared.v4.u32 [%r2], {%id, %id, %id, %id};
	fence.proxy.async;
	@%t0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%b+4080], [%r2], 16;
	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group 0;`},
}

const astrayBefore = `
	.reg .b64 %state;
	.shared .align 16 .b8 front[64];
	.shared .align 16 .b8 behind[64];
	mov.u32 %r2, front;
	mov.u32 %r3, behind;
	@%t0 st.shared.u32 [%r3], 1;
	@%t0 mbarrier.init.shared.b64 [sh+512], 1;
	fence.proxy.async;
	bar.sync 0;`
