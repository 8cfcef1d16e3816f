package machine

import (
	"cmp"
	"slices"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// An access of shared memory moves up to 16 bytes a thread. So ptxas makes one of
// accesses to adjacent addresses, if the whole is aligned and nothing between
// them may touch the same bytes. (Of global memory it hardly ever knows the
// alignment: a pointer is a parameter.)

const (
	widest = 16 // bytes of one access
	// maxOpen bounds the accesses that are compared with one another.
	maxOpen = 256
)

// merger finds adjacent accesses in stretches of copies that are always gone
// through together.
type merger struct {
	*builder
	// loads and stores are those that may still be merged.
	loads, stores []id
}

// merge makes adjacent accesses one: of those that disappear, leader is the one
// that stays.
func (b *builder) merge() {
	m := &merger{builder: b}
	region := b.x.stretches(b)
	effects := slices.Clone(b.effects)
	slices.SortStableFunc(effects, func(p, q id) int { b.x.look(); return cmp.Compare(region[b.nodes[p].place], region[b.nodes[q].place]) })
	last := -1
	for _, e := range effects {
		b.x.look()
		d := &b.nodes[e]
		if !d.wanted || !b.x.live[d.place] {
			continue
		}
		if r := region[d.place]; r != last {
			m.close()
			last = r
		}
		m.step(e)
	}
	m.close()
}

// step goes past one effect.
func (m *merger) step(e id) {
	d := &m.nodes[e]
	in := d.in
	switch {
	case fences(in):
		m.close()
	case in.Inst.Space != isa.Shared && in.Inst.Space != isa.Generic || len(in.Inst.Form.Memory) == 0:
	case in.Inst.IsLoad():
		m.stores = m.closeMeeting(m.stores, e)
		if m.loads = append(m.loads, e); len(m.loads) > maxOpen {
			m.close()
		}
	default:
		m.loads = m.closeMeeting(m.loads, e)
		m.stores = m.closeMeeting(m.stores, e)
		if m.stores = append(m.stores, e); len(m.stores) > maxOpen {
			m.close()
		}
	}
}

// closeMeeting merges what it can of a list of which some may meet e.
func (m *merger) closeMeeting(list []id, e id) []id {
	if slices.ContainsFunc(list, func(k id) bool { return mayMeet(&m.nodes[k], &m.nodes[e]) }) {
		m.combine(list)
		return list[:0]
	}
	return list
}

// close merges what is open.
func (m *merger) close() {
	m.combine(m.loads)
	m.combine(m.stores)
	m.loads, m.stores = m.loads[:0], m.stores[:0]
}

// combine merges adjacent accesses of a list.
func (m *merger) combine(list []id) {
	if len(list) < 2 {
		return
	}
	list = slices.DeleteFunc(slices.Clone(list), func(e id) bool { return !m.plain(&m.nodes[e]) })
	slices.SortStableFunc(list, func(p, q id) int {
		a, b := &m.nodes[p], &m.nodes[q]
		return cmp.Or(cmp.Compare(varIndex(a.v), varIndex(b.v)), cmp.Compare(a.base, b.base), cmp.Compare(a.guard, b.guard),
			cmp.Compare(laneBytes(a), laneBytes(b)), cmp.Compare(a.offset, b.offset))
	})
	for i := 0; i < len(list); {
		n := m.adjacent(list[i:])
		m.join(list[i : i+n])
		i += n
	}
}

func varIndex(v *ir.Var) int {
	if v == nil {
		return -1
	}
	return v.Index
}

// plain reports whether an access is of one word of shared memory for each lane.
func (m *merger) plain(d *node) bool {
	inst := d.in.Inst
	bits := inst.Type().Bits()
	return inst.Space == isa.Shared && inst.PlainAccess() && inst.Vec <= 1 && (bits == 32 || bits == 64)
}

// adjacent returns how many of a sorted list make one access with the first: a
// power of two of them, aligned to their size.
func (m *merger) adjacent(list []id) int {
	first := &m.nodes[list[0]]
	size := int64(laneBytes(first))
	align := m.alignment(first)
	for n := int64(widest) / size; n > 1; n /= 2 {
		if int64(len(list)) < n || align%(n*size) != 0 || first.offset%(n*size) != 0 {
			continue
		}
		fits := true
		for k := int64(1); k < n && fits; k++ {
			d := &m.nodes[list[k]]
			fits = d.v == first.v && d.base == first.base && d.guard == first.guard && int64(laneBytes(d)) == size && d.offset == first.offset+k*size
		}
		if fits {
			return int(n)
		}
	}
	return 1
}

// join makes one access of a list: the first in the text if they are loads, the
// last if they are stores.
func (m *merger) join(list []id) {
	if len(list) < 2 {
		return
	}
	leader := slices.Min(list)
	if m.nodes[leader].in.Inst.IsStore() {
		leader = slices.Max(list)
	}
	for _, e := range list {
		if e != leader {
			m.nodes[e].leader = leader
			m.merged[leader] = append(m.merged[leader], e)
		}
	}
}

// alignment returns a power of two, at most widest, that divides an access's
// address without its offset. A variable that the file gives room is placed where
// the machine's code likes it.
func (m *merger) alignment(d *node) int64 {
	align := int64(widest)
	if v := d.v; v != nil && v.Space != isa.Shared || v != nil && v.Bytes == 0 {
		align = min(align, int64(max(v.Align, 1)))
	}
	if d.base != 0 {
		align = min(align, m.divides(d.base, 0))
	}
	return align
}

// maxAlignDepth bounds how far back a value's alignment is looked for.
const maxAlignDepth = 6

// divides returns a power of two, at most widest, that divides a value.
func (m *merger) divides(n id, depth int) int64 {
	d := &m.nodes[n]
	switch {
	case depth > maxAlignDepth:
		return 1
	case d.kind == constNode:
		return lowest(int64(d.imm))
	case d.kind == linearNode:
		align := lowest(int64(d.imm))
		for i, a := range d.args {
			align = min(align, lowest(d.coef[i]*m.divides(a, depth+1)))
		}
		return align
	case d.kind == extNode, d.kind == truncNode:
		return m.divides(d.args[0], depth+1)
	case d.kind == phiNode:
		align := int64(widest)
		for _, a := range d.args {
			if a != n {
				align = min(align, m.around(n, a, depth))
			}
		}
		return align
	case d.kind == symNode && d.v.Space == isa.Shared && d.v.Bytes > 0:
		return widest
	case d.kind == pureNode && d.in.Inst.Op == isa.OpAnd:
		return max(m.divides(d.args[0], depth+1), m.divides(d.args[1], depth+1))
	}
	return 1
}

// around returns what divides a phi's argument if it divides the phi: of a sum
// with the phi the rest counts.
func (m *merger) around(phi, a id, depth int) int64 {
	d := &m.nodes[a]
	if d.kind != linearNode {
		return m.divides(a, depth+1)
	}
	align := lowest(int64(d.imm))
	for i, t := range d.args {
		if t != phi || d.coef[i] != 1 {
			align = min(align, lowest(d.coef[i]*m.divides(t, depth+1)))
		}
	}
	return align
}

// lowest returns the largest power of two that divides k, at most widest.
func lowest(k int64) int64 {
	if k == 0 {
		return widest
	}
	return min(k&-k, widest)
}

// stretches numbers the copies: those that are always gone through together have
// one number.
func (x *expansion) stretches(b *builder) []int {
	of := make([]int, len(x.blocks))
	for c := range of {
		of[c] = c
	}
	for _, c := range x.dom.Preorder() {
		if p := x.only(b, c); p >= 0 {
			of[c] = of[p]
		}
	}
	return of
}

// only returns the one copy from which control comes to c, if it goes nowhere
// else; -1 without one.
func (x *expansion) only(b *builder, c int) int {
	from := -1
	for _, p := range x.blocks[c].preds {
		if !x.live[p] {
			continue
		}
		if from >= 0 {
			return -1
		}
		from = p
	}
	if from < 0 || !x.live[c] || !x.dom.Dominates(from, c) {
		return -1
	}
	bit, decided := b.isConst(b.conds[from])
	succs := x.blocks[from].succs
	switch {
	case decided && len(succs) == 2:
		if succs[bit&1] != c {
			return -1
		}
	case len(succs) != 1 || x.blocks[from].leaves:
		return -1
	}
	return from
}
