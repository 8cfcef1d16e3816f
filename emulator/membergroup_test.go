package emulator_test

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"testing"

	"hyptx/emulator"
)

// TestMemberGroups: lanes that execute a warp-synchronous operation together are a group
// for each mask, also where they have come on several paths, wait for others of their path
// that are on their way, or where these wait for them: nobody waits for a group but its
// own members.
func TestMemberGroups(t *testing.T) {
	for _, c := range []struct{ name, body string }{
		{"together", "OP"},
		{"on two paths", "setp.lt.u32 p, t, 10;\n@p bra L;\n@never bra E;\nbra.uni A;\nL:\n@never bra E;\nA:\nOPE:\n"},
		// Lanes 2 to 5 wait for the others, first for 0 and 1, then for the rest.
		{"a path that waits", "setp.ge.u32 p, t, 6;\n@p bra R;\nsetp.lt.u32 p, t, 2;\n@p bra L;\n@never bra E;\nbra.uni A;\n" +
			"L:\n@never bra E;\nbra.uni A;\nR:\n@never bra E;\nA:\nOPE:\n"},
		// Lanes from 18 on come when lane 0 has executed it.
		{"one that is waited for", "setp.lt.u32 p, t, 18;\n@p bra A;\nW:\nld.volatile.global.u32 y, [f];\nsetp.eq.u32 p, y, 0;\n@p bra W;\nA:\nOP" +
			"setp.ne.u32 p, t, 0;\n@p bra B;\nst.volatile.global.u32 [f], 1;\nB:\n"},
	} {
		for _, width := range []int{8, 4} {
			out := runGroups(t, c.body, width)
			for lane := range 32 {
				first := lane &^ (width - 1)
				sum := uint32(width * (2*first + width - 1) / 2)
				mask := uint32((uint64(1)<<width - 1) << first)
				want := [4]uint32{sum, mask & 0x33333333, uint32(first), uint32(bits.OnesCount32(mask & 0x11111111))}
				if out[lane] != want {
					t.Errorf("%s, tiles of %d: lane %d has %#x, not %#x", c.name, width, lane, out[lane], want)
				}
			}
		}
	}
}

// runGroups runs a program whose tiles of some lanes exchange what they have, where OP
// stands, and returns what the lanes have got.
func runGroups(t *testing.T, body string, width int) (out [32][4]uint32) {
	t.Helper()
	const head = `.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
	.reg .b32 t, m, x, y, z, v;
	.reg .b64 o, f;
	.reg .pred p, q, never;
	ld.param.u64 f, [out];
	ld.param.u32 x, [n];
	mov.u32 t, %laneid;
	mad.wide.u32 o, t, 16, f;
	add.u64 f, f, 512;
	mov.u32 y, 0;
	mov.u32 m, 1;
	shl.b32 m, m, x;
	sub.u32 m, m, 1;
	sub.u32 x, x, 1;
	not.b32 x, x;
	and.b32 x, x, t;
	shl.b32 m, m, x;
	and.b32 v, t, 2;
	setp.eq.u32 q, v, 0;
	setp.eq.u32 never, y, 1;
`
	const op = `redux.sync.add.u32 x, t, m;
	vote.sync.ballot.b32 y, q, m;
	elect.sync z|p, m;
	and.b32 v, t, 3;
	match.any.sync.b32 v, v, m;
	shfl.sync.idx.b32 v, v, z, 31, m;
	popc.b32 v, v;
`
	ptx := head + strings.Replace(body, "OP", op, 1) + "st.global.v4.u32 [o], {x, y, z, v};\nret;\n}\n"
	l := load(t, ptx, 516, uint32(width))
	if _, err := l.launch(emulator.LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Workers: 1}); err != nil {
		t.Fatalf("%v\n%s", err, ptx)
	}
	b := make([]byte, 512)
	if err := l.buffer.Read(b, 0); err != nil {
		t.Fatal(err)
	}
	for lane := range out {
		for i := range out[lane] {
			out[lane][i] = binary.LittleEndian.Uint32(b[16*lane+4*i:])
		}
	}
	return out
}
