package adder

import (
	"math/bits"
	"slices"
)

// byLane are the designs of an SM whose histories have an entry for each lane: the warps
// share them, a word for each slice, or each has its own, a word for each slice and warp.
type byLane struct {
	designs []laneDesign // those whose lanes always learn, and are the same in all warps, first
	always  int          // how many these are
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
	if d.ofWarp || d.onMiss {
		l.designs = append(l.designs, d)
		return
	}
	l.designs = slices.Insert(l.designs, l.always, d)
	l.always++
}

// work has all of them predict a batch and learn, and pay.
func (l *byLane) work(q *batch) {
	if l.always > 0 {
		q.follow()
	}
	for i := range l.designs {
		d := &l.designs[i]
		switch words := l.tables.words; {
		case d.ofWarp:
			d.rows(q, words)
		case d.onMiss:
			d.misses(q, words)
		default:
			d.learn(q, words)
		}
		if d.told != nil {
			for n := range q.n {
				d.told(q.visit(n), q.runs[n].page.guess)
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

// follow predicts of each addition what the one before it was.
func (q *batch) follow() {
	for i := range q.used {
		p := &q.pages[i]
		for s := range p.predicted {
			copy(p.guess[s][1:], p.truth[s][:])
		}
	}
}

// learn is of designs whose lanes that add learn. So slices have nothing to do with each other, and
// where the same lanes add in all of a run, an addition is predicted what the one before it was
// (follow), but the first.
func (d *laneDesign) learn(q *batch, words []uint32) {
	for n := range q.n {
		r := &q.runs[n]
		p := r.page
		entry := words[r.at[d.table]:][:p.predicted]
		if r.any != r.every {
			p.run = r
			p.always(entry, p.guess)
			continue
		}
		from, last := r.from&(pageLength-1), (r.n-1)&(pageLength-1)
		for i, was := range entry {
			p.guess[i][from] = was
			entry[i] = was ^ (was^p.truth[i][last])&r.every
		}
	}
}

// rows is of designs in which each warp has a row.
func (d *laneDesign) rows(q *batch, words []uint32) {
	for n := range q.n {
		if r := &q.runs[n]; !d.onMiss || r.opened != 0 { // else nobody is wrong, or learns
			use.rows(q.visit(n), words, int(r.at[d.table]), r.page.guess, d.onMiss)
		}
	}
}

// misses is of designs whose lanes learn where they are wrong.
func (d *laneDesign) misses(q *batch, words []uint32) {
	for n := range q.n {
		r := &q.runs[n]
		if r.opened == 0 {
			continue // nothing is predicted, so that nobody is wrong, or learns
		}
		p, entry := q.visit(n), words[r.at[d.table]:]
		switch p.predicted {
		case 2:
			p.onMiss2(entry, p.guess)
		case 3:
			p.onMiss3(entry, p.guess)
		default:
			p.onMiss(entry, p.guess)
		}
	}
}

// always is learn of a run in which not all additions are of the same lanes.
func (r *page) always(words []uint32, predicted *block) {
	for i, p := range words {
		truth, guess := r.truth[i][r.from:r.n], predicted[i][r.from:r.n]
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
