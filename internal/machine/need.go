package machine

import (
	"slices"

	"hyptx/ir/isa"
)

// need marks what the machine must have in registers, from what has effects
// backwards: what stays unmarked is dead, or part of the instruction that uses
// it. Roots are stores, barriers, calls and the like, what a function returns,
// and the conditions of branches that are left. A load without a reader is no
// root: ptxas drops it.
func (b *builder) need() {
	for _, e := range b.effects {
		if in := b.nodes[e].in; !b.x.live[b.nodes[e].place] {
			continue
		} else if in.Inst.HasSideEffect() || in.Call != nil || !in.Inst.IsLoad() && len(in.Defs()) == 0 {
			b.want(e)
		}
	}
	for _, r := range b.roots {
		b.want(r)
	}
	for k, c := range b.conds {
		if c != 0 && b.x.live[k] && b.branches(k) {
			b.want(c)
		}
	}
	b.wantLeft()
	b.shareTerms()
	b.shareRests()
}

// branches reports whether copy k has a choice: unrolling takes it away from
// the tests of all rounds but the last of each part.
func (b *builder) branches(k int) bool {
	return len(b.x.blocks[k].succs) > 1 || b.x.blocks[k].leaves
}

// want marks a node as used by one more instruction, and what it is made from.
func (b *builder) want(n id) {
	b.work = append(b.work, n)
	for len(b.work) > 0 {
		b.x.look()
		n := b.work[len(b.work)-1]
		b.work = b.work[:len(b.work)-1]
		b.mark(n)
	}
}

// mark marks one node and asks for what it uses.
func (b *builder) mark(n id) {
	d := &b.nodes[n]
	d.uses++
	if d.wanted {
		return
	}
	d.wanted = true
	if d.guard != 0 {
		b.work = append(b.work, d.guard)
	}
	if d.base != 0 {
		b.work = append(b.work, d.base)
	}
	if d.kind == linearNode {
		for i, a := range d.args {
			b.wantTerm(a, d.coef[i])
		}
		return
	}
	if d.sums == 0 {
		b.work = append(b.work, d.args...)
	}
}

// wantTerm marks a term of a sum: a widened value or a product may become part
// of the addition.
func (b *builder) wantTerm(a id, coef int64) {
	d := &b.nodes[a]
	if d.kind == extNode || (d.kind == mulNode && d.width == 32 || d.kind == wideNode) && (coef == 1 || coef == -1) {
		if d.sums == 0 && !d.wanted {
			b.work = append(b.work, d.args...)
		}
		d.sums++
		return
	}
	b.work = append(b.work, a)
}

// shareRests finds sums that differ only by their constants: what they have in
// common is computed once.
func (b *builder) shareRests() {
	count := map[id]int{}
	rests := make([]id, len(b.nodes))
	for n := range rests {
		b.x.look()
		d := b.nodes[n]
		if !d.wanted || d.kind != linearNode || d.imm == 0 {
			continue
		}
		rest := b.sumOf(id(n))
		rest.k = 0
		b.stand(&d)
		rests[n] = b.linear(rest)
		count[rests[n]]++
	}
	for n, r := range rests {
		if r != 0 && (count[r] > 1 || b.nodes[r].wanted) && b.nodes[r].kind == linearNode {
			b.want(r)
			b.nodes[n].base = r
		}
	}
}

// shareTerms finds widened and scaled indices that several sums have, as those of
// arrays of one type: before Volta, whose IMAD.WIDE does all in one, the index is
// made into an offset once and then added to each pointer.
func (b *builder) shareTerms() {
	if b.x.sm >= 70 {
		return
	}
	type term struct {
		arg  id
		coef int64
	}
	count := map[term]int{}
	each := func(do func(n id, t term)) {
		for n := range len(b.nodes) {
			b.x.look()
			if d := b.nodes[n]; d.wanted && d.kind == linearNode && d.width == 64 && len(d.args) > 1 {
				for i, a := range d.args {
					if b.nodes[a].kind == extNode && d.coef[i] != 1 {
						do(id(n), term{a, d.coef[i]})
					}
				}
			}
		}
	}
	each(func(_ id, t term) { count[t]++ })
	each(func(n id, t term) {
		d := b.nodes[n]
		if count[t] < 2 || !slices.Contains(d.args, t.arg) {
			return
		}
		i := slices.Index(d.args, t.arg)
		b.stand(&d)
		offset := b.linear(sum{64, []id{t.arg}, []int64{t.coef}, 0})
		b.want(offset)
		// The offset is younger than all terms, which are in the order of age.
		b.nodes[n].args = append(slices.Delete(slices.Clone(d.args), i, i+1), offset)
		b.nodes[n].coef = append(slices.Delete(slices.Clone(d.coef), i, i+1), 1)
	})
}

