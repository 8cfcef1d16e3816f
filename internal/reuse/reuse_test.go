package reuse

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// watch lets a watcher see lines of one sector.
func watch(t *testing.T, o Options, trace []uint64) *Curve {
	t.Helper()
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range trace {
		w.Access(line, 1)
	}
	c, err := w.Curve()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func cyclic(lines, rounds int) (trace []uint64) {
	for range rounds {
		for i := range lines {
			trace = append(trace, uint64(i))
		}
	}
	return trace
}

// TestCyclic: fact 14 of the specification, and 19 in part.
func TestCyclic(t *testing.T) {
	c := watch(t, Options{Method: Exact, Lines: []int64{500, 999, 1000}}, cyclic(1000, 10))
	if c.Points[0].Misses != 10_000 || c.Points[1].Misses != 10_000 || c.Points[2].Misses != 1000 || c.Cold != 1000 || c.Accesses != 10_000 {
		t.Errorf("%+v", c)
	}
	for m, want := range map[Method][2]float64{Exact: {1000, 100}, StatStack: {1000, 100}, StatCache: {695.8599, 388.6111}} {
		c := watch(t, Options{Method: m, Lines: []int64{64, 100}}, cyclic(100, 10))
		if math.Abs(c.Points[0].Misses-want[0]) > 1e-4 || math.Abs(c.Points[1].Misses-want[1]) > 1e-4 {
			t.Errorf("%s: %+v, want %v", m, c.Points, want)
		}
	}
}

// split is the generator of the golden traces (SplitMix64).
type split uint64

func (s *split) pick(n uint64) uint64 {
	x := mix(uint64(*s))
	*s += 0x9e3779b97f4a7c15
	return x >> 32 * n >> 32
}

// goldenTraces are those of the specification's reference.
func goldenTraces() map[string][]uint64 {
	g := split(11)
	traces := map[string][]uint64{"cyclic_100x10": cyclic(100, 10), "stream": cyclic(500, 1), "two_loops": cyclic(20, 5)}
	for _, l := range cyclic(60, 5) {
		traces["two_loops"] = append(traces["two_loops"], 100+l)
	}
	for range 2000 {
		traces["random_64"] = append(traces["random_64"], g.pick(64))
	}
	for range 2000 {
		line := uint64(0)
		if g.pick(4) != 0 {
			line = g.pick(8)
		} else {
			line = 8 + g.pick(200)
		}
		traces["hot_cold"] = append(traces["hot_cold"], line)
	}
	return traces
}

// TestGolden: fact 19, all methods row by row, where the tables lie beside the project.
func TestGolden(t *testing.T) {
	text, err := os.ReadFile("../../../shared/data/scalemodel/scalemodel_golden_mrc_methods.tsv")
	if err != nil {
		t.Skip("no shared data: ", err)
	}
	r := csv.NewReader(strings.NewReader(string(text)))
	r.Comma = '\t'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	traces := goldenTraces()
	for _, row := range rows[1:] {
		lines, err := strconv.ParseInt(row[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		for column, m := range map[int]Method{4: Exact, 5: StatStack, 6: StatCache} {
			c := watch(t, Options{Method: m, Lines: []int64{lines}}, traces[row[0]])
			want, err := strconv.ParseFloat(row[column], 64)
			if err != nil || math.Abs(c.Points[0].Misses-want) > 1e-5 || fmt.Sprint(c.Accesses) != row[2] || fmt.Sprint(c.Cold) != row[3] {
				t.Errorf("%s of %d lines: %s: %+v, want %v", row[0], lines, m, c, row)
			}
		}
	}
	if len(rows) < 36 {
		t.Errorf("%d rows", len(rows))
	}
}

// byHand is the sectored cache of one capacity: a list of lines, the last used first.
type byHand struct {
	lines  int
	list   []uint64
	valid  map[uint64]uint8
	misses uint64
}

func (h *byHand) Access(line uint64, sectors uint8) {
	if i := slices.Index(h.list, line); i >= 0 {
		h.list = slices.Delete(h.list, i, i+1)
	} else if len(h.list) == h.lines {
		delete(h.valid, h.list[len(h.list)-1])
		h.list = h.list[:len(h.list)-1]
	}
	h.list = slices.Insert(h.list, 0, line)
	h.misses += count(sectors &^ h.valid[line])
	h.valid[line] |= sectors
}

// TestSectors: of random streams with many lines, the pass is what caches of each
// capacity are, sector by sector; with sets of as many ways as lines, too.
func TestSectors(t *testing.T) {
	capacities := []int64{1, 2, 7, 64, 300, 1000, 5000}
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 1))
		w, err := New(Options{Method: Exact, Lines: capacities})
		if err != nil {
			t.Fatal(err)
		}
		var hands []*byHand
		for _, c := range capacities {
			hands = append(hands, &byHand{lines: int(c), valid: map[uint64]uint8{}})
		}
		var one []Watcher // sets of one capacity each
		for _, c := range capacities[:4] {
			s, err := New(Options{Method: Exact, Lines: []int64{c}, Ways: int(c)})
			if err != nil {
				t.Fatal(err)
			}
			one = append(one, s)
		}
		for i := range 20_000 {
			line := r.Uint64N(40)
			if i%3 == 0 {
				line = r.Uint64N(1 << (4 * (seed + 1)))
			}
			mask := uint8(1 + r.UintN(15))
			w.Access(line, mask)
			for _, h := range hands {
				h.Access(line, mask)
			}
			for _, s := range one {
				s.Access(line, mask)
			}
		}
		c, err := w.Curve()
		if err != nil {
			t.Fatal(err)
		}
		for k, h := range hands {
			if c.Points[k].Misses != float64(h.misses) {
				t.Errorf("seed %d: %d lines: %v misses, by hand %d", seed, h.lines, c.Points[k].Misses, h.misses)
			}
		}
		for k, s := range one {
			if of, _ := s.Curve(); of.Points[0].Misses != c.Points[k].Misses || of.Cold != c.Cold {
				t.Errorf("seed %d: a set of %d ways: %+v, want %+v", seed, capacities[k], of, c)
			}
		}
	}
}

