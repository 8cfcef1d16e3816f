package analysis

import (
	"strings"
	"testing"

	"hyptx/parser"
)

// TestTogether: what is .aligned is executed by all threads of a warp, what is wgmma's by
// those of four warps; otherwise the launch fails where it stands, in modes that do not run
// it as well, and with --lenient it is undefined.
func TestTogether(t *testing.T) {
	const (
		half   = "setp.ge.u32 %q, %t, 16; @%q bra X; "
		first  = "setp.lt.u32 %q, %t, 32; @!%q bra X; "
		fence  = "wgmma.fence.sync.aligned; X:"
		matrix = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r0]; X:"
	)
	for _, c := range []struct{ name, code, block, wrong string }{
		{"a warpgroup", fence, "128", ""},
		{"two", fence, "256", ""},
		{"three warps", fence, "96", "the CTA has 96 threads"},
		{"a second warpgroup of two warps", fence, "192", "the CTA has 192 threads"},
		{"half a warp", half + fence, "128", "16 of the 32 threads of the warp execute it"},
		{"one warp of four", first + fence, "128", "another warp of the warpgroup does not execute it"},
		{"by a guard", "setp.lt.u32 %q, %t, 32; @%q wgmma.commit_group.sync.aligned;", "128", "another warp of the warpgroup does not execute it"},
		{"registers of one warp", first + "setmaxnreg.inc.sync.aligned.u32 64; X:", "128", "another warp of the warpgroup does not execute it"},
		{"the others have exited", "setp.ge.u32 %q, %t, 32; @%q exit; wgmma.wait_group.sync.aligned 0;", "128", "another warp of the warpgroup does not execute it"},
		{"half has exited", "setp.ge.u32 %q, %t, 112; @%q exit; " + fence, "128", "of the warp 16"},
		{"a matrix", matrix, "32", ""},
		{"a matrix of one warp", first + matrix, "128", ""},
		{"a matrix of half a warp", half + matrix, "32", "16 of the 32 threads of the warp execute it"},
		{"a matrix of those that live", "setp.ge.u32 %q, %t, 16; @%q exit; " + matrix, "32", ""},
		{"a product of half a warp", half + "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%e0, %e1, %e2, %e3}, {%r1, %r2}, {%r1}, {%e0, %e1, %e2, %e3}; X:", "32", "16 of the 32 threads"},
	} {
		ptx := strings.NewReplacer("BEFORE", "mov.u32 %r0, matrices; mov.u32 %r1, 0; mov.u32 %r2, 0; mov.f32 %e0, 0f00000000; mov.f32 %e1, %e0; mov.f32 %e2, %e0; mov.f32 %e3, %e0;\n"+c.code+"\nret;",
			"WRITE", "", "MEET", "", "MULTIPLY", "").Replace(multiplying)
		text := `{"version": 1, "buffers": {"a": {"bytes": 1024, "type": "u32", "init": "zero"}}, "launches": [{"module": "k.ptx", "kernel": "k", "grid": [2], "block": [` + c.block + `], "args": [{"buffer": "a"}]}]}`
		for _, mode := range []Mode{Control, Memory, Full} {
			for _, lenient := range []bool{false, true} {
				s, err := openMode(t, mode, ptx, text)
				if err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				warned := ""
				if lenient {
					s.Options.Lenient = func(l parser.ErrorList) { warned += l.Error() }
				}
				p, err := s.Profile(t.Context())
				switch {
				case !lenient && (err == nil) != (c.wrong == ""), err != nil && (lenient || !strings.Contains(err.Error(), c.wrong) || !strings.Contains(err.Error(), "k.ptx:")):
					t.Errorf("%s, mode %s, lenient %t: %v; want %q", c.name, mode, lenient, err, c.wrong)
				case lenient && c.wrong != "" && !strings.HasPrefix(c.wrong, "another") && (warned == "" || p.Rows[0].Exactness != "undefined"):
					t.Errorf("%s, mode %s: lenient, it warns of %q and is %s", c.name, mode, warned, p.Rows[0].Exactness)
				}
			}
		}
	}
}
