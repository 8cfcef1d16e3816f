package sim

import (
	"slices"
	"testing"

	"hyptx/internal/pipe"
)

// newTiles is like a product of matrices: in each round a CTA loads a line that all of its
// row of the grid load, and one that all of its column do.
func newTiles(across, rounds int) *looped {
	b := Block{Instrs: []Instr{{Kind: pipe.LoadGlobal, Dst: []int{0}, BytesPerLane: 4}, {Kind: pipe.LoadGlobal, Dst: []int{1}, BytesPerLane: 4}}}
	for range 24 {
		b.Instrs = append(b.Instrs, Instr{Kind: pipe.FP32, Dst: []int{2}, Srcs: []int{2, 0, 1}})
	}
	return newLooped(b, 4, rounds, func(t Trace, cta, warp, i int) Trace {
		t = t.Access(Global, 1, Sectors(uint64((cta/across*rounds+i)*4+warp), 15, 0))
		return t.Access(Global, 1, Sectors(1<<30+uint64((cta%across*rounds+i)*4+warp), 15, 0))
	})
}

// Where CTAs on all SMs read the same lines, the beginnings of all of them tell the time
// of the launch, what it reads and what it writes. A few SMs would not.
func TestBeginnings(t *testing.T) {
	const sms, perSM, across, rounds = 16, 4, 16, 100
	k := newTiles(across, rounds)
	m := volta(sms)
	m.L2.Bytes, m.L2.Slices, m.DRAM.Channels, m.DRAM.BytesPerCycle = 1<<20, 16, 4, 30
	code, err := Compile(&k.p, m)
	if err != nil {
		t.Fatal(err)
	}
	first := k.cta(0, rounds)
	for _, ctas := range []int64{4 * sms * perSM, 4*sms*perSM + 20} {
		all := newPlan(ctas, perSM, sms, code.instructions(first), 0, Cluster{})
		whole, ends := k.run(t, m, &all)
		cycles := all.estimate(whole, ends)

		budget := code.instructions(first) * sms * perSM / 4
		p := newPlan(ctas, perSM, sms, code.instructions(first), budget, Cluster{})
		few := p
		few.sms = 1
		few.share, few.restShare = few.among(few.size), few.among(few.rest)
		p.shorten(code, first, budget)
		if p.sms != sms || p.portion < 0.15 || p.portion > 0.27 {
			t.Fatalf("%d CTAs: %+v", ctas, p)
		}
		r, ends := k.run(t, m, &p)
		longer := p.longer(r)
		near(t, "cycles", longer*p.extrapolate(r, ends), cycles, 5)
		counts := p.counts(r, m.L2.Bytes)
		near(t, "reads", longer*float64(counts.L1Reads), float64(whole.Memory.L1Reads), 2)
		near(t, "writes", longer*float64(counts.Writes), float64(whole.Memory.Writes), 2)

		r, ends = k.run(t, m, &few)
		if c := few.estimate(r, ends); c < 1.5*cycles {
			t.Errorf("%d of %d SMs: %.0f cycles, all of them %.0f: so beginnings are needed no more", few.sms, sms, c, cycles)
		}
	}
}

// A CTA that goes on otherwise than it begins is seen whole.
func TestPhases(t *testing.T) {
	k := newTiles(32, 400)
	k.p.Blocks = append(k.p.Blocks, Block{Instrs: []Instr{{Kind: pipe.FP32, Dst: []int{2}, Srcs: []int{2}}}})
	code, err := Compile(&k.p, volta(32))
	if err != nil {
		t.Fatal(err)
	}
	first := k.cta(0, 400)
	n := code.instructions(first)
	for i := range first.Warps {
		for range 4000 {
			first.Warps[i] = first.Warps[i].Block(2, 32)
		}
	}
	budget := n * 32
	p := newPlan(1000, 4, 32, code.instructions(first), budget, Cluster{})
	before := p
	if p.shorten(code, first, budget); p != before || p.portion != 1 {
		t.Errorf("%+v, before %+v", p, before)
	}
	// Nor is one that is mostly a single block a loop.
	k.p.Blocks[2].Instrs = slices.Repeat(k.p.Blocks[2].Instrs, 300)
	unrolled, err := Compile(&k.p, volta(32))
	if err != nil {
		t.Fatal(err)
	}
	one := &CTA{Warps: []Trace{k.cta(0, 5).Warps[0].Block(2, 32)}}
	if d := unrolled.mix(one, 0.9); d != 1 {
		t.Errorf("nine tenths of a CTA that is mostly one block differ from it by %.2f", d)
	}
	if d := code.mix(first, 0.2); d < 0.2 {
		t.Errorf("the first fifth of a CTA of two loops differs from it by %.2f", d)
	}
}

// What beginnings of CTAs leave in the L2 is not what the launch does: the next one does
// not find it.
func TestBeginningsAreForgotten(t *testing.T) {
	s := &Simulator{running: &running{config: volta(2)}}
	whole := s.machine(&plan{sms: 2, of: 2, beginnings: beginnings{portion: 1}})
	if part := s.machine(&plan{sms: 2, of: 2, beginnings: beginnings{portion: 0.5}}); part == whole || s.whole != whole {
		t.Error("beginnings run with the L2 that the next launch finds")
	}
}
