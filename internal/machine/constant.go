package machine

import (
	"cmp"
	"slices"
)

// An instruction has room for one constant, in itself or in the constant bank; the second of
// two, and a factor that meets a parameter, are moved into a register first. That is done again
// in each round of a loop, for a move is cheaper than a register that is taken all the time.

// constants charges for those of a multiply-add's operands that need a register: an instruction
// takes one from the constant bank or in itself, and zero is a register that all have
// (AccelWattch's counts of inverseCND on a GV100: polynomials, whose first steps have two).
func (p *bill) constants(d *node) {
	taken := id(0)
	for _, a := range p.factors(d) {
		n := &p.nodes[a]
		if n.kind != paramNode && (n.kind != constNode || n.imm == 0) || a == taken {
			continue
		}
		if taken != 0 {
			p.hold(int(d.place), a)
		}
		taken = cmp.Or(taken, a)
	}
}

// factors returns what a multiply-add reads.
func (p *bill) factors(d *node) []id {
	if !d.contracted {
		return d.args
	}
	var all []id
	for _, a := range d.args {
		if p.nodes[a].fused {
			all = append(all, p.nodes[a].args...)
		} else {
			all = append(all, a)
		}
	}
	return all
}

// factor charges for a factor that needs a register, since what is added to the product, alone, is
// a parameter in the constant bank: IMAD.WIDE of an index, 4 and a pointer. direct: no part of the
// sum has a register of its own.
func (p *bill) factor(d *node, terms []int, direct bool) {
	if p.x.sm < 70 || !direct || d.imm != 0 && d.width == 32 || len(terms) != 2 {
		return
	}
	added, multiplied := terms[0], terms[1]
	if p.nodes[d.args[added]].kind != paramNode {
		added, multiplied = multiplied, added
	}
	c := d.coef[multiplied]
	if p.nodes[d.args[added]].kind != paramNode || d.coef[added] != 1 {
		return
	}
	if n, product := p.x.term(d.width, c, p.inner(d.args[multiplied]), p.nodes[d.args[multiplied]].kind); product && n.wide+n.mul > 0 && c != 1 {
		p.hold(int(d.place), p.constant(uint64(c), 32))
	}
}

// maxHeld bounds the copies among which one is looked for that has a constant: a bound of time,
// beyond which one may be moved again.
const maxHeld = 64

// hold moves a constant into a register, in each round of the loop that needs it: that is cheaper
// than a register across the loop. It makes no arm too long for predication, since it may be moved in
// front of the branch.
func (p *bill) hold(place int, n id) {
	there := func(k int) bool { return p.x.blocks[k].depth == p.x.blocks[place].depth && p.x.dominates(k, place) }
	if last := p.held[n]; slices.ContainsFunc(last[max(0, len(last)-maxHeld):], there) {
		return
	}
	p.held[n] = append(p.held[n], place)
	before := p.total[place]
	p.charging(holds, func() { p.move(place, int(max(p.nodes[n].width/32, 1)), 0) })
	p.total[place] = before
}
