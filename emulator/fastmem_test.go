package emulator_test

import (
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
