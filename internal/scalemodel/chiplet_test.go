package scalemodel

import (
	"math"
	"testing"

	"hyptx/internal/gpu"
	"hyptx/internal/traffic/stream"
)

// access is one of a trace: a CTA's for a line.
type lineAccess struct{ cta, request, block int64 }

// chipletTraces are those of the specification's reference: 64 CTAs that each read 32 KiB
// of their own, and beside that a table that all read, or the lines around their own.
func chipletTraces() map[string][]lineAccess {
	const ctas = 64
	var own, shared, halo []lineAccess
	for k := range int64(256) {
		for c := range int64(ctas) {
			own = append(own, lineAccess{c, k, c*256 + k})
		}
	}
	for k := range int64(64) {
		for c := range int64(ctas) {
			shared = append(shared, lineAccess{c, 256 + k, 1<<23 + (k*7+c)%512})
		}
	}
	for c := range int64(ctas) {
		for i, d := range []int64{-1, 256} {
			halo = append(halo, lineAccess{c, 256 + int64(i), max(0, min(ctas*256-1, c*256+d))})
		}
	}
	return map[string][]lineAccess{"own": own, "own+shared": append(own[:len(own):len(own)], shared...), "own+halo": append(own[:len(own):len(own)], halo...)}
}

// placed runs a trace; each access counts once.
func placed(t *testing.T, trace []lineAccess, n int, ctas gpu.CTAPolicy, pages gpu.PagePolicy) Placed {
	t.Helper()
	c, err := NewChiplets(n, ctas, pages, 64<<10)
	if err != nil {
		t.Fatal(err)
	}
	c.Begin(64, 64)
	for i := range trace { // in any order
		a := trace[(i*7919+13)%len(trace)]
		if err := c.Access(a.cta, a.request, uint64(a.block), 1); err != nil {
			t.Fatal(err)
		}
	}
	return c.End()
}

// TestChiplets: fact 20 of the specification.
func TestChiplets(t *testing.T) {
	traces := chipletTraces()
	for _, c := range []struct {
		trace  string
		n      int
		ctas   gpu.CTAPolicy
		pages  gpu.PagePolicy
		remote uint64
	}{
		{"own", 4, gpu.Distributed, gpu.FirstTouch, 0},
		{"own", 4, gpu.RoundRobin, gpu.FirstTouch, 8192},
		{"own", 4, gpu.Distributed, gpu.Interleave, 12288},
		{"own+halo", 4, gpu.Distributed, gpu.FirstTouch, 6},
		{"own+shared", 16, gpu.Distributed, gpu.FirstTouch, 3840},
	} {
		got := placed(t, traces[c.trace], c.n, c.ctas, c.pages)
		if got.Remote != c.remote || got.Local+got.Remote != uint64(len(traces[c.trace])) {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// TestChipletsGolden: all rows, where the tables lie beside the project. There an access
// moves a line over a link, here a sector.
func TestChipletsGolden(t *testing.T) {
	traces := chipletTraces()
	rows := golden(t, "scalemodel_golden_chiplet.tsv")
	for _, r := range rows {
		got := placed(t, traces[r[0]], int(parsed(t, r[1])), gpu.CTAPolicy(r[2]), gpu.PagePolicy(r[3]))
		want := []float64{parsed(t, r[4]), parsed(t, r[5]), parsed(t, r[7]), parsed(t, r[8]), parsed(t, r[9]) / 4, parsed(t, r[10]) / 4}
		for i, x := range []float64{float64(got.Local), float64(got.Remote), float64(got.PagesMax), float64(got.PagesMin), float64(got.LinkOut), float64(got.LinkIn)} {
			if x != want[i] {
				t.Errorf("%v: %+v", r, got)
				break
			}
		}
	}
	if len(rows) != 54 {
		t.Errorf("%d rows", len(rows))
	}
}

// TestCTAPolicies: each CTA has one chiplet, groups are contiguous and of equal size, and
// places count from 0.
func TestCTAPolicies(t *testing.T) {
	for _, ctas := range []int64{1, 5, 64, 1000, 1001} {
		for _, n := range []int{1, 3, 4, 16} {
			for _, p := range []gpu.CTAPolicy{gpu.Distributed, gpu.RoundRobin} {
				next := make([]int64, n)
				last := 0
				for id := range ctas {
					chiplet, place := p.Of(id, ctas, n)
					if place != next[chiplet] || p == gpu.Distributed && chiplet < last || math.Abs(float64(place)) > float64(ctas/int64(n)) {
						t.Fatalf("%s: CTA %d of %d on %d chiplets: chiplet %d, place %d", p, id, ctas, n, chiplet, place)
					}
					next[chiplet]++
					last = chiplet
				}
			}
		}
	}
}

// TestChipletsWaves: a page belongs to who touches it in an earlier wave, and stays there
// in later launches.
func TestChipletsWaves(t *testing.T) {
	c, err := NewChiplets(2, gpu.Distributed, gpu.FirstTouch, 64<<10)
	if err != nil {
		t.Fatal(err)
	}
	launch := func(wave int64) Placed {
		q := stream.NewQueue(c.Take, func(n int64) int64 { return n })
		c.Begin(4, wave) // CTAs 0 and 1 on chiplet 0
		for id := range int64(4) {
			cta := q.CTA(id, 1)
			block := uint64(7) // CTA 1 of chiplet 0 and CTA 2, the first of chiplet 1, share it
			if id == 0 || id == 3 {
				block = 100_000 * uint64(id+1)
			}
			if err := cta.Add(0, stream.Load, false, block*4, []stream.Cell{{Sector: 0}, {Sector: 2}, {Sector: 9}}, &stream.Forms{}); err != nil {
				t.Fatal(err)
			}
			if err := q.Done(cta); err != nil {
				t.Fatal(err)
			}
		}
		return c.End()
	}
	first, second := launch(1), launch(2)
	if first.Remote != 3 || first.Local != 9 || c.homes[0] != 1 {
		t.Errorf("%+v, page of both on %d", first, c.homes[0])
	}
	if first != second {
		t.Errorf("%+v, then %+v", first, second)
	}
	if _, err := NewChiplets(0, gpu.Distributed, gpu.FirstTouch, 1<<16); err == nil {
		t.Error("no chiplets")
	}
	if _, err := NewChiplets(4, gpu.Distributed, gpu.FirstTouch, 100); err == nil {
		t.Error("pages of 100 bytes")
	}
}
