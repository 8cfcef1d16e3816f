package sim

import (
	"context"
	"slices"
	"testing"

	"hyptx/internal/pipe"
)

// tiles is like a product of matrices: in each round a CTA loads a line that all of its
// row load, and one that all of its column do.
type tiles struct {
	p      Program
	across int // CTAs in a row of the grid
	rounds int
}

func newTiles(across, rounds int) *tiles {
	b := Block{Instrs: []Instr{{Kind: pipe.LoadGlobal, Dst: []int{0}, BytesPerLane: 4}, {Kind: pipe.LoadGlobal, Dst: []int{1}, BytesPerLane: 4}}}
	for range 24 {
		b.Instrs = append(b.Instrs, Instr{Kind: pipe.FP32, Dst: []int{2}, Srcs: []int{2, 0, 1}})
	}
	end := Block{Instrs: []Instr{{Kind: pipe.StoreGlobal, Srcs: []int{2}, BytesPerLane: 4}}}
	return &tiles{Program{Blocks: []Block{b, end}, Values: 3}, across, rounds}
}

// cta is a CTA of 4 warps, of which so many rounds are seen.
func (k *tiles) cta(linear, rounds int) *CTA {
	c := &CTA{Linear: int64(linear), Cut: rounds < k.rounds}
	for w := range 4 {
		var t Trace
		for i := range rounds {
			t = t.Block(0, 32)
			t = t.Access(Global, 1, Sectors(uint64((linear/k.across*k.rounds+i)*4+w), 15, 0))
			t = t.Access(Global, 1, Sectors(1<<30+uint64((linear%k.across*k.rounds+i)*4+w), 15, 0))
		}
		if !c.Cut {
			t = t.Block(1, 32).Access(Global, 1, Sectors(1<<40+uint64(linear*4+w), 15, 15))
		}
		c.Warps = append(c.Warps, t)
	}
	return c
}

// run simulates what a plan sees.
func (k *tiles) run(t *testing.T, m *Config, p *plan) (*Result, []Tick) {
	t.Helper()
	m = p.scaled(m)
	code, err := Compile(&k.p, m)
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	var ends []Tick
	n := 0
	r, err := g.Run(context.Background(), &Launch{Code: code, CTAsPerSM: int(p.perSM), Mark: p.mark(), Next: func() (*CTA, error) {
		for ; n < int(p.ctas); n++ {
			if p.sees(int64(n)) {
				n++
				return k.cta(n-1, int(p.portion*float64(k.rounds))), nil
			}
		}
		return nil, nil
	}, Done: func(e End) error {
		ends = append(ends, e.At)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return r, ends
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
		all := newPlan(ctas, perSM, sms, code.instructions(first), 0)
		whole, ends := k.run(t, m, &all)
		cycles := all.estimate(whole, ends)

		budget := code.instructions(first) * sms * perSM / 4
		p := newPlan(ctas, perSM, sms, code.instructions(first), budget)
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
	p := newPlan(1000, 4, 32, code.instructions(first), budget)
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
