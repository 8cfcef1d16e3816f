package analysis

import (
	"strings"
	"testing"
)

// TestUnmetMembers: who decides on an operation of a warp whose members are at two such
// instructions, or name other members, which the manual does not define, decides on what is
// undefined, in all modes. Where they come to one instruction, or have exited, all is exact.
func TestUnmetMembers(t *testing.T) {
	const apart = "\t@p bra C;\nOP\tbra D;\nC:\nOPD:\n"
	for _, c := range []struct{ name, body, want string }{
		{"apart", apart, "undefined"},
		{"each half for itself", strings.ReplaceAll(apart, "OP", "HALF"), "exact"},
		{"the other half at a barrier", "\t@p bra C;\nOP\tbra D;\nC:\n\tbar.warp.sync -1;\nD:\n", "undefined"},
		{"together", "\t@p bra C;\n\tadd.u32 t, t, 0;\nC:\nOP", "exact"},
		{"the others have exited", "\t@p exit;\nOP", "exact"},
		{"halves together", "HALF", "exact"},
		{"a half and all, together", "\tselp.b32 h, 0xffff, -1, p;\nHALF", "undefined"},
		{"a mask that is written over, apart", "\tmov.b32 x, -1;\n" + strings.ReplaceAll(apart, "OP", "OVER"), "undefined"},
	} {
		for _, op := range []string{
			"vote.sync.ballot.b32 x, p, MASK", "vote.sync.any.pred q, p, MASK", "vote.sync.uni.pred q, p, MASK",
			"match.any.sync.b32 x, 1, MASK", "match.all.sync.b32 x|q, 1, MASK",
			"redux.sync.add.u32 x, t, MASK", "elect.sync x|q, MASK", "shfl.sync.idx.b32 x, t, 16, 31, MASK",
		} {
			want := c.want
			if strings.Contains(c.name, "written over") && !strings.Contains(op, " x") {
				continue // x is no destination
			}
			if strings.HasPrefix(op, "shfl") { // of the lanes that it does not read from it tells nothing
				switch c.name {
				case "each half for itself", "the other half at a barrier", "the others have exited":
					continue
				case "halves together": // it reads lane 16
					want = "undefined"
				}
			}
			with := func(mask string) string { return "\t" + strings.Replace(op, "MASK", mask, 1) + ";\n" }
			body := strings.NewReplacer("OP", with("-1"), "HALF", with("h"), "OVER", with("x")).Replace(c.body)
			for _, mode := range []Mode{Control, Memory, Full} {
				s, err := openMode(t, mode, strings.Replace(unmetKernel, "BODY", body, 1), unmetManifest)
				if err != nil {
					t.Fatalf("%s, %s: %v", c.name, op, err)
				}
				p, err := s.Profile(t.Context())
				if err != nil {
					t.Errorf("%s, %s: %v", c.name, op, err)
					continue
				}
				if got := string(p.Rows[0].Exactness); got != want {
					t.Errorf("%s, %s, mode %s: %s; want %s", c.name, op, mode, got, want)
				}
			}
		}
	}
}

// TestPartAtBarrier: a barrier that is .aligned, to which a part of a warp's threads comes
// while others live, leaves open what happens, in all modes; the others may have exited.
func TestPartAtBarrier(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"\tbar.sync 0;\n", "exact"},
		{"\t@p bra C;\n\tbar.sync 0;\n\tbra D;\nC:\n\tbar.sync 0;\nD:\n", "undefined"},
		{"\t@p bra C;\n\tbar.red.popc.u32 x, 0, p;\n\tbra D;\nC:\n\tbar.red.popc.u32 x, 0, p;\nD:\n", "undefined"},
		{"\t@p bra C;\n\tbarrier.sync 0;\n\tbra D;\nC:\n\tbarrier.sync 0;\nD:\n", "exact"},
		{"\t@p exit;\n\tbar.sync 0;\n", "exact"},
	} {
		for _, mode := range []Mode{Control, Memory, Full} {
			s, err := openMode(t, mode, strings.Replace(unmetKernel, "BODY", c.body, 1), unmetManifest)
			if err != nil {
				t.Fatalf("%s: %v", c.body, err)
			}
			p, err := s.Profile(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", c.body, err)
			}
			if got := string(p.Rows[0].Exactness); got != c.want {
				t.Errorf("%s, mode %s: %s; want %s", c.body, mode, got, c.want)
			}
			if told := strings.Join(p.Explain(), "\n"); strings.Contains(told, "a part of a warp's threads") != (c.want == "undefined") {
				t.Errorf("%s, mode %s: explained as %q", c.body, mode, told)
			}
		}
	}
}

// unmetKernel decides on q, or on x, which BODY finds: p are the lanes of the first half of
// a warp, h those of a thread's half.
const (
	unmetKernel = `.version 8.6
.target sm_90
.address_size 64
.entry k()
{
	.reg .b32 h, t, x;
	.reg .pred p, q;
	mov.u32 t, %tid.x;
	setp.lt.u32 p, t, 16;
	selp.b32 h, 0xffff, 0xffff0000, p;
	setp.eq.u32 q, t, 3;
	mov.u32 x, t;
BODY	setp.eq.and.u32 q, x, 16, q;
	@q bra E;
	add.u32 t, t, 1;
E:
	ret;
}
`
	unmetManifest = `{"version": 1, "buffers": {}, "launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [32], "args": []}]}`
)
