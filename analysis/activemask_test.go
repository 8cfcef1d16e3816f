package analysis

import (
	"strings"
	"testing"
)

// TestActiveMask: which lanes are together is known as long as all have gone the same way,
// and nobody else can come to them. Who decides on it where lanes have parted and met
// again, or may come yet, decides on what the manual leaves open, in all modes.
func TestActiveMask(t *testing.T) {
	const mask = "\tactivemask.b32 x;\n"
	for _, c := range []struct{ name, body, want string }{
		{"at the beginning", mask, "exact"},
		{"some with a guard", "\t@p activemask.b32 x;\n", "exact"},
		{"after all have met again", "\t@p bra C;\n\tadd.u32 t, t, 1;\nC:\n" + mask, "undefined"},
		{"after a part has met again", "\tmov.u32 x, 0;\n\t@!p bra C;\n\t@r bra D;\n\tadd.u32 t, t, 1;\nD:\n" + mask + "C:\n", "undefined"},
		{"after a barrier of the warp", "\t@p bra C;\n\tadd.u32 t, t, 1;\nC:\n\tbar.warp.sync -1;\n" + mask, "undefined"},
		{"those who went one way", "\tmov.u32 x, 0;\n\t@p bra C;\n" + mask + "C:\n", "exact"},
		{"those who went one way, in a loop", "\tmov.u32 n, 2;\n\tmov.u32 x, 0;\nL:\n\t@p bra C;\n" + mask + "C:\n\tsub.u32 n, n, 1;\n\tsetp.ne.u32 r, n, 0;\n\t@r bra L;\n", "undefined"},
		{"all, in a loop", "\tmov.u32 n, 2;\nL:\n" + mask + "\tsub.u32 n, n, 1;\n\tsetp.ne.u32 r, n, 0;\n\t@r bra L;\n", "exact"},
		{"the others have exited", "\t@p exit;\n" + mask, "exact"},
		{"the others are about to exit", "\t@p bra E;\n" + mask, "exact"},
		{"on two ways", "\tmov.u32 x, 0;\n\t@p bra C;\n\t@z bra D;\n\tbra.uni M;\nC:\n\t@z bra D;\nM:\n" + mask + "D:\n", "undefined"},
		{"as members", "\t@p bra C;\n\tadd.u32 t, t, 1;\nC:\n" + mask + "\tvote.sync.ballot.b32 x, p, x;\n", "undefined"},
		{"nobody reads it", "\t@p bra C;\n\tadd.u32 t, t, 1;\nC:\n" + mask + "\tmov.u32 x, t;\n", "exact"},
	} {
		for _, mode := range []Mode{Control, Memory, Full} {
			s, err := openMode(t, mode, strings.Replace(activeKernel, "BODY", c.body, 1), activeManifest)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			p, err := s.Profile(t.Context())
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			if got := string(p.Rows[0].Exactness); got != c.want {
				t.Errorf("%s, mode %s: %s; want %s", c.name, mode, got, c.want)
			}
		}
	}
}

// activeKernel decides on x: p are the lanes from 16 on, r the even ones, z none, which
// nobody knows before it runs.
const (
	activeKernel = `.version 8.6
.target sm_90
.address_size 64
.entry k(.param .u64 in)
{
	.reg .b32 n, t, x;
	.reg .b64 i;
	.reg .pred p, q, r, z;
	ld.param.u64 i, [in];
	mov.u32 t, %tid.x;
	ld.global.u32 x, [i];
	setp.ne.u32 z, x, 0;
	setp.ge.u32 p, t, 16;
	and.b32 x, t, 1;
	setp.eq.u32 r, x, 0;
BODY	setp.gt.u32 q, x, 0x10000;
	@q bra E;
	add.u32 t, t, 1;
E:
	ret;
}
`
	activeManifest = `{"version": 1, "buffers": {"in": {"bytes": 4, "type": "u32", "init": "zero"}},
		"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [32], "args": [{"buffer": "in"}]}]}`
)
