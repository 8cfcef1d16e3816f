package sim

import (
	"testing"

	"hyptx/internal/pipe"
)

// Simulated of a wave is the rectangle that reads least, and a square where none does.
func TestRectangles(t *testing.T) {
	p := &plan{across: 16}
	for _, c := range []struct {
		wave, share int64
		s           sharing
		want        rectangle
	}{
		{160, 10, sharing{}, rectangle{4, 3}},
		{160, 10, sharing{beside: 0.5, below: 0.5}, rectangle{4, 3}},
		{160, 10, sharing{beside: 0.03, below: 0.93}, rectangle{1, 10}},
		{160, 10, sharing{beside: 0.93, below: 0.03}, rectangle{10, 1}},
		{160, 40, sharing{beside: 0.93, below: 0.03}, rectangle{16, 3}}, // no more than a row has
		{160, 40, sharing{beside: 0.03, below: 0.93}, rectangle{4, 10}}, // nor than there are rows
		{160, 160, sharing{beside: 0.03, below: 0.93}, rectangle{}},     // all of it
		{31, 10, sharing{beside: 0.03, below: 0.93}, rectangle{}},       // less than two rows
	} {
		if got := p.rectangle(c.wave, c.share, c.s); got != c.want {
			t.Errorf("%d of %d CTAs that share %v: %v, want %v", c.share, c.wave, c.s, got, c.want)
		}
	}
}

// However a grid lies, what others bring is a share.
func TestBroughtIsAShare(t *testing.T) {
	for _, across := range []int64{1, 3, 16, 100, 160, 1000, 100000} {
		for _, s := range []sharing{{}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {0.5, 0.5, 0}, {0.1, 0.9, 2}} {
			p := newPlan(100_000, 2, 80, 1000, 3*12*1000, Cluster{})
			if p.arrange(across, s); !(p.brought >= 0 && p.brought < 1) || s == (sharing{}) && p.brought != 0 {
				t.Errorf("%d in a row, %+v: %g", across, s, p.brought)
			}
		}
	}
}

// A part has the share of the L2 that it touches of what a wave does: that of its CTAs where these
// share nothing, or have much of their own, more where they share, and most of it where all of them read the same.
func TestShareOfTheL2(t *testing.T) {
	for _, across := range []int64{1, 16, 100, 100000} {
		last := 0.0
		for _, of := range []float64{0, 0.5, 0.9, 1} {
			p := newPlan(100_000, 2, 80, 1000, 3*12*1000, Cluster{})
			p.arrange(across, sharing{beside: of, below: of})
			part, m := float64(p.share)/float64(p.size), volta(80)
			bytes := float64(p.scaled(m).L2.Bytes) / float64(m.L2.Bytes)
			if bytes < part-1e-6 || bytes > 1 || bytes < last || of == 0 && bytes > part+1e-6 {
				t.Errorf("%d in a row that share %g: %g of the L2 for %g of the CTAs, %g for less", across, of, bytes, part, last)
			}
			if last = bytes; of == 1 && bytes < 0.5 {
				t.Errorf("all read the same: %g of the L2", bytes)
			}
			p.arrange(across, sharing{beside: of, below: of, own: 1000})
			if bytes := float64(p.scaled(m).L2.Bytes) / float64(m.L2.Bytes); bytes > 1.1*part {
				t.Errorf("each has a thousand times as much of its own: %g of the L2 for %g of the CTAs", bytes, part)
			}
		}
	}
}

// What neighbours share are the sectors of global memory that they read.
func TestSharing(t *testing.T) {
	p := &Program{Values: 2, Blocks: []Block{{Instrs: []Instr{
		{Kind: pipe.LoadGlobal, Dst: []int{0}, BytesPerLane: 4}, {Kind: pipe.LoadShared, Dst: []int{0}, BytesPerLane: 4}, {Kind: pipe.StoreGlobal, Srcs: []int{0}, BytesPerLane: 4},
	}}}}
	code, err := Compile(p, volta(1))
	if err != nil {
		t.Fatal(err)
	}
	cta := func(from uint64) *CTA { // reads sectors 1 to 3 of ten blocks, twice, and stores what all store
		var c CTA
		for range 2 {
			var w Trace
			for i := range uint64(10) {
				w = w.Block(0, 32).Access(Global, 1, Sectors(from+i, 14, 0)).Access(Shared, 1).Access(Global, 1, Sectors(1000, 15, 15))
			}
			c.Warps = append(c.Warps, w)
		}
		return &c
	}
	s := code.sharing(&Neighbours{One: cta(0), Beside: []*CTA{cta(9)}, Below: []*CTA{cta(0), cta(6), cta(6)}})
	near(t, "beside", s.beside, 0.1, 0.01)
	near(t, "below", s.below, 0.8, 0.01) // 6 of 30 are new
	near(t, "own", s.own, 4./30, 0.01)
	if s := code.sharing(nil); s != (sharing{}) {
		t.Errorf("without neighbours: %+v", s)
	}
}

// A few SMs read from DRAM what all do for as many CTAs, also where these read for each other, in
// waves of a few rows of the grid and of many.
func TestBrought(t *testing.T) {
	const ctas, height, perSM = 640, 8, 4
	b := Block{Instrs: []Instr{{Kind: pipe.LoadGlobal, Dst: []int{0}, BytesPerLane: 4}}}
	for range 8 {
		b.Instrs = append(b.Instrs, Instr{Kind: pipe.FP32, Dst: []int{2}, Srcs: []int{2, 0}})
	}
	m := sixteen()
	for _, across := range []int{8, 2} {
		k := newLooped(b, 2, height, func(t Trace, cta, warp, i int) Trace { // a row of the tile a round
			row, column := cta/across+i, cta%across
			return t.Access(Global, 1, Sectors(uint64((row*across+column)*2+warp), 15, 0))
		})
		reads := func(sms int64, s sharing) (plan, float64) {
			p := newPlan(ctas, perSM, 16, 1, 0, Cluster{})
			p.sms = sms
			p.share = p.among(p.size)
			p.arrange(int64(across), s)
			return p, float64(k.estimate(t, m, &p).Whole.DRAMReads)
		}
		_, whole := reads(16, sharing{})
		p, part := reads(4, sharing{below: 1 - 1./height})
		near(t, "sectors of DRAM", part, whole, 15)
		if onWave := int64(64 / across); (p.whole.high == onWave) != (p.brought == 0) {
			t.Errorf("%d in a row: %+v", across, p)
		}
		if _, square := reads(4, sharing{}); square < 1.3*whole {
			t.Errorf("%d in a row: %.0f sectors in a square, %.0f of all", across, square, whole)
		}
	}
}
