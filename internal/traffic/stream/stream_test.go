package stream

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func inOrder(n int64) int64 { return n }

// decoded returns the cells of the first request of a stream; bytes only where
// they matter.
func decoded(c *CTA, words []Word) (cells []Cell) {
	head, parts := words[0], words[:1]
	switch n := Length(words); {
	case n == 2:
		parts = c.shapes.known.Shape(uint32(words[1]))
	case n > 2:
		parts = words[2:n]
	}
	for len(parts) > 0 {
		part := head
		if !head.Single() {
			part = head.Part(parts[0])
		}
		parts = parts[1:]
		var masks Masks
		if head.Kind() == StorePart {
			parts = parts[copy(masks[:], parts):]
		}
		for n := range uint(BlockSectors) {
			if part.Sectors()>>n&1 != 0 {
				cells = append(cells, Cell{BlockSectors*part.Block() + uint64(n), masks.Sector(n)})
			}
		}
	}
	return cells
}

// TestAdd: what stands in a stream is what was added, from wherever its cells
// count, with room for its shape and without.
func TestAdd(t *testing.T) {
	for _, room := range []int{0, 500, maxShapeWords} {
		r := rand.New(rand.NewPCG(7, uint64(room)))
		q := NewQueue(nil, inOrder)
		q.shapes.most = room
		spelt, numbered := 0, 0
		for range 300 {
			var rel []Cell
			at := uint64(r.IntN(200)) - 100 // modulo 2^64
			for range 1 + r.IntN(40) {
				rel = append(rel, Cell{at, r.Uint32()})
				at += 1 + uint64(r.IntN(1<<r.IntN(10)))
			}
			var forms Forms
			c := q.CTA(0, 1)
			for range 12 {
				kind, base := Kind(r.IntN(5)), uint64(1000+r.IntN(8))
				var want []Cell
				for _, cell := range rel {
					cell.Sector += base
					if kind != StorePart {
						cell.Bytes = 0
					}
					want = append(want, cell)
				}
				before := len(c.Warps[0])
				if err := c.Add(0, kind, false, base, rel, &forms); err != nil {
					t.Fatal(err)
				}
				words := c.Warps[0][before:]
				if Length(words) != len(words) || words[0].Kind() != kind {
					t.Fatalf("%x: length %d, kind %d", words, Length(words), words[0].Kind())
				}
				if got := decoded(c, words); !slices.Equal(got, want) {
					t.Fatalf("room %d: %v, want %v", room, got, want)
				}
				if len(words) > 2 {
					spelt++
				} else if len(words) == 2 {
					numbered++
				}
			}
			c.Release()
		}
		if room == 0 && numbered > 0 || room > 500 && spelt > 0 || room > 0 && numbered == 0 || room <= 500 && spelt == 0 {
			t.Errorf("room %d: %d shapes spelt out, %d by number", room, spelt, numbered)
		}
	}
}

// TestLocal: local memory lies in the window of its warp, and where its CTA is.
func TestLocal(t *testing.T) {
	c := NewQueue(nil, inOrder).CTA(5, 4)
	if err := c.Add(3, Store, true, 7+1<<40, []Cell{{Sector: 1}}, &Forms{}); err != nil {
		t.Fatal(err)
	}
	w := c.Warps[3][0]
	if want := uint64(1<<55 + 3<<17 + 2); !w.Local() || w.Block() != want || w.Place(2).Block() != want+2<<25 {
		t.Errorf("block %#x, moved %#x; want %#x", w.Block(), w.Place(2).Block(), want)
	}
	if head(Load, 1<<54).Local() {
		t.Error("a global block is local")
	}
}

// TestTooFar: addresses that a word has no room for are an error.
func TestTooFar(t *testing.T) {
	c := NewQueue(nil, inOrder).CTA(9, 1)
	for last, fits := range map[uint64]bool{1<<57 - 5: true, 1<<57 - 4: false, 1 << 58: false} {
		err := c.Add(0, Load, false, 0, []Cell{{Sector: 0}, {Sector: last}}, &Forms{})
		if fits && err != nil || !fits && (err == nil || !strings.Contains(err.Error(), "CTA 9: the block of 128 bytes from 0x")) {
			t.Errorf("sector %#x: %v", last, err)
		}
	}
}

// TestQueue: CTAs are handed over in the order of the launch, whoever ends first,
// and used again when nobody keeps them.
func TestQueue(t *testing.T) {
	order := []int64{4, 2, 7, 1, 9}
	var got []int64
	var kept *CTA
	q := NewQueue(func(c *CTA) error {
		if got = append(got, c.Linear); c.Linear == 7 {
			c.Keep()
			kept = c
		}
		return nil
	}, func(n int64) int64 { return order[n] })
	for _, linear := range []int64{7, 1, 4, 9, 2} {
		if err := q.Done(q.CTA(linear, 2)); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got, order) {
		t.Errorf("handed over %v, want %v", got, order)
	}
	if n := len(q.idle); n != 3 { // the fourth was 4, then 9
		t.Errorf("%d CTAs are free, want 3", n)
	}
	if kept.Release(); len(q.idle) != 4 {
		t.Errorf("%d CTAs are free, want 4", len(q.idle))
	}
}
