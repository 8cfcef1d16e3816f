package machine

import (
	"context"
	"slices"

	"hyptx/internal/pipe"
	"hyptx/internal/ssa"
)

// maxLeaves bounds the values that one operand is made of where it is no single
// one: of a chain of choices the last ones wait for those before.
const maxLeaves = 4

// lister turns what was charged for into code.
type lister struct {
	*control
	*groups
	out *Listing
	// slot is the slot of each node, NoSlot without, that of its first result if it has several,
	// and more are the others'; leaves are the slots that a node without one is made of, nil
	// while nobody asked.
	slot   []Slot
	more   map[id][]Slot
	leaves [][]Slot
	// numbers is lives' memory of slots, writer dependValues': -1 between blocks.
	numbers, writer []int32
	units           [pipe.NumKinds]taken // by kind
	// phisOf are the phis of each copy.
	phisOf [][]id
	// ops are the instructions of each group, in the order of the PTX; held those that
	// move constants into registers, which come first.
	ops  [][]draft
	held [][]Op
}

// List estimates the machine code of the function that s is the overlay of: the
// same code that [New] charges for.
func List(ctx context.Context, s *ssa.Form, launch *Launch, sm int) (*Listing, error) {
	return within(ctx, func(q *quit) *Listing {
		return best(q, s, launch, sm).listing()
	})
}

func (c *control) listing() *Listing {
	l := &lister{control: c, groups: c.group(), out: &Listing{Func: c.s.Func, mostRegisters: c.launch.mostRegisters()}, leaves: make([][]Slot, len(c.nodes)), units: unitsOf(c.x.sm)}
	l.ops, l.held = make([][]draft, len(l.members)), make([][]Op, len(l.members))
	l.phisOf = make([][]id, len(l.x.blocks))
	for _, p := range l.phis {
		l.phisOf[p.block] = append(l.phisOf[p.block], p.node)
	}
	l.name()
	l.draft()
	l.numbers, l.writer = make([]int32, len(l.out.Regs)), slices.Repeat([]int32{-1}, len(l.out.Regs))
	l.out.Blocks = make([]CodeBlock, len(l.members))
	l.out.places = make([][]Place, len(c.s.Func.Blocks))
	for n, members := range l.members {
		l.x.look()
		b := &l.out.Blocks[n]
		b.Ops = append(l.held[n], l.schedule(l.ops[n])...)
		for part, k := range members {
			orig := c.x.blocks[k].orig
			b.Parts = append(b.Parts, Part{int32(orig), l.edges(k), l.root[k] != k})
			l.out.places[orig] = append(l.out.places[orig], Place{int32(n), int32(part)})
		}
	}
	l.out.Slots = len(l.out.Regs)
	l.openLoops()
	l.out.Registers = l.out.registers(l.x.quit)
	return l.out
}

// fresh returns a new slot.
func (l *lister) fresh(regs int) Slot {
	l.out.Regs = append(l.out.Regs, uint8(min(regs, 255)))
	return Slot(len(l.out.Regs) - 1)
}

// name gives slots to the nodes that instructions compute, and to phis that a
// machine block begins with.
func (l *lister) name() {
	l.slot, l.more = slices.Repeat([]Slot{NoSlot}, len(l.nodes)), map[id][]Slot{}
	for i := range l.items {
		l.x.look()
		if n := l.items[i].of; n != 0 && l.slot[n] == NoSlot && l.holds(n) {
			l.results(n)
		}
	}
	for i := range l.nodes {
		if d := &l.nodes[i]; d.kind == partNode && l.slot[d.args[0]] != NoSlot {
			l.slot[i] = l.slot[d.args[0]]
			if d.imm > 0 {
				l.slot[i] = l.more[d.args[0]][d.imm-1]
			}
		}
	}
	for _, p := range l.phis {
		if l.nodes[p.node].wanted && l.slot[p.node] == NoSlot && l.part[p.block] == 0 {
			l.slot[p.node] = l.fresh(l.regs(p.node))
		}
	}
}

// results gives slots to what the instruction of a node leaves in registers.
func (l *lister) results(n id) {
	d := &l.nodes[n]
	l.slot[n] = l.fresh(l.regs(n))
	if d.kind == effectNode || d.kind == pureNode {
		for _, r := range d.in.Defs()[1:] {
			regs := 0
			if !d.uniform {
				regs = registers(widthOf(l.s.Func.Regs[r].Type))
			}
			l.more[n] = append(l.more[n], l.fresh(regs))
		}
	}
	for _, e := range l.merged[n] {
		l.slot[e] = l.fresh(int(l.out.Regs[l.slot[n]]))
		l.more[n] = append(l.more[n], l.slot[e])
	}
}

