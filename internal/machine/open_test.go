package machine

import (
	"strings"
	"testing"

	"hyptx/internal/ssa"
)

// TestOpenLoops holds which loops without a constant number of rounds are unrolled: the
// rounds that are left must be known in each.
func TestOpenLoops(t *testing.T) {
	const body = "ld.global.f32 %f1, [%rda]; add.f32 %f2, %f2, %f1; add.s64 %rda, %rda, 4;"
	for _, c := range []struct {
		what, loop string
		rounds     int // loads in a machine block
	}{
		{"a counter up to a parameter", "mov.u32 %r1, 0; L: BODY add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %rn; @%p1 bra L;", 4},
		{"a counter down to 0", "mov.u32 %r1, %rn; L: BODY add.s32 %r1, %r1, -4; setp.ne.s32 %p1, %r1, 0; @%p1 bra L;", 4},
		{"the low half of a counter of 64 bits", "mov.u64 %rd1, 0; L: BODY add.s64 %rd1, %rd1, 2; cvt.u32.u64 %r1, %rd1; setp.ne.s32 %p1, %rn, %r1; @%p1 bra L;", 4},
		{"the test first", "mov.u32 %r1, 0; L: setp.ge.s32 %p1, %r1, %rn; @%p1 bra X; BODY add.s32 %r1, %r1, 1; bra L; X:", 4},
		{"a counter that is halved", "mov.u32 %r1, %rn; L: BODY shr.u32 %r1, %r1, 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L;", 1},
		{"an end that is loaded", "mov.u32 %r1, 0; L: BODY ld.global.u32 %r2, [%rdb]; add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %r2; @%p1 bra L;", 1},
		{"a barrier", "mov.u32 %r1, 0; L: BODY bar.sync 0; add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %rn; @%p1 bra L;", 1},
		{"the program forbids it", "mov.u32 %r1, 0; L: .pragma \"nounroll\"; BODY add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %rn; @%p1 bra L;", 1},
		{"a large body", "mov.u32 %r1, 0; L: BODY" + strings.Repeat("mul.f32 %f2, %f2, %f1;", maxRound) + "add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %rn; @%p1 bra L;", 1},
	} {
		text := kernel(75, "mov.f32 %f2, 0f00000000;"+replace(c.loop, "BODY", body)+"st.global.f32 [%rdb], %f2;")
		l := listingOf(ssa.Build(parseKernel(t, "test.ptx", []byte(text))), nil, 75)
		checkListing(t, l)
		most := 0
		for b := range l.Blocks {
			n := 0
			for i := range l.Blocks[b].Ops {
				if o := &l.Blocks[b].Ops[i]; o.Kind.String() == "load_global" && o.Bytes == 4 && strings.Contains(l.Func.Text(o.PC), "%rda") {
					n++
				}
			}
			most = max(most, n)
		}
		if most != c.rounds {
			t.Errorf("%s: %d rounds in a block, by hand %d", c.what, most, c.rounds)
		}
	}
}
