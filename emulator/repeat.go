package emulator

import (
	"errors"
	"math/bits"
	"slices"

	"hyptx/emulator/internal/abort"
	"hyptx/emulator/internal/lanes"
	"hyptx/internal/order"
	"hyptx/internal/slice"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// A loop of a slice often does nothing but count: its rounds are alike until
// the one that leaves it. Then it is enough to run one whole round, to see
// which counters it moves, and from there on to run only the few instructions
// that decide when the loop ends. How many rounds those find is how often the
// counters are moved again, at once.
//
// Take a reduction over 4096 elements in the slice of its branches: its body counts
// ten instructions of which two are in the slice, i += 1 and i < n. A first round
// begins the notes (startRound). The one after it shows that a round moves the issues
// of three segments by one each and their lanes by 32. From there on only the two
// run, some 4000 times, and when they have found the last round the counters are
// moved by all of them at once; the round that leaves the loop is run as a whole.
//
// A round is like the last one if nothing but what decides can differ: the same
// warp, frame, lanes and split; nobody else had a turn; the header was entered once,
// with all lanes; and where origins are followed, they have not changed either. That
// rounds are alike as far as the code goes, no stores that a later round reads, no
// inner decision that varies, package ir has shown (ir.Repeat).
//
// What decides is tried 64 rounds at a time. If the loop ends within them its
// registers are put back and the rounds before the last are done again, so that the
// round that leaves starts from where it would have.

// repeat is an slice.Repeat, decoded: how to find out when the loop ends without
// running its rounds.
type repeat struct {
	index int // among the program's repeats
	// before and after are the instructions that decide, by number; exit is the
	// branch's segment, stay its edge that does not leave the loop.
	before, after []int32
	exit          *inst
	staysTaken    bool
	header        int32
	// counters are those that a round of the loop may change.
	counters []int32
	// segs are the loop's segments, by number.
	segs []int32
	// slots, preds and origins are the registers that before and after write.
	slots, preds []int32
	origins      []int32
	// decides is the pseudo-instruction that counts inexact decisions of exit,
	// nil without one.
	decides *inst
}

// repeatPlaces is where what repeats need of a program stands, by PC.
type repeatPlaces struct {
	insts, decisions map[ir.PC]int32 // of Program.insts
	loops            map[ir.PC]int32 // of Program.loops, by header
}

// addRepeats decodes the slice's loops whose rounds are alike. There may be thousands: none
// of them looks at all segments, loops or instructions.
func (c *compiler) addRepeats() {
	if c.slice == nil || len(c.slice.Alike) == 0 {
		return
	}
	at := repeatPlaces{map[ir.PC]int32{}, map[ir.PC]int32{}, map[ir.PC]int32{}}
	for i := range c.prog.insts {
		if in := &c.prog.insts[i]; in.decision() {
			at.decisions[in.pc] = int32(i)
		} else {
			at.insts[in.pc] = int32(i)
		}
	}
	for l := range c.prog.loops {
		at.loops[c.prog.loops[l].header] = int32(l)
	}
	for i := range c.slice.Alike {
		c.look()
		a := &c.slice.Alike[i]
		if fn := c.prog.function(a.Func); fn != nil {
			c.addRepeat(fn, a, at)
		}
	}
}

// addRepeat decodes one.
func (c *compiler) addRepeat(fn *function, a *slice.Repeat, at repeatPlaces) {
	r := &repeat{index: c.prog.repeats, header: -1}
	for _, list := range []struct {
		from []ir.PC
		to   *[]int32
	}{{a.Before, &r.before}, {a.After, &r.after}} {
		for _, pc := range list.from {
			n, ok := at.insts[pc]
			if !ok {
				continue // its guard is a constant and false
			}
			*list.to = append(*list.to, n)
			c.saves(fn, r, &c.mod.Instrs[pc])
		}
	}
	header := fn.ir.Blocks[a.Loop.Header].First
	r.segs = c.segmentsOf(fn, a.Loop.Blocks())
	for _, s := range r.segs {
		seg := &c.prog.segs[s]
		c.counts(r, s)
		if seg.pcFirst == header && r.header < 0 {
			r.header = s
		}
		if seg.pcEnd-1 == a.Exit && seg.term == termBranch {
			r.exit = seg.in
			to := c.mod.Instrs[a.Exit].Target // at the function's end there is no block
			r.staysTaken = to < fn.ir.End && a.Loop.Has(c.blockAt(to))
		}
	}
	if c.prog.decisions > 0 {
		for i := range order.Reasons {
			r.counters = append(r.counters, int32(c.prog.decisions+i))
		}
		if i, ok := at.decisions[a.Exit]; ok {
			// The exit remembers the origin of its guard: it may be another one each round.
			in := &c.prog.insts[i]
			in.exec, in.count = execExitDecision, int32(r.index)
			r.decides = in
		}
	}
	if l, ok := at.loops[header]; ok && r.exit != nil && r.header >= 0 {
		c.prog.loops[l].repeat = r
		c.prog.repeats++
	}
}

// segmentsOf returns the segments of a function that are of some blocks; both ascend.
func (c *compiler) segmentsOf(fn *function, blocks []int) (of []int32) {
	segs := c.prog.segs[fn.segs[0]:fn.segs[1]]
	for _, b := range blocks {
		i, _ := slices.BinarySearchFunc(segs, b, func(s segment, b int) int { return int(s.block) - b })
		for ; i < len(segs) && int(segs[i].block) == b; i++ {
			of = append(of, fn.segs[0]+int32(i))
		}
	}
	return of
}

// execExitDecision is execDecision for the exit of repeat in.count.
func execExitDecision(w *warp, in *inst, m uint32) {
	w.worker.rounds[in.count].origin = w.originsOf(w.frame, in.rule.uses[0]).And(m)
	execDecision(w, in, m)
}

// counts adds the counters of a segment.
func (c *compiler) counts(r *repeat, s int32) {
	seg := &c.prog.segs[s]
	r.counters = append(r.counters, 2*s, 2*s+1)
	if seg.branch >= 0 {
		r.counters = append(r.counters, seg.branch, seg.branch+1)
	}
	if seg.bar != nil {
		r.counters = append(r.counters, seg.bar.divergent)
	}
	if seg.in != nil && seg.in.guard >= 0 {
		r.counters = append(r.counters, seg.in.count)
	}
	for i := seg.first; i < seg.last; i++ {
		if in := &c.prog.insts[i]; in.guard >= 0 {
			r.counters = append(r.counters, in.count)
		}
	}
}

// saves notes the registers that an instruction writes.
func (c *compiler) saves(fn *function, r *repeat, in *ir.Instr) {
	c.fn = fn
	for _, d := range in.Defs() {
		off := c.register(fn, d).off
		r.origins = append(r.origins, c.originPlace(d))
		if fn.ir.Regs[d].Type == isa.Pred {
			r.preds = append(r.preds, off)
			continue
		}
		for i := range fn.ir.Regs[d].Type.Slots() {
			r.slots = append(r.slots, off+int32(i))
		}
	}
}

// decision reports whether in is no instruction but counts a decision.
func (in *inst) decision() bool { return in.rule != nil && in.rule.exec == nil }

// round is where a warp stood at the header of a loop that repeats, and what
// has to be put back there when a round turns out to leave the loop.
type round struct {
	warp    *warp
	frame   *frame
	split   *split
	mask    uint32
	number  uint32 // of the round, in the path's count
	turns   uint64
	counts  []uint64
	origins []order.Lanes
	slots   []lanes.Slot
	preds   []uint32
	saved   []order.Lanes
	origin  order.Lanes // of the exit's guard when it last decided
}

func newRounds(p *Program) []round {
	rs := make([]round, p.repeats)
	for i := range p.loops {
		if r := p.loops[i].repeat; r != nil {
			rs[r.index] = round{
				counts: make([]uint64, len(r.counters)), origins: make([]order.Lanes, len(r.origins)),
				slots: make([]lanes.Slot, len(r.slots)), preds: make([]uint32, len(r.preds)), saved: make([]order.Lanes, len(r.origins)),
			}
		}
	}
	return rs
}

// repeatRounds is called when a path has come back to the header of a loop
// that repeats. From its second whole round on it knows what a round counts,
// and goes on with what decides until the next round would leave the loop.
func (w *warp) repeatRounds(p *path, info *loopInfo, loop int32) {
	r := info.repeat
	wk := w.worker
	last := &wk.rounds[r.index]
	if w.hashes != nil || w.listens || p.seg == p.mergeAt() {
		return
	}
	if !last.precedes(w, p, p.rounds[loop]) || !w.oneRound(r, last) {
		w.startRound(p, r, last, p.rounds[loop])
		return
	}
	n := w.countable(r, last, uint64(info.limit-1-p.rounds[loop]))
	p.rounds[loop] += uint32(n)
	last.warp = nil
	w.countRounds(r, last, n)
}

// batch is how many rounds are tried before what they wrote is kept.
const batch = 64

// countable goes on with what decides for as many rounds as all lanes stay in
// the loop, at most limit, and returns how many.
func (w *warp) countable(r *repeat, last *round, limit uint64) (n uint64) {
	each := int64(len(r.before) + len(r.after) + 1)
	for n < limit {
		w.saveRound(r, last)
		want := min(batch, limit-n)
		stayed := w.tryRounds(r, last, want)
		if stayed < want {
			w.restoreRound(r, last)
			w.tryRounds(r, last, stayed)
		}
		n += stayed
		if w.worker.budget -= int64(stayed+1) * each; w.worker.budget < 0 {
			w.worker.refill()
		}
		if stayed < want {
			break
		}
	}
	return n
}

// tryRounds runs what decides for n rounds, or until one does not keep all
// lanes in the loop, or decides by a value of another origin than the last
// whole round; it returns how many did. The round that does not is run up to
// the exit.
func (w *warp) tryRounds(r *repeat, last *round, n uint64) uint64 {
	mask := last.mask
	var stay uint32 // the lanes for which the exit's guard has to hold
	if r.staysTaken {
		stay = mask
	}
	for i := range n {
		w.runAll(r.before, mask)
		if mask&(w.preds[r.exit.guard]^r.exit.flip) != stay {
			return i
		}
		if r.decides != nil && w.originsOf(w.frame, r.decides.rule.uses[0]).And(mask).By != last.origin.By {
			return i
		}
		w.runAll(r.after, mask)
	}
	return n
}

// precedes reports whether a path is one round on from last.
func (last *round) precedes(w *warp, p *path, number uint32) bool {
	return last.warp == w && last.frame == p.frame && last.split == p.split && last.mask == p.mask &&
		last.turns == w.worker.turns && last.number+1 == number
}

// oneRound reports whether the lanes of last have run exactly one round since,
// and have left the origins of what decides as they were.
func (w *warp) oneRound(r *repeat, last *round) bool {
	for i, c := range r.counters {
		switch n := w.counts[c] - last.counts[i]; {
		case c == 2*r.header && n != 1, c == 2*r.header+1 && n != popcount(last.mask):
			return false
		}
	}
	for i, place := range r.origins {
		if w.worker.prog.decisions > 0 && w.originsOf(w.frame, place).By != last.origins[i].By {
			return false
		}
	}
	return true
}

// startRound notes where the path stands.
func (w *warp) startRound(p *path, r *repeat, last *round, number uint32) {
	last.warp, last.frame, last.split, last.mask = w, p.frame, p.split, p.mask
	last.number, last.turns = number, w.worker.turns
	for i, c := range r.counters {
		last.counts[i] = w.counts[c]
	}
	if w.worker.prog.decisions > 0 {
		for i, place := range r.origins {
			last.origins[i] = *w.originsOf(w.frame, place)
		}
	}
}

// runAll runs instructions for the lanes of mask whose guards hold.
func (w *warp) runAll(list []int32, mask uint32) {
	for _, i := range list {
		in := &w.worker.prog.insts[i]
		m := mask
		if in.guard >= 0 {
			if m &= w.preds[in.guard] ^ in.flip; m == 0 {
				continue
			}
		}
		in.exec(w, in, m)
	}
}

// saveRound keeps the registers that what decides writes.
func (w *warp) saveRound(r *repeat, last *round) {
	for i, s := range r.slots {
		last.slots[i] = w.slots[w.base+int(s)]
	}
	for i, p := range r.preds {
		last.preds[i] = w.preds[p]
	}
	if w.worker.prog.decisions > 0 {
		for i, place := range r.origins {
			last.saved[i] = *w.originsOf(w.frame, place)
		}
	}
}

func (w *warp) restoreRound(r *repeat, last *round) {
	for i, s := range r.slots {
		w.slots[w.base+int(s)] = last.slots[i]
	}
	for i, p := range r.preds {
		w.preds[p] = last.preds[i]
	}
	if w.worker.prog.decisions > 0 {
		for i, place := range r.origins {
			*w.originsOf(w.frame, place) = last.saved[i]
		}
	}
}

// errTooMany: nested loops multiply, and counters have 64 bits.
var errTooMany = errors.New("loops go round so often that the instructions of one CTA do not fit 2^62")

// countRounds counts n more rounds like the one since last.
func (w *warp) countRounds(r *repeat, last *round, n uint64) {
	if n == 0 {
		return
	}
	for i, c := range r.counters {
		hi, more := bits.Mul64(w.counts[c]-last.counts[i], n)
		if hi != 0 || more > 1<<62 || w.counts[c]+more > 1<<62 {
			abort.Throw(errTooMany)
		}
		last.counts[i] = more
		w.counts[c] += more
	}
	for i, c := range r.counters {
		if c%2 != 0 || int(c) >= 2*len(w.worker.prog.segs) {
			continue
		}
		w.worker.skipped += last.counts[i] * w.worker.prog.segs[c/2].work()
	}
	w.worker.skipped -= n * uint64(len(r.before)+len(r.after)+1)
}
