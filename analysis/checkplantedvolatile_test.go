package analysis

import (
	"fmt"
	"strings"
	"testing"
)

// volatileFaults rely on an order that volatile accesses do not make (checkvolatile.go); what
// is near them does not.
var volatileFaults = []checkPair{
	{"counter of two CTAs", "unordered-volatile", 2, 32,
		`
	@!%t0 bra END;
	ld.volatile.global.u32 %r1, [%b];
	add.u32 %r1, %r1, 1;
	st.volatile.global.u32 [%b], %r1;`,
		`
	@!%t0 bra END;
	ld.volatile.global.u32 %r1, [%b];
	atom.global.add.u32 %r1, [%b], 1;`},
	{"sum of a warp in one word", "unordered-volatile", 1, 32,
		`
	@%t0 st.shared.u32 [sh], 0;
	bar.sync 0;
	ld.volatile.shared.u32 %r1, [sh];
	add.u32 %r1, %r1, 1;
	st.volatile.shared.u32 [sh], %r1;`,
		`
	@%t0 st.shared.u32 [sh], 0;
	bar.sync 0;
	ld.volatile.shared.u32 %r1, [sh];
	add.u32 %r1, %r1, 1;
	@%t0 st.volatile.shared.u32 [sh+4], %r1;`},
	{"greatest number without an atomic", "unordered-volatile", 2, 64,
		`
	ld.volatile.global.u32 %r1, [%b];
	setp.lt.u32 %p0, %r1, %id;
	@%p0 st.volatile.global.u32 [%b], %id;`,
		`
	ld.volatile.global.u32 %r1, [%b];
	setp.lt.u32 %p0, %r1, %id;
	@%p0 red.global.max.u32 [%b], %id;`},
	{"two warps store what they are", "unordered-volatile", 1, 64,
		`
	@%t0 st.volatile.shared.u32 [sh], %id;
	@%t32 st.volatile.shared.u32 [sh], %id;`,
		`
	@%t0 st.volatile.shared.u32 [sh], %id;
	bar.sync 0;
	@%t32 st.volatile.shared.u32 [sh], %id;`},
	{"two warps exchange values", "unordered-volatile", 1, 64,
		`
	shl.b32 %r1, %id, 2;
	add.u32 %r1, %r1, sh;
	st.shared.u32 [%r1], 0;
	bar.sync 0;
	st.volatile.shared.u32 [%r1], %id;
	xor.b32 %r2, %id, 63;
	shl.b32 %r2, %r2, 2;
	add.u32 %r2, %r2, sh;
	ld.volatile.shared.u32 %r3, [%r2];`,
		`
	shl.b32 %r1, %id, 2;
	add.u32 %r1, %r1, sh;
	st.shared.u32 [%r1], 0;
	bar.sync 0;
	st.volatile.shared.u32 [%r1], %id;
	xor.b32 %r2, %id, 63;
	shl.b32 %r2, %r2, 2;
	add.u32 %r2, %r2, sh;
	bar.sync 0;
	ld.volatile.shared.u32 %r3, [%r2];`},
	{"all store one word", "unordered-volatile", 1, 64,
		`st.volatile.global.u32 [%b], %id;`,
		`st.volatile.global.u32 [%b], 7;`},
	{"two CTAs store one word", "unordered-volatile", 2, 32,
		`@%t0 st.volatile.global.u32 [%b], %cta;`,
		`
	@!%t0 bra END;
	mul.wide.u32 %d1, %cta, 4;
	add.u64 %d1, %b, %d1;
	st.volatile.global.u32 [%d1], %cta;`},
	{"a step of a reduction by a warp", "unordered-volatile", 1, 32, warpStep(""), warpStep("bar.warp.sync -1;")},
	{"a reduction by a warp in a loop", "unordered-volatile", 1, 32, warpLoop(""), warpLoop("bar.warp.sync -1;")},
	{"a neighbour's word of one warp", "unordered-volatile", 1, 32,
		neighbour(""), neighbour("bar.sync 0;")},
	{"flag set and read without a loop in one warp", "unordered-volatile", 1, 32,
		`
	@%t0 st.shared.u32 [sh], 0;
	bar.sync 0;
	@%t0 st.volatile.shared.u32 [sh], 1;
	@%t1 ld.volatile.shared.u32 %x, [sh];`,
		polled},
	{"a word that goes to and fro, but for who waits", "unordered-volatile", 2, 1,
		`
	@%c1 bra TAKE;
	GIVE: ld.volatile.global.u32 %r1, [%b];
	st.volatile.global.u32 [%b], 1;
	bra.uni END;
	TAKE: ld.volatile.global.u32 %r2, [%b];
	st.volatile.global.u32 [%b], 2;`,
		`
	@%c1 bra TAKE;
	GIVE: ld.volatile.global.u32 %r1, [%b];
	setp.ne.u32 %p0, %r1, 0;
	@%p0 bra GIVE;
	st.volatile.global.u32 [%b], 1;
	bra.uni END;
	TAKE: ld.volatile.global.u32 %r2, [%b];
	setp.ne.u32 %p0, %r2, 1;
	@%p0 bra TAKE;
	st.volatile.global.u32 [%b], 0;`},
	{"lock that is released to something else", "unordered-volatile", 2, 1,
		`
	L: atom.global.cas.b32 %r1, [%b], 0, 1;
	setp.ne.u32 %p0, %r1, 0;
	@%p0 bra L;
	st.volatile.global.u32 [%b+4], %cta;
	atom.global.exch.b32 %r2, [%b], 0;`,
		`
	L: atom.global.cas.b32 %r1, [%b], 0, 1;
	setp.ne.u32 %p0, %r1, 0;
	@%p0 bra L;
	st.volatile.global.u32 [%b], 0;`},
}