// TestSample: a sample is near what it is of, within what it says of its error, and the
// same seed gives the same.
func TestSample(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var trace []uint64
	for range 400_000 {
		trace = append(trace, uint64(math.Abs(r.NormFloat64())*8000))
	}
	for _, m := range []Method{Exact, StatStack, StatCache} {
		o := Options{Method: m, Lines: []int64{1000, 4000, 16_000}}
		all := watch(t, o, trace)
		o.Every, o.Seed = 16, 9
		some, again := watch(t, o, trace), watch(t, o, trace)
		for k, p := range some.Points {
			if p != again.Points[k] {
				t.Errorf("%s: %+v, again %+v", m, p, again.Points[k])
			}
			if d := math.Abs(p.Misses - all.Points[k].Misses); d > 4*p.Error || p.Error == 0 || p.Error > 0.1*all.Points[k].Misses || all.Points[k].Error != 0 {
				t.Errorf("%s of %d lines: %+v, all of it %+v", m, p.Lines, p, all.Points[k])
			}
		}
	}
}

// TestNugteren: what is on its way misses again, so that a line used twice at once misses
// twice, and later no more.
func TestNugteren(t *testing.T) {
	o := Options{Method: Nugteren, Lines: []int64{64}, Ways: 4}
	if c := watch(t, o, []uint64{5, 5, 5}); c.Points[0].Misses != 3 || c.Cold != 1 {
		t.Errorf("%+v", c)
	}
	c := watch(t, o, cyclic(60, 50)) // fits, and a round is shorter than a miss is long
	if m := c.Points[0].Misses; m < 60 || m > 3*60 {
		t.Errorf("%v misses of 60 lines that fit", m)
	}
}

// TestRefused: what cannot be asked for.
func TestRefused(t *testing.T) {
	for want, o := range map[string]Options{
		"0 capacities":                {Method: Exact},
		"must be positive and ascend": {Method: Exact, Lines: []int64{2, 1}},
		"there is no method":          {Method: "lru", Lines: []int64{1}},
		"needs ways":                  {Method: Nugteren, Lines: []int64{1}},
		"knows no sets":               {Method: StatStack, Lines: []int64{8}, Ways: 8},
		"without sets":                {Method: Exact, Lines: []int64{8}, Ways: 8, Every: 2},
		"whole sets":                  {Method: Exact, Lines: []int64{12}, Ways: 8},
	} {
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", o, err, want)
		}
	}
}

// BenchmarkExact is the pass over a stream that uses many lines again from far away.
func BenchmarkExact(b *testing.B) {
	w, err := New(Options{Method: Exact, Lines: []int64{1 << 10, 1 << 14, 1 << 18}})
	if err != nil {
		b.Fatal(err)
	}
	for i := range b.N {
		w.Access(uint64(i)%400_000, 15)
	}
}
