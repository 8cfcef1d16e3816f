package sim

import (
	"math"
	"testing"

	"hyptx/internal/pipe"
)

// loadsThenMath is a program of two blocks, sixteen loads and a hundred multiply-adds, and a CTA of
// warps that go through the first one so often, each time followed by so many runs of the second.
func loadsThenMath(rounds, each int) (*Program, func(cta int) *CTA) {
	var loads, math Block
	for range 16 {
		loads.Instrs = append(loads.Instrs, Instr{Kind: pipe.LoadGlobal, Dst: []int{0}, BytesPerLane: 4})
	}
	for range 100 {
		math.Instrs = append(math.Instrs, Instr{Kind: pipe.FP32, Dst: []int{1}, Srcs: []int{1, 0}})
	}
	const warps = 4
	return &Program{Blocks: []Block{loads, math}, Values: 2}, func(cta int) *CTA {
		c := &CTA{Linear: int64(cta)}
		for w := range warps {
			var t Trace
			for i := range rounds {
				t = t.Block(0, 32)
				for k := range 16 {
					t = t.Access(Global, 1, Sectors(uint64(((cta*rounds+i)*16+k)*warps+w), 15, 0))
				}
				for range each {
					t = t.Block(1, 32)
				}
			}
			c.Warps = append(c.Warps, t)
		}
		return c
	}
}

// Beginnings end where a round does, with as much of the accesses as of the instructions, and the traces
// that are asked for have all of it.
func TestBeginningsEndWithRounds(t *testing.T) {
	p, cta := loadsThenMath(8, 4)
	code, err := Compile(p, volta(1))
	if err != nil {
		t.Fatal(err)
	}
	first := cta(0)
	for _, portion := range []float64{0.1, 0.13, 0.2, 0.3, 0.55, 0.7} {
		share, words := code.cutNear(first, portion)
		if rounds := 8 * share; math.Abs(rounds-math.Round(rounds)) > 1e-9 || share < portion*(1-mostShorter) || share > portion*(1+mostLonger) {
			t.Errorf("%.2f of a CTA: %.3f", portion, share)
		}
		begun := code.begin(first, code.lengths(first, share))
		if got, want := code.instructions(begun), share*float64(code.instructions(first)); !begun.Cut || math.Abs(float64(got)-want) > 0.5 {
			t.Errorf("%.3f of a CTA: %d instructions, want %.0f", share, got, want)
		}
		if need := float64(len(begun.Warps[0])) / float64(len(first.Warps[0])); words < need || words > 1.5*need+0.1 {
			t.Errorf("%.3f of a CTA: %.3f of its trace is asked for, %.3f is needed", share, words, need)
		}
	}
	if first.Cut {
		t.Error("the first CTA is changed")
	}
}

// The beginnings of CTAs of a few rounds, whose loads are most of the time and come before what is
// computed with them, tell the time of the launch and what is read.
func TestFewRounds(t *testing.T) {
	p, cta := loadsThenMath(4, 2)
	m := sixteen()
	code, err := Compile(p, m)
	if err != nil {
		t.Fatal(err)
	}
	const ctas, perSM = 16 * 4, 4
	first := cta(0)
	length := code.instructions(first)
	simulate := func(pl *plan) (float64, float64) {
		g, err := New(pl.scaled(m))
		if err != nil {
			t.Fatal(err)
		}
		n, most := 0, code.lengths(first, pl.portion)
		var ends []Tick
		r, err := g.Run(t.Context(), &Launch{Code: code, CTAsPerSM: perSM, Mark: pl.mark(), Next: func(int) (*CTA, error) {
			if n++; n > ctas {
				return nil, nil
			}
			return code.begin(cta(n-1), most), nil
		}, Done: func(e End) error { ends = append(ends, e.At); return nil }})
		if err != nil {
			t.Fatal(err)
		}
		e := pl.conclude(r, ends, m.L2.Bytes, false)
		return e.Cycles * e.Longer, float64(e.Whole.DRAMReads) * e.Longer
	}
	all := newPlan(ctas, perSM, 16, length, 0, Cluster{})
	cycles, reads := simulate(&all)
	for _, share := range []float64{0.2, 0.3, 0.4, 0.6} {
		some := all
		portion, words := code.cutNear(first, share)
		some.beginnings = beginnings{portion: portion, words: words, instructions: length}
		c, n := simulate(&some)
		near(t, "cycles", c, cycles, 12)
		near(t, "reads", n, reads, 1)
	}
}
