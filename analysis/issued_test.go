package analysis

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hyptx/internal/gpu"
)

// uneven are kernels in which lanes of one warp go round a loop that is unrolled
// differently often: the warp issues the most rounds left over that one of them has, and
// est_ columns, which know counts of threads alone, charge their mean.
var uneven = []string{"fully_connected", "softmax"}

// TestIssued: the simulator issues the machine instructions that are charged for. What is
// predicated is in both: an arm that no lane takes is issued with its branch.
func TestIssued(t *testing.T) {
	g, err := gpu.Get("gv100")
	if err != nil {
		t.Fatal(err)
	}
	kernels, _ := filepath.Glob("../ptx-samples/kernels/*.json")
	benchmarks, _ := filepath.Glob("../ptx-samples/benchmarks/*-small.json")
	compared := 0
	for _, path := range slices.Concat(kernels, benchmarks) {
		o := DefaultOptions()
		o.Simulate, o.SimulatedInstructions = []*gpu.GPU{g}, 1_000_000
		for _, lp := range profiledWith(t, path, o).On(g).Launches {
			x := lp.Simulated
			if x == nil || x.Unfit != nil || x.Part {
				continue
			}
			compared++
			est, issued := float64(lp.Facts.Of(EstWarpInstructions).N), float64(x.Issued)*x.Repetitions
			most := 0.0005*est + x.Repetitions // charges are rounded
			if slices.Contains(uneven, lp.KernelName) {
				most = 0.2 * est
			}
			if math.Abs(issued-est) > most {
				t.Errorf("%s: %s issues %.0f warp instructions, %.0f are estimated", filepath.Base(path), lp.KernelName, issued, est)
			}
		}
	}
	if compared < 150 {
		t.Errorf("%d launches were compared", compared)
	}
}

// roundsOf are loops of as many rounds as a register says: tested at the end and before.
var roundsOf = map[string]string{
	"tested at the end": `setp.lt.s32 %p1, %n, 1;
	@%p1 bra E;
L:	ld.global.u32 %r3, [%rd1];
	add.u32 %r4, %r4, %r3;
	add.u64 %rd1, %rd1, 4;
	add.s32 %i, %i, 1;
	setp.lt.s32 %p1, %i, %n;
	@%p1 bra L;
E:`,
	"tested before": `
L:	setp.ge.s32 %p1, %i, %n;
	@%p1 bra E;
	ld.global.u32 %r3, [%rd1];
	add.u32 %r4, %r4, %r3;
	add.u64 %rd1, %rd1, 4;
	add.s32 %i, %i, 1;
	bra L;
E:`,
}

// issuedRounds returns how many instructions one warp issues and how many are estimated, if a
// lane goes round as many times as an expression of its index and n says.
func issuedRounds(t *testing.T, loop, each string, n int) (issued, estimated float64) {
	t.Helper()
	p := program{
		ptx: `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n)
{
	.reg .b32 %r<9>, %n, %i, %t;
	.reg .b64 %rd<9>;
	.reg .pred %p<3>;
	ld.param.u64 %rd1, [a];
	ld.param.u32 %n, [n];
	mov.u32 %t, %tid.x;
	mov.u32 %i, 0;
	mov.u32 %r4, 0;
	` + each + loop + `
	st.global.u32 [%rd1], %r4;
	ret;
}
`,
		manifest: fmt.Sprintf(`{"version": 1, "buffers": {"a": {"bytes": 1024, "type": "u32", "init": "zero"}},
			"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [32], "args": [{"buffer": "a"}, {"value": %d}]}]}`, n),
	}
	g, err := gpu.Get("gv100")
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	o.Simulate = []*gpu.GPU{g}
	s, err := OpenManifest(p.source(t, t.TempDir()), o)
	if err != nil {
		t.Fatal(err)
	}
	prof, err := s.Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	lp := prof.On(g).Launches[0]
	return float64(lp.Simulated.Issued), float64(lp.Facts.Of(EstWarpInstructions).N)
}

