package machine

import (
	"slices"

	"hyptx/internal/pipe"
)

// A block's instructions are issued in order, so their order decides what
// overlaps. It is made by list scheduling: of the instructions whose operands
// are there the one is issued from which the longest way to the block's end
// begins, so that loads go first and what needs them last. How far ahead that may be is
// bounded: each value that waits for its reader takes a register.

// latencies are those that a compiler schedules for: by kind, of the generation
// since Volta; before it what is 4 here takes 6. Whether a load hits no compiler knows: it
// is taken to take longer than from the nearest cache and less long than from the L2, so that
// some 25 of them, one every four cycles, go before what needs the first one (own estimate).
var latencies = [pipe.NumKinds]int32{
	pipe.FP32: 4, pipe.FP64: 8, pipe.FP16: 5, pipe.IntAdd: 4, pipe.IntShift: 4, pipe.IntMul: 4, pipe.IntMulWide: 5,
	pipe.Compare: 5, pipe.Move: 4, pipe.Special: 18, pipe.Convert: 14, pipe.Convert64: 14, pipe.ReadSpecial: 20,
	pipe.Uniform: 4, pipe.LoadGlobal: 100, pipe.LoadLocal: 40, pipe.LoadShared: 24, pipe.LoadMatrix: 30, pipe.LoadConst: 30,
	pipe.Atomic: 100, pipe.AtomicShared: 30, pipe.Texture: 100, pipe.Shuffle: 24, pipe.Vote: 12, pipe.Matrix: 18,
	pipe.StoreGlobal: 1, pipe.StoreLocal: 1, pipe.StoreShared: 1, pipe.CopyAsync: 1, pipe.Reduction: 1,
	pipe.Branch: 1, pipe.Barrier: 1, pipe.Fence: 1,
}

// schedule returns a group's instructions in the order of issue.
func (l *lister) schedule(ops []draft) []Op {
	g := l.depend(ops)
	var order []int32
	var broken int
	if l.written(ops) <= maxLive {
		order, broken = l.issue(g, g.count, ops, nil)
	} else if order, broken = l.issue(g, slices.Clone(g.count), ops, nil); broken == 0 {
		order = l.spare(g, ops, order)
	}
	l.out.broken += broken
	out := make([]Op, 0, len(ops))
	for _, i := range order {
		out = append(out, ops[i].Op)
	}
	return out
}

// written returns the registers that a block's instructions write.
func (l *lister) written(ops []draft) (n int) {
	for i := range ops {
		for s := range ops[i].Results {
			n += int(l.out.Regs[s])
		}
	}
	return n
}

// spare returns another order where too many registers are alive in one, if that
// keeps fewer.
func (l *lister) spare(g *before, ops []draft, order []int32) []int32 {
	v := l.lives(ops)
	most := v.pressure(order)
	if most <= maxLive {
		return order
	}
	other, _ := l.issue(g, slices.Clone(g.count), ops, v.frugal(g))
	if v.pressure(other) < most {
		return other
	}
	return order
}

// before is what the instructions of a block wait for.
type before struct {
	*quit
	ops   []draft
	edges []edge // as they are found
	// waits are the same by who is waited for: those of i from at[i] to at[i+1].
	waits []wait
	at    []int32
	count []int32 // of instructions that each still waits for
	// height is the time from an instruction to the block's end.
	height []int32
	// far are those that may be issued far ahead (maxAhead); behind is the last store or barrier that a
	// load of these comes behind, and of what computes addresses the first of those, -1 without.
	far    []bool
	behind []int32
}

// wait says that an instruction begins no earlier than so many cycles after
// another.
type wait struct{ op, cycles int32 }

// edge says whom it waits for.
type edge struct {
	from int32
	wait
}

func (g *before) add(from, to int, cycles int32) {
	if from >= 0 && from != to {
		g.edges = append(g.edges, edge{int32(from), wait{int32(to), cycles}})
		g.count[to]++
	}
}

// succs returns what waits for an instruction.
func (g *before) succs(i int32) []wait { return g.waits[g.at[i]:g.at[i+1]] }

