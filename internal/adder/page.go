package adder

import "math/bits"

// A page are additions of one kind that an SM made, to be paid together: what predictions cost
// does not depend on who else adds in between, so it is counted for all of a page at once,
// by vectors where the machine has them. What designs predict does: they go through the runs
// of a batch (batch.go).
type page struct {
	*run         // that which is worked on
	kind         Kind
	count        int // additions
	predicted    int // slices
	truth        block
	open         block // what peeking does not tell
	lanes        block // those that add, for all slices: the first row alone
	warps        [pageLength]uint32
	signA, signB [pageLength]uint32 // as in Vectors
	long         [pageLength]uint32 // of lanes that add
	// openedAll are the slices that peeking leaves open for some lane, a bit for each: designs
	// that peek look at no others.
	openedAll uint32
	guess     *block // what the design at work predicts
	alike     uint32 // additions that designs that share are predicted alike (sharing)
	asked     predictions
}

// pageLength is how many additions a page has at most: words of a vector of 512 bits.
const pageLength = 16

// block are masks of lanes by slice and addition.
type block [mostPredictions][pageLength]uint32

// all are all slices that are predicted, a bit for each.
func (r *page) all() (slices uint32) { return 1<<r.predicted - 1 }

// adds are the additions of threads.
func (r *page) adds() (n uint64) {
	for _, m := range r.lanes[0][:r.count] {
		n += popcount(m)
	}
	return n
}

// note counts what additions are, whatever the design.
func (r *page) note(w *Work) {
	n := r.adds()
	w.Adds += n
	w.Warps += uint64(r.count)
	w.Predictions += n * uint64(r.predicted)
	open := 0
	for rest := r.openedAll; rest != 0; rest &= rest - 1 {
		for _, o := range r.open[bits.TrailingZeros32(rest)%mostPredictions][:r.count] {
			open += bits.OnesCount32(o)
		}
	}
	w.Resolved += n*uint64(r.predicted) - uint64(open)
}

// predictions are those of a page: p are the lanes predicted to carry, where matter is what
// of them matters. Either may be the same for all slices, its first row.
type predictions struct {
	p, matter     *block
	same, sameToo bool // p, matter
	// slices are those that matter, a bit for each.
	slices uint32
	on     uint32 // the additions that count, a bit for each
	// untrusted: what peeking told does not compute again.
	untrusted bool
}

// of returns predictions of the page by a design that peeks or does not: until the next call.
func (r *page) of(peek bool) *predictions {
	if r.asked = (predictions{p: r.guess, matter: &r.open, slices: r.openedAll, on: 1<<r.count - 1}); !peek {
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

// pay counts what predictions of a page cost.
func pay(r *page, of *predictions, a *account) {
	if of.slices == 0 {
		return
	}
	pn, mn := rows(of.same), rows(of.sameToo)
	for on := of.on; on != 0; on &= on - 1 {
		k := bits.TrailingZeros32(on) % pageLength
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
