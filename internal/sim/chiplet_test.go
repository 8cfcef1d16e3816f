package sim

import (
	"reflect"
	"testing"

	"hyptx/internal/gpu"
	"hyptx/internal/pipe"
)

// chipped is a machine of chiplets: n times as large as that of a chiplet's SMs.
func chipped(n, sms int) *Config {
	m := volta(n * sms)
	m.L2.Bytes *= int64(n)
	m.L2.Slices *= n
	m.L2.BytesPerCycle *= float64(n)
	m.DRAM.Channels *= n
	m.DRAM.BytesPerCycle *= float64(n)
	m.Chiplets = Chiplets{Count: n, CTAs: gpu.Distributed, Pages: gpu.FirstTouch, PageBlocks: 512, LinkBytesPerCycle: 600, HopCycles: 32}
	return m
}

// loads is a program whose warps load a block in each round.
func loads() *Program {
	b := Block{}
	b.Instrs = append(b.Instrs, Instr{Kind: pipe.LoadGlobal, Dst: []int{0}, BytesPerLane: 4}, Instr{Kind: pipe.FP32, Dst: []int{1}, Srcs: []int{0, 1}, BytesPerLane: 4})
	return &Program{Blocks: []Block{b}, Values: 2}
}

// streaming has each CTA read 256 blocks (32 KiB) of its own, each of its four warps a
// quarter; shifted, those of another CTA.
func streaming(m *Config, ctas, shift int) bench {
	return bench{m: m, p: loads(), ctas: ctas, warps: 4, perSM: 4, of: func(cta, warp int) (t Trace) {
		for i := range 64 {
			t = t.Block(0, 32).Access(Global, 1, Sectors(uint64((cta+shift)%ctas*256+warp*64+i), 15, 0))
		}
		return t
	}}
}

// TestChipletsAlone: one chiplet is a chip, and chiplets that have nothing to ask of each
// other take as long as one of them alone.
func TestChipletsAlone(t *testing.T) {
	one := chipped(1, 4)
	chip := *one
	chip.Chiplets = Chiplets{}
	if a, b := streaming(one, 64, 0).run(t), streaming(&chip, 64, 0).run(t); !reflect.DeepEqual(a, b) {
		t.Errorf("one chiplet: %+v, a chip: %+v", a, b)
	}
	alone := streaming(one, 64, 0).run(t)
	four := streaming(chipped(4, 4), 4*64, 0).run(t)
	if four.Memory.Remote != 0 || four.Busy.Link != 0 {
		t.Errorf("%d sectors of other chiplets, links busy for %g", four.Memory.Remote, four.Busy.Link)
	}
	near(t, "cycles of four", four.Cycles, alone.Cycles, 1)
}

// TestChipletsRemote: what is asked of other chiplets is what policies say (fact 20 of the
// specification, here in sectors), it takes longer, and a slow link bounds it.
func TestChipletsRemote(t *testing.T) {
	const ctas, sectors = 64, 64 * 256 * 4
	local := streaming(chipped(4, 4), ctas, 0).run(t)
	for _, c := range []struct {
		ctas   gpu.CTAPolicy
		pages  gpu.PagePolicy
		remote uint64
	}{
		{gpu.Distributed, gpu.FirstTouch, 0},
		{gpu.RoundRobin, gpu.FirstTouch, sectors / 2},
		{gpu.Distributed, gpu.Interleave, sectors * 3 / 4},
		{gpu.Distributed, gpu.LineInTurn, sectors * 3 / 4},
	} {
		m := chipped(4, 4)
		m.Chiplets.CTAs, m.Chiplets.Pages = c.ctas, c.pages
		r := streaming(m, ctas, 0).run(t)
		if got := r.Memory.Remote; c.remote != got {
			t.Errorf("%s, %s: %d sectors of other chiplets, want %d", c.ctas, c.pages, got, c.remote)
		}
		// A request and a reply of four sectors for each block.
		if want := c.remote / 4 * (2*packetBytes + blockBytes); r.Memory.LinkBytes != want {
			t.Errorf("%s, %s: links moved %d bytes, want %d", c.ctas, c.pages, r.Memory.LinkBytes, want)
		}
		if c.remote > 0 && r.Cycles <= local.Cycles {
			t.Errorf("%s, %s: %.0f cycles, %.0f with nothing remote", c.ctas, c.pages, r.Cycles, local.Cycles)
		}
	}
	m := chipped(4, 4)
	m.Chiplets.Pages, m.Chiplets.LinkBytesPerCycle = gpu.LineInTurn, 4
	r := streaming(m, ctas, 0).run(t)
	// Each of four links takes a quarter of the requests and of the replies.
	bound := float64(sectors*3/4/4*(2*packetBytes+blockBytes)) / 4 / 4
	if r.Cycles < bound || r.Cycles > 1.15*bound || r.Busy.Link < 0.87 {
		t.Errorf("a slow link: %.0f cycles, it needs %.0f, and is busy for %.2f", r.Cycles, bound, r.Busy.Link)
	}
}

// TestChipletsHop: a warp that waits for each of its loads waits for two hops more.
func TestChipletsHop(t *testing.T) {
	cycles := func(hop float64) float64 {
		m := chipped(2, 1)
		m.Chiplets.Pages, m.Chiplets.PageBlocks, m.Chiplets.HopCycles = gpu.Interleave, 1, hop
		b := bench{m: m, p: &Program{Blocks: []Block{{Instrs: []Instr{{Kind: pipe.LoadGlobal, Dst: []int{0}, Srcs: []int{0}, BytesPerLane: 4}}}}, Values: 1}, ctas: 1, warps: 1, perSM: 1}
		b.of = func(cta, warp int) (t Trace) {
			for i := range 100 {
				t = t.Block(0, 32).Access(Global, 1, Sectors(uint64(2*i+1), 1, 0)) // all on the other chiplet
			}
			return t
		}
		return b.run(t).Cycles
	}
	// The last reply comes when the warp has ended.
	near(t, "cycles of 199 hops", cycles(32)-cycles(0), 199*32, 0.1)
}
