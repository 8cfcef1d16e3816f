package adder

import "math/bits"

// byLane are the designs of an SM whose histories have an entry for each lane: the warps
// share them, a word for each slice, or each has its own, a word for each slice and warp.
type byLane struct {
	designs []laneDesign
	tables  *places
}

// laneDesign is one of them.
type laneDesign struct {
	point, table int
	peek, onMiss bool
	ofWarp       bool // each warp has a row
	untrusted    bool
	// told is told of predictions, nil but for the design that is counted by instruction.
	told     func(r *page, predicted *block)
	accounts [Kinds]account
}

// take adds a point.
func (l *byLane) take(number int, p *Point) {
	d := laneDesign{point: number, peek: p.Design.Peek, onMiss: p.Update == OnMiss && p.Design.Peek,
		ofWarp: p.Design.Index.Thread, untrusted: p.Untrusted && p.Design.Peek}
	size := generalBits/p.Width - 1
	if d.ofWarp {
		size *= smWarps
	}
	d.table = l.tables.add(p.Design.Index, size)
	l.designs = append(l.designs, d)
}

// work has all of them predict a batch and learn, and pay.
func (l *byLane) work(q *batch) {
	for i := range l.designs {
		d := &l.designs[i]
		for n := range q.n {
			p := q.visit(n)
			d.run(p, l.tables.words)
			if d.told != nil {
				d.told(p, p.guess)
			}
		}
		for n := range q.used {
			p := &q.pages[n]
			of := p.of(d.peek)
			of.untrusted = d.untrusted
			use.pay(p, of, &d.accounts[p.kind])
		}
	}
}

// run predicts a run and learns.
func (d *laneDesign) run(r *page, words []uint32) {
	row, guess := int(r.at[d.table]), r.guess
	switch {
	case d.onMiss && r.opened == 0: // nothing is predicted, so that nobody is wrong, or learns
	case d.ofWarp:
		use.rows(r, words, row, guess, d.onMiss)
	case !d.onMiss:
		r.always(words[row:], guess)
	case r.predicted == 2:
		r.onMiss2(words[row:], guess)
	case r.predicted == 3:
		r.onMiss3(words[row:], guess)
	default:
		r.onMiss(words[row:], guess)
	}
}

// always: lanes that add learn. So slices have nothing to do with each other, and where all
// lanes add, an addition is predicted what the one before it was.
func (r *page) always(words []uint32, predicted *block) {
	words = words[:r.predicted]
	if k := r.from; r.n == k+1 {
		for i, p := range words {
			predicted[i][k] = p
			words[i] = p ^ (p^r.truth[i][k])&r.lanes[0][k]
		}
		return
	}
	for i, p := range words {
		truth, guess := r.truth[i][r.from:r.n], predicted[i][r.from:r.n]
		if r.full() {
			guess[0] = p
			copy(guess[1:], truth)
			words[i] = truth[len(truth)-1]
			continue
		}
		for k, m := range r.lanes[0][r.from:r.n] {
			guess[k] = p
			p ^= (p ^ truth[k]) & m
		}
		words[i] = p
	}
}

// rowsOf goes through the additions, each of which has the row of its warp.
func rowsOf(r *page, words []uint32, at int, predicted *block, onMiss bool) {
	words = words[at:]
	for k := r.from; k < r.n; k++ {
		k &= pageLength - 1
		of := words[r.warps[k]%smWarps:]
		learn := r.lanes[0][k]
		if onMiss {
			missed := uint32(0)
			for rest := r.opened; rest != 0; rest &= rest - 1 {
				i := bits.TrailingZeros32(rest)
				missed |= (of[i*smWarps] ^ r.truth[i][k]) & r.open[i][k]
			}
			learn = missed
		}
		for i := range r.predicted {
			p := &of[i*smWarps]
			predicted[i][k] = *p
			*p ^= (*p ^ r.truth[i][k]) & learn
		}
	}
}

// onMiss2 and onMiss3 are of the adders of 24 and of 32 bits, whose entries all warps
// share: most additions.
func (r *page) onMiss2(words []uint32, predicted *block) {
	_ = words[1]
	p0, p1 := words[0], words[1]
	for k := r.from; k < r.n; k++ {
		k &= pageLength - 1
		predicted[0][k], predicted[1][k] = p0, p1
		e0, e1 := p0^r.truth[0][k], p1^r.truth[1][k]
		learn := e0&r.open[0][k] | e1&r.open[1][k]
		p0, p1 = p0^e0&learn, p1^e1&learn
	}
	words[0], words[1] = p0, p1
}

func (r *page) onMiss3(words []uint32, predicted *block) {
	_ = words[2]
	p0, p1, p2 := words[0], words[1], words[2]
	for k := r.from; k < r.n; k++ {
		k &= pageLength - 1
		predicted[0][k], predicted[1][k], predicted[2][k] = p0, p1, p2
		e0, e1, e2 := p0^r.truth[0][k], p1^r.truth[1][k], p2^r.truth[2][k]
		learn := e0&r.open[0][k] | e1&r.open[1][k] | e2&r.open[2][k]
		p0, p1, p2 = p0^e0&learn, p1^e1&learn, p2^e2&learn
	}
	words[0], words[1], words[2] = p0, p1, p2
}

// onMiss: lanes learn that peek and are wrong.
func (r *page) onMiss(words []uint32, predicted *block) {
	for k := r.from; k < r.n; k++ {
		learn := uint32(0)
		for rest := r.opened; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros32(rest)
			p := words[i]
			predicted[i][k] = p
			learn |= (p ^ r.truth[i][k]) & r.open[i][k]
		}
		if learn == 0 {
			continue
		}
		for i := range r.predicted {
			words[i] ^= (words[i] ^ r.truth[i][k]) & learn
		}
	}
}
