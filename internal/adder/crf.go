package adder

import "math/bits"

// The carry register file (CRF) is the chosen design's history as hardware: 16 rows of
// 7 bits for each of 32 lanes in an SM. A row is read with the operands; lanes that
// mispredicted write theirs when the add is done. The warps of a round, one for each
// sub-core, read before any of them writes, and where several write the paper says
// that one is drawn by lot; what the others wrote is lost, which costs predictions, not
// results. How fine the collision is (Arbitration) it leaves open.

// Arbitration says which writes of the same clock collide.
type Arbitration string

// The ways.
const (
	// Ideal: all other histories; each add writes before the next one reads.
	Ideal Arbitration = "ideal"
	// None: all of a round write, in the order of sub-cores.
	None Arbitration = "none"
	// Port: the SM has one port. Row: one for each row. Lane: one for each row and lane.
	Port Arbitration = "port"
	Row  Arbitration = "row"
	Lane Arbitration = "lane"
)

// crf is a CRF at work.
type crf struct {
	point, table int
	tables       *places
	index        Index
	arbitration  Arbitration
	lots         splitmix
	untrusted    bool
	accounts     [Kinds]account
	// pending are the writes of the round so far.
	pending []crfWrite
}

// crfWrite is a warp's write to a row: the bits of lanes that mispredicted. They are what an
// addition of a page carried, or new if its batch is over.
type crfWrite struct {
	page       *page
	k          int // of its additions
	at, slices int // of the row's words
	number     uint32
	lanes      uint32
	counts     *Counts // where it is counted
	new        Masks
}

// newCRF returns that of a point, whose design peeks.
func newCRF(number int, p *Point, tables *places) *crf {
	return &crf{point: number, table: tables.add(p.Design.Index, generalBits/p.Width-1), tables: tables, index: p.Design.Index,
		arbitration: p.Arbitration, lots: splitmix(p.Seed), untrusted: p.Untrusted}
}

// work predicts the additions of a batch, has the rounds end that end in it, and pays.
func (f *crf) work(q *batch, c *[Kinds]Counts) {
	for i := range q.n {
		r := &q.runs[i]
		switch p := r.page; {
		case r.opened == 0: // nothing is predicted, so that nobody is wrong, or writes
			if r.ends != 0 {
				f.endRound()
			}
		case p.predicted == 2: // most additions
			f.run2(r, p, &c[p.kind])
		default:
			f.run(r, p, &c[p.kind])
		}
	}
	for i := range f.pending {
		f.pending[i].keep()
	}
	for i := range q.used {
		p := &q.pages[i]
		of := p.of(true)
		of.untrusted = f.untrusted
		use.pay(p, of, &f.accounts[p.kind])
	}
}

// run predicts a run, which does as long as nobody writes what a row holds.
func (f *crf) run(r *run, p *page, c *Counts) {
	at := int(r.at[f.table])
	row := f.tables.words[at:][:p.predicted]
	for k := r.from; k < r.n; k++ {
		k, missed := k&(pageLength-1), uint32(0)
		for rest := r.opened; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros32(rest)
			p.guess[i][k] = row[i]
			missed |= (row[i] ^ p.truth[i][k]) & p.open[i][k]
		}
		if missed != 0 {
			f.pend(r, k, at, missed, c)
		}
		if r.ends>>k&1 != 0 {
			f.endRound()
		}
	}
}

// run2 is run of the adders of 24 bits.
func (f *crf) run2(r *run, p *page, c *Counts) {
	at := int(r.at[f.table])
	row := (*[2]uint32)(f.tables.words[at:])
	guess, truth, open := (*[2][pageLength]uint32)(p.guess[:2]), (*[2][pageLength]uint32)(p.truth[:2]), (*[2][pageLength]uint32)(p.open[:2])
	for k := r.from; k < r.n; k++ {
		k := k & (pageLength - 1)
		p0, p1 := row[0], row[1]
		guess[0][k], guess[1][k] = p0, p1
		if missed := (p0^truth[0][k])&open[0][k] | (p1^truth[1][k])&open[1][k]; missed != 0 {
			f.pend(r, k, at, missed, c)
		}
		if r.ends>>k&1 != 0 {
			f.endRound()
		}
	}
}

