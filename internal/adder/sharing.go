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
	// entries are those of designs at work, alone what each pays where they do not agree.
	entries []uint32
	alone   [Kinds][]tally
	// agreed is what all of them pay alike, those that do not peek and those that do, of which
	// there are any or not.
	agreed [2][Kinds]account
	any    [2]bool
	// seen are the bits of an entry that anything depends on in a run: where designs peek and
	// learn from what they miss, those of slices that peeking leaves open for some lane. An entry
	// is written where a lane misses, and then as a whole: designs that agree in these bits
	// do the same, and keep their other bits until they agree in all.
	seen  uint32
	guess *block // of the page at work
	// known is what an addition does, by entry, for designs that do not agree; addition
	// numbers additions.
	known    [2][knownEntries]outcome
	addition uint64
}

// rule is what says what an addition does with an entry: peek if it learns on misses alone.
// Where lanes always learn, those that peek predict what those do that do not.
type rule struct{ peek, onMiss, parallel, untrusted bool }

// sharedDesign is one of them.
type sharedDesign struct {
	point, table int
	peek         int // 1 if it does, else 0
}

// tally is what additions of one lane or warp after the other cost, as in an account.
type tally struct{ missed, again, wrong, stalled uint64 }

// addTo counts it.
func (t *tally) addTo(c *Counts) {
	c.Mispredicted += t.missed
	c.Recomputed += t.again
	c.SliceMisses += t.wrong
	c.Stalled += t.stalled
}

// knownEntries are the entries of up to 7 predictions; of more nothing is kept.
const knownEntries = 1 << 7

// outcome is what an addition does with an entry.
type outcome struct {
	tally
	addition uint64 // that it is of
	next     uint32 // the entry that it leaves
}

// ruleOf returns that of a point. Without peeking, lanes in sequence leave the same whether
// they write always or where they are wrong.
func ruleOf(p *Point) rule {
	r := rule{p.Design.Peek, p.Update == OnMiss, p.Intra == Parallel, p.Untrusted}
	r.onMiss = r.onMiss && (r.peek || r.parallel)
	r.peek = r.peek && r.onMiss
	return r
}

// take adds a point.
func (s *sharing) take(number int, p *Point) {
	d := sharedDesign{point: number, table: s.tables.add(p.Design.Index, 0)}
	if p.Design.Peek {
		d.peek = 1
	}
	s.any[d.peek] = true
	s.designs, s.entries = append(s.designs, d), append(s.entries, 0)
	for k := range s.alone {
		s.alone[k] = append(s.alone[k], tally{})
	}
}

// work has all of them predict a batch and learn, and pay: together as far as they agree.
func (s *sharing) work(q *batch) {
	for i := range q.used {
		q.pages[i].alike = 0
	}
	for i := range q.n {
		if p := q.visit(i); s.rule.onMiss || s.rule.parallel {
			s.run(p)
		} else {
			s.inTurn(p)
		}
	}
	for i := range q.used {
		s.pay(&q.pages[i])
	}
}

// run has all of them predict a run and learn, and pay where they do not agree.
func (s *sharing) run(r *page) {
	own, at := r.all(), r.at
	s.seen, s.guess = own, r.guess
	if s.rule.peek {
		if s.seen = r.opened; s.seen == 0 {
			return // nothing is predicted, so that nobody is wrong, or learns
		}
	}
	words, differ := s.tables.entries, uint32(0)
	for i := range s.designs {
		entry := words[at[s.designs[i].table]] & own
		s.entries[i] = entry
		differ |= entry ^ s.entries[0]
	}
	k, learned := r.from, false
	if differ&s.seen != 0 {
		for ; k < r.n && !s.agree(); k++ {
			s.each(r, k)
		}
		learned = true
	}
	if k < r.n && s.together(r, k) {
		learned = true
	}
	if !learned {
		return
	}
	for i, entry := range s.entries {
		w := &words[at[s.designs[i].table]]
		*w = *w&^own | entry
	}
}

// together has the designs, which agree, predict and learn from an addition on, and pay later where a lane
// writes: where none does none is wrong.
func (s *sharing) together(r *page, k int) (learned bool) {
	entry, wrote := s.entries[0], uint32(0)
	for ; k < r.n; k++ {
		next, writes := s.predict(r, k, entry)
		if writes {
			entry, wrote = next, wrote|1<<k
		}
	}
	if wrote == 0 {
		return false
	}
	r.alike |= wrote
	for i := range s.entries {
		s.entries[i] = entry
	}
	return true
}

