package vary

import (
	"math"
	"math/rand/v2"
	"testing"

	"hyptx/ir/isa"
)

// TestFormats holds the 16-bit formats and f32 against values worked out by
// hand and against Go's own conversions.
func TestFormats(t *testing.T) {
	for _, c := range []struct {
		f    Format
		bits uint64
		want float64
	}{
		{F16, 0x3c00, 1}, {F16, 0x0001, 0x1p-24}, {F16, 0x7bff, 65504}, {F16, 0xfc00, math.Inf(-1)}, {F16, 0x8000, 0},
		{BF16, 0x3f80, 1}, {BF16, 0x7f7f, 0x1.fep127}, {BF16, 0x0001, 0x1p-133}, {BF16, 0xc049, -3.140625},
		{F32, 0x40490fdb, float64(float32(math.Pi))}, {F32, 0x00000001, 0x1p-149}, {F32, 0x7f800000, math.Inf(1)},
		{F64, 0x400921fb54442d18, math.Pi},
	} {
		if got := c.f.Value(c.bits); got != c.want {
			t.Errorf("%#x is %g, want %g", c.bits, got, c.want)
		}
		if c.f.Below(c.want) != c.bits && c.want != 0 || c.f.Above(c.want) != c.bits && c.want != 0 {
			t.Errorf("%g: below %#x, above %#x, want %#x", c.want, c.f.Below(c.want), c.f.Above(c.want), c.bits)
		}
	}
	for _, f := range []Format{F16, BF16, F32, F64} {
		if !f.IsNaN(f.OtherNaN()) || !math.IsNaN(f.Value(f.OtherNaN())) {
			t.Errorf("%v: %#x is no NaN", f, f.OtherNaN())
		}
	}
}

// TestQuantum: the last bit that is set.
func TestQuantum(t *testing.T) {
	for _, c := range []struct {
		f    Format
		bits uint64
		want int
	}{
		{F32, f32bits(1), 0}, {F32, f32bits(-6), 1}, {F32, f32bits(0.75), -2}, {F32, f32bits(1 + 0x1p-23), -23}, {F32, 3, -149}, {F32, 0x00800000, -126},
		{F32, 0x80000000, NoQuantum}, {F32, 0x7f800000, -NoQuantum}, {F32, 0x7fffffff, -NoQuantum}, {F16, 0x3c01, -10}, {F16, 1, -24},
		{BF16, 0x4040, 0}, {E4M3, 0x39, -3}, {E5M2, 0x3d, -2}, {F64, math.Float64bits(0x1.8p100), 99},
	} {
		if got := c.f.Quantum(c.bits); got != c.want {
			t.Errorf("%v %#x: %d, want %d", c.f, c.bits, got, c.want)
		}
	}
	if !F32.Exact(0x1p24, 0) || F32.Exact(0x1p24+1, 0) || !F32.Exact(0, NoQuantum) || F32.Exact(1, -NoQuantum) || F32.Exact(math.Inf(1), 1) {
		t.Error("sums of 2^24 units are exact in f32, larger ones are not")
	}
}

func f32bits(x float32) uint64 { return uint64(math.Float32bits(x)) }

// TestNeighbours: what lies below and above any number are neighbours, with it
// in between.
func TestNeighbours(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		x := math.Ldexp(r.NormFloat64(), r.IntN(300)-160)
		for _, f := range []Format{F16, BF16, F32} {
			low, high := f.Below(x), f.Above(x)
			a, b := f.Value(low), f.Value(high)
			if !(a <= x && x <= b) || f.Distance(low, high) > 1 || (a == b) != (a == x) && a != 0 {
				t.Fatalf("%v: %g lies between %g (%#x) and %g (%#x)", f, x, a, low, b, high)
			}
			if f == F32 && !math.IsInf(float64(float32(x)), 0) && float64(float32(x)) != a && float64(float32(x)) != b {
				t.Fatalf("float32(%g) is neither %g nor %g", x, a, b)
			}
		}
	}
}

func TestSteps(t *testing.T) {
	one, max := uint64(0x3f800000), uint64(0x7f7fffff)
	for _, c := range []struct {
		from uint64
		n    int
		want uint64
	}{
		{one, 2, one + 2}, {one, -1, one - 1}, {0, -1, 0x80000001}, {0x80000000, 1, 1}, {0x80000001, 1, 0},
		{max, 1, 0x7f800000}, {max, 5, 0x7f800000}, {0xff7fffff, -3, 0xff800000}, {0x7fc00000, 3, 0x7fc00000}, {0x80000000, 0, 0x80000000},
	} {
		if got := F32.Step(c.from, c.n); got != c.want {
			t.Errorf("%d steps from %#x: %#x, want %#x", c.n, c.from, got, c.want)
		}
	}
	if d := F32.Distance(0x80000001, 2); d != 3 {
		t.Errorf("from the least negative to twice the least positive number: %d", d)
	}
}