// TestIssuedRounds: of so many rounds those in fours are issued unrolled and the others one by
// one, as est_ columns have it; where lanes have different numbers of them, as many of each as
// the lane with the most.
func TestIssuedRounds(t *testing.T) {
	for name, loop := range roundsOf {
		run := func(each string, n int) (issued, estimated float64) { return issuedRounds(t, loop, each, n) }
		none, _ := run("", 0)
		one, _ := run("", 1)
		four, _ := run("", 4)
		// LDG, IADD, address, counter, comparison, BRA; unrolled the last three once for all.
		if one-none < 6 || four-none >= 3*(one-none) {
			t.Fatalf("%s: %.0f instructions without a round, %.0f with one, %.0f with four", name, none, one, four)
		}
		expected := func(unrolled, left int) float64 {
			return none + float64(unrolled)*(four-none) + float64(left)*(one-none)
		}
		for n := range 10 {
			if issued, est := run("", n); issued != expected(n/4, n%4) || est != issued {
				t.Errorf("%s: %d rounds: %.0f instructions are issued, %.0f estimated; it is %d times unrolled and %d left over, %.0f", name, n, issued, est, n/4, n%4, expected(n/4, n%4))
			}
		}
		// Every other lane goes round one time less: the code that says so and what brings the
		// lanes together again is more, always as much.
		more := 0.0
		for n := 1; n < 10; n++ {
			issued, _ := run("and.b32 %r5, %t, 1; sub.s32 %n, %n, %r5;", n)
			want := expected(n/4, max(n%4, (n-1)%4))
			if n == 1 {
				more = issued - want
			}
			if issued != want+more || more < 2 || more > 8 {
				t.Errorf("%s: up to %d rounds: %.0f instructions are issued, expected %.0f and %.0f more", name, n, issued, want, more)
			}
		}
	}
}

// TestBeginningsOfRounds: what a part, or beginnings of CTAs, tell of AlexNet's first convolution, rows of
// 11 that a front end has taken apart into two rounds and three, is as near to the whole as
// they say, and half of that.
func TestBeginningsOfRounds(t *testing.T) {
	ptx, err := filepath.Abs("../ptx-samples/kernels/sm_70/conv_direct.ptx")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.json")
	text := fmt.Sprintf(`{"version": 1, "buffers": {"out": {"bytes": 145200, "init": "zero"}, "image": {"bytes": 618348, "init": "zero"}, "weights": {"bytes": 17424, "init": "zero"}, "bias": {"bytes": 48, "init": "zero"}},
		"launches": [{"module": %q, "kernel": "conv_direct", "grid": [2, 7, 12], "block": [32, 8],
		"args": [{"buffer": "out"}, {"buffer": "image"}, {"buffer": "weights"}, {"buffer": "bias"}, {"value": 3}, {"value": 227}, {"value": 227}, {"value": 55}, {"value": 55}, {"value": 11}, {"value": 4}, {"value": 0}, {"value": 1}]}]}`, ptx)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	g, err := gpu.Get("v100-sxm2")
	if err != nil {
		t.Fatal(err)
	}
	run := func(budget int64) (*Simulated, float64) {
		o := DefaultOptions()
		o.Simulate, o.SimulatedInstructions = []*gpu.GPU{g}, budget
		lp := profiledWith(t, path, o).On(g).Launches[0]
		return lp.Simulated, float64(lp.Facts.Of(EstWarpInstructions).N)
	}
	whole, est := run(0)
	if whole.Part || math.Abs(float64(whole.Issued)-est) > 1 {
		t.Fatalf("%d instructions are issued, %.0f estimated", whole.Issued, est)
	}
	for _, budget := range []int64{400_000, 1_000_000} {
		some, _ := run(budget)
		off := some.Cycles/whole.Cycles - 1
		if !some.Part || math.Abs(off) > some.Uncertainty/2 {
			t.Errorf("of %d instructions: %.0f cycles, of all %.0f: off by %.1f %%, stated are %.1f %%", some.Issued, some.Cycles, whole.Cycles, 100*off, 100*some.Uncertainty)
		}
	}
}
