package machine

import (
	"fmt"
	"math/rand/v2"
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

// TestSubroutinesInLoops: whatever a loop reads before and behind a subroutine's branch, and
// hands over to its next round, no instruction waits for one that waits for it.
func TestSubroutinesInLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	reg := func() string { return fmt.Sprintf("%%f%d", rng.IntN(6)) }
	line := func() string {
		guard := []string{"", "", "", "@%p1 ", "@!%p1 "}[rng.IntN(5)]
		switch rng.IntN(9) {
		case 0, 1:
			return guard + fmt.Sprintf("ld.global.f32 %s, [%%rda+%d];", reg(), 4*rng.IntN(4))
		case 2:
			return guard + fmt.Sprintf("st.global.f32 [%%rdb+%d], %s;", 4*rng.IntN(4), reg())
		case 3:
			return guard + fmt.Sprintf("div.rn.f32 %s, %s, %s;", reg(), reg(), reg())
		case 4:
			return guard + fmt.Sprintf("%s.rn.f32 %s, %s;", []string{"rcp", "sqrt"}[rng.IntN(2)], reg(), reg())
		case 5:
			return guard + fmt.Sprintf("mov.f32 %s, %s;", reg(), reg())
		case 6:
			return "add.s64 %rda, %rda, 4;"
		case 7:
			return fmt.Sprintf("setp.gt.f32 %%p1, %s, %s;", reg(), reg())
		}
		return guard + fmt.Sprintf("fma.rn.f32 %s, %s, %s, %s;", reg(), reg(), reg(), reg())
	}
	for range 500 {
		var b strings.Builder
		for r := range 6 {
			fmt.Fprintf(&b, "ld.global.f32 %%f%d, [%%rda+%d];\n", r, 64+4*r)
		}
		b.WriteString("setp.gt.f32 %p1, %f0, %f1;\nmov.u32 %i, 0;\nL:\n")
		for range 2 + rng.IntN(12) {
			b.WriteString(line() + "\n")
		}
		b.WriteString("add.s32 %i, %i, 1;\nsetp.lt.s32 %p2, %i, 40;\n@%p2 bra L;\n")
		for r := range 6 {
			fmt.Fprintf(&b, "st.global.f32 [%%rdb+%d], %%f%d;\n", 64+4*r, r)
		}
		for _, sm := range []int{61, 70} {
			checkListing(t, listingOf(ssa.Build(parseKernel(t, "test.ptx", []byte(kernel(sm, b.String())))), nil, sm))
		}
		if t.Failed() {
			t.Fatal(b.String())
		}
	}
}