// TestEdge: the farthest results of each kind of bound.
func TestEdge(t *testing.T) {
	bits := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	for _, c := range []struct {
		name     string
		part     isa.BoundPart
		exact    float64
		nominal  uint64
		flush    bool
		low, top uint64
	}{
		{"2 ulp", isa.BoundPart{ULP: 2}, 1, bits(1), false, bits(1) - 2, bits(1) + 2},
		{"2 ulp of a negative number", isa.BoundPart{ULP: 2}, -1, bits(-1), false, bits(-1) + 2, bits(-1) - 2},
		{"relative 2^-23 of 1", isa.BoundPart{Relative: 0x1p-23}, 1, bits(1), false, bits(1) - 2, bits(1) + 1},
		{"relative 2^-23 of 1.75", isa.BoundPart{Relative: 0x1p-23}, 1.75, bits(1.75), false, bits(1.75) - 1, bits(1.75) + 1},
		{"absolute", isa.BoundPart{Absolute: 0x1p-22}, 1, bits(1), false, bits(1) - 4, bits(1) + 2},
		{"absolute about 0", isa.BoundPart{Absolute: 0x1p-22}, 0, 0, false, bits(-0x1p-22), bits(0x1p-22)},
		{"no error", isa.BoundPart{}, 1, bits(1), false, bits(1), bits(1)},
		{"flushed", isa.BoundPart{ULP: 2}, 0x1p-126, bits(0x1p-126), true, 0, bits(0x1p-126) + 2},
		{"overflow", isa.BoundPart{ULP: 1}, math.MaxFloat32, 0x7f7fffff, false, 0x7f7ffffe, 0x7f800000},
		{"infinity", isa.BoundPart{ULP: 1}, math.Inf(1), 0x7f800000, false, 0x7f800000, 0x7f800000},
		{"NaN", isa.BoundPart{Relative: 1}, math.NaN(), 0x7fffffff, false, 0x7fffffff, 0x7fffffff},
	} {
		r := Result{Format: F32, Exact: c.exact, Nominal: c.nominal, Flush: c.flush}
		if low, top := r.Edge(c.part, false), r.Edge(c.part, true); low != c.low || top != c.top {
			t.Errorf("%s: %#x to %#x, want %#x to %#x", c.name, low, top, c.low, c.top)
		}
	}
}

// TestSums: the shares of a place add up to 2 (n-1) u sum|x|.
func TestSums(t *testing.T) {
	var s Sums
	p := Place{Launch: 1, CTA: -1, Address: 64}
	for i, x := range []float64{1, -2, 3, 0x1p-30, 0} {
		s.Add(p, float64(i), x) // the first old value is 0
	}
	if got, want := 5*s.Share(p, F32), 2*3*0x1p-24*(6+0x1p-30); math.Abs(got-want) > 1e-15 {
		t.Errorf("together %g, want %g", got, want)
	}
	exact := Place{Launch: 3, CTA: -1, Address: 64}
	for i, x := range []float64{1, -2, 3, 0} {
		s.Add(exact, float64(i), x)
	}
	if got := s.Share(exact, F32); got != 0 {
		t.Errorf("sums of small integers are exact, not to be moved by %g", got)
	}
	two := Place{Launch: 2, CTA: 0, Address: 64}
	s.Add(two, 0, 1)
	s.Add(two, 1, 5)
	if got := s.Share(two, F32); got != 0 {
		t.Errorf("two terms have one sum, not a share of %g", got)
	}
	if s.Len() != 3 || s.Full() {
		t.Errorf("%d places, full %v", s.Len(), s.Full())
	}
}

// TestSigns: each way of choosing directions, and that it depends on what it
// says alone.
func TestSigns(t *testing.T) {
	site := Site{PC: 7, Index: 2, CTA: 3, Warp: 1, Lane: 4, Input: 99}
	other := site
	other.Lane, other.Index, other.Input = 5, 3, 99
	up := func(signs Signs, s Site) bool {
		up, moved := (&Variation{Signs: signs, Seed: 1}).Up(s)
		if moved == (signs == Still) {
			t.Errorf("signs %d: moved %v", signs, moved)
		}
		return up
	}
	if !up(Up, site) || up(Down, site) || !up(ByLane, site) || up(ByLane, other) || !up(ByInstruction, site) || up(ByInstruction, other) {
		t.Error("a direction is wrong")
	}
	if up(ByInput, site) != up(ByInput, other) {
		t.Error("by input, but not by it alone")
	}
	up(Still, site)
	ups := 0
	for i := range 1000 {
		site.Lane, site.PC = int32(i%32), int32(i/32)
		if up(ByAll, site) {
			ups++
		}
	}
	if ups < 430 || ups > 570 {
		t.Errorf("%d of 1000 are up", ups)
	}
}

// TestStop: results come to rest between where they are and the edge.
func TestStop(t *testing.T) {
	for _, c := range []struct{ nominal, edge, half uint64 }{
		{100, 102, 101}, {100, 98, 99}, {100, 101, 101}, {100, 99, 99}, {100, 100, 100}, {100, 131, 116}, {0x80000002, 1, 0}, {0x7fffffff, 3, 3},
	} {
		if got := (&Variation{Reach: Half}).Stop(F32, c.nominal, c.edge, Site{}); got != c.half {
			t.Errorf("half of the way from %#x to %#x is %#x, want %#x", c.nominal, c.edge, got, c.half)
		}
		if got := (&Variation{}).Stop(F32, c.nominal, c.edge, Site{}); got != c.edge {
			t.Errorf("the edge %#x is %#x", c.edge, got)
		}
	}
	seen := map[uint64]bool{}
	for i := range uint64(100) {
		seen[(&Variation{Reach: Inside, Seed: 1}).Stop(F32, 100, 97, Site{Input: i})] = true
	}
	if len(seen) != 4 || !seen[100] || !seen[99] || !seen[98] || !seen[97] {
		t.Errorf("inside of 97 to 100: %v", seen)
	}
}
