package traffic

import (
	"math/rand/v2"
	"testing"

	"hyptx/internal/traffic/stream"
)

// TestBulk counts random bulk copies, against sets of bytes.
func TestBulk(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		reads, writes := NewFootprint(nothing), NewFootprint(nothing)
		kind := Kind(r.IntN(int(Reduce) + 1))
		n := NewCounter([]Site{{PC: 7, Kind: kind, Size: 1, Past: true}}, true, reads, writes)
		var want Sum
		touched := map[uint64]bool{}
		for range 1 + r.IntN(4) {
			var list []Stretch
			distinct, sectors := map[uint64]bool{}, map[uint64]bool{}
			for range 1 + r.IntN(5) {
				s := Stretch{uint64(1<<20 + r.IntN(4000)), uint64(1 + r.IntN(700))}
				list = append(list, s)
				want.Bytes += s.Bytes
				for at := s.Addr; at < s.Addr+s.Bytes; at++ {
					distinct[at], touched[at], sectors[at/32] = true, true, true
				}
			}
			want.Requests++
			want.UniqueBytes += uint64(len(distinct))
			want.Transactions += uint64(len(sectors))
			if err := n.Bulk(0, list, Object{}, &Warp{}); err != nil {
				t.Fatal(err)
			}
		}
		if got := n.Counts.Accesses[0].Spaces[Global]; got != want {
			t.Fatalf("%+v, by hand %+v", got, want)
		}
		of, other := reads, writes
		if kind != Load {
			of, other = writes, reads
		}
		of.Each(1<<20, 5000, func(off, bytes uint64) {
			for k := range bytes {
				if !touched[1<<20+off+k] {
					t.Fatalf("byte %d was not touched", off+k)
				}
			}
		})
		if of.Bytes() != uint64(len(touched)) || other.Bytes() != 0 {
			t.Fatalf("%d bytes, and %d of the other set; by hand %d", of.Bytes(), other.Bytes(), len(touched))
		}
	}
}

// TestBulkTrace: what a bulk copy tells, and who waits for it, stands in the traces of the
// warps: the second lane's copy of one instruction joins the first one's if both tell one
// object, and is left out with its event if it tells another; a wait names the events that
// came before its phase was complete, not those after.
func TestBulkTrace(t *testing.T) {
	c := &stream.CTA{Warps: make([][]stream.Word, 2)}
	c.Follow()
	n := NewCounter([]Site{{PC: 7, Kind: Load, Size: 1, Past: true}}, true, NewFootprint(nothing), NewFootprint(nothing))
	var first, second Warp
	first.Begin(0, c)
	second.Begin(1, c)
	bulk := func(addr, bytes, object uint64) {
		if err := n.Bulk(0, []Stretch{{addr, bytes}}, Object{object, true}, &first); err != nil {
			t.Fatal(err)
		}
	}
	c.Renew(64)
	c.Arrive(first.Trace, 5, 64, 0) // an event
	bulk(256, 160, 64)
	c.Told(64, 0) // another
	bulk(1024+64, 16, 64)
	c.Told(64, 1) // the same copy, by which the phase is complete
	bulk(2048, 16, 72)
	c.Told(72, 1) // in no trace
	c.Arrive(first.Trace, 6, 64, 1)
	c.Await(second.Trace, 9, 64)
	c.Await(second.Trace, 10, 72)
	type step struct {
		pc             uint32
		space          stream.StepSpace
		object, blocks int
	}
	want := [][]step{
		{{5, stream.ObjectStep, 1, 0}, {7, stream.BulkLoadStep, 1, 3}, {6, stream.ObjectStep, 1, 0}},
		{{9, stream.ObjectStep, 1, 1}, {10, stream.ObjectStep, 2, 1}},
	}
	var words []stream.Step
	for w, trace := range c.Traces {
		for i, k := 0, 0; i < len(trace); k++ {
			s := trace[i]
			if got := (step{s.PC(), s.Space(), s.Passes(), s.Touches()}); k >= len(want[w]) || got != want[w][k] {
				t.Fatalf("warp %d: step %d is %+v, want %+v", w, k, got, want[w])
			}
			words = append(words, trace[i+1:i+1+s.Touches()]...)
			i += 1 + s.Touches()
		}
	}
	for i, want := range [...]stream.Step{2<<8 | 0xff, 3<<8 | 0x11, 8<<8 | 4, 2 << 8, 0} {
		if words[i] != want {
			t.Errorf("word %d: %#x, by hand %#x", i, words[i], want)
		}
	}
}
