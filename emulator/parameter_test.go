package emulator_test

import (
	"encoding/binary"
	"testing"

	"hyptx/emulator"
)

// TestPassedWhole: predicates and 128-bit registers arrive as they were given,
// whether as parameters, as results or by a function's address.
func TestPassedWhole(t *testing.T) {
	const ptx = `.version 8.8
.target sm_90
.address_size 64
.func (.reg .u32 r) choose(.reg .pred q)
{
	selp.u32 r, 11, 22, q;
	ret;
}
.func (.reg .pred b, .reg .u32 y) test(.reg .u32 x)
{
	setp.eq.u32 b, x, 5;
	add.u32 y, x, 1;
	ret;
}
.func (.reg .b128 r) same(.reg .b128 x)
{
	mov.b128 r, x;
	ret;
}
.visible .entry k(.param .u64 out, .param .u32 n)
{
	.reg .u64 o, f, lo, hi; .reg .u32 u, v; .reg .pred p; .reg .b128 x, y;
	ld.param.u64 o, [out];
	ld.param.u32 v, [n];
	setp.eq.u32 p, v, 5;
	call (u), choose, (p);
	st.u32 [o], u;
	setp.eq.u32 p, v, 6;
	call (u), choose, (p);
	st.u32 [o+4], u;
	mov.u64 f, choose;
C:	.callprototype (.reg .u32 _) _ (.reg .pred _);
	call (u), f, (1), C;
	st.u32 [o+8], u;
	call (p, u), test, (v);
	selp.u32 v, 1, 7, p;
	st.u32 [o+12], v;
	st.u32 [o+16], u;
	mov.u64 lo, 0x1111111122222222;
	mov.u64 hi, 0x3333333344444444;
	mov.b128 x, {lo, hi};
	call (y), same, (x);
	mov.b128 {lo, hi}, y;
	st.u64 [o+24], lo;
	st.u64 [o+32], hi;
	ret;
}
`
	l := load(t, ptx, 40, 5)
	if _, err := l.launch(emulator.LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 40)
	if err := l.buffer.Read(b, 0); err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint32{11, 22, 11, 1, 6, 0, 0x22222222, 0x11111111, 0x44444444, 0x33333333} {
		if got := binary.LittleEndian.Uint32(b[4*i:]); got != want {
			t.Errorf("word %d is %#x, by hand %#x", i, got, want)
		}
	}
}
