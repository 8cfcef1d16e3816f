package words

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"testing"

	"hyptx/emulator/internal/lanes"
	"hyptx/emulator/internal/pages"
)

// gathers are where lanes may lie from each other, in vectors.
var gathers = map[string]func(r *rand.Rand, lane int) int{
	"one":      func(*rand.Rand, int) int { return 0 },
	"a row":    func(_ *rand.Rand, lane int) int { return lane },
	"two rows": func(_ *rand.Rand, lane int) int { return lane/16*100 + lane%16 },
	"columns":  func(_ *rand.Rand, lane int) int { return lane * 37 },
	"back":     func(_ *rand.Rand, lane int) int { return -lane },
	"far":      func(_ *rand.Rand, lane int) int { return lane * 1000 },
	"anywhere": func(r *rand.Rand, _ int) int { return r.IntN(8000) },
}

// TestGather: each lane gets the words at its distance, the others keep theirs, from
// pages and from memory in one piece.
func TestGather(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	table, flat := memory(t, r, 9*pages.Bytes)
	for name, far := range gathers {
		for range 60 {
			n, m := 1<<r.IntN(3), ^uint32(0)
			if r.IntN(3) > 0 {
				m = r.Uint32() | 1<<r.IntN(32)
			}
			var rel [lanes.Width]int32
			lead := bits.TrailingZeros32(m)
			first := far(r, lead)
			g := Gather{Lanes: m, Distances: &rel, Steps: [2]int32{-1, -1}}
			for lane := range rel {
				if lane != lead {
					rel[lane] = int32((far(r, lane) - first) * 4 * n)
				}
				if m>>lane&1 != 0 {
					g.Low, g.High = min(g.Low, int64(rel[lane])), max(g.High, int64(rel[lane]))
				} else {
					rel[lane] = int32(r.Uint32())
				}
			}
			if n == 1 && m == ^uint32(0) && (name == "one" || name == "a row" || name == "two rows") {
				g.Steps = [2]int32{rel[1], rel[1]}
			}
			at := int(-g.Low) + r.IntN((len(flat)-int(g.High-g.Low))/16)/n*n*4
			var regs, paged, plain [4]lanes.Slot
			var a, b []*lanes.Slot
			for i := range n {
				for lane := range regs[i] {
					regs[i][lane] = r.Uint32()
					paged[i], plain[i] = regs[i], regs[i]
					if m>>lane&1 != 0 {
						regs[i][lane] = binary.LittleEndian.Uint32(flat[at+int(rel[lane])+4*i:])
					}
				}
				a, b = append(a, &paged[i]), append(b, &plain[i])
			}
			if !g.FromPages(table, uint64(at), a) {
				t.Fatalf("%s: %d words of pages are refused", name, n)
			}
			g.From(flat[at+int(g.Low):][:int(g.High-g.Low)+4*n], b)
			if paged != regs || plain != regs {
				t.Fatalf("%s: %d words, lanes %#x: others are loaded, %t from pages, %t in one piece", name, n, m, paged != regs, plain != regs)
			}
		}
	}
}

// TestGatherAll: where other lanes have no values to lose they may change, and those
// that load do not.
func TestGatherAll(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	table, flat := memory(t, r, 2*pages.Bytes)
	for name, far := range gathers {
		for range 20 {
			m := r.Uint32() | 1
			rel := [lanes.Width]int32{}
			g := Gather{Lanes: m, All: true, Distances: &rel, Steps: [2]int32{-1, -1}}
			for lane := range rel {
				if lane > 0 {
					rel[lane] = int32(far(r, lane)-far(r, 0)) * 4
				}
				if m>>lane&1 != 0 {
					g.Low, g.High = min(g.Low, int64(rel[lane])), max(g.High, int64(rel[lane]))
				}
			}
			var d lanes.Slot
			at := uint64(-g.Low)
			g.FromPages(table, at, []*lanes.Slot{&d})
			for lane := range d {
				if m>>lane&1 != 0 && d[lane] != binary.LittleEndian.Uint32(flat[int(at)+int(rel[lane]):]) {
					t.Fatalf("%s: lanes %#x: lane %d has another word", name, m, lane)
				}
			}
		}
	}
}

// TestGatherEight: vectors of eight words are what it is not made for.
func TestGatherEight(t *testing.T) {
	table, _ := memory(t, rand.New(rand.NewPCG(1, 2)), 64)
	var rel [lanes.Width]int32
	rel[1] = 2 * pages.Bytes // in another page
	g := Gather{Lanes: 3, Distances: &rel, High: int64(rel[1])}
	if g.FromPages(table, 0, make([]*lanes.Slot, 8)) {
		t.Error("eight words are loaded")
	}
}

// TestSpread: each of spreads writes all lanes, and no more.
func TestSpread(t *testing.T) {
	for i, f := range spreads {
		d := new([3]lanes.Slot)
		f(&d[1], 0x12345678+uint32(i))
		want := new([3]lanes.Slot)
		for lane := range want[1] {
			want[1][lane] = 0x12345678 + uint32(i)
		}
		if *d != *want {
			t.Errorf("spread %d: %x", i, d)
		}
	}
}
