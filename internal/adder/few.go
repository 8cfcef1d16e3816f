package adder

import "math/bits"

// Most additions are of 32 bits, with two or three predictions (fp32, int32). What the
// designs do that have no memo is written out for these: it is what the time goes to.

// two counts wrong predictions of two slices.
func (c *Counts) two(d0, d1 uint32) {
	missed := d0 | d1
	if missed == 0 {
		return
	}
	n0, n := bits.OnesCount32(d0), bits.OnesCount32(missed)
	c.Mispredicted += uint64(n)
	c.Recomputed += uint64(n0 + n)
	c.SliceMisses += uint64(n0 + bits.OnesCount32(d1))
	c.Stalled++
}

// three counts those of three.
func (c *Counts) three(d0, d1, d2 uint32) {
	two := d0 | d1
	missed := two | d2
	if missed == 0 {
		return
	}
	n0, n := bits.OnesCount32(d0), bits.OnesCount32(missed)
	c.Mispredicted += uint64(n)
	c.Recomputed += uint64(n0 + bits.OnesCount32(two) + n)
	c.SliceMisses += uint64(n0 + bits.OnesCount32(d1) + bits.OnesCount32(d2))
	c.Stalled++
}

// uniform is a predictor that predicts the same of all slices of a lane.
type uniform interface {
	Predictor
	// guess returns the lanes whose slices are predicted to carry, and learns.
	guess(x *Vectors) uint32
}

// uniformly is a design of such a predictor.
type uniformly struct {
	speculative
	predictor uniform
}

func (u *uniformly) add(x *Vectors, c *Counts) {
	open := &x.All
	if u.peek {
		open = &x.Open
	}
	switch {
	case x.Predicted == 2 && !u.untrusted:
		p := u.predictor.guess(x)
		c.two((p^x.True[0])&open[0], (p^x.True[1])&open[1])
	case x.Predicted == 3 && !u.untrusted:
		p := u.predictor.guess(x)
		c.three((p^x.True[0])&open[0], (p^x.True[1])&open[1], (p^x.True[2])&open[2])
	default:
		u.speculative.add(x, c)
	}
}

// perLane is a design of a history by lanes.
type perLane struct {
	speculative
	history *lanewise
}

func (u *perLane) add(x *Vectors, c *Counts) {
	if u.untrusted {
		u.speculative.add(x, c)
		return
	}
	open := &x.All
	if u.peek {
		open = &x.Open
	}
	row := u.history.of(x)
	if x.Predicted < 2 || x.Predicted > 3 {
		u.each(x, c, open, row)
		return
	}
	p0, p1, t0, t1 := row[0], row[1], x.True[0], x.True[1]
	d0, d1 := (p0^t0)&open[0], (p1^t1)&open[1]
	u.predicted[0], u.predicted[1] = p0, p1 // who counts by instruction reads them
	learn := x.Mask
	if x.Predicted == 2 {
		if u.history.onMiss {
			learn = d0 | d1
		}
		c.two(d0, d1)
	} else {
		p2, t2 := row[2], x.True[2]
		d2 := (p2 ^ t2) & open[2]
		if u.history.onMiss {
			learn = d0 | d1 | d2
		}
		c.three(d0, d1, d2)
		u.predicted[2] = p2
		row[2] = p2&^learn | t2&learn
	}
	row[0], row[1] = p0&^learn|t0&learn, p1&^learn|t1&learn
}

// each is add of any number of predictions.
func (u *perLane) each(x *Vectors, c *Counts, open *Masks, row []uint32) {
	n := len(row)
	truth, guess := x.True[:n:n], u.predicted[:n:n]
	copy(guess, row)
	missed := x.missed(c, row, open)
	learn := x.Mask
	if u.history.onMiss {
		learn = missed
	}
	if learn == 0 {
		return
	}
	for i, p := range row {
		row[i] = p&^learn | truth[i]&learn
	}
}

// missed counts predictions of which all that are wrong compute again, and returns the lanes
// that have any.
func (x *Vectors) missed(c *Counts, predicted []uint32, open *Masks) (missed uint32) {
	n := len(predicted)
	truth, matter := x.True[:n:n], open[:n:n]
	wrong, recomputed := 0, 0
	for i, p := range predicted {
		d := (p ^ truth[i]) & matter[i]
		if missed |= d; missed != 0 {
			wrong += bits.OnesCount32(d)
			recomputed += bits.OnesCount32(missed) // with those that were wrong in a slice below
		}
	}
	if missed != 0 {
		c.Mispredicted += uint64(bits.OnesCount32(missed))
		c.Recomputed += uint64(recomputed)
		c.SliceMisses += uint64(wrong)
		c.Stalled++
	}
	return missed
}

// inTurn is what history.inTurn and counting come to: each lane that is wrong is a step,
// and what it writes is the next entry. The lanes that are wrong with an entry are found
// once an addition. peek: what operands tell is not predicted.
func (x *Vectors) inTurn(entry uint32, peek bool) outcome {
	n := x.Predicted
	own := uint32(1)<<n - 1
	o := outcome{addition: x.addition}
	open, known := &x.All, &x.wrong[0]
	if peek {
		open, known = &x.Open, &x.wrong[1]
	}
	for rest := ^uint32(0); ; {
		w := &known[entry%memoEntries]
		if w.addition != x.addition {
			w.addition, w.lanes = x.addition, x.wrongWith(entry, open)
		}
		m := w.lanes & rest
		if m == 0 {
			break
		}
		lane := bits.TrailingZeros32(m)
		rest = ^uint32(1) << lane
		truth := x.True[0]>>lane&1 | x.True[1]>>lane&1<<1 | x.True[2]>>lane&1<<2
		matter := open[0]>>lane&1 | open[1]>>lane&1<<1 | open[2]>>lane&1<<2
		for i := 3; i < n; i++ {
			truth |= x.True[i] >> lane & 1 << i
			matter |= open[i] >> lane & 1 << i
		}
		d := (entry ^ truth) & matter & own
		o.missed++
		o.recomputed += uint16(n - bits.TrailingZeros32(d))
		o.wrong += uint16(bits.OnesCount32(d))
		entry = truth & own
	}
	o.entry = uint16(entry)
	return o
}

// wrongLanes are the lanes that an entry predicts wrong, of an addition.
type wrongLanes struct {
	addition uint64
	lanes    uint32
}

// wrongWith finds them.
func (x *Vectors) wrongWith(entry uint32, open *Masks) (lanes uint32) {
	n := x.Predicted
	truth, matter := x.True[:n:n], open[:n:n]
	for i, t := range truth {
		lanes |= (everywhere(entry, i) ^ t) & matter[i]
	}
	return lanes
}
