package sim

import (
	"testing"

	"hyptx/internal/pipe"
)

// newAdders is a kernel of which each warp, before some arithmetic, adds to as many sectors of a line as
// mask has: which line its CTA chooses, and so many lanes want one word of it.
func newAdders(lanes int, mask uint8, line func(cta, warp, i int) int) *looped {
	b := Block{Instrs: []Instr{{Kind: pipe.Reduction, BytesPerLane: 4}}}
	for range 8 {
		b.Instrs = append(b.Instrs, Instr{Kind: pipe.FP32, Dst: []int{2}, Srcs: []int{2}})
	}
	return newLooped(b, 8, 12, func(t Trace, cta, warp, i int) Trace {
		return t.Access(Global, lanes, Sectors(uint64(line(cta, warp, i)), mask, 0))
	})
}

// Atomics take a part of the SMs as long as all of them, whoever shares their words and lines: all CTAs,
// a few neighbours, or nobody. A line is in one slice, however many SMs send atomics to it.
func TestMeetings(t *testing.T) {
	const perSM, ctas, across = 4, 16 * 4 * 6, 32
	for _, c := range []struct {
		name   string
		lanes  int
		mask   uint8
		across int64 // CTAs of a row; 0: all
		line   func(cta, warp, i int) int
		within float64 // percent
	}{
		{"a word for all", 32, 1, 0, func(_, _, _ int) int { return 7 }, 3},
		{"a line for all", 1, 15, 0, func(_, _, _ int) int { return 7 }, 3},
		{"two words of two lines for all", 16, 1, 0, func(_, warp, _ int) int { return warp % 2 }, 3},
		{"eight lines for all", 1, 15, 0, func(_, warp, _ int) int { return warp }, 5},
		{"hundreds of lines for all", 1, 15, 0, func(cta, warp, i int) int { return int(hash(uint64((cta*8+warp)*12+i)) >> 32 % 700) }, 5},
		{"a word for each CTA", 32, 1, 0, func(cta, _, _ int) int { return cta }, 20},
		{"a line for each CTA", 1, 15, 0, func(cta, _, _ int) int { return cta }, 5},
		{"a word for four neighbours", 32, 1, 0, func(cta, _, _ int) int { return cta / 4 }, 20},
		{"a word for each row", 32, 1, across, func(cta, _, _ int) int { return cta / across }, 20},
		{"a word for each column", 32, 1, across, func(cta, _, _ int) int { return cta % across }, 10},
	} {
		k := newAdders(c.lanes, c.mask, c.line)
		m := sixteen()
		m.L2.AtomicCycles, m.L2.SameWordCycles = 4, 1
		all := newPlan(ctas, perSM, 16, 1, 0, Cluster{})
		few := all
		few.sms = 4
		if few.share, few.restShare = few.among(few.size), few.among(few.rest); c.across > 0 {
			few.arrange(c.across, sharing{})
		}
		whole, _ := k.run(t, m, &all)
		part := k.estimate(t, m, &few)
		near(t, c.name, part.Cycles, whole.Cycles, c.within)
	}
}
