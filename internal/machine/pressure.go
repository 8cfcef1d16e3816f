package machine

import "slices"

// A schedule for time alone keeps as many values in registers as its window holds. Where
// these are too many, the instructions are first put into an order that keeps few: what
// ends a value's life as soon as it can be issued, and of what begins one that which
// lets most of its readers go on (list scheduling for registers, as that of Goodman and
// Hsu, ICS 1988). The window then goes along that order.

// maxLive is how many registers of a block's own values may be alive before their
// number counts more than time: from 64 registers a thread on less than half of the
// warps are resident (own choice).
const maxLive = 80

// lives are the values that a block's instructions read and write.
type lives struct {
	*quit
	ops []draft
	// number is the number of a slot's value, if slots has it there; the other lists
	// are by that number.
	number  []int32
	slots   []Slot
	regs    []int32
	written []bool
	// reads is how many instructions read each; who they are, frugal finds: those from
	// at[n] to at[n+1].
	reads   []int32
	readers []int32
	at      []int32
	// left are the readers that are still to come; now are the registers that are
	// alive, most the most there were.
	left      []int32
	alive     []bool
	now, most int32
}

// lives finds the values of a block.
func (l *lister) lives(ops []draft) *lives {
	room := len(ops) + len(ops)/2
	v := &lives{quit: l.x.quit, ops: ops, number: l.numbers, slots: make([]Slot, 0, room), regs: make([]int32, 0, room), written: make([]bool, 0, room), reads: make([]int32, 0, room)}
	for i := range ops {
		l.x.look()
		o := &ops[i]
		for k, s := range o.Srcs {
			if !slices.Contains(o.Srcs[:k], s) {
				v.reads[v.add(s, l.out.Regs)]++
			}
		}
		for s := range o.Results {
			v.written[v.add(s, l.out.Regs)] = true
		}
	}
	return v
}

// add returns the number of a slot's value.
func (v *lives) add(s Slot, regs []uint8) int32 {
	if n := v.number[s]; int(n) < len(v.slots) && v.slots[n] == s {
		return n
	}
	n := int32(len(v.slots))
	v.number[s] = n
	v.slots = append(v.slots, s)
	v.regs = append(v.regs, int32(regs[s]))
	v.reads = append(v.reads, 0)
	v.written = append(v.written, false)
	return n
}

// begin goes back to the block's beginning. Values that come from elsewhere do not
// count: nobody knows here where they end.
func (v *lives) begin() {
	v.left, v.alive = append(v.left[:0], v.reads...), append(v.alive[:0], v.written...)
	clear(v.alive)
	v.now, v.most = 0, 0
}

// index finds who reads each value.
func (v *lives) index() {
	v.at = make([]int32, len(v.slots)+1)
	for n, k := range v.reads {
		v.at[n+1] = v.at[n] + k
	}
	v.readers = make([]int32, v.at[len(v.slots)])
	next := slices.Clone(v.at)
	for i := range v.ops {
		v.look()
		srcs := v.ops[i].Srcs
		for k, s := range srcs {
			if !slices.Contains(srcs[:k], s) {
				n := v.number[s]
				v.readers[next[n]] = int32(i)
				next[n]++
			}
		}
	}
}

// of returns the instructions that read a value.
func (v *lives) of(n int32) []int32 { return v.readers[v.at[n]:v.at[n+1]] }

// growth returns by how many registers an instruction changes what is alive: its
// result, less the values that nobody reads after it.
func (v *lives) growth(i int32) int32 {
	o := &v.ops[i]
	grown := int32(0)
	for s := range o.Results {
		if n := v.number[s]; !v.alive[n] {
			grown += v.regs[n]
		}
	}
	for k, s := range o.Srcs {
		if n := v.number[s]; v.left[n] == 1 && v.alive[n] && !slices.Contains(o.Srcs[:k], s) {
			grown -= v.regs[n]
		}
	}
	return grown
}

// issue goes past an instruction; last is called with what has one reader left.
func (v *lives) issue(i int32, last func(n int32)) {
	o := &v.ops[i]
	for k, s := range o.Srcs {
		if slices.Contains(o.Srcs[:k], s) {
			continue
		}
		n := v.number[s]
		v.left[n]--
		switch {
		case v.left[n] == 0 && v.alive[n] && s != o.Dst:
			v.alive[n] = false
			v.now -= v.regs[n]
		case v.left[n] == 1 && last != nil:
			last(n)
		}
	}
	for s := range o.Results {
		if n := v.number[s]; !v.alive[n] {
			v.alive[n] = true
			v.now += v.regs[n]
		}
	}
	v.most = max(v.most, v.now)
}

