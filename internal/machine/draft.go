package machine

import (
	"slices"

	"hyptx/internal/pipe"
	"hyptx/ir/isa"
)

// draft is an instruction before scheduling.
type draft struct {
	Op
	// of is the node that it computes, 0 for control flow and moves.
	of id
	// after is the instruction of the same node before it, and closes the node's last one if
	// that is a branch, -1 for none: in the group's list.
	after, closes int
	as            role
	// ends: control flow at the end of its part. guards are the predicates among Srcs.
	ends   bool
	guards []Slot
}

// draft writes the instructions of each group, in the order in which they were
// charged for.
func (l *lister) draft() {
	count := make([]int32, len(l.members))
	for i := range l.items {
		count[l.of[l.items[i].block]] += l.items[i].n
	}
	for n := range l.ops {
		l.ops[n] = make([]draft, 0, count[n])
	}
	for i := 0; i < len(l.items); {
		l.x.look()
		j := i + 1
		if it := &l.items[i]; it.as == holds {
			n := l.of[it.block]
			l.held[n] = append(l.held[n], slices.Repeat([]Op{l.op(it)}, int(it.n))...)
			i = j
			continue
		}
		for j < len(l.items) && l.items[i].of != 0 && l.items[j].of == l.items[i].of && l.items[j].block == l.items[i].block {
			j++
		}
		l.run(l.items[i:j])
		i = j
	}
}

// run writes the instructions that compute one node, or one item of control
// flow.
func (l *lister) run(items []item) {
	n := l.of[items[0].block]
	begin := len(l.ops[n])
	for i := range items {
		it := &items[i]
		for range it.n {
			ends := it.of == 0 && it.kind == pipe.Branch
			l.ops[n] = append(l.ops[n], draft{Op: l.op(it), of: it.of, after: -1, closes: -1, as: it.as, ends: ends})
		}
	}
	run := l.ops[n][begin:]
	l.flow(run, begin)
	conds := l.conditions(items[0].block, run[0].ends)
	run[0].Srcs, run[0].guards = append(run[0].Srcs, conds...), conds
	if d := &l.nodes[run[0].of]; d.kind == effectNode || d.kind == pureNode {
		l.describe(run)
	}
}

// op returns an instruction of an item, without operands.
func (l *lister) op(it *item) Op {
	return Op{PC: it.from, Part: int32(l.part[it.block]), Kind: it.kind, Class: it.class,
		Dst: NoSlot, Guarded: it.guarded || l.root[it.block] != it.block}
}

// conditions returns the predicates under which copy k's instructions stand,
// and, for its end, the one that it branches on.
func (l *lister) conditions(k int, ends bool) []Slot {
	var out []Slot
	if ends && l.conds[k] != 0 {
		out = l.with(out, l.conds[k])
	}
	for l.root[k] != k {
		k = l.root[k]
		if l.conds[k] != 0 {
			out = l.with(out, l.conds[k])
		}
	}
	return out
}

// flow gives the instructions of a node their operands: one after the other
// each needs the result before it; halves of 64 bits do not, nor do the partial
// products of Maxwell and Pascal, which the last one adds up.
func (l *lister) flow(run []draft, begin int) {
	n := run[0].of
	if n == 0 {
		return
	}
	d := &l.nodes[n]
	if d.kind == phiNode || d.kind == paramNode { // moves of constants
		for i := range run {
			run[i].Dst = l.slot[n]
		}
		return
	}
	last := len(run) - 1
	for last > 0 && run[last].Kind == pipe.Branch {
		last--
	}
	in := l.operands(n)
	if run[0].Kind == pipe.Matrix && last > 0 {
		l.products(run, l.x.tiles(d.in.Inst, len(run)), in)
		return
	}
	if run[last].Kind != pipe.Branch && l.branchesInside(d) {
		l.subroutine(run, begin, last, in)
		return
	}
	prev := in
	var partial []Slot
	for i := range run {
		o := &run[i]
		if i > 0 {
			o.after = begin + i - 1
		}
		apart := l.halves(d, o.Kind) || i < last && l.x.xmad() && o.Kind == pipe.IntMul && run[i+1].Kind == pipe.IntMul
		o.Srcs = prev
		if apart || o.Kind == pipe.Branch {
			o.Srcs = in
		}
		switch {
		case i == last:
			o.Srcs = append(o.Srcs[:len(o.Srcs):len(o.Srcs)], partial...)
			o.Dst, o.More = l.slot[n], l.more[n]
		case i < last && apart && !l.halves(d, o.Kind):
			o.Dst = l.fresh(1)
			partial = append(partial, o.Dst)
		case i < last && !apart:
			o.Dst = l.fresh(min(l.regs(n), 1))
			prev = []Slot{o.Dst}
		}
	}
}

