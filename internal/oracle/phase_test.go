package oracle

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// questions writes a program whose threads arrive at an mbarrier and ask whether phases
// of it are over, a part of them each time, and sometimes wait for each other in between.
func questions(seed uint64) *program {
	w := &writer{r: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))}
	some := func() string {
		switch w.r.IntN(6) {
		case 0:
			w.line("setp.eq.u32 %%p0, %%r1, %d;", w.r.IntN(64))
		case 1:
			w.line("setp.lt.u32 %%p0, %%r1, %d;", 1+w.r.IntN(63))
		case 2:
			w.line("and.b32 %%r2, %%r1, %d;\nsetp.ne.u32 %%p0, %%r2, 0;", 1<<w.r.IntN(6))
		default:
			return ""
		}
		return w.one("@%p0 ", "@!%p0 ")
	}
	w.line("@%%first mbarrier.init.shared.b64 [mb], %d;\nbar.sync 0;", []int{64, 64, 64, 32, 96, 1 + w.r.IntN(64)}[w.r.IntN(6)])
	states := w.r.IntN(3) == 0
	if states {
		w.line("mbarrier.arrive.shared.b64 %%state, [mb];")
	}
	for n := range 3 + w.r.IntN(7) {
		switch w.r.IntN(8) {
		case 0, 1, 2:
			w.line("%smbarrier.arrive%s.shared.b64 %%state, [mb];", some(), w.one("", "", ".relaxed.cta"))
		case 3, 4, 5:
			w.line("setp.gt.u32 %%p1, %%r1, 99;")
			if states && w.r.IntN(2) == 0 {
				w.line("%smbarrier.test_wait.shared.b64 %%p1, [mb], %%state;", some())
			} else {
				w.line("%smbarrier.%s.parity.shared.b64 %%p1, [mb], %d;", some(), w.one("test_wait", "try_wait"), w.r.IntN(2))
			}
			w.line("@%%p1 bra X%d;\nadd.u32 %%r4, %%r4, 1;\nX%d:", n, n)
		case 6:
			w.line("bar.sync 0;")
		case 7:
			w.line("%s", w.one("bar.warp.sync -1;", "bar.sync 0;"))
		}
	}
	text := strings.Replace(foundHead, "8.3", "8.6", 1) + "mov.b32 %r4, 0;\n" + w.text.String() + "ret;\n}\n"
	return &program{ptx: text, grid: [3]uint32{1, 1, 1}, block: [3]uint32{64, 1, 1}}
}

// TestQuestions: what threads learn of the phases of an mbarrier is called exact only if
// it is the same in all orders, and not only where nobody arrives beside them.
func TestQuestions(t *testing.T) {
	n, first := programs(100, 400), firstSeed(1)
	dir := t.TempDir()
	tally := map[string]int{}
	for seed := first; seed < first+n; seed++ {
		r := outcome{program: questions(seed), same: true}
		m, err := r.program.lower()
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, r.program.ptx)
		}
		if err := r.checkOrders(dir, m, seed); err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, r.program.ptx)
		}
		tally[fmt.Sprintf("%s, same %t", r.exactness, r.same)]++
	}
	t.Log(tally)
	if exact := tally["exact, same true"]; uint64(exact) < n/6 || uint64(exact) > n*4/5 {
		t.Errorf("of %d programs %d are exact", n, exact)
	}
}
