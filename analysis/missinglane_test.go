package analysis

import (
	"fmt"
	"strings"
	"testing"
)

// TestMissingLanes: a matrix that a warp's threads hold together, some of which have exited
// or never were, is undefined, and so are those who decide on it, in all modes. From memory
// the threads that there are get what is theirs.
func TestMissingLanes(t *testing.T) {
	const (
		multiply = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f0, f1, f2, f3}, {z, z, z, z}, {z, z}, {f0, f1, f2, f3};\ncvt.rzi.u32.f32 x, f0;"
		move     = "movmatrix.sync.aligned.m8n8.trans.b16 x, t;"
		load     = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {x}, [a];"
		store    = "stmatrix.sync.aligned.m8n8.x1.shared.b16 [a], {t};\nld.shared.u32 x, [a];"
	)
	const exact, undefined = "exact", "undefined"
	for _, c := range []struct {
		body        string
		half, exits string // how exact it is in half a warp, and when half of one has exited
	}{{multiply, undefined, undefined}, {move, undefined, undefined}, {load, exact, undefined}, {store, undefined, undefined}} {
		for _, w := range []struct {
			block       int
			first, want string
		}{{32, "", exact}, {16, "", c.half}, {32, "@p exit;\n", c.exits}} {
			for _, mode := range []Mode{Control, Memory, Full} {
				ptx := strings.Replace(missingKernel, "BODY", w.first+c.body, 1)
				s, err := openMode(t, mode, ptx, fmt.Sprintf(missingManifest, w.block))
				if err != nil {
					t.Fatalf("%s: %v", c.body, err)
				}
				p, err := s.Profile(t.Context())
				if err != nil {
					t.Fatalf("%s: %v", c.body, err)
				}
				if got := string(p.Rows[0].Exactness); got != w.want {
					t.Errorf("%s%s, block of %d, mode %s: %s; want %s", w.first, c.body, w.block, mode, got, w.want)
				}
			}
		}
	}
}

// missingKernel decides on x, which BODY finds; p are the lanes from 16 on.
const (
	missingKernel = `.version 8.6
.target sm_90
.address_size 64
.entry k()
{
	.reg .b32 a, t, x, z;
	.reg .f32 f<4>;
	.reg .pred p, q;
	.shared .align 128 .b8 sh[512];
	mov.u32 t, %tid.x;
	mov.u32 z, sh;
	mad.lo.u32 a, t, 16, z;
	st.shared.v4.u32 [a], {t, t, t, t};
	bar.sync 0;
	and.b32 z, t, 64;
	cvt.rn.f32.u32 f0, z;
	mov.f32 f1, f0;
	mov.f32 f2, f0;
	mov.f32 f3, f0;
	setp.ge.u32 p, t, 16;
BODY
	setp.gt.u32 q, x, 7;
	@q bra E;
	add.u32 t, t, 1;
E:
	ret;
}
`
	missingManifest = `{"version": 1, "buffers": {}, "launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [%d], "args": []}]}`
)
