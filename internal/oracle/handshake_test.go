package oracle

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hyptx/emulator"
)

// handshakes writes a program whose warps, of which one thread is left each, arrive at one or
// two mbarriers and wait there in loops for phase after phase, and in between store and read
// two words that decide. Of some each takes part in every phase; of most threads may
// lap each other, or take each other's place.
func handshakes(seed uint64) *program {
	w := &writer{r: rand.New(rand.NewPCG(seed, 0xd1b54a32d192ed03))}
	warps, objects := 2+(w.r.IntN(4)+2)/3, 1+w.r.IntN(3)/2
	parts, arrivals := make([]string, warps), make([]int, objects)
	for k := range parts {
		phases := make([]int, objects)
		for n := range 2 + w.r.IntN(5) {
			o, word := w.r.IntN(objects), 4*(w.r.IntN(4)/3)
			load := fmt.Sprintf("ld.shared.u32 %%r3, [sa+%d];\nsetp.eq.u32 %%p1, %%r3, 0;\n@%%p1 bra N%d_%d;\nadd.u32 %%r4, %%r4, 1;\nN%d_%d:\n", word, k, n, k, n)
			switch w.r.IntN(8) {
			case 0, 1, 2, 3:
				arrivals[o]++
				parts[k] += fmt.Sprintf("mbarrier.arrive.shared.b64 _, [sa+%d];\n", 64+8*o)
			case 4, 5:
				parts[k] += fmt.Sprintf("W%d_%d: mbarrier.try_wait.parity.shared.b64 %%p1, [sa+%d], %d;\n@!%%p1 bra W%d_%d;\n", k, n, 64+8*o, phases[o]&1, k, n)
				if phases[o]++; w.r.IntN(2) == 0 {
					parts[k] += load
				}
			case 6:
				parts[k] += fmt.Sprintf("st.shared.u32 [sa+%d], %d;\n", word, 1+w.r.IntN(8)/7)
			case 7:
				parts[k] += load
			}
		}
	}
	w.line("@%%first st.shared.v2.u32 [sa], {0, 0};")
	for o, n := range arrivals {
		w.line("@%%first mbarrier.init.shared.b64 [sa+%d], %d;", 64+8*o, 1+w.r.IntN(max(min(n, 3), 1)))
	}
	w.line("bar.sync 0;\nand.b32 %%r2, %%r1, 31;\nsetp.ne.u32 %%p0, %%r2, 0;\n@%%p0 ret;\nshr.u32 %%r2, %%r1, 5;")
	for k := range parts {
		w.line("setp.eq.u32 %%p0, %%r2, %d;\n@%%p0 bra T%d;", k, k)
	}
	for k, part := range parts {
		w.line("T%d:\n%sret;", k, part)
	}
	text := strings.Replace(foundHead, "8.3", "8.6", 1) + "mov.b32 %r4, 0;\n" + w.text.String() + "}\n"
	return &program{ptx: text, grid: [3]uint32{1, 1, 1}, block: [3]uint32{32 * uint32(warps), 1, 1}}
}

// TestHandshakes: what is called exact of such programs is the same in all orders. Those that
// deadlock in the order that is run have no profile, and another program takes their place.
func TestHandshakes(t *testing.T) {
	n, seed := programs(50, 100), firstSeed(1)
	dir := t.TempDir()
	tally, deadlocks := map[string]uint64{}, uint64(0)
	for ended := uint64(0); ended < n; seed++ {
		r := outcome{program: handshakes(seed), same: true}
		m, err := r.program.lower()
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, r.program.ptx)
		}
		switch err := r.checkOrders(dir, m, seed); {
		case errors.As(err, new(*emulator.DeadlockError)):
			if deadlocks++; deadlocks > 10*n {
				t.Fatalf("%d programs deadlock, %d end", deadlocks, ended)
			}
			continue
		case err != nil:
			t.Errorf("seed %d: %v\n%s", seed, err, r.program.ptx)
		}
		ended++
		tally[fmt.Sprintf("%s, same %t", r.exactness, r.same)]++
	}
	t.Log(deadlocks, "deadlocks,", tally)
	if exact := tally["exact, same true"]; exact < n/5 || tally["scheduled, same false"] < n/10 {
		t.Errorf("of %d programs that end %d are exact: %v", n, exact, tally)
	}
}