// branchesInside reports whether a node's instructions branch around a subroutine.
func (l *lister) branchesInside(d *node) bool {
	if d.kind != pureNode {
		return false
	}
	s := d.in.Inst.Steps(l.x.sm)
	return s != nil && s.Branch > 0
}

// subroutine gives the instructions of a node that branches around a subroutine their operands:
// the branch waits for the test of the operands, or without one for the result, run[last];
// who reads the result comes behind the end of the branch.
func (l *lister) subroutine(run []draft, begin, last int, in []Slot) {
	n, value, test, tested := run[0].of, in, in, false
	for i := range run {
		o := &run[i]
		if i > 0 {
			o.after = begin + i - 1
		}
		switch {
		case o.as == tests:
			o.Srcs, o.Dst = test, l.fresh(0)
			test, tested = []Slot{o.Dst}, true
		case i == last:
			o.Srcs, o.Dst, o.More, o.closes = value, l.slot[n], l.more[n], begin+len(run)-1
			value = []Slot{o.Dst}
		case o.Kind != pipe.Branch:
			o.Srcs, o.Dst = value, l.fresh(min(l.regs(n), 1))
			value = []Slot{o.Dst}
		case l.x.sm >= 70 && (i == 0 || i == len(run)-1): // BSSY, BSYNC
		case tested: // BRA
			o.Srcs = test
		default:
			o.Srcs = value
		}
	}
}

// products gives the instructions of a matrix product their operands: each adds to what the
// one did that many before it.
func (l *lister) products(run []draft, tiles int, in []Slot) {
	n := run[0].of
	for i := range run {
		o := &run[i]
		o.Srcs, o.Dst = in, l.fresh(1)
		if i >= tiles {
			o.Srcs = append(in[:len(in):len(in)], run[i-tiles].Dst)
		}
	}
	end := &run[len(run)-1]
	end.Dst, end.More = l.slot[n], l.more[n]
}

// halves reports whether the instructions of a node do not need one another.
func (l *lister) halves(d *node, k pipe.Kind) bool {
	return k == pipe.Move || d.kind == pureNode && isLogic(d)
}

// describe says of a node's instructions what their units want to know.
func (l *lister) describe(run []draft) {
	d, merged := &l.nodes[run[0].of], l.merged[run[0].of]
	inst := d.in.Inst
	for i := range run {
		o := &run[i]
		switch {
		case inst.OpaqueTensor():
			o.Product = ProductOf(inst)
		case o.Kind == pipe.Matrix:
			o.Product, o.MulAdds = ProductOf(inst), int32(int(MulAdds(inst))/len(run))
		case o.Kind.Memory() && d.kind == effectNode:
			o.Bytes = laneBytes(d) * uint8(1+len(merged))
			for _, e := range merged {
				part := &l.nodes[e]
				o.Merged = append(o.Merged, Access{part.in.PC, int32(l.part[part.place])})
			}
		}
	}
}

// laneBytes returns what each lane accesses.
func laneBytes(d *node) uint8 {
	inst := d.in.Inst
	if inst.IsLoad() && inst.IsStore() {
		for i := range d.in.Ops() {
			if d.in.Inst.Form.Operands[i].Name == "size" {
				return uint8(d.in.Ops()[i].Imm)
			}
		}
	}
	if inst.Op == isa.OpWmmaLoad || inst.Op == isa.OpWmmaStore {
		return tileBytes(inst)
	}
	if inst.CrossLane() { // matrices of 8 rows of 16 bytes: 4 bytes a lane
		return 4 * inst.Vec
	}
	return uint8(max(inst.Type().Bits()/8, 1) * int(max(inst.Vec, 1)))
}

// tileBytes returns what each lane moves of a matrix of wmma.
func tileBytes(inst *isa.Inst) uint8 {
	m, n, k := inst.Shape()
	elements := m * n
	switch inst.Mods[0].String() {
	case "a":
		elements = m * k
	case "b":
		elements = k * n
	}
	return uint8(elements * inst.Type().Bits() / 8 / 32)
}
