package ssa

import (
	"math"
	"slices"

	"hyptx/internal/bitset"
	"hyptx/ir"
)

// minRegisters is the least that registers_per_thread says: the machine
// allocates no fewer.
const minRegisters = 16

// RegistersPerThread estimates what the machine allocates to a thread of f, in
// 32-bit registers: the slots at the point of highest pressure (a predicate
// takes none, up to 32 bits one, 64 bits two, 128 bits four), along the chain
// of calls that needs most, and at least 16. A function that is called again
// by one that it calls counts once.
func RegistersPerThread(f *ir.Func) int {
	var r Registers
	return r.PerThread(f)
}

// Registers estimates registers of the functions of a module, of which it looks at one once,
// however many others call it.
type Registers struct{ known map[*ir.Func]int }

// PerThread is [RegistersPerThread].
func (r *Registers) PerThread(f *ir.Func) int {
	if r.known == nil {
		r.known = make(map[*ir.Func]int)
	}
	p := &pressure{need: make(map[*ir.Func]int), known: r.known}
	n, _ := p.of(f)
	return max(n, minRegisters)
}

// pressure computes the need of functions. need holds that of those that were begun, and
// -1 less how many were open before while one is open itself. known is of those that are
// called by none that they call, whose need does not depend on where one begins.
type pressure struct {
	need, known map[*ir.Func]int
	open        int
}

// alone is more functions than are open.
const alone = math.MaxInt

// of returns the need of f and of what it calls, and how many functions were open before the
// first of those that are called by what they call, alone without one.
func (p *pressure) of(f *ir.Func) (need, again int) {
	if n, ok := p.known[f]; ok {
		return n, alone
	}
	if n, ok := p.need[f]; ok && n < 0 {
		return 0, -1 - n
	} else if ok {
		return n, 0 // its need was found while others were open
	}
	p.need[f] = -1 - p.open
	p.open++
	defer func() { p.open-- }()
	l := spare.Get().(*liveness)
	defer l.done()
	l.of(f)
	w := &pressureWalk{p: p, l: l, live: bitset.New[ir.RegID](len(f.Regs)), again: alone}
	for range w.l.windows {
		w.point = 0
		if w.only = w.l.last() && w.l.first == 0; !w.only && w.slots == nil {
			w.slots = make([]int32, 0, 3*len(f.Instrs())+len(f.Blocks))
		}
		none := bitset.New[int32](len(w.l.in.At(0)) * 64)
		before := none
		for b := range slices.Backward(f.Blocks) {
			w.become(before, w.l.out.At(b))
			w.block(b)
			before = w.l.in.At(b)
		}
		w.become(before, none)
	}
	p.need[f] = int(slices.Max(append(w.slots, w.most)))
	if w.again == alone {
		p.known[f] = p.need[f]
	}
	if w.again >= p.open-1 { // none that was open before f
		w.again = alone
	}
	return p.need[f], w.again
}

// pressureWalk adds up the slots of the windows of a function's registers at each
// point of it: where a block ends, and before and behind each instruction. Of an only
// window the most is enough.
type pressureWalk struct {
	p     *pressure
	l     *liveness
	live  bitset.Set[ir.RegID]
	now   int32 // slots of live
	only  bool
	most  int32
	slots []int32
	point int
	again int // as of what it calls
}

// note adds what is live, and more, to the present point.
func (w *pressureWalk) note(more int32) {
	if w.only {
		w.most = max(w.most, w.now+more)
		return
	}
	if w.point == len(w.slots) {
		w.slots = append(w.slots, 0)
	}
	w.slots[w.point] += w.now + more
	w.point++
}

func (w *pressureWalk) add(r ir.RegID) {
	if !w.live.Has(r) && r != w.l.f.CC && (w.only || w.l.is(r)) {
		w.live.Add(r)
		w.now += int32(w.l.f.Regs[r].Type.Slots())
	}
}

func (w *pressureWalk) remove(r ir.RegID) {
	if w.live.Has(r) {
		w.live.Remove(r)
		w.now -= int32(w.l.f.Regs[r].Type.Slots())
	}
}

// become goes from the registers that are live at one place to those at another:
// where blocks are many, most registers live through most of them.
func (w *pressureWalk) become(now, then bitset.Set[int32]) {
	for k := range now.Differ(then) {
		if r := w.l.regs[w.l.first+k]; then.Has(k) {
			w.add(r)
		} else {
			w.remove(r)
		}
	}
}

// block walks block b backwards with the set of live registers in hand: what an
// instruction writes ends there, what it reads begins. A result that nobody
// reads takes a register all the same while it is written, and a call needs
// room for what the callee uses beside what lives across it.
func (w *pressureWalk) block(b int) {
	f := w.l.f
	if returns(f.Blocks[b]) {
		for _, r := range returnRegs(f) {
			w.add(r)
		}
	}
	w.note(0)
	var dead []ir.RegID
	for pc := f.Blocks[b].End - 1; pc >= f.Blocks[b].First; pc-- {
		in := &f.Module.Instrs[pc]
		dead = dead[:0]
		for _, r := range in.Defs() {
			if !w.live.Has(r) {
				dead = append(dead, r) // takes a register all the same
				w.add(r)
			}
		}
		w.note(0)
		ended := in.Defs()
		if in.Guard != ir.NoReg {
			ended = dead // where the guard is false the old value stays
		}
		for _, r := range ended {
			w.remove(r)
		}
		if in.Call != nil && w.l.first == 0 {
			w.note(int32(w.callees(in.Call)))
		} else if in.Call != nil {
			w.note(0)
		}
		for _, r := range in.Uses() {
			w.add(r)
		}
		w.note(0)
	}
}

// callees returns the largest need of the functions that c may call.
func (w *pressureWalk) callees(c *ir.Call) int {
	most := 0
	for _, g := range c.Callees(w.l.f.Module) {
		if g.Defined {
			need, again := w.p.of(g)
			most, w.again = max(most, need), min(w.again, again)
		}
	}
	return most
}
