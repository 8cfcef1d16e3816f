package adder

// A batch are additions that wait for the designs of an SM, as they were made: runs of one
// instruction, in order, which lie in pages of one kind. A design works on a whole batch before the
// next one begins: what it keeps, and its code, is then where the processor has it at hand,
// and a batch is small enough for all designs to find it there, too.
type batch struct {
	pages [batchPages]page
	used  int          // pages
	open  [Kinds]*page // those that are not full
	runs  [batchAdds]run
	n     int // runs
	adds  int
	// guesses are what the design at work predicts, by page.
	guesses [batchPages]block
}

// A batch has so many additions at most, and room for as many pages, of which one of each kind
// may not be full.
const (
	batchAdds  = 256
	batchPages = batchAdds/pageLength + int(Kinds)
)

// A run are additions of one instruction that follow each other, and lie in one page so; warps that are
// in step give long ones, in which what a design keeps lies in registers.
type run struct {
	At
	page    *page
	at      []int32 // where its entries are (places)
	from, n int     // of the page's additions: the first, and the one behind the last
	ends    uint32  // additions behind which a round ends
	// opened are the slices that peeking leaves open for some lane, a bit for each: designs that
	// peek look at no others. any are the lanes that add in some addition, every those that do
	// in all. inStep: its warps follow each other in a row of them (byLane).
	opened, any, every uint32
	inStep             bool
}

// full reports whether all lanes add in all additions.
func (r *run) full() bool { return r.every == ^uint32(0) }

// take adds an addition, which goes on with the last run or begins one. tables are where entries are.
func (q *batch) take(x *Vectors, tables *places) {
	var r *run
	if q.n > 0 {
		r = &q.runs[q.n-1]
	}
	if r == nil || r.At != x.At || r.page.kind != x.Kind || r.page.count == pageLength {
		r = q.begin(x, tables)
	}
	p := r.page
	k := p.count % pageLength
	opened := r.opened
	for i, t := range x.True[:x.Predicted] {
		o := x.Open[i]
		p.truth[i][k], p.open[i][k] = t, o
		opened |= (o | -o) >> 31 << i
	}
	r.opened, p.openedAll = opened, p.openedAll|opened
	p.lanes[0][k], p.warps[k], p.signA[k], p.signB[k] = x.Mask, x.Warp, x.SignA, x.SignB
	p.long[k] = x.Long & x.Mask
	r.any, r.every = r.any|x.Mask, r.every&x.Mask
	if k > r.from && (x.Warp != p.warps[k-1]+1 || x.Warp%smWarps == 0) {
		r.inStep = false
	}
	p.count++
	r.n = p.count
	q.adds++
}

// begin begins a run, and a page where there is none with room.
func (q *batch) begin(x *Vectors, tables *places) *run {
	p := q.open[x.Kind]
	if p == nil || p.count == pageLength {
		p = &q.pages[q.used]
		p.kind, p.predicted, p.count, p.openedAll, p.guess = x.Kind, x.Predicted, 0, 0, &q.guesses[q.used]
		q.open[x.Kind] = p
		q.used++
	}
	r := &q.runs[q.n]
	*r = run{At: x.At, page: p, at: tables.at(x.Number), from: p.count, every: ^uint32(0), inStep: true}
	q.n++
	return r
}

// clear empties it.
func (q *batch) clear() {
	q.used, q.n, q.adds = 0, 0, 0
	clear(q.open[:])
}

// visit returns a run's page, which it is at work on.
func (q *batch) visit(i int) *page {
	r := &q.runs[i]
	r.page.run = r
	return r.page
}
