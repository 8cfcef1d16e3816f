package hierarchy

import (
	"math"
	"testing"

	"hyptx/internal/gpu"
	"hyptx/internal/traffic/stream"
)

// hear lets listeners hear CTAs of a launch of so many, each of which touches the blocks
// that touch names, and what it leaves of an L2.
func hear(t *testing.T, l Listeners, ctas int64, only []int64, touch func(cta int64, block func(at uint64))) []Result {
	t.Helper()
	shape := gpu.CTA{Threads: 1024, RegistersPerThread: 32}
	if err := l.Begin(shape, ctas); err != nil {
		t.Fatal(err)
	}
	next := 0
	q := stream.NewQueue(l.Take, func(n int64) int64 { return only[n] })
	for ; next < len(only); next++ {
		c := q.CTA(only[next], 1)
		touch(only[next], func(at uint64) {
			cells := []stream.Cell{{Sector: 0, Bytes: ^uint32(0)}, {Sector: 1, Bytes: ^uint32(0)}, {Sector: 5, Bytes: ^uint32(0)}}
			if err := c.Add(0, stream.Kind(at%5), false, at, cells, &stream.Forms{}); err != nil {
				t.Fatal(err)
			}
		})
		if err := q.Done(c); err != nil {
			t.Fatal(err)
		}
	}
	return l.End(nil, 0)
}

// TestExtent: what a launch touches follows from a sample of its waves, exactly where each
// wave touches as much that is new, or none does after the first; else within the doubt.
func TestExtent(t *testing.T) {
	const ctas, base = 4000, 1 << 20
	known, err := gpu.Get("t4")
	if err != nil {
		t.Fatal(err)
	}
	g := *known
	g.SMs = &gpu.Int{Value: 8}
	for name, c := range map[string]struct {
		touch func(cta int64) uint64 // the sector at which it begins
		exact bool
	}{
		"streaming":               {func(cta int64) uint64 { return base + 8*uint64(cta) }, true},
		"one place":               {func(int64) uint64 { return base }, true},
		"a table in turns":        {func(cta int64) uint64 { return base + 8*uint64(cta%611) }, false},
		"a large table in turns":  {func(cta int64) uint64 { return base + 8*uint64(cta%2500) }, false},
		"a table by chance":       {func(cta int64) uint64 { return base + 8*(uint64(cta)*0x9e3779b97f4a7c15>>32%700) }, false},
		"first here, later there": {func(cta int64) uint64 { return base + 8*uint64(max(cta, 2000)) }, false},
	} {
		h, err := New(&g, Sample{Share: 0.2}, 1, 1<<30, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		h.Buffers = []uint64{32 * base, 2 * 32 * base}
		l := Listeners{h}
		chosen, err := l.Chosen(gpu.CTA{Threads: 1024, RegistersPerThread: 32}, ctas)
		if err != nil || len(chosen) == 0 || len(chosen) > ctas/3 {
			t.Fatalf("%s: %d chosen, %v", name, len(chosen), err)
		}
		hear(t, l, ctas, chosen, func(cta int64, block func(uint64)) { block(c.touch(cta)) })
		got := h.extent.estimate(h.sample.waves, 128)
		sectors, lines := map[uint64]bool{}, map[uint64]bool{}
		for cta := range int64(ctas) {
			for _, at := range []uint64{0, 1, 5} {
				sectors[c.touch(cta)+at], lines[(c.touch(cta)+at)/4] = true, true
			}
		}
		off := math.Abs(got.sectors - float64(len(sectors)))
		if c.exact && (off > 0 || got.doubt > 0 || got.lines != float64(len(lines))) || off > got.doubt {
			t.Errorf("%s: %+v, in truth %d sectors in %d lines", name, got, len(sectors), len(lines))
		}
	}
}

// TestChosenAlone: a sample hears the same from the CTAs that it chose as from all.
func TestChosenAlone(t *testing.T) {
	const ctas = 3000
	var of [2][]Result
	for i := range of {
		var l Listeners
		for _, name := range []string{"t4", "gv100"} {
			g, err := gpu.Get(name)
			if err != nil {
				t.Fatal(err)
			}
			small := *g
			small.SMs = &gpu.Int{Value: 4}
			h, err := New(&small, Sample{CTAs: 300}, 1, 1<<30, nil, false)
			if err != nil {
				t.Fatal(err)
			}
			l = append(l, h)
		}
		only, err := l.Chosen(gpu.CTA{Threads: 1024, RegistersPerThread: 32}, ctas)
		if err != nil || only == nil {
			t.Fatal(only, err)
		}
		if i == 1 {
			only = nil
			for cta := range int64(ctas) {
				only = append(only, cta)
			}
		}
		of[i] = hear(t, l, ctas, only, func(cta int64, block func(uint64)) { block(uint64(cta * cta % 10007)) })
	}
	for i := range of[0] {
		if of[0][i] != of[1][i] || !of[0][i].Sampled {
			t.Errorf("%+v, of all CTAs %+v", of[0][i], of[1][i])
		}
	}
}
