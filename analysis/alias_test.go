package analysis

import (
	"fmt"
	"testing"
)

// TestStoresThroughOddPointers: a store whose address is not simply a buffer
// or a variable plus an index writes the word from which a loop reads how
// often to go round. Nothing in the slice may miss it.
func TestStoresThroughOddPointers(t *testing.T) {
	// The buffers lie 256 bytes apart from 0x7f0000000000 on, in the order of
	// the manifest; three holds what is stored. a points to the first, b to the
	// second, from which the loop reads; n is the address of b as a number, d
	// the distance from a to b, one is 1.
	const a, distance = 0x7f0000000000, 512
	const b = a + distance
	cases := []struct{ name, store, load string }{
		{"through the buffer", `st.global.u32 [%b], %three;`, loadGlobal},
		{"a selection between a pointer and a number", `setp.eq.u32 %p, %one, 1;
	selp.b64 %x, %n, %a, %p;
	st.global.u32 [%x], %three;`, loadGlobal},
		{"a selection between a pointer and an immediate", fmt.Sprintf(`setp.eq.u32 %%p, %%one, 1;
	selp.b64 %%x, %d, %%a, %%p;
	st.global.u32 [%%x], %%three;`, b), loadGlobal},
		{"a guarded move of a number", `mov.b64 %x, %a;
	setp.eq.u32 %p, %one, 1;
	@%p mov.b64 %x, %n;
	st.global.u32 [%x], %three;`, loadGlobal},
		{"a join of a pointer and a number", `mov.b64 %x, %n;
	setp.eq.u32 %p, %one, 1;
	@%p bra S;
	mov.b64 %x, %a;
S:	add.u64 %x, %x, 4;
	st.global.u32 [%x+-4], %three;`, loadGlobal},
		{"a loop that goes on from a number", `mov.b64 %x, %a;
W:	mov.b64 %y, %x;
	mov.b64 %x, %n;
	setp.ne.u64 %p, %y, %n;
	@%p bra W;
	st.global.u32 [%y], %three;`, loadGlobal},
		{"a difference that is selected", `sub.u64 %y, %b, %a;
	setp.eq.u32 %p, %one, 1;
	selp.b64 %y, %y, 0, %p;
	add.u64 %x, %a, %y;
	st.global.u32 [%x], %three;`, loadGlobal},
		{"a difference that is masked", `xor.b64 %x, %a, %b;
	cvt.u64.u32 %y, %one;
	neg.s64 %y, %y;
	and.b64 %x, %x, %y;
	xor.b64 %x, %x, %a;
	st.global.u32 [%x], %three;`, loadGlobal},
		{"a difference that is shifted", `sub.u64 %y, %b, %a;
	shr.u64 %y, %y, 2;
	mad.lo.u64 %x, %y, 4, %a;
	st.global.u32 [%x], %three;`, loadGlobal},
		{"a selection by masks", `cvt.u64.u32 %y, %one;
	neg.s64 %y, %y;
	and.b64 %x, %n, %y;
	not.b64 %y, %y;
	and.b64 %y, %a, %y;
	or.b64 %x, %x, %y;
	st.global.u32 [%x], %three;`, loadGlobal},
		{"a minimum with a number", `max.u64 %x, %a, %n;
	st.global.u32 [%x], %three;`, loadGlobal},
		{"a number only", `st.global.u32 [%n], %three;`, loadGlobal},
		{"an immediate only", fmt.Sprintf(`mov.b64 %%x, %d;
	st.global.u32 [%%x], %%three;`, b), loadGlobal},
		{"an offset that leads to the next buffer", `add.u64 %x, %a, %d;
	st.global.u32 [%x], %three;`, loadGlobal},
		{"a scaled offset that leads to the next buffer", `shr.u64 %y, %d, 2;
	mad.lo.u64 %x, %y, 4, %a;
	st.global.u32 [%x], %three;`, loadGlobal},
		{"an immediate offset that leads to the next buffer", fmt.Sprintf(`st.global.u32 [%%a+%d], %%three;`, distance), loadGlobal},
		{"offsets that all lead to the next buffer", `mov.u32 %r2, %tid.x;
	cvt.u64.u32 %y, %r2;
	shl.b64 %y, %y, 2;
	add.u64 %y, %y, %d;
	add.u64 %x, %a, %y;
	st.global.u32 [%x], %three;`, loadGlobal},
		{"a negative offset", `sub.u64 %x, %b, %d;
	add.u64 %x, %x, %d;
	st.global.u32 [%x], %three;`, loadGlobal},
		{"another variable of shared memory by an immediate", `st.shared.u32 [first+64], %three;`, loadShared},
		{"another variable of shared memory by a register", `mov.u32 %r2, first;
	add.u32 %r2, %r2, 64;
	st.shared.u32 [%r2], %three;`, loadShared},
		{"a shared address or a number", `mov.u32 %r2, first;
	setp.eq.u32 %p, %one, 1;
	selp.b32 %r2, 64, %r2, %p;
	st.shared.u32 [%r2], %three;`, loadShared},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := program{fmt.Sprintf(oddPointers, c.store, c.load), fmt.Sprintf(`{"version": 1, "name": "odd",
 "buffers": {"a": {"bytes": 256, "type": "u32", "init": "zero"}, "b": {"bytes": 256, "type": "u32", "init": {"fill": 1}}},
 "launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [1],
   "args": [{"buffer": "a"}, {"buffer": "b"}, {"value": %d}, {"value": %d}, {"value": 1}]}]}`, uint64(b), distance)}
			control := p.profile(t, Control)
			full := p.profile(t, Full)
			got, want := control.Rows[0], full.Rows[0]
			if got.WarpInstructions != want.WarpInstructions || got.Exactness != "exact" {
				t.Errorf("%d warp instructions, %s; full emulation has %d", got.WarpInstructions.N, got.Exactness, want.WarpInstructions.N)
			}
			if got.Branches.N < 3 {
				t.Errorf("%d branches: the store did not reach the loop's bound", got.Branches.N)
			}
		})
	}
}

const (
	loadGlobal = "ld.global.u32 %r1, [%b];"
	loadShared = "ld.shared.u32 %r1, [second];"
)

const oddPointers = `.version 7.5
.target sm_70
.address_size 64
.visible .shared .align 64 .b8 first[64];
.visible .shared .align 64 .b8 second[64];
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pn, .param .u64 pd, .param .u32 pone)
{
	.reg .b32 %%r<4>, %%one, %%three; .reg .b64 %%a, %%b, %%n, %%d, %%x, %%y; .reg .pred %%p;
	ld.param.u64 %%a, [pa];
	ld.param.u64 %%b, [pb];
	ld.param.u64 %%n, [pn];
	ld.param.u64 %%d, [pd];
	ld.param.u32 %%one, [pone];
	mov.u32 %%three, 3;
	st.shared.u32 [first], %%one;
	%s
	%s
L:	sub.u32 %%r1, %%r1, 1;
	setp.gt.s32 %%p, %%r1, 0;
	@%%p bra L;
	st.global.u32 [%%a], %%r1;
	ret;
}`
