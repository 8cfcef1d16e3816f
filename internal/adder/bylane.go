package adder

import "math/bits"

// byLane are the designs of an SM whose histories have an entry for each lane: the warps
// share them, a word for each slice, or each has its own, a word for each slice and warp.
type byLane struct {
	designs   []laneDesign
	tables    *places
	predicted block
}

// laneDesign is one of them.
type laneDesign struct {
	point, table int
	peek, onMiss bool
	ofWarp       bool // each warp has a row
	untrusted    bool
	// told is told of predictions, nil but for the design that is counted by instruction.
	told     func(r *run, of *predictions)
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

// run has all of them predict, learn and pay.
func (l *byLane) run(r *run, at []int32) {
	for i := range l.designs {
		d := &l.designs[i]
		words := l.tables.tables[d.table].words[at[d.table]:]
		switch {
		case d.onMiss && r.opened == 0:
			continue // nothing is predicted, so that nobody is wrong, or learns
		case d.ofWarp:
			use.rows(r, words, &l.predicted, d.onMiss)
		case !d.onMiss:
			l.always(r, words)
		case r.predicted == 2:
			l.onMiss2(r, words)
		case r.predicted == 3:
			l.onMiss3(r, words)
		default:
			l.onMiss(r, words)
		}
		of := r.of(&l.predicted, d.peek)
		of.untrusted = d.untrusted
		use.pay(r, of, &d.accounts[r.kind])
		if d.told != nil {
			d.told(r, of)
		}
	}
}

// always: lanes that add learn. So slices have nothing to do with each other, and where all
// lanes add, an addition is predicted what the one before it was.
func (l *byLane) always(r *run, words []uint32) {
	lanes := r.lanes[0][:r.n]
	for i := range r.predicted {
		truth, guess := &r.truth[i], &l.predicted[i]
		p := words[i]
		if r.full {
			guess[0] = p
			copy(guess[1:], truth[:runLength-1])
			words[i] = truth[(r.n-1)&(runLength-1)]
			continue
		}
		for k, m := range lanes {
			guess[k&(runLength-1)] = p
			p ^= (p ^ truth[k&(runLength-1)]) & m
		}
		words[i] = p
	}
}

// rowsOf goes through the additions, each of which has the row of its warp.
func rowsOf(r *run, words []uint32, predicted *block, onMiss bool) {
	for k := range r.n {
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
func (l *byLane) onMiss2(r *run, words []uint32) {
	_ = words[1]
	p0, p1 := words[0], words[1]
	for k := range r.n {
		k &= runLength - 1
		l.predicted[0][k], l.predicted[1][k] = p0, p1
		e0, e1 := p0^r.truth[0][k], p1^r.truth[1][k]
		learn := e0&r.open[0][k] | e1&r.open[1][k]
		p0, p1 = p0^e0&learn, p1^e1&learn
	}
	words[0], words[1] = p0, p1
}

func (l *byLane) onMiss3(r *run, words []uint32) {
	_ = words[2]
	p0, p1, p2 := words[0], words[1], words[2]
	for k := range r.n {
		k &= runLength - 1
		l.predicted[0][k], l.predicted[1][k], l.predicted[2][k] = p0, p1, p2
		e0, e1, e2 := p0^r.truth[0][k], p1^r.truth[1][k], p2^r.truth[2][k]
		learn := e0&r.open[0][k] | e1&r.open[1][k] | e2&r.open[2][k]
		p0, p1, p2 = p0^e0&learn, p1^e1&learn, p2^e2&learn
	}
	words[0], words[1], words[2] = p0, p1, p2
}

// onMiss: lanes learn that peek and are wrong.
func (l *byLane) onMiss(r *run, words []uint32) {
	for k := range r.n {
		learn := uint32(0)
		for rest := r.opened; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros32(rest)
			p := words[i]
			l.predicted[i][k] = p
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