// pressure returns the most registers that are alive if the instructions are issued in
// an order.
func (v *lives) pressure(order []int32) int32 {
	v.begin()
	for _, i := range order {
		v.look()
		v.issue(i, nil)
	}
	return v.most
}

// frugal puts instructions in an order.
type frugal struct {
	*lives
	g *before
	// count is how many instructions each waits for; first are those that guards
	// follow from.
	count         []int32
	first, issued []bool
	// free are those that can be issued and begin no more than they end or are among
	// the first; growing the others that can, the ones first whose results let most
	// readers go on. Of what is in growing more than once the entry with the number of
	// waits holds.
	free, growing queue
	waits         []int32
	// writer is the last instruction that writes each value, -1 without.
	writer []int32
}

// frugal returns an order in which few registers are alive.
func (v *lives) frugal(g *before) []int32 {
	f := &frugal{lives: v, g: g, count: slices.Clone(g.count), issued: make([]bool, len(v.ops)), first: v.guards(),
		waits: slices.Repeat([]int32{-1}, len(v.ops)), writer: slices.Repeat([]int32{-1}, len(v.slots))}
	f.begin()
	f.index()
	for i := range v.ops {
		for s := range v.ops[i].Results {
			f.writer[v.number[s]] = int32(i)
		}
	}
	for i, n := range f.count {
		f.look()
		if n == 0 {
			f.offer(int32(i))
		}
	}
	order := make([]int32, 0, len(v.ops))
	for i := f.next(); i >= 0; i = f.next() {
		f.look()
		order = append(order, i)
		f.issued[i] = true
		f.issue(i, f.last)
		for _, w := range g.succs(i) {
			switch f.count[w.op]--; f.count[w.op] {
			case 0:
				f.offer(w.op)
			case 1:
				f.single(w.op)
			}
		}
	}
	return order
}

// guards marks what computes the predicates under which instructions stand, without
// loads: much waits for them.
func (v *lives) guards() []bool {
	first, needed := make([]bool, len(v.ops)), make([]bool, len(v.slots))
	for i := range v.ops {
		for _, s := range v.ops[i].guards {
			needed[v.number[s]] = true
		}
	}
	for i := len(v.ops) - 1; i >= 0; i-- {
		v.look()
		o := &v.ops[i]
		wanted := false
		for s := range o.Results {
			wanted = wanted || needed[v.number[s]]
		}
		if !wanted || o.Kind.Memory() {
			continue
		}
		first[i] = true
		for _, s := range o.Srcs {
			needed[v.number[s]] = true
		}
	}
	return first
}

// offer puts an instruction among those that can be issued.
func (f *frugal) offer(i int32) {
	if f.first[i] || f.growth(i) <= 0 {
		f.free.add(0, i)
		return
	}
	f.grow(i)
}

// grow puts an instruction among those that begin a value.
func (f *frugal) grow(i int32) {
	f.waits[i] = f.waiting(i)
	f.growing.add(f.waits[i], i)
}

// last looks at the last reader of a value: if it can be issued it ends one.
func (f *frugal) last(n int32) {
	for _, i := range f.of(n) {
		if !f.issued[i] && f.waits[i] >= 0 && f.growth(i) <= 0 {
			f.waits[i] = -1
			f.free.add(0, i)
		}
	}
}

// single looks at an instruction that waits for one other: if that can be issued, one
// reader more can go on with it.
func (f *frugal) single(r int32) {
	for _, s := range f.ops[r].Srcs {
		if w := f.writer[f.number[s]]; w >= 0 && f.waits[w] >= 0 && !f.issued[w] {
			f.grow(w)
			return
		}
	}
}

// next returns the next instruction, -1 if none can be issued.
func (f *frugal) next() int32 {
	for len(f.free) > 0 {
		f.look()
		i := f.free.take()
		if f.first[i] || f.growth(i) <= 0 {
			return i
		}
		f.grow(i)
	}
	for len(f.growing) > 0 {
		waits := f.growing.first()
		if i := f.growing.take(); f.waits[i] == waits && !f.issued[i] {
			f.waits[i] = -1
			return i
		}
	}
	return -1
}

// waiting returns how many readers of an instruction's result have to wait for others
// as well; a result that is read elsewhere waits for all of them.
func (f *frugal) waiting(i int32) int32 {
	o := &f.ops[i]
	if o.Dst == NoSlot {
		return 0
	}
	n, any := int32(0), false
	for s := range o.Results {
		for _, r := range f.of(f.number[s]) {
			if any = true; f.count[r] > 1 {
				n++
			}
		}
	}
	if !any {
		return int32(len(f.ops))
	}
	return n
}
