package adder

// byLane are the designs of an SM whose histories have an entry for each lane: the warps
// share them, or each has its own. A row is a word for each slice, or that for each warp.
type byLane struct {
	designs   []laneDesign
	tables    *places
	stride    int // predictions of the general adder
	predicted block
}

// laneDesign is one of them.
type laneDesign struct {
	point, table int
	peek, onMiss bool
	warps        uint32 // all bits if each warp has a row
	untrusted    bool
	// told is told of predictions, nil but for the design that is counted by instruction.
	told     func(r *run, of *predictions)
	accounts [Kinds]account
}

// take adds a point.
func (l *byLane) take(number int, p *Point) {
	d := laneDesign{point: number, peek: p.Design.Peek, onMiss: p.Update == OnMiss && p.Design.Peek, untrusted: p.Untrusted && p.Design.Peek}
	size := l.stride
	if p.Design.Index.Thread {
		d.warps = smWarps - 1
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
		case !d.onMiss:
			l.always(d, r, words)
		case d.warps == 0 && r.predicted == 2:
			l.onMiss2(r, words)
		case d.warps == 0 && r.predicted == 3:
			l.onMiss3(r, words)
		default:
			l.onMiss(d, r, words)
		}
		of := r.of(&l.predicted, d.peek)
		of.untrusted = d.untrusted
		use.pay(r, of, &d.accounts[r.kind])
		if d.told != nil {
			d.told(r, of)
		}
	}
}

// always: lanes that add learn. So slices have nothing to do with each other.
func (l *byLane) always(d *laneDesign, r *run, words []uint32) {
	lanes := r.lanes[0][:r.n]
	for i := range r.predicted {
		truth, guess := &r.truth[i], &l.predicted[i]
		if d.warps == 0 {
			p := words[i]
			for k, m := range lanes {
				guess[k&(runLength-1)] = p
				p ^= (p ^ truth[k&(runLength-1)]) & m
			}
			words[i] = p
			continue
		}
		for k, m := range lanes {
			p := &words[int(r.warps[k&(runLength-1)]&d.warps)*l.stride+i]
			guess[k&(runLength-1)] = *p
			*p ^= (*p ^ truth[k&(runLength-1)]) & m
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
func (l *byLane) onMiss(d *laneDesign, r *run, words []uint32) {
	for k := range r.n {
		row := words[int(r.warps[k]&d.warps)*l.stride:][:r.predicted]
		learn := uint32(0)
		for i, p := range row {
			l.predicted[i][k] = p
			learn |= (p ^ r.truth[i][k]) & r.open[i][k]
		}
		if learn == 0 {
			continue
		}
		for i, p := range row {
			row[i] = p ^ (p^r.truth[i][k])&learn
		}
	}
}