// pay pays for a page, as far as designs agreed.
func (s *sharing) pay(r *page) {
	for peek, any := range s.any {
		if !any {
			continue
		}
		of := r.of(peek != 0)
		of.on, of.untrusted = r.alike, s.rule.untrusted && peek != 0
		use.pay(r, of, &s.agreed[peek][r.kind])
	}
}

// agree reports whether all designs have the same entry, as far as it is seen.
func (s *sharing) agree() bool {
	var differ uint32
	for _, entry := range s.entries {
		differ |= entry ^ s.entries[0]
	}
	return differ&s.seen == 0
}

// each has every design pay for an addition by itself.
func (s *sharing) each(r *page, k int) {
	s.addition++
	alone := s.alone[r.kind]
	for i, entry := range s.entries {
		peek := s.designs[i].peek
		o := &s.known[peek][entry&s.seen%knownEntries]
		if o.addition != s.addition || r.predicted > 7 {
			*o = s.outcome(r, k, entry, peek != 0)
		}
		a := &alone[i]
		a.missed += o.missed
		a.again += o.again
		a.wrong += o.wrong
		a.stalled += o.stalled
		if !s.rule.onMiss || o.stalled != 0 {
			s.entries[i] = o.next
		}
	}
}

// outcome is what an addition does with an entry, where the design peeks or does not.
func (s *sharing) outcome(r *page, k int, entry uint32, peek bool) outcome {
	if s.rule.onMiss && !s.rule.parallel {
		o := outcome{addition: s.addition}
		o.tally, o.next = s.walked(r, k, entry)
		return o
	}
	next, _ := s.predict(r, k, entry)
	of := r.of(peek)
	of.on, of.untrusted = 1<<k, s.rule.untrusted && peek
	var a account
	pay(r, of, &a)
	return outcome{tally{a.missed[0], a.again[0], a.wrong[0], a.stalled}, s.addition, next}
}

// walked is outcome where lanes write in turn if they are wrong: those that write are.
func (s *sharing) walked(r *page, k int, entry uint32) (n tally, next uint32) {
	lanes, next := r.walk(k, entry)
	if lanes == 0 {
		return n, entry
	}
	missed := uint32(0) // lanes with a wrong prediction in a slice up to this one
	for i := range r.predicted {
		t, open := r.truth[i][k], r.open[i][k]
		d := (handed(t, lanes, entry>>i&1) ^ t) & lanes & open
		missed |= d
		behind := missed
		if s.rule.untrusted {
			behind &= open
		}
		n.wrong += popcount(d)
		n.again += popcount(behind)
	}
	n.missed, n.stalled = popcount(lanes), 1
	return n, next
}

// handed returns what lanes that write are predicted: what the next lower one of them carried, the
// first one the entry. A sum takes a bit over the others: ones carry on, up to the next zero.
func handed(truth, lanes, entry uint32) uint32 { return (truth&lanes)<<1 + entry + ^lanes }

// predict sets what the lanes of an addition are predicted, and returns the entry that they
// leave, and whether any of them wrote it.
func (s *sharing) predict(r *page, k int, entry uint32) (next uint32, wrote bool) {
	if s.rule.parallel {
		return s.atOnce(r, k, entry)
	}
	lanes, next := r.walk(k, entry)
	if lanes == 0 {
		return entry, false
	}
	for i := range r.predicted { // those that do not write are right
		t := r.truth[i][k]
		s.guess[i][k] = handed(t, lanes, entry>>i&1)&lanes | t&^lanes
	}
	return next, true
}

// atOnce: all lanes read the entry, then those that learn write, the last one last.
func (s *sharing) atOnce(r *page, k int, entry uint32) (next uint32, wrote bool) {
	lanes := r.lanes[0][k]
	learn := lanes
	if s.rule.onMiss {
		learn = 0
	}
	for i := range r.predicted {
		p := everywhere(entry, i)
		s.guess[i][k] = p
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
		return entry, false
	}
	return r.carried(k, 31-bits.LeadingZeros32(learn)), true
}
