package machine

import (
	"slices"

	"hyptx/internal/pipe"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// maxApart is how many stores since the last barrier are held against other
// accesses, maxLoads how many loads are held against stores; with more, they keep their
// order. Loads need not be held against each other.
const (
	maxApart = 128
	maxLoads = 4096
)

// depend finds what the instructions of a group wait for: values, accesses of
// memory that may meet, and the ends of the parts.
func (l *lister) depend(ops []draft) *before {
	g := &before{quit: l.x.quit, ops: ops, edges: make([]edge, 0, 4*len(ops)), count: make([]int32, len(ops))}
	l.dependValues(g, ops)
	l.dependMemory(g, ops)
	g.finish()
	return g
}

func (l *lister) latency(k pipe.Kind) int32 {
	if n := latencies[k]; n != 4 || l.x.sm >= 70 {
		return n
	}
	return 6
}

// dependValues: readers wait for who writes a slot in this group. A slot of a
// phi at the beginning of a machine block is written for the next round: after
// its readers.
func (l *lister) dependValues(g *before, ops []draft) {
	before := make([]int32, len(ops)) // the writer before of the same slot
	var next map[Slot]bool
	for i := range ops {
		l.x.look()
		o := &ops[i]
		if o.after >= 0 {
			g.add(o.after, i, 1)
		}
		if o.Dst == NoSlot {
			continue
		}
		before[i], l.writer[o.Dst] = l.writer[o.Dst], int32(i)
		for _, s := range o.More { // nobody else writes these
			l.writer[s] = int32(i)
		}
		if d := &l.nodes[o.of]; d.kind == phiNode && !l.inner(o.of) {
			if next == nil {
				next = map[Slot]bool{}
			}
			next[o.Dst] = true
		}
	}
	for i := range ops {
		l.x.look()
		for _, s := range ops[i].Srcs {
			for w := l.writer[s]; w >= 0; w = before[w] {
				if !next[s] {
					g.add(int(w), i, l.latency(ops[w].Kind))
					if end := ops[w].closes; end >= 0 && ops[i].of != ops[w].of {
						g.add(end, i, 1)
					}
				} else if !ops[i].ends {
					g.add(i, int(w), 1)
				}
			}
		}
	}
	for i := range ops {
		for s := range ops[i].Results {
			l.writer[s] = -1
		}
	}
}

// memory is an order of accesses in the making.
type memory struct {
	g *before
	// fence is the last instruction that none passes, -1 for none; loads and
	// stores are those since.
	fence         int
	loads, stores []access
}

// access is an instruction and where it goes.
type access struct {
	i  int
	to reach
}

// all makes instruction i come after everything since the last fence, and
// before everything after it.
func (m *memory) all(i int) {
	m.g.add(m.fence, i, 1)
	for _, a := range m.loads {
		m.g.add(a.i, i, 1)
	}
	for _, a := range m.stores {
		m.g.add(a.i, i, 1)
	}
	m.fence, m.loads, m.stores = i, m.loads[:0], m.stores[:0]
}

// dependMemory keeps accesses in order where they may meet, and lets nothing
// with an effect pass barriers, atomics, branches around a subroutine, which end a
// basic block, and the ends of parts.
func (l *lister) dependMemory(g *before, ops []draft) {
	order := make([]int, 0, len(ops))
	last := int32(0)
	for i := range ops {
		last = max(last, ops[i].Part)
		if ops[i].ends || l.nodes[ops[i].of].kind == effectNode || inside(&ops[i]) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { l.x.look(); return l.compare(&ops[i], &ops[j]) })
	m := memory{g: g, fence: -1}
	carry := -1
	for _, i := range order {
		l.x.look()
		o := &ops[i]
		in := l.nodes[o.of].in
		switch {
		case o.ends && o.Part == last:
			wall(g, ops, i)
			m.all(i)
		case o.ends, inside(&ops[i]), fences(in):
			m.all(i)
		case in.Inst.ReadsCC() || in.Inst.WritesCC():
			g.add(carry, i, l.latency(o.Kind))
			carry = i
		case len(in.Inst.Form.Memory) == 0: // of lanes, not of memory
		case len(m.loads) >= maxLoads || len(m.stores) >= maxApart:
			m.all(i)
		case in.Inst.IsStore():
			g.add(m.fence, i, 1)
			a := access{i, l.wholeOf(o.of)}
			m.apart(a, m.loads)
			m.apart(a, m.stores)
			m.stores = append(m.stores, a)
		default:
			g.add(m.fence, i, 1)
			a := access{i, l.wholeOf(o.of)}
			m.apart(a, m.stores)
			m.loads = append(m.loads, a)
		}
	}
}

// inside reports whether an instruction branches in the midst of its part.
func inside(o *draft) bool { return o.Kind == pipe.Branch && !o.ends && o.of != 0 }

// compare orders accesses as the PTX does: a part's end is its last.
func (l *lister) compare(a, b *draft) int {
	switch {
	case a.Part != b.Part:
		return int(a.Part - b.Part)
	case a.ends != b.ends:
		if a.ends {
			return 1
		}
		return -1
	}
	return int(a.of - b.of)
}

// wall makes all other instructions come before i, the end of the block.
func wall(g *before, ops []draft, i int) {
	for k := range ops {
		if !ops[k].ends {
			g.add(k, i, 1)
		}
	}
}

// apart makes an access wait for those of a list that it may meet.
func (m *memory) apart(a access, list []access) {
	for k := range list {
		if a.to.meets(&list[k].to) {
			m.g.add(list[k].i, a.i, 1)
		}
	}
}

// fences reports whether no access passes an instruction.
func fences(in *ir.Instr) bool {
	inst := in.Inst
	return in.Call != nil || inst.Orders() || inst.IsAtomic() || inst.IsVolatile() || inst.Form.Anywhere || inst.Form.Object > isa.Reads || inst.Op == isa.OpSuld ||
		inst.Sem == isa.Acquire || inst.Sem == isa.Release || inst.Sem == isa.Relaxed || inst.IsLoad() && inst.IsStore()
}

// mayMeet reports whether two accesses, one a store, may be of the same bytes.
// Pointers of a kernel may lead to the same buffer.
func mayMeet(a, b *node) bool {
	x, y := accessOf(a), accessOf(b)
	return x.meets(&y)
}

func (x *reach) meets(y *reach) bool {
	switch {
	case x.constant || y.constant:
		return false
	case x.space != y.space:
		return x.space == isa.Generic || y.space == isa.Generic
	case x.v != y.v && x.v != nil && y.v != nil:
		return false
	case x.v == y.v && x.base == y.base:
		return x.from < y.to && y.from < x.to
	}
	return true
}

// reach is where an access goes: so many bytes from a variable or a register.
type reach struct {
	space    isa.Space
	constant bool // memory that nobody writes
	v        *ir.Var
	base     id
	from, to int64
}

// wholeOf returns where an access goes together with those that are part of it.
func (l *lister) wholeOf(n id) reach {
	r := accessOf(&l.nodes[n])
	for _, e := range l.merged[n] {
		part := accessOf(&l.nodes[e])
		r.from, r.to = min(r.from, part.from), max(r.to, part.to)
	}
	return r
}

func accessOf(d *node) reach {
	inst := d.in.Inst
	r := reach{space: inst.Space, v: d.v, base: d.base, from: d.offset, to: d.offset + int64(laneBytes(d))}
	r.constant = inst.Space == isa.Const || inst.Has(isa.ModNc) || !inst.IsLoad() && !inst.IsStore()
	return r
}
