package sim

import (
	"slices"

	"hyptx/internal/pipe"
)

// warp is a resident warp. What it waits for is known when it has issued an
// instruction: the next one may be issued when its registers are there. While one of
// them is on its way from memory and nobody knows yet for how long, that is never.
type warp struct {
	trace Trace
	pos   int // of the next word
	// op is the next instruction, of those of its block that end before end.
	op, end int32
	block   int32
	// absent are the parts of the block whose instructions are predicated off.
	absent uint32
	// ready is when what the next instruction reads is there, why what it waits for
	// till then. next and nextWhy: the same without its registers.
	ready, next  Tick
	why, nextWhy Reason
	// since is up to when its time is accounted for.
	since Tick
	regs  []Tick
	by    []Reason // what makes a register late
	held  []held
	// follows are the values that are on their way, by who goes on from them.
	follows []move
	cta     *cta
	core    *core
	window  uint64 // where its local memory begins
	// turn counts the traces that this has been a warp of; came are the phases of the barrier
	// of its cluster to which it has come.
	turn, came uint32
}

// start puts a warp at the beginning of its trace.
func (w *warp) start(code *Code, trace Trace, c *cta, core *core, at Tick) {
	if cap(w.regs) < code.values {
		w.regs, w.by = make([]Tick, code.values), make([]Reason, code.values)
	}
	w.regs, w.by = w.regs[:code.values], w.by[:code.values]
	clear(w.regs)
	w.turn++
	w.came = 0
	w.follows = w.follows[:0]
	w.trace, w.pos, w.cta, w.core = trace, 0, c, core
	w.op, w.end, w.block = 0, 0, -1
	w.since, w.next, w.nextWhy = at, at, Dispatch
}

// enter goes on to the next block that has instructions. It reports false at the end
// of the trace.
func (w *warp) enter(code *Code) bool {
	for w.op == w.end {
		if w.pos == len(w.trace) {
			return false
		}
		number := int32(uint32(w.trace[w.pos]))
		w.absent = uint32(w.trace[w.pos] >> absentShift)
		w.pos++
		b := &code.blocks[number]
		for i := range b.moves {
			if b.moves[i].from == w.block {
				w.hand(b.moves[i].list)
			}
		}
		w.block, w.op, w.end = number, b.first, b.end
	}
	return true
}

// hand lets values go on in registers of others, all at once: one that goes on from
// several is there when all of them are. Of a value that is still on its way it is
// noted who has it now.
func (w *warp) hand(list []move) {
	for i, v := range list {
		w.held = append(w.held[:i], held{w.regs[v.from], w.by[v.from]})
	}
	for i, v := range list {
		h, again := w.held[i], i > 0 && list[i-1].to == v.to
		if !again {
			w.follows = slices.DeleteFunc(w.follows, func(f move) bool { return f.to == v.to })
		}
		if h.at >= never {
			w.follows = append(w.follows, v)
		}
		if !again || h.at > w.regs[v.to] {
			w.regs[v.to], w.by[v.to] = h.at, h.by
		}
	}
}

// arrive says when a value is there that was on its way, and all that go on from it.
func (w *warp) arrive(v uint16, t Tick) {
	w.regs[v] = t
	if len(w.follows) == 0 {
		return
	}
	// Who has it from another one stands behind that one.
	for i := 0; i < len(w.follows); {
		f := w.follows[i]
		if w.regs[f.from] >= never {
			i++
			continue
		}
		w.follows = slices.Delete(w.follows, i, i+1)
		if !slices.ContainsFunc(w.follows, func(o move) bool { return o.to == f.to }) {
			w.regs[f.to] = max(w.regs[f.from], t)
		}
	}
}

// held is a register on its way.
type held struct {
	at Tick
	by Reason
}

// look finds when the next instruction may be issued: when what it reads and writes is
// there. A branch waits longer for its predicate than others do.
func (w *warp) look(code *Code) {
	o := code.next(w)
	longer := Tick(0)
	if o.kind == pipe.Branch {
		longer = code.branch
	}
	ready, why := w.next, w.nextWhy
	for _, v := range o.src[:o.nsrc] {
		if at := w.regs[v] + longer; at > ready {
			ready, why = at, w.by[v]
		}
	}
	for _, v := range o.dst[:o.ndst] {
		if at := w.regs[v]; at > ready {
			ready, why = at, w.by[v]
		}
	}
	w.ready, w.why = ready, why
}

// waits reports whether the warp waits for something of which nobody knows when it
// comes.
func (w *warp) waits() bool { return w.ready >= never }
