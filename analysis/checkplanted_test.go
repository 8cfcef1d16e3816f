package analysis

import "hyptx/internal/check"

// checkKernels are the planted faults, each with its near-miss.
func checkKernels() (all []checkKernel) {
	for _, p := range checkPairs {
		all = append(all, checkKernel{p.name, p.ctas, p.block, p.bad, p.kind}, checkKernel{p.name + ", near-miss", p.ctas, p.block, p.good, ""})
	}
	return all
}

// checkPairs are faults and what is right, by kind, then space, then what does it.
var checkPairs = []struct {
	name        string
	kind        check.Kind
	ctas, block int
	bad, good   string
}{
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
