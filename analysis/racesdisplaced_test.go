package analysis

import "testing"

// displaced are kernels with a store at an address that the order of threads decides, and
// near misses. The address is that of the thread whose store to one word came last.
var displaced = []raceKernel{
	{"a place in the order of tickets", 1, 64, last + `
	atom.shared.add.u32 %r1, [sh+16], 1; //B
	shl.b32 %r3, %r1, 2;
	add.u32 %r3, %r3, %r2;
	st.shared.u32 [%r3], %id; //C
	bar.sync 0;
	ld.shared.u32 %x, [of+16];`,
		"read-write B B sync, read-write B B sync warp, write-read B B sync, write-read B B sync warp, displaced-store C", scheduledCounts},
	{"another word than that of the store", 1, 64, last + `
	@%t0 st.shared.u32 [%r3], 9; //C
	bar.sync 0;
	ld.shared.u32 %x, [of+512];`,
		lastRaces + ", displaced-store C", scheduledCounts},
	{"read before the store, and nothing between", 1, 64, last + `
	@%t0 ld.shared.u32 %x, [of+512];
	@%t32 st.shared.u32 [%r3], 9; //C`,
		lastRaces + ", displaced-store C", scheduledCounts},
	{"read before the store by another lane", 1, 64, last + `
	@%t0 ld.shared.u32 %x, [of+512];
	@%t1 st.shared.u32 [%r3], 9; //C`,
		lastRaces + ", displaced-store C", undefinedCounts},
	{"read before a barrier before the store", 1, 64, last + `
	@%t0 ld.shared.u32 %x, [of+512];
	bar.sync 0;
	@%t32 st.shared.u32 [%r3], 9; //C`,
		lastRaces + ", displaced-store C", exactCounts},
	{"read before the store by the same thread", 1, 64, last + `
	@%t1 ld.shared.u32 %x, [of+512];
	@%t1 st.shared.u32 [%r3], 9; //C`,
		lastRaces + ", displaced-store C", exactCounts},
	{"a place in a buffer", 1, 64, last + `
	sub.u32 %r3, %r3, %r2;
	cvt.u64.u32 %d1, %r3;
	add.u64 %d1, %d1, %g;
	st.global.u32 [%d1], %id; //C
	bar.sync 0;
	ld.global.u32 %x, [%g+8192];`,
		lastRaces + ", displaced-store C, write-write C C, write-write C C warp", scheduledCounts},
}

const (
	last = `
	@%t0 st.shared.u32 [sh+16], 0;
	@%t0 st.shared.u32 [of+16], 0;
	@%t0 st.shared.u32 [of+512], 0;
	st.shared.u32 [sh], %id; //A
	bar.sync 0;
	ld.shared.u32 %r1, [sh];
	mov.u32 %r2, of;
	shl.b32 %r3, %r1, 2;
	add.u32 %r3, %r3, %r2;`
	lastRaces = "write-write A A, write-write A A warp"
)

// TestDisplacedStores: where a store may come anywhere, all of its buffer or variable
// depends on the order of threads, what was read before it, too, if nothing is between.
func TestDisplacedStores(t *testing.T) {
	for _, k := range displaced {
		t.Run(k.name, k.check)
	}
}

// TestDisplacedElsewhere: another variable than that of the store depends on nothing.
func TestDisplacedElsewhere(t *testing.T) {
	k := raceKernel{"", 1, 64, last + `
	st.shared.u32 [%r3], %id;
	bar.sync 0;
	ld.shared.u32 %x, [sh+16];`, "", exactCounts}
	for _, mode := range runningModes {
		if is := k.profile(t, mode).Rows[0].Exactness; is != k.exactness {
			t.Errorf("%s: %s", mode, is)
		}
	}
}
