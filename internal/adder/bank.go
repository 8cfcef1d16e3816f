package adder

import "math/bits"

// bank are the designs of an SM whose slices have one width.
type bank struct {
	width int
	signs bool
	units []unit
	crfs  []*crf // those of units that end rounds
	// counts are by unit and kind, work by kind.
	counts [][Kinds]Counts
	work   [Kinds]Work
	x      Vectors
}

// newBank returns a bank of points.
func newBank(w int, points []*Point) *bank {
	b := &bank{width: w, units: make([]unit, len(points)), counts: make([][Kinds]Counts, len(points))}
	for i, p := range points {
		m := makers[p.Design.Base]
		b.signs = b.signs || m.signs
		switch {
		case p.Arbitration != Ideal:
			f := &crf{arbitration: p.Arbitration, lots: splitmix(p.Seed), peek: p.Design.Peek, untrusted: p.Untrusted}
			f.history = newRows(p.Design.Index, generalBits/p.Width-1)
			b.units[i], b.crfs = f, append(b.crfs, f)
		case m.unit != nil:
			b.units[i] = m.unit(p)
		default:
			s := speculative{predictor: m.predictor(p), peek: p.Design.Peek, untrusted: p.Untrusted, uncorrected: m.uncorrected}
			b.units[i] = s.unit()
		}
	}
	return b
}

// unit returns the unit that is quick for the predictor.
func (s *speculative) unit() unit {
	switch p := s.predictor.(type) {
	case *shared:
		return newSharing(*s, p)
	case *lanewise:
		return &perLane{*s, p}
	case uniform:
		if !s.uncorrected {
			return &uniformly{*s, p}
		}
	}
	return s
}

// add hands an addition to all designs.
func (b *bank) add(a *Add) {
	x := &b.x
	x.set(b.width, a, b.signs)
	n := popcount(a.Mask)
	w := &b.work[a.Kind]
	w.Adds += n
	w.Warps++
	w.Predictions += n * uint64(x.Predicted)
	open := 0
	for _, o := range x.Open[:x.Predicted] {
		open += bits.OnesCount32(o)
	}
	w.Resolved += n*uint64(x.Predicted) - uint64(open)
	for i, u := range b.units {
		u.add(x, &b.counts[i][a.Kind])
	}
}

// endRound ends the clock in which additions of all sub-cores were made.
func (b *bank) endRound() {
	for _, f := range b.crfs {
		f.endRound()
	}
}
