package sim

import (
	"strings"
	"testing"

	"hyptx/internal/pipe"
	"hyptx/internal/traffic/stream"
)

// blackwell is volta(1) with tensor cores of 4,096 multiply-adds a cycle, 1,024 each.
func blackwell() *Config {
	m := volta(1)
	m.MatrixPerCycle[pipe.MatrixFP16] = 4096
	m.Kinds[pipe.Matrix].LatencyCycles = 30
	return m
}

// The blocks of a program of tensor cores that work by themselves.
const (
	multiplies = iota
	tells
	awaits
	loadsTensor
)

func tensorProgram() *Program {
	return &Program{Values: 2, Blocks: []Block{
		multiplies:  {Instrs: []Instr{{Kind: pipe.AtomicShared, GoesOn: true, Product: pipe.Product{Factors: pipe.MatrixFP16}}}},
		tells:       {Instrs: []Instr{{Kind: pipe.AtomicShared, Commits: true}}},
		awaits:      {Instrs: []Instr{{Kind: pipe.AtomicShared, Dst: []int{0}}, {Kind: pipe.Branch, Srcs: []int{0}}}},
		loadsTensor: {Instrs: []Instr{{Kind: pipe.LoadShared, Dst: []int{1}}, {Kind: pipe.Branch, Srcs: []int{1}}}},
	}}
}

// works appends the record of what tensor cores do.
func (t Trace) works(w stream.TensorWork) Trace {
	var steps stream.Trace
	steps.Work(0, w)
	return t.Access(Tensor, 0, uint64(steps[1])>>8)
}

// TestProducts: products of all CTAs of an SM follow each other, each for as long as its
// multiply-adds or the shared memory that it reads take; the warp that issued them goes on, and
// who waits for the object goes on when the last one that was committed is done.
func TestProducts(t *testing.T) {
	const products, handing = 100, 28 + 4 // the wait and its branch
	for _, c := range []struct {
		name string
		work stream.TensorWork
		each float64
	}{
		// 128 x 256 x 16 halves: 524,288 multiply-adds, and 12 KiB of shared memory in 96 cycles.
		{"128 x 256", stream.TensorWork{MACs: 128 * 256 * 16, SharedBytes: (128 + 256) * 32}, 128},
		// 128 x 64: 32 cycles of arithmetic, 6 KiB in 48.
		{"128 x 64", stream.TensorWork{MACs: 128 * 64 * 16, SharedBytes: (128 + 64) * 32}, 48},
		{"128 x 64, A in tensor memory", stream.TensorWork{MACs: 128 * 64 * 16, SharedBytes: 64 * 32}, 32},
		{"a copy of 128 rows of 32 bytes", stream.TensorWork{SharedBytes: 4096}, 32},
	} {
		for ctas := 1; ctas <= 2; ctas++ {
			of := func(_, warp int) (t Trace) {
				if warp == 1 {
					return t.Block(awaits, 32).Access(Object, 1, 1)
				}
				for range products {
					t = t.Block(multiplies, 1).works(c.work)
				}
				return t.Block(tells, 1).Access(Object, 1)
			}
			r := bench{m: blackwell(), p: tensorProgram(), ctas: ctas, warps: 2, perSM: 2, of: of}.run(t)
			near(t, c.name, r.Cycles, 200+float64(ctas)*products*c.each+30+handing, 0.1)
			if c.work.MACs > 0 {
				near(t, c.name+": tensor cores busy", r.Busy.Units[blackwell().Kinds[pipe.Matrix].Unit]*r.Cycles, float64(ctas)*products*c.each, 0.1)
			}
		}
	}
	_, err := Compile(tensorProgram(), volta(1))
	if err == nil || !strings.Contains(err.Error(), "no tensor cores for fp16") {
		t.Errorf("without a rate: %v", err)
	}
}

// TestTensorLoads: each sub-core has a way of its own to its lanes of tensor memory, of a word of
// each a cycle.
func TestTensorLoads(t *testing.T) {
	const loads, words = 50, 64
	of := func(_, warp int) (t Trace) {
		for range loads {
			t = t.Block(loadsTensor, 32).works(stream.TensorWork{Words: words})
		}
		return t
	}
	for warps, each := range map[int]float64{1: words + 19 + 4, 4: words + 19 + 4, 8: 2 * words, 16: 4 * words} {
		r := bench{m: blackwell(), p: tensorProgram(), ctas: 1, warps: warps, perSM: 1, of: of}.run(t)
		near(t, "cycles a load", (r.Cycles-200)/loads, each, 5)
	}
}