// finish sorts the edges, and fills in height, from the end on.
func (g *before) finish() {
	g.at = make([]int32, len(g.count)+2)
	for i := range g.edges {
		g.at[g.edges[i].from+2]++
	}
	for i := range g.count {
		g.at[i+2] += g.at[i+1]
	}
	g.waits = make([]wait, len(g.edges))
	for i := range g.edges {
		g.look()
		e := &g.edges[i]
		g.waits[g.at[e.from+1]] = e.wait
		g.at[e.from+1]++
	}
	g.height = make([]int32, len(g.count))
	order, left := make([]int32, 0, len(g.count)), slices.Clone(g.count)
	for i := range left {
		if left[i] == 0 {
			order = append(order, int32(i))
		}
	}
	for k := 0; k < len(order); k++ {
		g.look()
		for _, s := range g.succs(order[k]) {
			if left[s.op]--; left[s.op] == 0 {
				order = append(order, s.op)
			}
		}
	}
	g.far, g.behind = make([]bool, len(g.count)), g.ordered()
	for _, i := range slices.Backward(order) {
		g.look()
		g.goesFar(i)
		for _, s := range g.succs(i) {
			g.height[i] = max(g.height[i], g.height[s.op]+s.cycles)
		}
	}
}

// unit is a part of the SM that takes a new instruction of one warp only every
// few cycles.
type unit uint8

// The units; of anyUnit there is always one free.
const (
	anyUnit unit = iota
	fmaUnit
	aluUnit
	fp64Unit
	specialUnit
	memoryUnit
	matrixUnit
	numUnits
)

// taken is the unit that takes an instruction, and for how many cycles it takes no other.
type taken struct {
	unit
	cycles int32
}

// unitsOf returns what the instructions of each kind take, accesses those of 4 bytes a
// lane.
func unitsOf(sm int) (of [pipe.NumKinds]taken) {
	for k := range of {
		of[k].unit, of[k].cycles = unitOf(pipe.Kind(k), sm)
	}
	return of
}

// taken returns what an instruction takes.
func (l *lister) taken(o *Op) taken {
	t := l.units[o.Kind]
	if o.Bytes > 4 && o.Kind.Memory() && o.Kind != pipe.LoadGlobal && o.Kind != pipe.LoadLocal { // these wait in a queue
		t.cycles *= int32(o.Bytes) / 4
	}
	return t
}

// unitOf returns the unit that takes a kind of instruction, and for how many cycles it
// takes no other: by the lanes of a quarter of the SM.
func unitOf(kind pipe.Kind, sm int) (u unit, cycles int32) {
	half := int32(1) // of 16 lanes
	if sm >= 70 && sm <= 80 || sm == 90 {
		half = 2
	}
	switch kind {
	case pipe.FP32, pipe.FP16, pipe.IntMul, pipe.IntMulWide:
		return fmaUnit, half
	case pipe.IntAdd, pipe.IntShift, pipe.Compare, pipe.Move:
		return aluUnit, half
	case pipe.FP64, pipe.Convert64:
		switch sm {
		case 60, 70, 80, 90, 100:
			return fp64Unit, 4
		}
		return fp64Unit, 16
	case pipe.Special, pipe.Convert:
		if sm < 70 && sm != 60 {
			return specialUnit, 4
		}
		return specialUnit, 8
	case pipe.Matrix:
		return matrixUnit, 8
	case pipe.Shuffle:
		return memoryUnit, 4
	}
	if kind.Memory() { // one for the SM: 32 lanes of 4 bytes a cycle
		return memoryUnit, 4
	}
	return anyUnit, 0
}

// issue returns the numbers of the instructions in the order of issue, and how
// many wait for one another, which none should. count is for how many others each
// waits, and is used up; along is the order that the window goes along, nil for that of
// the PTX.
func (l *lister) issue(g *before, count []int32, ops []draft, along []int32) (order []int32, broken int) {
	s := newIssuer(l, g, ops, along)
	order = make([]int32, 0, len(ops))
	for i := range count {
		if count[i] == 0 {
			s.offer(l, int32(i))
		}
	}
	for now := int32(0); len(order) < len(ops); now++ {
		l.x.look()
		i := s.next(l, &now)
		if i < 0 {
			broken = len(ops) - len(order)
			for k := range count {
				if count[k] > 0 {
					order = append(order, int32(k))
				}
			}
			break
		}
		order = append(order, i)
		s.done(l, i)
		t := l.taken(&ops[i].Op)
		s.free[t.unit] = now + t.cycles
		for _, w := range g.succs(i) {
			s.at[w.op] = max(s.at[w.op], now+w.cycles)
			if count[w.op]--; count[w.op] == 0 {
				s.waiting.add(s.at[w.op], w.op)
			}
		}
	}
	return order, broken
}
