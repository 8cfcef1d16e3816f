package sim

import (
	"testing"

	"hyptx/internal/pipe"
)

// withCode is a GPU whose sub-cores hold 16 lines of eight instructions, and its SMs 64.
func withCode() *Config {
	m := volta(1)
	m.Fetch = Fetch{LineInstrs: 8, L0Lines: 16, L1Lines: 64, L0MissCycles: 25, L1MissCycles: 200}
	return m
}

// TestFetch: each round of a loop jumps back to its beginning. It waits for that where the loop is
// longer than what a sub-core holds, for longer where it is longer than what the SM does; what
// follows in the order of the code it never waits for.
func TestFetch(t *testing.T) {
	const n = 50
	for _, c := range []struct {
		what   string
		instrs int
		each   float64 // that a round waits
	}{
		{"all that fits", 16 * 8, 0}, {"longer than the L0", 24 * 8, 25}, {"as long as the L1", 64 * 8, 25}, {"longer than the L1", 96 * 8, 200},
	} {
		b := bench{m: withCode(), p: chain(pipe.FP32, c.instrs, 4), ctas: 1, warps: 1, perSM: 1, repeated: rounds(n)}
		got := b.run(t)
		b.m.Fetch = Fetch{}
		free := b.run(t)
		near(t, c.what+", cycles a round", 1+(got.Cycles-free.Cycles)/(n-1), 1+c.each, 5) // the unit was busy for one of them
		near(t, c.what+", no_instruction", 1+got.Stalls[NoInstruction]/(n-1), 1+c.each, 5)
	}
}

// TestFetchTogether: of warps that jump to one line the first waits for it, and the others of its
// sub-core for the rest of that time; another sub-core has lines of its own.
func TestFetchTogether(t *testing.T) {
	one := bench{m: withCode(), p: chain(pipe.FP32, 24*8, 8), ctas: 1, warps: 1, perSM: 1, repeated: rounds(20)}
	alone := one.run(t)
	for _, warps := range []int{4, 8} {
		b := one
		b.warps = warps
		got := b.run(t)
		if most := alone.Stalls[NoInstruction] * float64(warps); got.Stalls[NoInstruction] > most || got.Stalls[NoInstruction] == 0 {
			t.Errorf("%d warps wait %.0f cycles for instructions, at most %.0f are expected", warps, got.Stalls[NoInstruction], most)
		}
		if warps == 4 {
			near(t, "one warp on each sub-core", got.Cycles, alone.Cycles, 1)
		}
	}
}

// TestFetchShared: while one warp waits for what it jumped to the other one of its sub-core comes to
// the same jump, and waits for the rest of that time. What comes from the L2 sub-cores wait for
// together, and each for its way from the SM's cache but the first.
func TestFetchShared(t *testing.T) {
	for _, c := range []struct {
		what        string
		behind      int // lines, so that not all fit
		warps       int
		alone       float64
		least, most float64 // times that
	}{{"two warps on each sub-core, from the L1", 24, 8, 25, 4, 7}, {"one on each, from the L2", 300, 4, 200, 4.3, 4.5}} {
		b := far(12, c.behind)
		near(t, c.what+", one alone", b.run(t).Stalls[NoInstruction], c.alone, 1)
		b.warps = c.warps
		if got := b.run(t).Stalls[NoInstruction]; got < c.least*c.alone || got > c.most*c.alone {
			t.Errorf("%s: %.0f cycles of waiting, %g to %g times %g are expected", c.what, got, c.least, c.most, c.alone)
		}
	}
}

// far is a launch of a warp that jumps over so many lines, with so many behind what it jumps to.
func far(lines, behind int) bench {
	long := chain(pipe.FP32, behind*8, 4).Blocks[0]
	p := &Program{Values: 4, Blocks: []Block{chain(pipe.FP32, 8, 4).Blocks[0], chain(pipe.FP32, lines*8, 4).Blocks[0], chain(pipe.FP32, 8, 4).Blocks[0], long}}
	return bench{m: withCode(), p: p, ctas: 1, warps: 1, perSM: 1, repeated: Trace{}.Block(0, 32).Block(2, 32)}
}

// TestFetchAhead: a jump over less than what is read ahead waits for nothing, one over more does.
func TestFetchAhead(t *testing.T) {
	for _, c := range []struct {
		lines int
		waits bool
	}{{6, false}, {12, true}} {
		if got := far(c.lines, 300).run(t).Stalls[NoInstruction]; (got > 0) != c.waits {
			t.Errorf("a jump over %d lines waits %.0f cycles", c.lines, got)
		}
	}
}
