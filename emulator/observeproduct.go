package emulator

import (
	"fmt"
	"math"

	"hyptx/emulator/internal/descriptor"
	"hyptx/internal/observe"
	"hyptx/ir/isa"
)

// Of products that read matrices in shared memory, and of those whose result lies in tensor memory, the registers
// do not say whether a NaN was made or was there before: the elements of the matrices have to be looked
// at, those of a wgmma where it has shown that its results are not all numbers, those of a tcgen05.mma for each
// element of D that is none.

// groupFactors returns what the matrices have that a warp's part of a wgmma reads of shared memory, and the first
// element of each that is no number.
func (w *warp) groupFactors(in *inst, x *isa.Inst, m uint32) (had observe.Classes, odd []observe.Value) {
	g, types := in.multiply.group, x.Matrices()
	size := g.bits / 8
	matrix := func(name string, of *descriptor.Matrix, t isa.Type, first, rows, bytes int) {
		found := false
		for row := first; row < first+rows && observe.Looked(t); row++ {
			for k := range bytes / size {
				at := of.At(row, k*size)
				if of.Transposed() {
					at = of.At(k, row*size)
				}
				v := observe.Word(t, fmt.Sprintf("%s[%d][%d]", name, row, k), w.snapshot(nil, 0, isa.Shared, uint64(at), size))
				var c observe.Classes
				if c.Add(v.Type, v.Bits); c != (observe.Classes{}) && !found {
					odd, found = append(odd, v), true
				}
				had.Add(v.Type, v.Bits)
			}
		}
	}
	if len(g.a) == 0 {
		a := descriptor.Warpgroup(w.uniformWide(in, g.descA, m), g.mnA)
		matrix("A", &a, types[1], w.number%groupWarps*16, 16, g.bytesA)
	}
	b := descriptor.Warpgroup(w.uniformWide(in, g.descB, m), g.mnB)
	matrix("B", &b, types[2], 0, len(g.d)/g.per*8, g.bytesB)
	return had, odd
}

// groupAdds reports whether the sum of a wgmma counts, which its registers show whatever they hold.
func (w *warp) groupAdds(in *inst, m uint32) bool {
	return w.pred(in.multiply.group.add, in.multiply.group.addFlip)&m != 0
}

// productWatch is a tcgen05.mma of whose results somebody asks which are no numbers.
type productWatch struct {
	of     *observed
	floats *observe.Floats
}

// execProductObserved runs a tcgen05.mma whose results are looked at.
func execProductObserved(w *warp, in *inst, m uint32) {
	o := &w.worker.prog.observed[in.index]
	if l := w.worker.launch; l.Observer != nil && l.Observer.Floats != nil && !l.Observer.Floats.Done() {
		w.worker.watched = &productWatch{o, l.Observer.Floats}
	}
	w.execWatched(in, o, m)
	w.worker.watched = nil
}

// look looks at an element of D, of row i and column j: what lies in its cell, and what it was added to.
func (p *productWatch) look(w *warp, s *productShape, thread, lane, i, j int, old, now uint32, adds bool) {
	results, had := observe.Classes{}, observe.Classes{}
	if results.Add(s.d, [2]uint64{uint64(now)}); results == (observe.Classes{}) || !p.floats.Wants(results) {
		return
	}
	var reads []observe.Value
	sp := w.worker.product
	factors := func(name string, of []float64) {
		for k, x := range of {
			if !math.IsNaN(x) && !math.IsInf(x, 0) {
				continue
			}
			v := observe.Value{Name: fmt.Sprintf("%s[%d]", name, k), Reg: -1, Type: isa.F32, Bits: [2]uint64{uint64(math.Float32bits(float32(x)))}}
			had.Add(v.Type, v.Bits)
			reads = append(reads, v)
			return
		}
	}
	factors(fmt.Sprintf("A[%d]", i), sp.a[i*s.stored:][:s.stored])
	factors(fmt.Sprintf("B[%d]", j), sp.b[j*s.k:][:s.k])
	if s.vec > 0 {
		factors(fmt.Sprintf("scales of A[%d]", i), sp.factorA[i*4:][:s.vec])
		factors(fmt.Sprintf("scales of B[%d]", j), sp.factorB[lane/32][j*4:][:s.vec])
	}
	place := fmt.Sprintf("D[%d][%d]", i, j)
	if adds {
		v := observe.Value{Name: place, Reg: -1, Type: s.d, Bits: [2]uint64{uint64(old)}}
		had.Add(v.Type, v.Bits)
		reads = append(reads, v)
	}
	if !p.floats.News(results, had) {
		return
	}
	p.floats.Look(&observe.Step{
		Place: w.threadAt(&p.of.step, thread), Depth: w.frame.depth, Executed: true, Ended: true, Reads: reads,
		Writes: []observe.Value{{Name: place, Reg: -1, Type: s.d, Bits: [2]uint64{uint64(now)}}},
	}, results, had)
}
