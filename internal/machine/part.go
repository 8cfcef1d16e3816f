package machine

import "slices"

// The PTX adds a sum up from others, its parts. Which of all ways to do so the machine takes depends
// on what of them is in a register anyway, and on what is known outside of loops.

// within reports whether the PTX computes a sum's term no farther outside of loops than the sum. Where
// it is a product that the addition makes on the way (IMAD.WIDE), the machine does so, too: two registers
// less are alive over the loop. The kernels of cachebench (nv-dvfs micro-benchmarks) have an index of 32 bits
// for each of 64 loads, and 80 registers or 128 at most, by DCGM's occupancy.
func (p *bill) within(d *node, term id) bool {
	for _, q := range d.parts {
		if o := &p.nodes[q.of]; q.of != 0 && len(o.args) == 1 && o.args[0] == term {
			return p.x.blocks[o.from].depth >= p.x.blocks[d.place].depth
		}
	}
	return false
}

// share counts how many sums are made from each one.
func (p *bill) share() {
	p.shares = make([]int32, len(p.nodes))
	for n := range p.nodes {
		p.x.look()
		d := &p.nodes[n]
		if !d.wanted {
			continue
		}
		for _, q := range d.parts {
			if q.of != 0 {
				p.shares[q.of]++
			}
		}
	}
}

// onShared makes sum n on a part of which others are made, too, if that takes no more instructions than
// on what is known outside of the loop, of which each such sum has its own: those stay alive over the loop.
func (p *bill) onShared(n id, cost tally) bool {
	d := p.nodes[n]
	for _, q := range d.parts {
		o := &p.nodes[q.of]
		shared := q.of != 0 && q.sign > 0 && p.shares[q.of] > 1
		if !shared || p.x.blocks[o.from].depth < p.x.blocks[d.place].depth || !p.x.dominates(int(o.place), int(d.place)) ||
			slices.ContainsFunc(o.args, func(a id) bool { return !slices.Contains(d.args, a) }) {
			continue
		}
		rest, c := p.rest(n, q)
		if len(rest.args) == 0 || c.all() > cost.all() {
			continue
		}
		p.nodes[q.of].wanted = true
		p.node(q.of)
		p.nodes[n].made = append(slices.Clone(rest.args), q.of)
		p.integers(&d, c)
		return true
	}
	return false
}

// rest returns what is left of sum n beside a part of it, and which instructions add that.
func (p *bill) rest(n id, q part) (sum, tally) {
	rest := p.sumOf(n).plus(p.sumOf(q.of).scale(-int64(q.sign)))
	return rest, p.steps(&node{width: rest.width, args: rest.args, coef: rest.coef}, upTo(len(rest.args)), rest.k != 0, true)
}

// maxParts is how far back the parts of a sum are looked for.
const maxParts = 4

// onParts returns which instructions make sum n of one of the parts that it
// was added up from, if that is in a register, and what they read.
func (p *bill) onParts(n id) (cost tally, made []id) {
	return p.among(n, part{n, 1}, 0)
}

// among looks through the parts of a part of sum n.
func (p *bill) among(n id, of part, depth int) (cost tally, made []id) {
	for _, q := range p.nodes[of.of].parts {
		if q.of == 0 || depth == maxParts {
			break
		}
		q.sign *= of.sign
		c, m := tally{}, []id(nil)
		if o := &p.nodes[q.of]; o.wanted && p.x.dominates(int(o.place), int(p.nodes[n].place)) {
			var rest sum
			rest, c = p.rest(n, q)
			if rest.k == 0 && len(rest.args) == 0 { // the part itself, negated
				c = tally{add: p.x.adds(rest.width, 1)}
			}
			m = append(slices.Clone(rest.args), q.of)
		} else {
			c, m = p.among(n, q, depth+1)
		}
		if m != nil && (made == nil || c.all() < cost.all()) {
			cost, made = c, m
		}
	}
	return cost, made
}
