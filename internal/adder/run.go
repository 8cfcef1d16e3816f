package adder

import "math/bits"

// A run are additions that follow each other on an SM and are of one instruction: warps
// that are in step give long ones. Its designs are worked on a run at a time, so that what
// one keeps lies in registers, and what predictions cost is counted for all additions at
// once, by vectors where the machine has them.
type run struct {
	At
	kind      Kind
	n         int // additions
	predicted int // slices
	truth     block
	open      block // what peeking does not tell
	lanes     block // those that add, for all slices: the first row alone
	warps     [runLength]uint32
	ends      uint32 // additions behind which a round ends
	// opened are the slices that peeking leaves open for some lane, a bit for each: designs that
	// peek look at no others. full: all lanes add. inStep: warps follow each other, all
	// in one vector of a row of them (byLane).
	opened       uint32
	full, inStep bool
	asked        predictions
}

// runLength is how many additions a run has at most: words of a vector of 512 bits.
const runLength = 16

// block are masks of lanes by slice and addition.
type block [mostPredictions][runLength]uint32

// continues reports whether an addition may go on with the run.
func (r *run) continues(a *Add) bool {
	return r.n > 0 && r.n < runLength && r.At == a.At && r.kind == a.Kind
}

// take adds an addition.
func (r *run) take(x *Vectors) {
	k := r.n % runLength
	if k == 0 {
		r.At, r.kind, r.predicted, r.ends = x.At, x.Kind, x.Predicted, 0
	}
	for i, t := range x.True[:x.Predicted] {
		r.truth[i][k], r.open[i][k] = t, x.Open[i]
	}
	r.lanes[0][k], r.warps[k] = x.Mask, x.Warp
	r.n++
}

// settle works out, once all additions are taken, what designs ask of them together.
func (r *run) settle() {
	r.opened, r.full, r.inStep = 0, true, true
	lanes, warps := &r.lanes[0], &r.warps
	for k := range r.n {
		r.full = r.full && lanes[k&(runLength-1)] == ^uint32(0)
		r.inStep = r.inStep && warps[k&(runLength-1)] == warps[0]+uint32(k)
	}
	clear(lanes[r.n:])
	r.inStep = r.inStep && warps[0]%smWarps <= smWarps-runLength
	for i := range r.predicted {
		any := uint32(0)
		for _, o := range r.open[i][:r.n] {
			any |= o
		}
		if any != 0 {
			r.opened |= 1 << i
		}
	}
}

// all are all slices that are predicted, a bit for each.
func (r *run) all() (slices uint32) { return 1<<r.predicted - 1 }

// predictions are those of a run: p are the lanes predicted to carry, where matter is what
// of them matters. Either may be the same for all slices, its first row.
type predictions struct {
	p, matter     *block
	same, sameToo bool // p, matter
	// slices are those that matter, a bit for each.
	slices   uint32
	from, to int // the additions that count
	// untrusted: what peeking told does not compute again.
	untrusted bool
}

// of returns predictions of the run by a design that peeks or does not: until the next call.
func (r *run) of(p *block, peek bool) *predictions {
	if r.asked = (predictions{p: p, matter: &r.open, slices: r.opened, to: r.n}); !peek {
		r.asked.matter, r.asked.sameToo, r.asked.slices = &r.lanes, true, r.all()
	}
	return &r.asked
}

// account sums up what predictions of a design cost: additions of threads that mispredict,
// slices that compute again, predictions that are wrong, each in eight words that vectors
// sum side by side; and additions of warps that have any.
type account struct {
	missed, again, wrong [8]uint64
	stalled              uint64
}

// addTo counts it.
func (a *account) addTo(c *Counts) {
	for i := range a.missed {
		c.Mispredicted += a.missed[i]
		c.Recomputed += a.again[i]
		c.SliceMisses += a.wrong[i]
	}
	c.Stalled += a.stalled
}

// pay counts what predictions of a run cost.
func pay(r *run, of *predictions, a *account) {
	if of.slices == 0 {
		return
	}
	pn, mn := rows(of.same), rows(of.sameToo)
	for k := of.from; k < of.to; k++ {
		missed := uint32(0) // lanes with a wrong prediction in a slice up to this one
		var again, wrong int
		for i := range r.predicted {
			d := uint32(0)
			if of.slices>>i&1 != 0 {
				d = (of.p[i&pn][k] ^ r.truth[i][k]) & of.matter[i&mn][k]
			}
			if missed |= d; missed == 0 {
				continue
			}
			behind := missed
			if of.untrusted {
				behind &= r.open[i][k]
			}
			wrong += bits.OnesCount32(d)
			again += bits.OnesCount32(behind)
		}
		if missed != 0 {
			a.missed[0] += popcount(missed)
			a.again[0] += uint64(again)
			a.wrong[0] += uint64(wrong)
			a.stalled++
		}
	}
}

// rows masks the rows of a block: all, or the first for each.
func rows(same bool) int {
	if same {
		return 0
	}
	return mostPredictions
}