// polled is a flag in shared memory that the threads of a warp wait for.
const polled = `
	@%t0 st.shared.u32 [sh], 0;
	bar.sync 0;
	@%t0 st.volatile.shared.u32 [sh], 1;
	W: ld.volatile.shared.u32 %r1, [sh];
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra W;`

// ownWord stores a number of each thread in its word of shared memory, of which there are 64;
// %r2 is its address.
const ownWord = `
	shl.b32 %r1, %id, 2;
	mov.u32 %r2, sh;
	add.u32 %r2, %r2, %r1;
	st.shared.u32 [%r2], %id;
	st.shared.u32 [%r2+128], %id;
	bar.sync 0;`

// warpStep is two steps of a reduction with something between accesses.
func warpStep(between string) string {
	step := func(by string) string {
		return "\n\tld.volatile.shared.u32 %r3, [%r2+" + by + "];\n\tld.volatile.shared.u32 %r4, [%r2];\n\t" + between +
			"\n\tadd.u32 %r4, %r4, %r3;\n\tst.volatile.shared.u32 [%r2], %r4;\n\t" + between
	}
	return ownWord + step("64") + step("32")
}

// warpLoop is a reduction whose loop does not end by what it reads.
func warpLoop(between string) string {
	return ownWord + `
	mov.u32 %r5, 64;
	L: add.u32 %r6, %r2, %r5;
	ld.volatile.shared.u32 %r3, [%r6];
	ld.volatile.shared.u32 %r4, [%r2];
	` + between + `
	add.u32 %r4, %r4, %r3;
	st.volatile.shared.u32 [%r2], %r4;
	` + between + `
	shr.u32 %r5, %r5, 1;
	setp.gt.u32 %p0, %r5, 2;
	@%p0 bra L;`
}

// neighbour is a store, and then a load of the next thread's word.
func neighbour(between string) string {
	return ownWord + "\n\tadd.u32 %r3, %id, 5;\n\tst.volatile.shared.u32 [%r2], %r3;\n\t" + between + "\n\tld.volatile.shared.u32 %x, [%r2+4];"
}

// TestVolatileBeforeVolta: up to sm_62 the threads of a warp run in step, so that volatile accesses
// are enough between them; from sm_70 on they are not.
func TestVolatileBeforeVolta(t *testing.T) {
	for target, want := range map[string]int{"sm_60": 0, "sm_70": 1} {
		list := find(t, program{strings.Replace(checkPrelude, "sm_90a", target, 1) + warpStep("") + checkEnd, fmt.Sprintf(checkManifest, 1, 32)})
		if got := len(kindsFound(list)); got != want {
			t.Errorf("%s: %d kinds found, want %d\n%s", target, got, want, show(list))
		}
	}
}
