package analysis

import (
	"slices"

	"hyptx/internal/check"
)

// checkPair is a fault and what differs from it by as little as makes it right.
type checkPair struct {
	name        string
	kind        check.Kind
	ctas, block int
	bad, good   string
}

// checkKernels are the planted faults, each with its near-miss.
func checkKernels() (all []checkKernel) {
	for _, p := range slices.Concat(memoryFaults, otherFaults, ticketFaults, memberFaults, barrierFaults, volatileFaults, astrayFaults, partlyFaults, meetingFaults, bulkFaults, lastBlockFaults, astrayCopies) {
		all = append(all, checkKernel{p.name, p.ctas, p.block, p.bad, p.kind}, checkKernel{p.name + ", near-miss", p.ctas, p.block, p.good, ""})
	}
	return all
}

// memoryFaults are faults of memory and registers, by kind, then space, then what does it.
var memoryFaults = []checkPair{
	{"global load one behind the end", "out-of-bounds", 1, 64,
		`@%t0 ld.global.u32 %x, [%s+256];`,
		`@%t0 ld.global.u32 %x, [%s+252];`},
	{"global store one behind the end", "out-of-bounds", 1, 64,
		`@%t0 st.global.u32 [%s+256], %id;`,
		`@%t0 st.global.u32 [%s+252], %id;`},
	{"global atomic one behind the end", "out-of-bounds", 1, 64,
		`@%t0 atom.global.add.u32 %x, [%s+256], 1;`,
		`@%t0 atom.global.add.u32 %x, [%s+252], 1;`},
	{"global reduction one behind the end", "out-of-bounds", 1, 64,
		`@%t0 red.global.add.u32 [%s+256], 1;`,
		`@%t0 red.global.add.u32 [%s+252], 1;`},
	{"global vector load one behind the end", "out-of-bounds", 1, 64,
		`@%t0 ld.global.v4.u32 {%x, %r1, %r2, %r3}, [%s+256];`,
		`@%t0 ld.global.v4.u32 {%x, %r1, %r2, %r3}, [%s+240];`},
	{"global vector store one behind the end", "out-of-bounds", 1, 64,
		`@%t0 st.global.v2.u32 [%s+256], {%id, %id};`,
		`@%t0 st.global.v2.u32 [%s+248], {%id, %id};`},
	{"global byte store one behind the end", "out-of-bounds", 1, 64,
		`@%t0 st.global.u8 [%s+256], %id;`,
		`@%t0 st.global.u8 [%s+255], %id;`},
	{"global 64-bit load one behind the end", "out-of-bounds", 1, 64,
		`@%t0 ld.global.u64 %d0, [%s+256];`,
		`@%t0 ld.global.u64 %d0, [%s+248];`},
	{"global load one before the beginning", "out-of-bounds", 1, 64,
		`@%t0 ld.global.u32 %x, [%s+-4];`,
		`@%t0 ld.global.u32 %x, [%s+0];`},
	{"global load far away", "out-of-bounds", 1, 64,
		`
	add.u64 %d0, %s, 1073741824;
	@%t0 ld.global.u32 %x, [%d0];`,
		`
	add.u64 %d0, %s, 128;
	@%t0 ld.global.u32 %x, [%d0];`},
	{"null pointer", "out-of-bounds", 1, 64,
		`
	mov.u64 %d0, 0;
	@%t0 ld.global.u32 %x, [%d0];`,
		`
	mov.u64 %d0, %s;
	@%t0 ld.global.u32 %x, [%d0];`},
	{"generic load one behind the end", "out-of-bounds", 1, 64,
		`@%t0 ld.u32 %x, [%s+256];`,
		`@%t0 ld.u32 %x, [%s+252];`},
	{"index that the guard lets pass by one", "out-of-bounds", 1, 96,
		`
	setp.le.u32 %p0, %id, 64;
	mul.wide.u32 %d0, %id, 4;
	add.u64 %d0, %s, %d0;
	@%p0 ld.global.u32 %x, [%d0];`,
		`
	setp.lt.u32 %p0, %id, 64;
	mul.wide.u32 %d0, %id, 4;
	add.u64 %d0, %s, %d0;
	@%p0 ld.global.u32 %x, [%d0];`},
	{"every thread, in a loop that runs once too often", "out-of-bounds", 1, 64,
		`
	mul.wide.u32 %d0, %id, 64;
	add.u64 %d0, %b, %d0;
	mov.u32 %r1, 0;
	L: ld.global.u32 %r2, [%d0];
	add.u32 %x, %x, %r2;
	add.u64 %d0, %d0, 4;
	add.u32 %r1, %r1, 1;
	setp.le.u32 %p0, %r1, 16;
	@%p0 bra L;`,
		`
	mul.wide.u32 %d0, %id, 64;
	add.u64 %d0, %b, %d0;
	mov.u32 %r1, 0;
	L: ld.global.u32 %r2, [%d0];
	add.u32 %x, %x, %r2;
	add.u64 %d0, %d0, 4;
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p0, %r1, 16;
	@%p0 bra L;`},
	{"source of a cp.async behind the end", "out-of-bounds", 1, 64,
		`
	@%t0 cp.async.ca.shared.global [sh], [%s+256], 4;
	cp.async.wait_all;`,
		`
	@%t0 cp.async.ca.shared.global [sh], [%s+252], 4;
	cp.async.wait_all;`},
	{"shared load one behind the end", "out-of-bounds", 1, 64,
		`
	@%t0 st.shared.u32 [sh+1020], 1;
	@%t0 ld.shared.u32 %x, [sh+1024];`,
		`
	@%t0 st.shared.u32 [sh+1020], 1;
	@%t0 ld.shared.u32 %x, [sh+1020];`},
	{"shared store one behind the end", "out-of-bounds", 1, 64,
		`@%t0 st.shared.u32 [sh+1024], 1;`,
		`@%t0 st.shared.u32 [sh+1020], 1;`},
	{"shared atomic behind the end", "out-of-bounds", 1, 64,
		`
	@%t0 st.shared.u32 [sh+1020], 1;
	@%t0 red.shared.add.u32 [sh+2048], 1;`,
		`
	@%t0 st.shared.u32 [sh+1020], 1;
	@%t0 red.shared.add.u32 [sh+1020], 1;`},
	{"generic store behind shared memory", "out-of-bounds", 1, 64,
		`
	cvta.shared.u64 %d0, sh;
	mov.u64 %d1, sh;
	cvta.shared.u64 %d0, %d1;
	@%t0 st.u32 [%d0+1024], 1;`,
		`
	mov.u64 %d1, sh;
	cvta.shared.u64 %d0, %d1;
	@%t0 st.u32 [%d0+1020], 1;`},
	{"address of local memory that the next thread follows", "local-of-another", 1, 64,
		`
	mov.u64 %d0, lo;
	cvta.local.u64 %d0, %d0;
	st.local.u32 [lo], %id;
	mov.u32 %r1, sh;
	mad.lo.u32 %r2, %id, 8, %r1;
	st.shared.u64 [%r2], %d0;
	bar.sync 0;
	xor.b32 %r3, %id, 32;
	mad.lo.u32 %r2, %r3, 8, %r1;
	ld.shared.u64 %d1, [%r2];
	ld.u32 %x, [%d1];`,
		`
	mov.u64 %d0, lo;
	cvta.local.u64 %d0, %d0;
	st.local.u32 [lo], %id;
	mov.u32 %r1, sh;
	mad.lo.u32 %r2, %id, 8, %r1;
	st.shared.u64 [%r2], %d0;
	bar.sync 0;
	xor.b32 %r3, %id, 0;
	mad.lo.u32 %r2, %r3, 8, %r1;
	ld.shared.u64 %d1, [%r2];
	ld.u32 %x, [%d1];`},
	{"local store behind the stack", "out-of-bounds", 1, 64,
		`
	mov.u64 %d0, 1048576;
	@%t0 st.local.u32 [%d0], 1;`,
		`
	mov.u64 %d0, lo;
	@%t0 st.local.u32 [%d0], 1;`},
	{"constant load behind the end", "out-of-bounds", 1, 64,
		`@%t0 ld.const.u32 %x, [co+64];`,
		`@%t0 ld.const.u32 %x, [co+60];`},
	{"store to constants", "out-of-bounds", 1, 64,
		`
	mov.u64 %d1, co;
	cvta.const.u64 %d0, %d1;
	@%t0 st.u32 [%d0], 1;`,
		`
	mov.u64 %d1, co;
	cvta.const.u64 %d0, %d1;
	@%t0 ld.u32 %x, [%d0];`},
	{"parameter behind the end", "out-of-bounds", 1, 64,
		`
	mov.u64 %d0, pb;
	@%t0 ld.param.u32 %x, [%d0+32];`,
		`
	mov.u64 %d0, pb;
	@%t0 ld.param.u32 %x, [%d0+28];`},
	{"misaligned word load", "misaligned", 1, 64,
		`@%t0 ld.global.u32 %x, [%s+2];`,
		`@%t0 ld.global.u16 %h0, [%s+2];`},
	{"misaligned word store", "misaligned", 1, 64,
		`@%t0 st.global.u32 [%s+6], 1;`,
		`@%t0 st.global.u16 [%s+6], 1;`},
	{"misaligned 64-bit load", "misaligned", 1, 64,
		`@%t0 ld.global.u64 %d0, [%s+4];`,
		`@%t0 ld.global.u32 %x, [%s+4];`},
	{"misaligned vector load", "misaligned", 1, 64,
		`@%t0 ld.global.v4.u32 {%x, %r1, %r2, %r3}, [%s+8];`,
		`@%t0 ld.global.v2.u32 {%x, %r1}, [%s+8];`},
	{"misaligned vector store", "misaligned", 1, 64,
		`@%t0 st.global.v2.u32 [%s+4], {1, 2};`,
		`@%t0 st.global.v2.u32 [%s+8], {1, 2};`},
	{"misaligned atomic", "misaligned", 1, 64,
		`@%t0 red.global.add.u32 [%s+2], 1;`,
		`@%t0 red.global.add.u32 [%s+4], 1;`},
	{"misaligned shared store", "misaligned", 1, 64,
		`@%t0 st.shared.u64 [sh+4], 1;`,
		`@%t0 st.shared.u64 [sh+8], 1;`},
	{"misaligned local store", "misaligned", 1, 64,
		`
	mov.u64 %d0, lo;
	@%t0 st.local.u64 [%d0+4], 1;`,
		`
	mov.u64 %d0, lo;
	@%t0 st.local.u64 [%d0+8], 1;`},
	{"misaligned generic load", "misaligned", 1, 64,
		`@%t0 ld.u32 %x, [%s+1];`,
		`@%t0 ld.u8 %x, [%s+1];`},
	{"shared word that nobody has written", "unwritten-memory", 1, 64,
		`@%t0 ld.shared.u32 %x, [sh];`,
		`
	@%t0 st.shared.u32 [sh], 1;
	@%t0 ld.shared.u32 %x, [sh];`},
	{"shared vector of which a half is written", "unwritten-memory", 1, 64,
		`
	@%t0 st.shared.u32 [sh], 1;
	@%t0 ld.shared.v2.u32 {%x, %r1}, [sh];`,
		`
	@%t0 st.shared.v2.u32 [sh], {1, 2};
	@%t0 ld.shared.v2.u32 {%x, %r1}, [sh];`},
	{"shared neighbour of what is written", "unwritten-memory", 1, 64,
		`
	shl.b32 %r1, %id, 2;
	mov.u32 %r2, sh;
	add.u32 %r2, %r2, %r1;
	st.shared.u32 [%r2], %id;
	bar.sync 0;
	ld.shared.u32 %x, [%r2+4];`,
		`
	shl.b32 %r1, %id, 2;
	mov.u32 %r2, sh;
	add.u32 %r2, %r2, %r1;
	st.shared.u32 [%r2], %id;
	st.shared.u32 [%r2+256], %id;
	bar.sync 0;
	ld.shared.u32 %x, [%r2+4];`},
	{"atomic on a shared word that nobody has written", "unwritten-memory", 1, 64,
		`red.shared.add.u32 [sh], 1;`,
		`
	@%t0 st.shared.u32 [sh], 0;
	bar.sync 0;
	red.shared.add.u32 [sh], 1;`},
	{"local word that nobody has written", "unwritten-memory", 1, 64,
		`ld.local.u32 %x, [lo+4];`,
		`
	st.local.u32 [lo+4], %id;
	ld.local.u32 %x, [lo+4];`},
	{"generic local byte that nobody has written", "unwritten-memory", 1, 64,
		`
	mov.u64 %d1, lo;
	cvta.local.u64 %d0, %d1;
	st.u8 [%d0], %id;
	ld.u8 %x, [%d0+1];`,
		`
	mov.u64 %d1, lo;
	cvta.local.u64 %d0, %d1;
	st.u8 [%d0], %id;
	ld.u8 %x, [%d0];`},
	{"global word that nobody gives", "unwritten-memory", 1, 64,
		`@%t0 ld.global.u32 %x, [%u];`,
		`
	@%t0 st.global.u32 [%u], 1;
	@%t0 ld.global.u32 %x, [%u];`},
	{"sum into global memory that nobody has cleared", "unwritten-memory", 1, 64,
		`red.global.add.u32 [%u+16], 1;`,
		`red.global.add.u32 [%b+16], 1;`},
	{"global byte beside a written one", "unwritten-memory", 1, 64,
		`
	@%t0 st.global.u8 [%u], %id;
	@%t0 ld.global.u16 %h0, [%u];`,
		`
	@%t0 st.global.u16 [%u], %id;
	@%t0 ld.global.u16 %h0, [%u];`},
	{"cp.async of what nobody gives", "unwritten-memory", 1, 64,
		`
	@%t0 cp.async.ca.shared.global [sh], [%u], 4;
	cp.async.wait_all;`,
		`
	@%t0 cp.async.ca.shared.global [sh], [%b], 4;
	cp.async.wait_all;`},
	{"register that nobody has written", "unwritten-register", 1, 64,
		`add.u32 %x, %never, 1;`,
		`
	mov.u32 %never, 1;
	add.u32 %x, %never, 1;`},
	{"register that some threads have written", "unwritten-register", 1, 64,
		`
	@%lo mov.u32 %never, 1;
	add.u32 %x, %never, 1;`,
		`
	@%lo mov.u32 %never, 1;
	@!%lo mov.u32 %never, 2;
	add.u32 %x, %never, 1;`},
	{"register that one side of a branch has written", "unwritten-register", 1, 64,
		`
	@%lo bra LOW;
	mov.u32 %never, 1;
	LOW: add.u32 %x, %never, 1;`,
		`
	@%lo bra LOW;
	mov.u32 %never, 1;
	add.u32 %x, %never, 1;
	LOW:`},
	{"unwritten register by a move, stored", "unwritten-register", 1, 64,
		`
	mov.u32 %r1, %never;
	@%t0 st.global.u32 [%b], %r1;`,
		`
	mov.u32 %r1, %never;
	mov.u32 %r1, 3;
	@%t0 st.global.u32 [%b], %r1;`},
	{"unwritten predicate that decides", "unwritten-register", 1, 64,
		`@%p2 add.u32 %x, %x, 1;`,
		`
	setp.eq.u32 %p2, %id, 3;
	@%p2 add.u32 %x, %x, 1;`},
	{"unwritten predicate of a branch", "unwritten-register", 1, 64,
		`
	@%p2 bra SKIP;
	add.u32 %x, %x, 1;
	SKIP:`,
		`
	setp.eq.u32 %p2, %id, 3;
	@%p2 bra SKIP;
	add.u32 %x, %x, 1;
	SKIP:`},
}
