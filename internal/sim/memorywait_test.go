package sim

import (
	"testing"

	"hyptx/internal/pipe"
)

// TestMemoryWait: the share of time in which all warps of an SM wait for memory. A chain of
// loads waits but for the cycles in which it issues; arithmetic never waits for memory; a warp
// that computes beside one that loads leaves nothing; and warps at a barrier do not count as
// waiting for memory, though another one does.
func TestMemoryWait(t *testing.T) {
	const blocks = 3 << 20 / 128
	loads := func(n int) *Program { return chain(pipe.LoadGlobal, n, 1) }
	one := bench{m: volta(1), p: loads(200), ctas: 1, warps: 1, perSM: 1, of: func(int, int) Trace { return chase(200, blocks) }}
	r := one.run(t)
	near(t, "a chain of loads", r.MemoryWait, 1-(200+200.0)/r.Cycles, 1.5) // it begins for 200 cycles, and issues in 200
	r = bench{m: volta(2), p: loads(200), ctas: 1, warps: 1, perSM: 1, of: one.of}.run(t)
	near(t, "beside an idle SM", r.MemoryWait, (1-(200+200.0)/r.Cycles)/2, 1.5)
	r = bench{m: volta(1), p: chain(pipe.FP32, 64, 1), ctas: 4, warps: 2, perSM: 2, repeated: rounds(20)}.run(t)
	if r.MemoryWait != 0 {
		t.Errorf("arithmetic waits for memory: %v", r.MemoryWait)
	}
	// Block 0 loads, block 1 computes, block 2 is a barrier.
	p := loads(200)
	m := volta(1)
	m.Kinds[pipe.Barrier] = Timing{Shared: 5, SharedCycles: 2, LatencyCycles: 20}
	p.Blocks = append(p.Blocks, chain(pipe.FP32, 64, 1).Blocks[0], Block{Instrs: []Instr{{Kind: pipe.Barrier}}})
	long := func() (w Trace) {
		for range 2 * 200 * 434 / (64 * 4) {
			w = w.Block(1, 32)
		}
		return w
	}
	r = bench{m: m, p: p, ctas: 1, warps: 2, perSM: 1, of: func(_, warp int) Trace {
		if warp == 0 {
			return chase(200, blocks)
		}
		return long()
	}}.run(t)
	if r.MemoryWait != 0 {
		t.Errorf("a warp that computes all the time: %v", r.MemoryWait)
	}
	barrier := func(w Trace) Trace { return w.Block(2, 32).Barrier(0, 0, false).Block(1, 32) }
	r = bench{m: m, p: p, ctas: 1, warps: 2, perSM: 1, of: func(_, warp int) Trace {
		if warp == 0 {
			return barrier(chase(200, blocks))
		}
		return barrier(nil)
	}}.run(t)
	if r.MemoryWait > 0.01 {
		t.Errorf("a warp waits at a barrier, for the one that loads: %v", r.MemoryWait)
	}
}
