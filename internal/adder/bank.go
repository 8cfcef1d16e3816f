package adder

// bank are the designs of an SM whose slices have one width: those that have much in
// common together, the others one by one.
type bank struct {
	width   int
	desk    *desk
	tables  *places // these two are on the desk
	batch   *batch
	uniform uniformly
	shared  []*sharing
	byLane  byLane
	crfs    []*crf
	units   []unit // by point, nil for the others
	wrong   []*speculative
	// counts are by unit and kind, work by kind.
	counts [][Kinds]Counts
	work   [Kinds]Work
	x      Vectors
}

// desk is what a bank works with, and leaves to a bank of the same points on another SM.
type desk struct {
	places
	batch
}

// newBank returns a bank of points, whose desk may be that of a bank of the same before.
func newBank(w int, points []*Point, at *desk) *bank {
	b := &bank{width: w, desk: at, tables: &at.places, batch: &at.batch, units: make([]unit, len(points)), counts: make([][Kinds]Counts, len(points))}
	b.byLane.tables = b.tables
	for i, p := range points {
		m := makers[p.Design.Base]
		switch {
		case p.Arbitration != Ideal:
			b.crfs = append(b.crfs, newCRF(i, p, b.tables))
		case m.indexed && p.Design.Index.lanewise():
			b.byLane.take(i, p)
		case m.indexed:
			b.share(i, p)
		case m.unit != nil:
			b.units[i] = m.unit(p)
		case m.uniform != nil:
			b.uniform.take(i, p, m.uniform)
		default:
			b.wrong = append(b.wrong, &speculative{point: i, predictor: m.predictor(p), peek: p.Design.Peek})
		}
	}
	return b
}

// share adds a point whose lanes share an entry to those of its rule.
func (b *bank) share(number int, p *Point) {
	of := ruleOf(p)
	for _, s := range b.shared {
		if s.rule == of {
			s.take(number, p)
			return
		}
	}
	b.shared = append(b.shared, &sharing{rule: of, tables: b.tables})
	b.shared[len(b.shared)-1].take(number, p)
}

// add hands an addition to all designs: to most of them once a batch has come together.
func (b *bank) add(a *Add) {
	if b.batch.adds == batchAdds {
		b.flush()
	}
	x := &b.x
	x.set(b.width, a)
	for _, s := range b.wrong { // which ask for sums, that do not wait
		s.add(x, &b.counts[s.point][a.Kind])
	}
	b.batch.take(x, b.tables)
}

// flush has the designs that work on batches take the one that has come together.
func (b *bank) flush() {
	q := b.batch
	if q == nil || q.n == 0 {
		return
	}
	for i := range q.used {
		q.pages[i].note(&b.work[q.pages[i].kind])
	}
	for i, u := range b.units {
		if u != nil {
			u.work(q, &b.counts[i])
		}
	}
	for _, d := range b.uniform {
		d.work(q)
	}
	for _, s := range b.shared {
		s.work(q)
	}
	b.byLane.work(q)
	for _, f := range b.crfs {
		f.work(q, &b.counts[f.point])
	}
	q.clear()
}

// tell has a function told of the predictions of a point, one by lanes.
func (b *bank) tell(point int, told func(*page, *block)) {
	for i := range b.byLane.designs {
		if d := &b.byLane.designs[i]; d.point == point {
			d.told = told
		}
	}
}

// end has the last run worked on and counts what all designs have paid.
func (b *bank) end() {
	b.flush()
	settle := func(point int, of *[Kinds]account) {
		for k := range of {
			if point >= 0 {
				of[k].addTo(&b.counts[point][k])
			}
		}
	}
	for _, d := range b.uniform {
		settle(d.bare, &d.accounts[0])
		settle(d.peek, &d.accounts[1])
		clear(d.accounts[:])
	}
	for _, s := range b.shared {
		for i := range s.designs {
			d := &s.designs[i]
			settle(d.point, &s.agreed[d.peek])
			for k := range s.alone {
				s.alone[k][i].addTo(&b.counts[d.point][k])
				s.alone[k][i] = tally{}
			}
		}
		clear(s.agreed[:])
	}
	for i := range b.byLane.designs {
		d := &b.byLane.designs[i]
		settle(d.point, &d.accounts)
		clear(d.accounts[:])
	}
	for _, f := range b.crfs {
		settle(f.point, &f.accounts)
		clear(f.accounts[:])
		for k := range Kinds {
			b.counts[f.point][k].Reads = b.work[k].Warps // each addition reads a row
		}
	}
}

// forget drops everything but counts, and returns the desk, for another SM.
func (b *bank) forget() *desk {
	at := b.desk
	*b = bank{width: b.width, counts: b.counts, work: b.work}
	at.places.clear()
	return at
}

// endRound ends the clock in which additions of all sub-cores were made.
func (b *bank) endRound() {
	if q := b.batch; q.n > 0 {
		r := &q.runs[q.n-1]
		r.ends |= 1 << (r.n - 1)
		return
	}
	for _, f := range b.crfs {
		f.endRound()
	}
}
