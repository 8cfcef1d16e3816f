package adder

import "math/bits"

// sharing are designs of an SM whose histories have one entry for all lanes of a warp, and
// that have a rule in common: they differ in how an entry is found. Where an addition meets
// the same entry in all of them, it does the same in all; and after the first additions of
// a run it nearly always does: what lanes write depends little on what was there. So it
// is worked out once, and paid by all.
type sharing struct {
	rule    rule
	tables  *places
	designs []sharedDesign
	// agreed is what all of them pay alike.
	agreed [Kinds]account
	// seen are the bits of an entry that anything depends on in a run: where designs peek and
	// learn from what they miss, those of slices that peeking leaves open for some lane. An entry
	// is written where a lane misses, and then as a whole: designs that agree in these bits
	// do the same, and keep their other bits until they agree in all.
	seen uint32
	// predicted are what lanes are predicted where designs agree.
	predicted block
	// known is what an addition does, by entry, for designs that do not agree; addition
	// numbers additions.
	known    [knownEntries]outcome
	addition uint64
}

// rule is what says what an addition does with an entry.
type rule struct{ peek, onMiss, parallel, untrusted bool }

// sharedDesign is one of them.
type sharedDesign struct {
	point, table int
	entry        uint32         // at work
	alone        [Kinds]account // what it pays where they do not agree
}

// knownEntries are the entries of up to 7 predictions; of more nothing is kept.
const knownEntries = 1 << 7

// outcome is what an addition does with an entry.
type outcome struct {
	addition                      uint64 // that it is of
	missed, again, wrong, stalled uint64
	next                          uint32 // the entry that it leaves
}

// ruleOf returns that of a point. Without peeking, lanes in sequence leave the same whether
// they write always or where they are wrong.
func ruleOf(p *Point) rule {
	r := rule{p.Design.Peek, p.Update == OnMiss, p.Intra == Parallel, p.Untrusted && p.Design.Peek}
	r.onMiss = r.onMiss && (r.peek || r.parallel)
	return r
}

// take adds a point.
func (s *sharing) take(number int, p *Point) {
	s.designs = append(s.designs, sharedDesign{point: number, table: s.tables.add(p.Design.Index, 1)})
}

// run has all of them predict, learn and pay.
func (s *sharing) run(r *run, at []int32) {
	own := r.all()
	s.seen = own
	if s.rule.onMiss && s.rule.peek {
		if s.seen = r.opened; s.seen == 0 {
			return // nothing is predicted, so that nobody is wrong, or learns
		}
	}
	for i := range s.designs {
		d := &s.designs[i]
		d.entry = s.tables.tables[d.table].words[at[d.table]] & own
	}
	k := 0
	if first := r.lanes[0][0]; first != 0 && !s.rule.onMiss && !s.rule.parallel {
		s.settle(r, bits.TrailingZeros32(first), own)
	}
	for ; k < r.n && !s.agree(); k++ {
		s.each(r, k)
	}
	entry := s.designs[0].entry
	if k < r.n {
		of := r.of(&s.predicted, s.rule.peek)
		of.from, of.untrusted = k, s.rule.untrusted
		for ; k < r.n; k++ {
			entry = s.predict(r, k, entry)
		}
		a := &s.agreed[r.kind]
		before := a.stalled
		use.pay(r, of, a)
		if !s.rule.onMiss || a.stalled != before {
			for i := range s.designs {
				s.designs[i].entry = entry
			}
		}
	}
	for i := range s.designs {
		d := &s.designs[i]
		w := &s.tables.tables[d.table].words[at[d.table]]
		*w = *w&^own | d.entry
	}
}

