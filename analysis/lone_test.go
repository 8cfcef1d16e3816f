package analysis

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"hyptx/internal/gpu"
	"hyptx/internal/sim"
)

// loneKernel goes round a loop 64 times; %d1 points to 16 KiB of zeros, body is what a round does.
const loneKernel = `.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b)
{
	.reg .pred %%p<2>; .reg .b32 %%r<9>; .reg .b64 %%d<9>;
	ld.param.u64 %%d1, [a];
	ld.param.u64 %%d4, [b];
	mov.u32 %%r1, 0;
	mov.u64 %%d3, 0;
LOOP:
	%s
	add.s64 %%d3, %%d3, %%d2;
	add.u32 %%r1, %%r1, 1;
	setp.lt.u32 %%p1, %%r1, 64;
	@%%p1 bra LOOP;
	add.s64 %%d3, %%d3, %%d1;
	st.global.u64 [%%d4], %%d3;
	ret;
}
`

// lone returns the course of the longest warp of such a kernel on a GPU.
func lone(t *testing.T, g *gpu.GPU, body string) *sim.Lone {
	t.Helper()
	p := program{fmt.Sprintf(loneKernel, body), `{"version": 1, "buffers": {"a": {"bytes": 16384}, "b": {"bytes": 8}},
		"launches": [{"module": "k.ptx", "kernel": "k", "grid": [4, 1, 1], "block": [64, 1, 1], "args": [{"buffer": "a"}, {"buffer": "b"}]}]}`}
	s := p.session(t, Memory)
	s.Options.GPUs, s.Options.LongestWarp = []*gpu.GPU{g}, true
	prof, err := s.Profile(context.Background())
	if err != nil {
		t.Fatalf("%v\n%s", err, numbered(p.ptx))
	}
	return prof.On(g).Launches[0].Lone
}

// TestLone: a round waits for what it loads, of one line for the L1 alone, and for less where the
// compiler puts the loads of several rounds before what needs them. For a warp alone barriers are
// no wait.
func TestLone(t *testing.T) {
	g, err := gpu.Get("a100")
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 64
	l1, l2, dram := g.Latency.L1Cycles.Value, g.Latency.L2Cycles.Value, g.Latency.DRAMCycles.Value
	for _, c := range []struct {
		what, body string
		each       func(miss float64) float64 // that a round takes
		hits       float64
	}{
		{"a line a round", `.pragma "nounroll"; ld.global.u64 %d2, [%d1]; add.s64 %d1, %d1, 128;`, func(miss float64) float64 { return miss + 8 }, 0},
		{"one line, missed once, and a barrier", `.pragma "nounroll"; ld.global.u64 %d2, [%d1]; bar.sync 0;`, func(miss float64) float64 { return l1 + 10 + miss/rounds }, 1},
	} {
		of := lone(t, g, c.body)
		if of == nil {
			t.Errorf("%s: no course", c.what)
			continue
		}
		if math.Abs(of.L1Hits()-c.hits) > 0.02 {
			t.Errorf("%s: %.2f of the sectors hit the L1, want %g", c.what, of.L1Hits(), c.hits)
		}
		for _, hits := range []float64{0, 0.5, 1} {
			if got, want := of.At(hits)/rounds, c.each(hits*l2+(1-hits)*dram); math.Abs(got-want) > 0.1*want {
				t.Errorf("%s, the L2 has %.1f of it: %.1f cycles a round, want %.1f", c.what, hits, got, want)
			}
		}
		if got, want := of.InL1/rounds, l1+10; math.Abs(got-want) > 0.1*want {
			t.Errorf("%s, all in the L1: %.1f cycles a round, want %.1f", c.what, got, want)
		}
	}
	of := lone(t, g, "ld.global.u64 %d2, [%d1]; add.s64 %d1, %d1, 128;")
	if of == nil || of.At(0) > rounds*dram/2 {
		t.Errorf("loads that go before what needs them: %+v", of)
	}
}

// TestLoneThatStores: CTAs go round as often as they read, and leave 0 for whoever asks again. That of the
// longest is known, where it is one of those that are looked at: every second of 1024.
func TestLoneThatStores(t *testing.T) {
	const rounds = 200
	for _, c := range []struct {
		ctas, longest int
		seen          bool
	}{
		{40, 33, true},
		{2 * loneCTAs, 700, true},
		{2 * loneCTAs, 701, false},
	} {
		of := loneThatStores(t, c.ctas, c.longest, rounds)
		if of == nil || (of.Instructions >= 2*rounds) != c.seen {
			t.Errorf("%d CTAs, the longest is %d: %+v", c.ctas, c.longest, of)
		}
	}
}

// loneThatStores returns the course of the longest warp of CTAs of which one goes round, and the others do once.
func loneThatStores(t *testing.T, ctas, longest, rounds int) *sim.Lone {
	t.Helper()
	g, err := gpu.Get("a100")
	if err != nil {
		t.Fatal(err)
	}
	counts := make([]int, ctas)
	counts[longest] = rounds
	list, err := json.Marshal(counts)
	if err != nil {
		t.Fatal(err)
	}
	p := program{`.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a)
{
	.reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %d<9>;
	ld.param.u64 %d1, [a];
	mov.u32 %r1, %ctaid.x;
	mul.wide.u32 %d2, %r1, 4;
	add.s64 %d1, %d1, %d2;
	ld.global.u32 %r2, [%d1];
LOOP:
	st.global.u32 [%d1], 0;
	sub.u32 %r2, %r2, 1;
	setp.gt.s32 %p1, %r2, 0;
	@%p1 bra LOOP;
	ret;
}
`, fmt.Sprintf(`{"version": 1, "buffers": {"a": {"bytes": %d, "type": "u32", "init": {"values": %s}}},
		"launches": [{"module": "k.ptx", "kernel": "k", "grid": [%d, 1, 1], "block": [32, 1, 1], "args": [{"buffer": "a"}]}]}`, 4*ctas, list, ctas)}
	s := p.session(t, Memory)
	s.Options.GPUs, s.Options.LongestWarp = []*gpu.GPU{g}, true
	prof, err := s.Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return prof.On(g).Launches[0].Lone
}
