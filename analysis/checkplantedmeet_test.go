package analysis

// meetingFaults are faults where warps meet in parts. Warp 1, which goes on first behind the
// barrier, stores what warp 0 reads, and arrives
// at an mbarrier object at sh+512.
var meetingFaults = []checkPair{
	{"shared load behind a question that decides nothing", "data-race", 1, 64, objectBefore + `
	@%p0 bra STORE;
	mbarrier.test_wait.parity.shared.b64 %p1, [sh+512], 0;
	ld.shared.u32 %x, [%r2];
	bra END;` + objectStore,
		objectBefore + `
	@%p0 bra STORE;
	W: mbarrier.test_wait.parity.shared.b64 %p1, [sh+512], 0;
	@!%p1 bra W;
	ld.shared.u32 %x, [%r2];
	bra END;` + objectStore},
	{"an object that nobody knows to be there, but the warp that has made it", "data-race", 1, 64, `
	.reg .b64 %state;
	@%t0 mbarrier.init.shared.b64 [sh+512], 64;
	mbarrier.arrive.shared.b64 %state, [sh+512];
	W: mbarrier.try_wait.shared.b64 %p1, [sh+512], %state;
	@!%p1 bra W;`, `
	.reg .b64 %state;
	@%t0 mbarrier.init.shared.b64 [sh+512], 64;
	bar.sync 0;
	mbarrier.arrive.shared.b64 %state, [sh+512];
	W: mbarrier.try_wait.shared.b64 %p1, [sh+512], %state;
	@!%p1 bra W;`},
	{"shared load by lanes for which one has waited", "data-race", 1, 64, objectBefore + `
	@%p0 bra STORE;
	setp.ne.u32 %p2, %lane, 0;
	@%p2 bra READ;
	W: mbarrier.try_wait.parity.shared.b64 %p1, [sh+512], 0;
	@!%p1 bra W;
	READ: ld.shared.u32 %x, [%r2];
	bra END;` + objectStore,
		objectBefore + `
	@%p0 bra STORE;
	setp.ne.u32 %p2, %lane, 0;
	@%p2 bra READ;
	W: mbarrier.try_wait.parity.shared.b64 %p1, [sh+512], 0;
	@!%p1 bra W;
	READ: bar.warp.sync 0xffffffff;
	ld.shared.u32 %x, [%r2];
	bra END;` + objectStore},
}

const (
	objectBefore = `
	.reg .b64 %state;
	@%t0 mbarrier.init.shared.b64 [sh+512], 32;
	and.b32 %r1, %id, 31;
	shl.b32 %r1, %r1, 2;
	mov.u32 %r2, sh;
	add.u32 %r2, %r2, %r1;
	setp.ge.u32 %p0, %id, 32;
	@%p0 st.shared.u32 [%r2], 0;
	bar.sync 0;`
	objectStore = `
	STORE: st.shared.u32 [%r2], %id;
	mbarrier.arrive.shared.b64 %state, [sh+512];`
)
