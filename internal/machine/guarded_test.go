package machine

import (
	"slices"
	"strings"
	"testing"

	"hyptx/internal/pipe"
	"hyptx/internal/ssa"
)

// TestSubroutineBranch: the branch around the subroutine of a quotient, reciprocal or root ends
// a basic block. Loads of before are issued before it, those of behind and what reads the result
// behind it, and the branch waits for the test of the operands, or else for the result.
func TestSubroutineBranch(t *testing.T) {
	for _, c := range []struct {
		op      string
		special int // instructions of the multi-function unit
		first   bool
	}{
		{"div.rn.f32 F3, F1, F2;", 2, false},
		{"rcp.rn.f32 F3, F1;", 1, true},
		{"sqrt.rn.f32 F3, F1;", 1, true},
		{"div.rn.f64 F3, F1, F2;", 1, false},
		{"rcp.rn.f64 F3, F1;", 1, false},
		{"sqrt.rn.f64 F3, F1;", 1, false},
	} {
		for _, sm := range []int{61, 70, 80} {
			reg, typ := "%f", "f32"
			if strings.Contains(c.op, "f64") {
				reg, typ = "%d", "f64"
			}
			body := "ld.global.T F1, [%rda];\nld.global.T F2, [%rda+8];\n" + c.op + "\nld.global.T F4, [%rda+800];\nfma.rn.T F5, F3, F4, F2;\nst.global.T [%rdb], F5;"
			body = strings.NewReplacer("F", reg, ".T ", "."+typ+" ").Replace(body)
			l := listingOf(ssa.Build(parseKernel(t, "test.ptx", []byte(kernel(sm, body)))), nil, sm)
			checkListing(t, l)
			var loads, special, branches []int
			value := -1
			ops := l.Blocks[0].Ops
			for i, o := range ops {
				switch inst := l.Func.Module.Instrs[o.PC].Inst; {
				case o.Kind == pipe.LoadGlobal:
					loads = append(loads, i)
				case o.Kind == pipe.Special:
					special = append(special, i)
				case o.Kind == pipe.Branch && !strings.HasPrefix(inst.Op.String(), "ret"):
					branches = append(branches, i)
				case strings.HasPrefix(inst.Op.String(), "fma"):
					value = i
				}
			}
			want := 3
			if sm < 70 {
				want = 1
			}
			if len(branches) != want || len(special) != c.special || len(loads) != 3 {
				t.Errorf("%s on sm_%d: branches %v, special %v, loads %v", c.op, sm, branches, special, loads)
				continue
			}
			start, end := branches[0], branches[want-1]
			if loads[1] > start || loads[2] < end || value < end {
				t.Errorf("%s on sm_%d: loads %v and reader %d around branches %v", c.op, sm, loads, value, branches)
			}
			bra := &ops[branches[want/2]]
			if before := slices.Max(special) < branches[want/2]; before == c.first {
				t.Errorf("%s on sm_%d: BRA is the %dth, MUFU %v", c.op, sm, branches[want/2], special)
			}
			if len(bra.Srcs) != 1 || slices.ContainsFunc(ops[branches[want/2]:], func(o Op) bool { return o.Dst == bra.Srcs[0] }) {
				t.Errorf("%s on sm_%d: BRA waits for %v", c.op, sm, bra.Srcs)
			}
		}
	}
}