// settle has designs agree whose lanes all write, in turn: their entries predict one lane
// of a run, the first of its first addition. What that costs a design more than the one
// that all will pay for is paid before.
func (s *sharing) settle(r *run, lane int, own uint32) {
	if s.agree() {
		return
	}
	matter, again := own, own
	if s.rule.peek {
		matter = r.bit(&r.open, 0, lane)
	}
	if s.rule.untrusted {
		again = matter
	}
	truth, all := r.carried(0, lane), s.designs[0].entry
	s.predict(r, 0, all)
	missed := uint32(0) // lanes that are wrong whatever the entry is
	for i := range r.predicted {
		d := (s.predicted[i][0] ^ r.truth[i][0]) & r.lanes[0][0]
		if s.rule.peek {
			d &= r.open[i][0]
		}
		missed |= d &^ (1 << lane)
	}
	for i := range s.designs {
		d := &s.designs[i]
		if d.entry == all {
			continue
		}
		a := &d.alone[r.kind]
		a.lane((d.entry^truth)&matter, again, missed == 0, 1)
		a.lane((all^truth)&matter, again, missed == 0, ^uint64(0))
		d.entry = all
	}
}

// lane counts what the wrong predictions of one lane cost, a bit for each slice, as are those
// that compute again: so many times, which may be -1. alone: no other lane is wrong.
func (a *account) lane(wrong, again uint32, alone bool, times uint64) {
	if wrong == 0 {
		return
	}
	a.missed[0] += times
	a.again[0] += times * popcount(again>>bits.TrailingZeros32(wrong))
	a.wrong[0] += times * popcount(wrong)
	if alone {
		a.stalled += times
	}
}

// agree reports whether all designs have the same entry, as far as it is seen.
func (s *sharing) agree() bool {
	entry := s.designs[0].entry
	for i := range s.designs {
		if (s.designs[i].entry^entry)&s.seen != 0 {
			return false
		}
	}
	return true
}

// each has every design pay for an addition by itself.
func (s *sharing) each(r *run, k int) {
	s.addition++
	for i := range s.designs {
		d := &s.designs[i]
		o := &s.known[d.entry&s.seen%knownEntries]
		if o.addition != s.addition || r.predicted > 7 {
			*o = s.outcome(r, k, d.entry)
		}
		a := &d.alone[r.kind]
		a.missed[0] += o.missed
		a.again[0] += o.again
		a.wrong[0] += o.wrong
		a.stalled += o.stalled
		if !s.rule.onMiss || o.stalled != 0 {
			d.entry = o.next
		}
	}
}

// outcome is what an addition does with an entry.
func (s *sharing) outcome(r *run, k int, entry uint32) outcome {
	next := s.predict(r, k, entry)
	of := r.of(&s.predicted, s.rule.peek)
	of.from, of.to, of.untrusted = k, k+1, s.rule.untrusted
	var a account
	pay(r, of, &a)
	return outcome{s.addition, a.missed[0], a.again[0], a.wrong[0], a.stalled, next}
}

// predict sets what the lanes of an addition are predicted, and returns the entry that they
// leave.
func (s *sharing) predict(r *run, k int, entry uint32) (next uint32) {
	lanes := r.lanes[0][k]
	switch {
	case s.rule.parallel:
		return s.together(r, k, entry)
	case s.rule.onMiss:
		lanes, next = r.walk(k, entry)
	case lanes == 0:
		return entry
	default:
		next = r.carried(k, 31-bits.LeadingZeros32(lanes))
	}
	// A lane is predicted what the next lower one of those that write carried, the first
	// one the entry; others are right. A sum takes a bit over them: ones carry on, up to
	// the next zero.
	first := lanes & -lanes
	for i := range r.predicted {
		t := r.truth[i][k]
		p := (t&lanes)<<1 + ^lanes
		s.predicted[i][k] = (p&^first|everywhere(entry, i)&first)&lanes | t&^lanes
	}
	return next
}

// together: all lanes read the entry, then those that learn write, the last one last.
func (s *sharing) together(r *run, k int, entry uint32) (next uint32) {
	lanes := r.lanes[0][k]
	learn := lanes
	if s.rule.onMiss {
		learn = 0
	}
	for i := range r.predicted {
		p := everywhere(entry, i)
		s.predicted[i][k] = p
		if !s.rule.onMiss {
			continue
		}
		wrong := (p ^ r.truth[i][k]) & lanes
		if s.rule.peek {
			wrong &= r.open[i][k]
		}
		learn |= wrong
	}
	if learn == 0 {
		return entry
	}
	return r.carried(k, 31-bits.LeadingZeros32(learn))
}
