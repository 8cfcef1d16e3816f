package oracle

import (
	"strings"
	"testing"
)

// found are programs that random ones were, reduced: in each a mode once counted
// otherwise than another, or called exact what depends on the order of threads.
var found = []struct {
	name, body, exactness string
}{
	{"a mask of lanes with several definitions, of an exchange that nobody needs", `
mov.b32 %m, -1;
match.all.sync.b32 %r4|%p0, %r1, -1;
@%p0 bra X;
add.u32 %r1, %r1, 1;
X:
redux.sync.max.u32 %r5, %r1, %m;
mov.b32 %m, -1;`, "exact"},
	{"an addition that may come before another thread's store", `
st.shared.b32 [%d0], 1;
bar.sync 0;
st.shared.b32 [%d0], %r1;
red.shared.xor.b32 [%d0], 2;
red.shared.xor.b32 [%d1], 2;
bar.sync 0;
ld.shared.b32 %r4, [%d0];
setp.gt.u32 %p0, %r4, 20;
@%p0 bra X;
add.u32 %r1, %r1, 1;
X:`, "scheduled"},
	{"a store of what is there already, after one that changed it", `
st.shared.b32 [%d0], 0;
bar.sync 0;
st.shared.b32 [%d0], %r1;
st.shared.b32 [%d0], %r1;
setp.lt.u32 %p1, %r1, 32;
mov.b32 %r4, 0;
@%p1 ld.shared.b32 %r4, [%d1];
setp.gt.u32 %p0, %r4, 20;
@%p0 bra X;
add.u32 %r1, %r1, 1;
X:`, "scheduled"},
	{"a store of what is there already, by the order that was run", `
setp.eq.u32 %p1, %r1, 32;
@%first st.shared.b32 [%base], 3;
@%p1 st.shared.b32 [%base], 7;
bar.sync 0;
@%p1 st.shared.b32 [%base], 7;
mov.b32 %r4, 0;
@%first ld.shared.b32 %r4, [%base];
setp.gt.u32 %p0, %r4, 5;
@%p0 bra X;
add.u32 %r1, %r1, 1;
X:`, "scheduled"},
	{"sums of additions whose results are read, too", `
st.shared.b32 [%d0], 0;
bar.sync 0;
atom.shared.add.u32 %r5, [%base], 1;
bar.sync 0;
ld.shared.b32 %r4, [%base];
xor.b32 %r5, %r5, 3;
st.global.b32 [%out], %r5;
setp.gt.u32 %p0, %r4, 20;
@%p0 bra X;
add.u32 %r1, %r1, 1;
X:`, "exact"},
	{"how many have arrived", `
@%first mbarrier.init.shared.b64 [mb], 64;
bar.sync 0;
mbarrier.arrive.shared.b64 %state, [mb];
mbarrier.pending_count.b64 %r4, %state;
setp.gt.u32 %p0, %r4, 20;
@%p0 bra X;
add.u32 %r1, %r1, 1;
X:`, "scheduled"},
	{"an atomic that returns into its own operand", `
setp.eq.u32 %p1, %r1, 32;
@%first st.shared.b32 [%base], 0;
bar.sync 0;
mov.b32 %r5, 0;
@%first mov.b32 %r5, 7;
or.pred %p1, %p1, %first;
@%p1 atom.shared.exch.b32 %r5, [%base], %r5;
bar.sync 0;
ld.shared.b32 %r4, [%base];
setp.gt.u32 %p0, %r4, 5;
@%p0 bra X;
add.u32 %r1, %r1, 1;
X:`, "scheduled"},
	{"a thread reads a word for a decision that another has read for none", `
st.shared.b32 [%d0], 92;
bar.sync 0;
redux.sync.xor.b32 %r4, %r2, -1;
and.b32 %r5, %r1, 47;
mul.wide.u32 %d2, %r5, 4;
add.u64 %d2, %base, %d2;
atom.shared.or.b32 %r6, [%d2], %r1;
atom.shared.max.s32 %r2, [%d0], %r1;
setp.gt.u32 %p0, %r4, 27;
@%p0 bra X;
add.u32 %r1, %r1, 1;
X:
st.global.b32 [%out], %r6;`, "exact"},
	{"halves of words that are written as a whole, where bytes are stored elsewhere", `
{
.reg .b16 %h;
mov.b16 %h, 0;
st.shared.b32 [%d0], %r1;
add.u32 %r2, %r1, 59;
and.b32 %r2, %r2, 63;
mul.wide.u32 %d2, %r2, 4;
add.u64 %d2, %base, %d2;
st.shared.b32 [%d2], 7;
bar.sync 0;
mov.u64 %d3, mb;
st.shared.u8 [%d3], %h;
ld.shared.u16 %h, [%d0+2];
cvt.u32.u16 %r4, %h;
setp.gt.u32 %p0, %r4, 20;
@%p0 bra X;
add.u32 %r1, %r1, 1;
X:
}`, "exact"},
	{"a thread that reads of a release decides on nothing that it read", `
st.shared.b32 [%d0], 0;
bar.sync 0;
setp.eq.u32 %p2, %r1, 32;
@%p2 st.shared.b32 [%base], 9;
@%p2 st.release.cta.shared.b32 [%base+4], 1;
mov.b32 %r2, 0;
@%first ld.acquire.cta.shared.b32 %r2, [%base+4];
shr.u32 %r2, %r2, 4;
cvt.u64.u32 %d2, %r2;
add.u64 %d2, %out, %d2;
st.global.b32 [%d2], 5;
mov.b32 %r4, 0;
@%first ld.shared.b32 %r4, [%base];
setp.gt.u32 %p0, %r4, 5;
@%p0 bra X;
add.u32 %r1, %r1, 1;
X:`, "scheduled"},
	{"an atomic whose result nobody reads, in a register that a shuffle takes its lane from", `
st.shared.b32 [%d0], 9;
bar.sync 0;
atom.shared.min.u32 %r5, [%base], %r1;
and.b32 %r5, %r1, 7;
shfl.sync.idx.b32 %r6, %r1, %r5, 31, -1;
bar.sync 0;
ld.shared.b32 %r4, [%base];
setp.gt.u32 %p0, %r4, %r6;
@%p0 bra X;
add.u32 %r1, %r1, 1;
X:`, "exact"},
}

const foundHead = `.version 8.3
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
.reg .b32 %r<8>, %m;
.reg .b64 %d<4>, %state, %base, %out;
.reg .pred %p<4>, %first;
.shared .align 16 .b8 sa[512];
.shared .align 8 .b64 mb;
ld.param.u64 %out, [out];
mov.u32 %r1, %tid.x;
setp.eq.u32 %first, %r1, 0;
mov.u64 %base, sa;
mul.wide.u32 %d0, %r1, 4;
add.u64 %d0, %base, %d0;
xor.b32 %r2, %r1, 32;
mul.wide.u32 %d1, %r2, 4;
add.u64 %d1, %base, %d1;
`

// TestFound: all modes agree on these programs and know how exact they are.
func TestFound(t *testing.T) {
	for _, c := range found {
		t.Run(c.name, func(t *testing.T) {
			r := outcome{program: &program{ptx: foundHead + strings.TrimPrefix(c.body, "\n") + "\nret;\n}\n", grid: [3]uint32{1, 1, 1}, block: [3]uint32{64, 1, 1}}}
			m, err := r.program.lower()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.checkModes(t.TempDir(), m); err != nil || r.exactness != c.exactness {
				t.Errorf("%s, not %s; %v", r.exactness, c.exactness, err)
			}
		})
	}
}
