package sim

import (
	"context"
	"strings"
	"testing"

	"hyptx/internal/pipe"
)

// pipelined is a CTA of which warp 0 copies tiles in bulk into stages of shared memory, and
// warp 1 multiplies what has come and gives the stage free: each stage has a full and an
// empty mbarrier.
func pipelined(tiles, stages, blocks int) (p *Program, of func(cta, warp int) Trace) {
	const waits, copies = 0, 1
	p = &Program{Values: 1, Blocks: []Block{
		waits:  {Instrs: []Instr{{Kind: pipe.AtomicShared, Dst: []int{0}}, {Kind: pipe.Branch, Srcs: []int{0}}}},
		copies: {Instrs: []Instr{{Kind: pipe.CopyAsync}}},
		2:      {Instrs: []Instr{{Kind: pipe.AtomicShared}}},
	}}
	return p, func(cta, warp int) (t Trace) {
		for k := range tiles {
			full, empty, round := 1+k%stages, 1+stages+k%stages, uint64(k/stages)
			if warp == 0 {
				t = t.Block(waits, 32).Access(Object, empty, round)
				words := make([]uint64, blocks)
				for i := range words {
					words[i] = Sectors(uint64((cta*tiles+k)*blocks+i), 15, 0)
				}
				t = t.Block(copies, 1).Access(BulkLoad, full, words...)
			} else {
				t = t.Block(waits, 32).Access(Object, full, round+1)
				t = t.Block(2, 32).Access(Object, empty)
			}
		}
		return t
	}
}

// TestBulkLatency: with one stage each tile takes the latency of memory, and its blocks a
// cycle each; with many it is hidden, up to what the way back to the SM can bring.
func TestBulkLatency(t *testing.T) {
	// Two waits, an arrival and a copy are handed on, each by the unit of loads.
	const tiles, blocks, handing = 400, 16, 4 * 28
	p, of := pipelined(tiles, 1, blocks)
	r := bench{m: volta(1), p: p, ctas: 1, warps: 2, perSM: 1, of: of}.run(t)
	near(t, "cycles a tile, one stage", r.Cycles/tiles, 434+blocks*128/64+handing, 10)
	if r.Memory.Reads != tiles*blocks*4 {
		t.Errorf("%d sectors came from the L2, by hand %d", r.Memory.Reads, tiles*blocks*4)
	}
	p, of = pipelined(tiles, 16, blocks)
	many := bench{m: volta(1), p: p, ctas: 1, warps: 2, perSM: 1, of: of}.run(t)
	near(t, "cycles a tile, 16 stages", many.Cycles/tiles, max(blocks*128/64, (434+blocks*128/64+handing)/16), 25)
}

// TestBulkEnds: a warp may end with copies on their way; who waits for what nobody brings
// is found; and who waits in a CTA of which only the beginning was traced goes on.
func TestBulkEnds(t *testing.T) {
	p, of := pipelined(1, 1, 4)
	early := func(cta, warp int) Trace {
		if warp == 1 {
			return Trace{}.Block(2, 32).Access(Object, 3)
		}
		return of(cta, warp)
	}
	bench{m: volta(1), p: p, ctas: 40, warps: 2, perSM: 2, of: early}.run(t)

	never := func(warp int) Trace {
		if warp == 0 {
			return of(0, 0)
		}
		return Trace{}.Block(0, 32).Access(Object, 1, 2)
	}
	code, err := Compile(p, volta(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []bool{false, true} {
		g, err := New(volta(1))
		if err != nil {
			t.Fatal(err)
		}
		left := 1
		_, err = g.Run(context.Background(), &Launch{Code: code, CTAsPerSM: 1, Next: func(int) (*CTA, error) {
			if left--; left < 0 {
				return nil, nil
			}
			return &CTA{Warps: []Trace{never(0), never(1)}, Cut: cut}, nil
		}})
		if stuck := err != nil && strings.Contains(err.Error(), "waits for ever"); stuck == cut {
			t.Errorf("cut %t: %v", cut, err)
		}
	}
}
