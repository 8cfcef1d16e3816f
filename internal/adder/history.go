package adder

import "math/bits"

// History predicts that an add carries as the one before it did that had the same
// entry. Entries are rows, by instruction; with a thread or a lane in the index a row
// has an element for each lane (lanewise), else the lanes of a warp share one entry
// (shared).
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
func newHistory(p *Point, _ *width) Predictor {
	h := history{index: p.Design.Index, onMiss: p.Update == OnMiss}
	if p.Design.Index.Thread || p.Design.Index.Lane {
		return &lanewise{history: h}
	}
	return &shared{history: h, parallel: p.Intra == Parallel}
}

// history is what both have: rows that come into being when they are first used.
type history struct {
	index  Index
	onMiss bool
	rows   map[uint32][]uint64
	byPC   [][]uint64 // the same, by the number of the instruction
}

// row returns the row of an instruction, of n words.
func (h *history) row(pc uint32, n int) []uint64 {
	if int(pc) < len(h.byPC) && h.byPC[pc] != nil {
		return h.byPC[pc]
	}
	return h.newRow(pc, n)
}

// newRow is row where it is met for the first time.
func (h *history) newRow(pc uint32, n int) []uint64 {
	i := h.index.of(pc)
	if h.rows == nil {
		h.rows = map[uint32][]uint64{}
	}
	if h.rows[i] == nil {
		h.rows[i] = make([]uint64, n)
	}
	for int(pc) >= len(h.byPC) {
		h.byPC = append(h.byPC, nil)
	}
	h.byPC[pc] = h.rows[i]
	return h.rows[i]
}

// smWarps is how many warps an SM holds: those of 2,048 threads, whose number in the
// SM has 11 bits.
const smWarps = 64

// lanewise histories have an entry for each lane: the warps of an SM share them, or
// each has its own.
type lanewise struct{ history }

// of returns the entries of the lanes of a warp.
func (h *lanewise) of(x *Vectors) []uint64 {
	if !h.index.Thread {
		return h.row(x.PC, x.words)
	}
	at := int(x.Warp%smWarps) * x.words
	return h.row(x.PC, smWarps*x.words)[at : at+x.words]
}

func (h *lanewise) Step(x *Vectors, open, predicted *Words) {
	row := h.of(x)
	n := len(row)
	truth, valid, matter, guess := x.True[:n:n], x.Valid[:n:n], open[:n:n], predicted[:n:n]
	for i, p := range row {
		guess[i] = p
		learn := valid[i]
		if h.onMiss {
			learn &= x.whole((p ^ truth[i]) & matter[i])
		}
		row[i] = p&^learn | truth[i]&learn
	}
}

// shared histories have one entry for all lanes.
type shared struct {
	history
	parallel bool
}

func (h *shared) Step(x *Vectors, open, predicted *Words) {
	entry := &h.row(x.PC, 1)[0]
	switch {
	case h.parallel:
		h.together(x, open, predicted, entry)
	case h.onMiss:
		inTurn(x, open, predicted, entry)
	case x.full():
		shifted(x, predicted, entry)
	default:
		*entry = each(x, predicted, *entry)
	}
}

// together: all lanes read, then those that learn write, the last one last.
func (h *shared) together(x *Vectors, open, predicted *Words, entry *uint64) {
	p := *entry * x.ones
	last := -1
	for i := range x.words {
		predicted[i] = p
		learn := x.Valid[i]
		if h.onMiss {
			learn = x.whole((p ^ x.True[i]) & open[i])
		}
		if learn != 0 {
			last = i<<x.inWord + (63-bits.LeadingZeros64(learn))/x.element
		}
	}
	if last >= 0 {
		*entry = *entry&^x.all | x.at(&x.True, last)
	}
}

// inTurn: a lane writes where it is wrong. So all lanes up to the first that is
// predict the same, those after it what that one wrote.
func inTurn(x *Vectors, open, predicted *Words, entry *uint64) {
	e := *entry
	for i := range x.words {
		rest, p := ^uint64(0), uint64(0) // rest are the elements whose turn comes
		for {
			all := e * x.ones
			d := (all ^ x.True[i]) & open[i] & rest
			if d == 0 {
				predicted[i] = p | all&rest
				break
			}
			at := bits.TrailingZeros64(d) &^ (x.element - 1)
			upTo := uint64(1)<<at<<(x.element-1)<<1 - 1 // and with that lane
			p |= all & rest & upTo
			e = e&^x.all | x.True[i]>>at&x.all
			if rest &^= upTo; rest == 0 {
				predicted[i] = p
				break
			}
		}
	}
	*entry = e
}

// shifted: all lanes add and all write, so that a lane predicts what the one below it
// carried.
func shifted(x *Vectors, predicted *Words, entry *uint64) {
	below := *entry & x.all
	for i := range x.words {
		t := x.True[i]
		predicted[i] = t<<x.element | below
		below = t >> (64 - x.element)
	}
	*entry = *entry&^x.all | below
}

// each: as shifted, of the lanes that add.
func each(x *Vectors, predicted *Words, entry uint64) uint64 {
	for i := range x.words {
		predicted[i] = 0
	}
	for rest := x.Mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		x.put(predicted, lane, entry&x.all)
		entry = entry&^x.all | x.at(&x.True, lane)
	}
	return entry
}
