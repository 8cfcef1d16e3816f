package machine

import (
	"cmp"
	"slices"

	"hyptx/internal/pipe"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// bill collects what the copies of a function's blocks cost.
type bill struct {
	*builder
	items []item
	// of is the node that is being charged for, and as what.
	of id
	as role
	// held are the copies that each constant is moved into a register in.
	held map[id][]int
	// total is the number of instructions in each copy.
	total []int
	// shares is how many sums are made from each one, as the PTX has them.
	shares []int32
}

// role is what an instruction is among those of its node.
type role uint8

const (
	computes role = iota
	tests         // its operands, for a branch
	holds         // a constant that it reads
)

// item is machine instructions of one class in a copy.
type item struct {
	block   int
	pc      ir.PC
	guarded bool
	class   isa.Class
	n       int32
	fma     int32 // of n: multiply-adds
	effect  bool
	as      role
	kind    pipe.Kind
	// of is the node that they compute, 0 for control flow; from the PTX
	// instruction that they come from, which an item of another place may have.
	of   id
	from ir.PC
}

// charge adds n instructions for node d; guarded if they run under the guard
// of its instruction.
func (p *bill) charge(d *node, n int, class isa.Class) {
	p.chargeFloat(d, n, 0, class, kindOf(d, class))
}

// chargeFloat does, too; fma of the n are floating-point multiply-adds.
func (p *bill) chargeFloat(d *node, n, fma int, class isa.Class, kind pipe.Kind) {
	if n == 0 || !p.x.live[d.place] {
		return
	}
	if p.nodes[p.of].uniform {
		kind = pipe.Uniform
	}
	own := d.in != nil && (d.kind == pureNode || d.kind == effectNode)
	if d.in == nil || d.place != d.from {
		p.anchor(int(d.place), n, class, kind)
		return
	}
	p.total[d.place] += n
	p.items = append(p.items, item{block: int(d.place), pc: d.in.PC, guarded: own && d.in.Guard != ir.NoReg, class: class,
		n: int32(n), fma: int32(fma), effect: d.kind == effectNode, as: p.as, kind: kind, of: p.of, from: d.in.PC})
}

// anchor adds n instructions to a copy as a whole.
func (p *bill) anchor(c int, n int, class isa.Class, kind pipe.Kind) {
	b := p.s.Func.Blocks[p.x.blocks[c].orig]
	if b.End == b.First || n == 0 || !p.x.live[c] {
		return
	}
	if p.nodes[p.of].uniform {
		kind = pipe.Uniform
	}
	it := item{block: c, pc: b.End - 1, class: class, n: int32(n), as: p.as, kind: kind, of: p.of, from: b.End - 1}
	if in := p.nodes[p.of].in; in != nil {
		it.from = in.PC
	}
	p.total[c] += n
	p.items = append(p.items, it)
}

// move adds n moves to a copy as a whole, which put node of into registers.
func (p *bill) move(c int, n int, of id) {
	was := p.of
	p.of = of
	p.anchor(c, n, isa.Misc, pipe.Move)
	p.of = was
}

// load puts a parameter that is an address into registers: of the lanes, or of the
// uniform datapath, which reads 64 bits of the constant bank at once.
func (p *bill) load(n id) {
	d := &p.nodes[n]
	if p.x.sm < 75 {
		p.move(int(d.place), int(d.width/32), n)
		return
	}
	was := p.of
	p.of = n
	p.anchor(int(d.place), 1, isa.Misc, pipe.Uniform)
	p.of = was
}

// control adds n instructions of control flow to a copy as a whole.
func (p *bill) control(c int, n int) {
	p.of = 0
	p.anchor(c, n, isa.Control, pipe.Branch)
}

// price charges for all that is wanted.
func (p *bill) price() {
	p.share()
	for n := 1; n < len(p.nodes); n++ {
		p.x.look()
		if p.nodes[n].wanted {
			p.node(id(n))
		}
	}
}

// node charges for one node, once.
func (p *bill) node(n id) {
	d := p.nodes[n]
	if d.done {
		return
	}
	p.nodes[n].done = true
	was := p.of
	p.of = n
	defer func() { p.of = was }()
	wide := int(max(d.width/32, 1))
	switch d.kind {
	case sregNode:
		p.charge(&d, 1, isa.Misc)
	case linearNode:
		p.sum(n)
	case extNode:
		if !d.zeros {
			p.integers(&d, tally{shift: 1})
		}
	case mulNode:
		p.integers(&d, p.x.multiply(d.width))
	case wideNode:
		p.integers(&d, p.x.multiplyWide())
	case phiNode:
		p.phi(&d, wide)
	case selNode:
		p.sel(&d, wide)
	case pureNode:
		if !d.fused {
			p.expand(&d)
		}
	case effectNode:
		if d.leader != 0 {
			return
		}
		if b := &p.nodes[d.base]; d.base != 0 && b.kind == paramNode && !b.fused {
			b.fused = true // an address must be in registers: two MOV, once
			p.load(d.base)
		}
		p.stored(&d)
		for _, e := range p.merged[n] {
			p.stored(&p.nodes[e])
		}
		p.expand(&d)
	}
}

// stored charges for constants that memory instructions take: they need a
// register, but for zero.
func (p *bill) stored(d *node) {
	if !d.in.Inst.IsStore() && !d.in.Inst.IsAtomic() || free(d.in.Inst) {
		return
	}
	for _, a := range d.args {
		if v := &p.nodes[a]; v.kind == constNode && v.imm != 0 || v.kind == paramNode || v.kind == symNode {
			p.move(int(d.place), int(max(v.width/32, 1)), 0)
		}
	}
}

// phi charges for the constants that a phi takes: other values are computed in
// the phi's register.
func (p *bill) phi(d *node, wide int) {
	preds := p.x.blocks[d.place].preds
	for j, a := range d.args {
		if p.x.blocks[d.place].rest && !p.x.blocks[preds[j]].rest {
			continue // the registers are those of the rounds before
		}
		switch p.nodes[a].kind {
		case constNode, paramNode, symNode:
			p.move(preds[j], wide, p.of)
		}
	}
}

// sel charges for a selection. One that comes of a guarded instruction costs
// nothing where the instruction can write over the old value.
func (p *bill) sel(d *node, wide int) {
	yes, no := &p.nodes[d.args[1]], &p.nodes[d.args[2]]
	others := no.uses // that keep the old value alive: not the operation that may write over it
	if slices.Contains(yes.args, d.args[2]) {
		others--
	}
	switch {
	case d.imm == 1, d.width == 1:
		p.charge(d, wide, isa.Misc)
	case no.kind == undefNode && yes.kind != constNode:
	case yes.kind == constNode, no.kind == constNode, others > 1, yes.kind != effectNode && yes.uses > 1:
		p.charge(d, wide, isa.Misc)
	}
}

// sum charges for a linear form: what is added to a part of it that is in a
// register anyway, or to what is known outside of the loop, or all of it.
func (p *bill) sum(n id) {
	d := p.nodes[n]
	k := d.imm != 0
	if d.base != 0 { // all but the constant is in a register
		p.nodes[n].made = []id{d.base}
		p.integers(&d, p.steps(&d, nil, k, true))
		return
	}
	terms := p.ordered(&d)
	from := p.split(&d, terms)
	if from == 1 && p.x.sm >= 70 && p.within(&d, d.args[terms[0]]) && p.steps(&d, terms, k, false).all() <= p.steps(&d, terms[from:], k, true).all() {
		from = 0
	}
	first := from == 1 && d.coef[terms[0]] == 1 && !p.inner(d.args[terms[0]])
	cost := p.steps(&d, terms[from:], k, from > 0)
	if rest, made := p.onParts(n); made != nil && rest.all() <= cost.all() {
		p.nodes[n].made = made
		p.integers(&d, rest)
		return
	}
	if from > 0 && !first && p.onShared(n, cost) {
		return
	}
	if from > 0 && !first {
		p.stand(&d)
		r := p.linear(partial(&d, terms[:from]))
		p.nodes[r].wanted = true
		p.node(r)
		p.nodes[n].made = append(partial(&d, terms[from:]).args, r)
	}
	p.factor(&d, terms, from == 0 || first)
	p.integers(&d, cost)
}

// ordered returns the indices of a sum's terms: those known outside of loops
// first.
func (p *bill) ordered(d *node) []int {
	terms := upTo(len(d.args))
	slices.SortFunc(terms, func(i, j int) int {
		a, b := d.args[i], d.args[j]
		return cmp.Or(cmp.Compare(p.depth(a), p.depth(b)), cmp.Compare(a, b))
	})
	return terms
}

// upTo returns the numbers below n.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func (p *bill) depth(n id) int { return p.x.blocks[p.nodes[n].place].depth }

// split returns how many of the ordered terms are added up before the others:
// those that are known farther outside of loops than the last one, or else the
// longest beginning that is in a register anyway.
func (p *bill) split(d *node, terms []int) int {
	last := p.depth(d.args[terms[len(terms)-1]])
	for i := len(terms) - 1; i > 0; i-- {
		if p.depth(d.args[terms[i-1]]) < last {
			return i
		}
	}
	for i := len(terms) - 1; i > 1; i-- {
		s := partial(d, terms[:i])
		p.key = p.keyOf(p.key[:0], &node{kind: linearNode, width: s.width, args: s.args, coef: s.coef})
		for have := p.byKey.find(p.key).last; have != 0; have = p.before[have] {
			if p.nodes[have].wanted && p.x.dominates(int(p.nodes[have].place), int(d.place)) {
				return i
			}
		}
	}
	return 0
}

// partial returns the sum of some of a sum's terms.
func partial(d *node, terms []int) sum {
	s := sum{width: d.width}
	for _, t := range slices.Sorted(slices.Values(terms)) {
		s.args, s.coef = append(s.args, d.args[t]), append(s.coef, d.coef[t])
	}
	return s
}

// inner reports whether a term is computed by the addition itself: a widened
// value, or a product that only sums use.
func (p *bill) inner(a id) bool {
	switch d := &p.nodes[a]; d.kind {
	case extNode:
		return !d.wanted
	case mulNode, wideNode:
		return d.sums > 0 && !d.wanted
	}
	return false
}

// steps returns which instructions add the terms, a constant if k, and
// what is in a register already if rest.
func (p *bill) steps(d *node, terms []int, k, rest bool) tally {
	addends, products := 0, 0
	var n tally
	if k {
		addends++
	}
	if rest {
		addends++
	}
	for _, t := range terms {
		coef, inner := d.coef[t], p.inner(d.args[t])
		cost, product := p.x.term(d.width, coef, inner, p.nodes[d.args[t]].kind)
		n = n.plus(cost)
		if product {
			products++
		} else {
			addends++
		}
	}
	if products > 0 {
		addends-- // the first product takes one along
	}
	if addends < 0 && d.width == 64 && p.x.sm < 70 && n.shift > 0 {
		n.add-- // SHL, SHR
	}
	adds := addends
	if products == 0 {
		adds--
	}
	return n.plus(tally{add: p.x.adds(d.width, max(adds, 0))})
}