// holds reports whether a node has a result.
func (l *lister) holds(n id) bool {
	d := &l.nodes[n]
	return d.kind != effectNode || len(d.in.Defs()) > 0
}

// regs returns the 32-bit registers of a node's value.
func (l *lister) regs(n id) int {
	d := &l.nodes[n]
	switch {
	case d.uniform, l.preset(n) != 0: // registers of their own; that of the load
		return 0
	case d.kind == extNode: // the lower half is there
		return 1
	case d.in == nil, d.kind != effectNode && d.kind != pureNode:
		return registers(d.width)
	}
	if !l.holds(n) {
		return 0
	}
	return registers(widthOf(l.s.Func.Regs[d.in.Defs()[0]].Type)) // of several results the first
}

// registers returns the 32-bit registers of a value; predicates have their own.
func registers(width uint8) int {
	if width == 1 {
		return 0
	}
	return int(width+31) / 32
}

// values returns the slots that must be there for a node to be.
func (l *lister) values(n id) []Slot {
	loaded := l.preset(n)
	if l.slot[n] != NoSlot && !l.inner(n) && loaded == 0 {
		return l.slot[n : n+1 : n+1]
	}
	if l.leaves[n] != nil {
		return l.leaves[n]
	}
	l.leaves[n] = []Slot{}
	d := &l.nodes[n]
	out := []Slot{}
	if s := l.slot[n]; s != NoSlot {
		out = append(out, s)
	}
	args := d.args
	if loaded != 0 {
		args = []id{loaded}
	}
	if d.kind == phiNode {
		args = slices.Clone(args)
		for j, p := range l.x.blocks[d.place].preds {
			if !l.x.live[p] {
				args[j] = 0
			}
		}
	}
	for _, a := range slices.Backward(args) {
		out = l.with(out, a)
	}
	out = l.with(out, d.guard)
	out = l.with(out, d.base)
	l.leaves[n] = out
	return out
}

// with adds a node's slots to a list that has each once.
func (l *lister) with(list []Slot, n id) []Slot {
	if n == 0 {
		return list
	}
	for _, s := range l.values(n) {
		if len(list) < maxLeaves && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// inner reports whether a node is a phi in the midst of a machine block: its
// arguments are computed in its register.
func (l *lister) inner(n id) bool {
	d := &l.nodes[n]
	return d.kind == phiNode && l.part[d.place] > 0
}

// operands returns the slots that a node's instructions read.
func (l *lister) operands(n id) []Slot {
	d := &l.nodes[n]
	args, base := d.args, d.base
	if d.made != nil {
		args, base = d.made, 0
	}
	if l.preset(n) != 0 {
		args = nil
	}
	out := make([]Slot, 0, len(args)+2)
	for _, a := range args {
		for _, s := range l.values(a) {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	for _, a := range [...]id{d.guard, base} {
		if a != 0 {
			out = append(out, l.values(a)...)
		}
	}
	for _, e := range l.merged[n] { // what is stored
		for _, a := range l.nodes[e].args {
			out = append(out, l.values(a)...)
		}
	}
	return out
}

// edges returns where the machine goes on from copy k.
func (l *lister) edges(k int) []Edge {
	var out []Edge
	b := &l.x.blocks[k]
	for i, s := range b.succs {
		if p, ok := l.isConst(l.conds[k]); ok && len(b.succs) == 2 && int(p&1) != i || !l.x.live[s] {
			continue
		}
		for _, to := range l.x.both(s) {
			e := Edge{PTX: int32(l.x.blocks[s].orig), To: l.place(to), Left: to != s}
			if e.To.Part == 0 {
				e.Moves = l.hands(k, s, to)
			}
			out = append(out, e)
		}
	}
	return out
}

// place returns where a copy stands.
func (l *lister) place(k int) Place { return Place{int32(l.of[k]), int32(l.part[k])} }

// moves returns what the phis of copy to take from copy k, which goes on to s: to is s or,
// where rounds are left over, the header of these.
func (l *lister) moves(k, s, to int) []Move {
	var out []Move
	j, _ := slices.BinarySearch(l.x.blocks[s].preds, k)
	for i, p := range l.phisOf[to] {
		if l.slot[p] == NoSlot || !l.nodes[p].wanted {
			continue
		}
		for _, from := range l.values(l.nodes[l.phisOf[s][i]].args[j]) {
			if from != l.slot[p] {
				out = append(out, Move{l.slot[p], from})
			}
		}
	}
	return out
}
