package analysis

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"hyptx/internal/gpu"
	"hyptx/ir/isa"
)

// machineNetworks are compiled by two compilers.
var machineNetworks = []string{"lenet5", "alexnet", "resnet18"}

// TestTwoCompilers holds the two compilations of a network against each other:
// what the machine runs hardly depends on who wrote the PTX.
func TestTwoCompilers(t *testing.T) {
	for _, name := range machineNetworks {
		a, b := profileShared(t, name+"-sm_70"), profileShared(t, name+"-sm_70-clang")
		for i, r := range a.Rows {
			x, y := r.EstWarpInstructions.N, b.Rows[i].EstWarpInstructions.N
			ratio := float64(x) / float64(y)
			t.Logf("%-10s %-40s %11d %11d  %.3f", name, r.Kernel, x, y, ratio)
			if r.Launch == "total" && math.Abs(ratio-1) > 0.15 {
				t.Errorf("%s: %d and %d machine instructions are estimated; at most 15 %% apart is expected", name, x, y)
			}
			u, v := r.EstThreadInstructions.N, b.Rows[i].EstThreadInstructions.N
			if r.Launch == "total" && math.Abs(float64(u)/float64(v)-1) > 0.15 {
				t.Errorf("%s: %d and %d machine instructions of threads are estimated; at most 15 %% apart is expected", name, u, v)
			}
		}
	}
}

// profileShared profiles a network of ../shared/cnn.
func profileShared(t *testing.T, name string) *Profile {
	t.Helper()
	p, err := openTest(t, sharedCNN(t, name), nil).Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestMachineKeeps holds what no compiler changes: loads, stores and barriers
// run as often as the PTX says, but for those of shared memory that are merged, and floating-point arithmetic not more often,
// but for what special functions and divisions are made of.
func TestMachineKeeps(t *testing.T) {
	const perSpecial = 9 // of specialSequence, at most
	names, _ := filepath.Glob("../../shared/cnn/*/*.json")
	for _, path := range names {
		p, err := openTest(t, path, nil).Profile(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, lp := range p.Launches {
			r, memory, global, shared := lp.row(), uint64(0), uint64(0), uint64(0)
			counts := lp.instructionCounts()
			for _, c := range counts.list {
				in := lp.Kernel.Module.Instrs[c.PC].Inst
				if in.Form.Class == isa.ComputeLdSt && in.Space != isa.Param {
					memory += c.PredOn
					switch in.Space {
					case isa.Shared:
						shared += c.PredOn
					case isa.Const:
					default:
						global += c.PredOn
					}
				}
			}
			// Up to four adjacent accesses of shared memory are one of the machine's;
			// words of constant memory may be operands.
			if r.EstInstLdSt.N > memory || r.EstInstLdSt.N < global+shared/4 || r.EstInstBarrier != r.InstBarrier || r.EstInstTensor.N != r.InstTensor.N {
				t.Errorf("%s %s: %d loads and stores, %d barriers, %d tensor instructions are estimated; the PTX has %d, %d and %d", path, r.Kernel,
					r.EstInstLdSt.N, r.EstInstBarrier.N, r.EstInstTensor.N, memory, r.InstBarrier.N, r.InstTensor.N)
			}
			if most := r.InstFP32.N + perSpecial*r.InstSpecial.N; r.EstInstFP32.N > most || r.EstInstFP32.N < r.FlopSPFma.N {
				t.Errorf("%s %s: %d fp32 instructions are estimated; the PTX has %d, %d of them fma, and %d special ones",
					path, r.Kernel, r.EstInstFP32.N, r.InstFP32.N, r.FlopSPFma.N, r.InstSpecial.N)
			}
			if r.EstWarpInstructions.N > r.WarpInstructions.N {
				t.Logf("%s %s: %d machine warp instructions of %d of the PTX", path, r.Kernel, r.EstWarpInstructions.N, r.WarpInstructions.N)
			}
		}
	}
}

// TestMachineGuard holds that a warp without work costs no more than the way to
// the guard: the stack pointer, S2R twice, IMAD, ISETP, EXIT; and that these
// kernels, with neither divisions nor loops, never become more instructions
// than their PTX has.
func TestMachineGuard(t *testing.T) {
	const (
		warps = 16 // 8 CTAs of 64 threads
		idle  = 6
	)
	for _, k := range []struct {
		name, args string
		full       uint64 // instructions of a warp with work, by hand from the PTX
	}{
		// Behind the guard MOV of 4, IMAD.WIDE for each pointer, LDG, FADD or FMNMX, STG, EXIT.
		{"vector_add", `{"buffer": "a"}, {"buffer": "a"}, {"buffer": "a"}, {"value": %d}`, idle + 1 + 3 + 2 + 1 + 1 + 1},
		{"relu", `{"buffer": "a"}, {"buffer": "a"}, {"value": %d}`, idle + 1 + 2 + 1 + 1 + 1 + 1},
		// and ISETP, FMNMX, FSEL twice.
		{"residual_add", `{"buffer": "a"}, {"buffer": "a"}, {"buffer": "a"}, {"value": %d}, {"value": 0}`, idle + 1 + 3 + 2 + 1 + 6 + 1 + 1},
	} {
		ptx, err := os.ReadFile(filepath.Join("..", "ptx-samples", "kernels", "sm_70", k.name+".ptx"))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []uint64{0, 1, 31, 32, 33, 100, 511, 512, 1000} {
			p := program{string(ptx), fmt.Sprintf(`{"version": 1, "buffers": {"a": {"bytes": 4096}}, "launches": [
				{"module": "k.ptx", "kernel": %q, "grid": [8], "block": [64], "args": [%s]}]}`, k.name, fmt.Sprintf(k.args, n))}
			r := p.profile(t, Control).Launches[0].row()
			busy := min((n+31)/32, warps)
			if want := busy*k.full + (warps-busy)*idle; r.EstWarpInstructions.N != want || want > r.WarpInstructions.N {
				t.Errorf("%s, n %d: %d machine instructions, by hand %d; the PTX has %d", k.name, n, r.EstWarpInstructions.N, want, r.WarpInstructions.N)
			}
			active := min(n, 32*warps)
			want := active*k.full + (32*warps-active)*idle
			if n%32 == 0 && r.EstThreadInstructions.N != want || r.EstThreadInstructions.N > r.ThreadInstructions.N {
				t.Errorf("%s, n %d: %d machine instructions of threads, by hand %d; the PTX has %d", k.name, n, r.EstThreadInstructions.N, want, r.ThreadInstructions.N)
			}
		}
	}
}

// TestMachineOf holds that the machine code is that of the GPU which is asked
// for: a product of integers is three instructions on Pascal and one on Volta.
func TestMachineOf(t *testing.T) {
	p, err := openTest(t, sharedCNN(t, "lenet5-sm_70"), nil).Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	on := map[string]uint64{"": p.Rows[0].EstInstInteger.N}
	for _, name := range []string{"gv100", "gtx-1060"} {
		g, err := gpu.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		on[name] = p.On(g).Rows[0].EstInstInteger.N
	}
	if again := p.On(nil).Rows[0].EstInstInteger.N; on["gv100"] != on[""] || on["gtx-1060"] <= on["gv100"] || again != on[""] {
		t.Errorf("integers: %v, again %d: more are expected on Pascal, and on Volta as many as for PTX of sm_70", on, again)
	}
}