// pend keeps what an addition writes until the round ends.
func (f *crf) pend(r *run, k, at int, missed uint32, c *Counts) {
	n := len(f.pending)
	if n == cap(f.pending) {
		f.pending = append(f.pending, crfWrite{})
	}
	f.pending = f.pending[:n+1]
	w := &f.pending[n]
	w.page, w.k, w.at, w.slices, w.number, w.lanes, w.counts = r.page, k, at, r.page.predicted, f.index.of(r.Number), missed, c
}

// keep keeps what is written, whose page will have other additions.
func (w *crfWrite) keep() {
	if w.page == nil {
		return
	}
	for i := range w.slices {
		w.new[i] = w.page.truth[i][w.k]
	}
	w.page = nil
}

// endRound writes what a round has written.
func (f *crf) endRound() {
	switch {
	case len(f.pending) == 0:
		return
	case f.arbitration == None || len(f.pending) == 1:
		for i := range f.pending {
			w := &f.pending[i]
			w.write(f.tables.words, w.lanes)
		}
	case f.arbitration == Port:
		f.draw(f.pending)
	case f.arbitration == Row:
		f.byRow(f.draw)
	default:
		f.byRow(f.drawLanes)
	}
	f.pending = f.pending[:0]
}

// byRow hands the writes of each row to a function, rows in order.
func (f *crf) byRow(settle func([]crfWrite)) {
	for done := 0; done < len(f.pending); {
		row := f.pending[done].number
		for _, w := range f.pending[done:] {
			row = min(row, w.number)
		}
		from := done
		for i := done; i < len(f.pending); i++ {
			if f.pending[i].number == row {
				w := f.pending[i]
				copy(f.pending[done+1:i+1], f.pending[done:i]) // the order of the others stays
				f.pending[done] = w
				done++
			}
		}
		settle(f.pending[from:done])
	}
}

// draw lets one of several writes through.
func (f *crf) draw(of []crfWrite) {
	winner := 0
	if len(of) > 1 {
		of[0].counts.Conflicts++
		winner = f.lots.pick(len(of))
	}
	for i := range of {
		of[i].counts.Dropped += popcount(of[i].lanes)
	}
	of[winner].counts.Dropped -= popcount(of[winner].lanes)
	of[winner].write(f.tables.words, of[winner].lanes)
}

// drawLanes lets one write of each lane through.
func (f *crf) drawLanes(of []crfWrite) {
	wrote := make([]uint32, len(of))
	for lane := range Lanes {
		var writers []int
		for i := range of {
			if of[i].lanes>>lane&1 != 0 {
				writers = append(writers, i)
			}
		}
		if len(writers) == 0 {
			continue
		}
		winner := writers[0]
		if n := len(writers); n > 1 {
			of[winner].counts.Conflicts++
			winner = writers[f.lots.pick(n)]
			of[winner].counts.Dropped += uint64(n - 1)
		}
		wrote[winner] |= 1 << lane
	}
	for i, lanes := range wrote {
		if lanes != 0 {
			of[i].write(f.tables.words, lanes)
		}
	}
}

// write puts the bits of some lanes into the row.
func (w *crfWrite) write(words []uint32, lanes uint32) {
	row := words[w.at:][:w.slices]
	w.counts.Writes++
	if w.page == nil {
		for i, now := range w.new[:len(row)] {
			row[i] ^= (row[i] ^ now) & lanes
		}
		return
	}
	for i := range row {
		row[i] ^= (row[i] ^ w.page.truth[i][w.k&(pageLength-1)]) & lanes
	}
}

// splitmix is the generator by which lots are drawn (Steele, Lea, Flood, OOPSLA 2014).
type splitmix uint64

func (s *splitmix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// pick draws a number below n.
func (s *splitmix) pick(n int) int {
	high, low := bits.Mul64(s.next()>>32, uint64(n))
	return int(high<<32 | low>>32)
}