// fuse finds which operations become part of others: users before what they
// use, so that of a chain the end takes what fits. One instruction adds and
// multiplies, combines three words bit by bit (LOP3), compares and combines the
// result with a predicate, or selects the smaller of two numbers. Only what has
// no other user can become part of one, and only within the same loop.
func (b *builder) fuse() {
	for n := len(b.nodes) - 1; n > 0; n-- {
		b.x.look()
		d := &b.nodes[n]
		if !d.wanted {
			continue
		}
		switch {
		case d.kind == selNode:
			b.fuseMinMax(d)
		case d.kind != pureNode || d.fused && !isLogic(d):
		case isLogic(d):
			b.fuseLogic(d)
		case d.in.Inst.Op == isa.OpAdd || d.in.Inst.Op == isa.OpSub:
			b.contract(d)
		}
	}
	for n := range b.nodes {
		b.x.look()
		if d := &b.nodes[n]; d.wanted && d.kind == pureNode && d.width == 1 && isLogic(d) {
			b.fuseSetp(d)
		}
	}
}

// isLogic reports whether a node is a bitwise operation.
func isLogic(d *node) bool {
	switch d.in.Inst.Op {
	case isa.OpAnd, isa.OpOr, isa.OpXor, isa.OpNot:
		return d.kind == pureNode
	}
	return false
}

// contract makes an addition and a product that only it uses one instruction:
// allowed where neither names a rounding (PTX ISA 9.7.3.3, 9.7.3.5).
func (b *builder) contract(d *node) {
	inst := d.in.Inst
	if !inst.Type().IsFloat() || inst.Rnd != isa.NoRnd {
		return
	}
	for _, a := range d.args {
		m := &b.nodes[a]
		if m.kind != pureNode || m.fused || m.uses != 1 || m.in.Inst.Op != isa.OpMul || m.in.Inst.Rnd != isa.NoRnd ||
			m.in.Inst.Type() != inst.Type() || m.in.Inst.Has(isa.ModFtz) != inst.Has(isa.ModFtz) || m.in.Inst.Has(isa.ModSat) {
			continue
		}
		if b.x.blocks[m.place].depth == b.x.blocks[d.place].depth {
			m.fused, d.contracted = true, true
			return
		}
	}
}

// fuseLogic merges what feeds a bitwise operation into it, up to the three
// inputs of LOP3 and PLOP3.
func (b *builder) fuseLogic(d *node) {
	if b.x.sm < 50 {
		return
	}
	inputs := len(d.args)
	for _, a := range d.args {
		m := &b.nodes[a]
		if m.kind == pureNode && isLogic(m) && m.uses == 1 && !m.fused && inputs-1+len(m.args) <= 3 && !d.fused &&
			b.x.blocks[m.place].depth == b.x.blocks[d.place].depth {
			m.fused = true
			inputs += len(m.args) - 1
		}
	}
}

// fuseSetp makes a combination of predicates part of a comparison that only it
// uses: SETP takes one further predicate.
func (b *builder) fuseSetp(d *node) {
	if d.fused || len(d.args) != 2 {
		return
	}
	for _, a := range d.args {
		m := &b.nodes[a]
		if m.kind == notNode {
			m = &b.nodes[m.args[0]]
		}
		if m.kind == pureNode && m.in.Inst.Op == isa.OpSetp && m.uses == 1 && len(m.args) == 2 && !m.combined {
			m.combined, d.fused = true, true
			return
		}
	}
}

// fuseMinMax makes the selection of the smaller or larger of two integers one
// instruction with its comparison.
func (b *builder) fuseMinMax(d *node) {
	c := &b.nodes[d.args[0]]
	if d.imm != 1 || d.width != 32 || c.kind != pureNode || c.in.Inst.Op != isa.OpSetp || c.uses != 1 || len(c.args) != 2 || c.in.Inst.Type().IsFloat() {
		return
	}
	same := c.args[0] == d.args[1] && c.args[1] == d.args[2] || c.args[0] == d.args[2] && c.args[1] == d.args[1]
	if cmp := c.in.Inst.Cmp; same && cmp != isa.EQ && cmp != isa.NE {
		c.fused = true
	}
}
