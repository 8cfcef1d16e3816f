package emulator_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"hyptx/emulator"
)

// below is a kernel whose half warps read 64 bytes, from n bytes below the start of memory on.
const below = `.version 8.3
.target sm_70
.address_size 64
.const .u32 table[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
.visible .entry k(.param .u64 out, .param .u32 n)
{
	.reg .b32 %r<9>;
	.reg .b64 %d<9>;
	.shared .align 4 .b8 s[64];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	and.b32 %r2, %r2, 15;
	mul.wide.u32 %d1, %r2, 4;
	cvt.u64.u32 %d2, %r1;
	sub.u64 %d1, %d1, %d2;
	ld.SPACE.u32 %r3, [%d1];
	ret;
}
`

// TestLoadBelow: the last address that half a warp reads may be the last there is, behind which
// addresses begin again at 0.
func TestLoadBelow(t *testing.T) {
	for space, want := range map[string]string{"shared": "out of bounds: 4 bytes at shared address", "const": "out of bounds: 4 bytes at constant address"} {
		for n, fails := range map[uint32]bool{0: false, 64: true, 4: true} {
			l := load(t, strings.Replace(below, "SPACE", space, 1), 4, n)
			_, err := l.launch(emulator.LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Workers: 1})
			if fails != (err != nil) || fails && !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %d bytes below: %v", space, n, err)
			}
		}
	}
}

// over is a kernel each half of whose warps reads 16 words, all into the register of the address:
// the second half where SECOND leads.
const over = `.version 8.3
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n) .explicitcluster .reqnctapercluster 2, 1, 1
{
	.reg .b32 %r<9>;
	.reg .b64 %d<9>;
	.reg .pred %p1;
	.shared .align 4 .b8 s[64];
	mov.u32 %r2, %tid.x;
	and.b32 %r1, %r2, 15;
	shl.b32 %r1, %r1, 2;
	mov.u32 %r4, %ctaid.x;
	mad.lo.u32 %r3, %r4, 256, %r1;
	st.shared.u32 [%r1], %r3;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	setp.ge.u32 %p1, %r2, 16;
	SECOND;
	ld.shared::cluster.u32 %r1, [%r1];
	ld.param.u64 %d1, [out];
	mad.lo.u32 %r2, %r4, 32, %r2;
	mad.wide.u32 %d1, %r2, 4, %d1;
	st.global.u32 [%d1], %r1;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	ret;
}
`

// TestLoadOverAddress: a load into the register of its address reads what the address was before
// it, where the second half of a warp reads what the first half's way does not lead to.
func TestLoadOverAddress(t *testing.T) {
	config := emulator.LaunchConfig{Grid: [3]uint32{2, 1, 1}, Cluster: [3]uint32{2, 1, 1}, Block: [3]uint32{32, 1, 1}, Workers: 1}
	l := load(t, strings.Replace(over, "SECOND", "@%p1 mapa.shared::cluster.u32 %r1, %r1, 1", 1), 256, 0)
	if _, err := l.launch(config); err != nil {
		t.Fatal(err)
	}
	mem := make([]byte, 256)
	if err := l.buffer.Read(mem, 0); err != nil {
		t.Fatal(err)
	}
	for i := range uint32(64) {
		want := i % 16 * 4
		if i >= 16 { // of the second CTA
			want += 256
		}
		if got := binary.LittleEndian.Uint32(mem[4*i:]); got != want {
			t.Errorf("CTA %d, lane %d: %d is loaded, want %d", i/32, i%32, got, want)
		}
	}
	l = load(t, strings.Replace(over, "SECOND", "@%p1 add.u32 %r1, %r1, 64", 1), 256, 0)
	if _, err := l.launch(config); err == nil || !strings.Contains(err.Error(), "thread (16,0,0): out of bounds: 4 bytes at shared address 0x40") {
		t.Errorf("beyond the end: %v", err)
	}
}
