package adder

import "math/bits"

// History predicts that an add carries as the one before it did that had the same
// entry. Entries are rows, by instruction; with a thread or a lane in the index a row
// has an entry for each lane (lanewise), else the lanes of a warp share one (shared).
//
// The paper leaves open when an entry is written. Its text says that it holds the
// carries of the last add (Always), its hardware writes it after a misprediction only
// (OnMiss): that differs where peeking makes up for a wrong bit. And where lanes share
// an entry it leaves open whether a lane sees what the one below it in the same
// instruction wrote (Sequential) or all read before any writes (Parallel).

// Update says when histories learn.
type Update string

// The rules.
const (
	Always Update = "always"
	OnMiss Update = "onmiss"
)

// Intra says what lanes of one instruction see of each other in a shared entry.
type Intra string

// The orders.
const (
	Sequential Intra = "sequential"
	Parallel   Intra = "parallel"
)

var _ = register("Prev", maker{indexed: true, predictor: newHistory})

// newHistory returns the history of a design.
func newHistory(p *Point) Predictor {
	h := newRows(p.Design.Index, generalBits/p.Width-1)
	h.onMiss = p.Update == OnMiss
	if p.Design.Index.Thread || p.Design.Index.Lane {
		return &lanewise{history: h}
	}
	return &shared{history: h, parallel: p.Intra == Parallel}
}

// history is what both have: rows that come into being when they are first used.
type history struct {
	index       Index
	lowest      uint32 // bits of an instruction's number that are its row's, but of XorPC
	onMiss      bool
	predictions int // of the general adder
	rows        [][]uint32
}

// newRows returns a history of no rows yet.
func newRows(x Index, predictions int) history {
	h := history{index: x, predictions: predictions}
	switch x.PC {
	case FullPC:
		h.lowest = ^uint32(0)
	case ModPC:
		h.lowest = 1<<x.Bits - 1
	}
	return h
}

// number returns that of the row of an instruction.
func (h *history) number(pc uint32) uint32 {
	if h.index.PC == XorPC {
		return h.index.of(pc)
	}
	return pc & h.lowest
}

// row returns the row of an instruction, of n words.
func (h *history) row(pc uint32, n int) []uint32 {
	i := h.number(pc)
	if int(i) < len(h.rows) && h.rows[i] != nil {
		return h.rows[i]
	}
	return h.newRow(i, n)
}

// newRow is row where it is met for the first time.
func (h *history) newRow(i uint32, n int) []uint32 {
	for int(i) >= len(h.rows) {
		h.rows = append(h.rows, nil)
	}
	h.rows[i] = make([]uint32, n)
	return h.rows[i]
}

// smWarps is how many warps an SM holds: those of 2,048 threads, whose number in the
// SM has 11 bits.
const smWarps = 64

// lanewise histories have an entry for each lane: the warps of an SM share them, or
// each has its own.
type lanewise struct{ history }

// of returns the entries of the lanes of a warp: those of the slices that it has.
func (h *lanewise) of(x *Vectors) []uint32 {
	if !h.index.Thread {
		return h.row(x.Number, h.predictions)[:x.Predicted]
	}
	at := int(x.Warp%smWarps) * h.predictions
	return h.row(x.Number, smWarps*h.predictions)[at : at+x.Predicted]
}

func (h *lanewise) Step(x *Vectors, open, predicted *Masks) {
	row := h.of(x)
	n := len(row)
	truth, guess := x.True[:n:n], predicted[:n:n]
	learn := x.Mask
	if h.onMiss {
		learn = 0
		matter := open[:n:n]
		for i, p := range row {
			learn |= (p ^ truth[i]) & matter[i]
		}
	}
	for i, p := range row {
		guess[i] = p
		row[i] = p&^learn | truth[i]&learn
	}
}

// shared histories have one entry for all lanes: rows are words, side by side.
type shared struct {
	history
	parallel bool
	entries  []uint32
}

// entry returns the entry of an instruction, which stays where it is until the next one.
func (h *shared) entry(pc uint32) *uint32 {
	i := int(h.number(pc))
	for i >= len(h.entries) {
		h.entries = append(h.entries, 0)
	}
	return &h.entries[i]
}

func (h *shared) Step(x *Vectors, open, predicted *Masks) {
	entry := h.entry(x.Number)
	switch {
	case h.parallel:
		h.together(x, open, predicted, entry)
	case h.onMiss:
		inTurn(x, open, predicted, entry)
	default:
		shifted(x, predicted, entry)
	}
}

// everywhere is bit i of an entry for all lanes.
func everywhere(entry uint32, i int) uint32 { return -(entry >> i & 1) }

// together: all lanes read, then those that learn write, the last one last.
func (h *shared) together(x *Vectors, open, predicted *Masks, entry *uint32) {
	learn := x.Mask
	if h.onMiss {
		learn = 0
	}
	for i := range x.Predicted {
		p := everywhere(*entry, i)
		predicted[i] = p
		if h.onMiss {
			learn |= (p ^ x.True[i]) & open[i]
		}
	}
	if learn != 0 {
		*entry = x.wrote(*entry, 31-bits.LeadingZeros32(learn))
	}
}

// wrote returns an entry that a lane has written: bits of slices that it lacks stay.
func (x *Vectors) wrote(entry uint32, lane int) uint32 {
	return entry>>x.Predicted<<x.Predicted | uint32(x.of(&x.True, lane))
}

// inTurn: a lane writes where it is wrong. So all lanes up to the first that is
// predict the same, those after it what that one wrote.
func inTurn(x *Vectors, open, predicted *Masks, entry *uint32) {
	n := x.Predicted
	truth, matter, guess := x.True[:n:n], open[:n:n], predicted[:n:n]
	for i := range guess {
		guess[i] = 0
	}
	e := *entry
	for rest := ^uint32(0); ; { // the lanes whose turn comes
		var missed uint32
		for i := range truth {
			missed |= (everywhere(e, i) ^ truth[i]) & matter[i]
		}
		missed &= rest
		upTo := rest
		if missed != 0 {
			upTo &= missed ^ (missed - 1)
		}
		for i := range guess {
			guess[i] |= everywhere(e, i) & upTo
		}
		if missed == 0 {
			break
		}
		e = x.wrote(e, bits.TrailingZeros32(missed))
		rest &^= upTo
	}
	*entry = e
}

// shifted: all lanes that add write, so that one predicts what the one below it carried.
// A sum takes a bit over lanes that do not add: ones carry on, up to the next zero.
func shifted(x *Vectors, predicted *Masks, entry *uint32) {
	if x.Mask == 0 {
		return
	}
	first, idle := x.Mask&-x.Mask, ^x.Mask
	for i := range x.Predicted {
		p := x.True[i]<<1 + idle
		predicted[i] = p&x.Mask&^first | everywhere(*entry, i)&first
	}
	*entry = x.wrote(*entry, 31-bits.LeadingZeros32(x.Mask))
}
