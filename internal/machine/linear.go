package machine

import "hyptx/internal/value"

// maxTerms bounds a sum; in a longer one its parts are terms as they are, or
// else a long chain of additions would be copied at each of its steps.
const maxTerms = 8

// sum is a linear form: terms by ascending id, and a constant, modulo 2^width.
//
// Address arithmetic is most of the integer work of a kernel, and compilers
// write it in as many ways as there are front ends: shifts or products, offsets
// added in 32 bits or in 64, before a widening or behind it. As linear forms
// most of these are the same: terms with coefficients, the constant apart. The
// constant then goes into the offset of the access, terms that stay the same in
// a loop are added before it, and sums with a common rest share it.
type sum struct {
	width uint8
	args  []id
	coef  []int64
	k     int64
}

// sumOf returns a node as a sum.
func (g *graph) sumOf(n id) sum {
	switch d := &g.nodes[n]; d.kind {
	case constNode:
		return sum{width: d.width, k: value.SignExtend(d.imm, int(d.width))}
	case linearNode:
		return sum{d.width, d.args, d.coef, int64(d.imm)}
	default:
		return sum{width: d.width, args: []id{n}, coef: []int64{1}}
	}
}

// scale returns c*s, which may share memory with s.
func (s sum) scale(c int64) sum {
	if c == 1 {
		return s
	}
	out := sum{width: s.width, k: value.SignExtend(uint64(s.k*c), int(s.width)), args: make([]id, 0, len(s.args)), coef: make([]int64, 0, len(s.args))}
	for i, a := range s.args {
		if p := value.SignExtend(uint64(s.coef[i]*c), int(s.width)); p != 0 {
			out.args, out.coef = append(out.args, a), append(out.coef, p)
		}
	}
	return out
}

// plus returns s+t.
func (s sum) plus(t sum) sum {
	n := len(s.args) + len(t.args)
	out := sum{width: s.width, k: value.SignExtend(uint64(s.k+t.k), int(s.width)), args: make([]id, 0, n), coef: make([]int64, 0, n)}
	i, j := 0, 0
	for i < len(s.args) || j < len(t.args) {
		var a id
		var c int64
		switch {
		case j == len(t.args) || i < len(s.args) && s.args[i] < t.args[j]:
			a, c = s.args[i], s.coef[i]
			i++
		case i == len(s.args) || t.args[j] < s.args[i]:
			a, c = t.args[j], t.coef[j]
			j++
		default:
			a, c = s.args[i], value.SignExtend(uint64(s.coef[i]+t.coef[j]), int(s.width))
			i, j = i+1, j+1
		}
		if c != 0 {
			out.args, out.coef = append(out.args, a), append(out.coef, c)
		}
	}
	return out
}

// linear returns the node of a sum.
func (g *graph) linear(s sum) id {
	switch {
	case len(s.args) == 0:
		return g.constant(uint64(s.k), s.width)
	case len(s.args) == 1 && s.coef[0] == 1 && s.k == 0:
		return s.args[0]
	}
	return g.add(node{kind: linearNode, width: s.width, args: s.args, coef: s.coef, imm: uint64(s.k)})
}

// sumNode returns the node of a + cb*b.
func (g *graph) sumNode(a, b id, cb int64) id {
	s, t := g.sumOf(a), g.sumOf(b).scale(cb)
	if len(s.args)+len(t.args) > maxTerms {
		s, t = g.atom(a), g.atom(b).scale(cb)
	}
	n := g.linear(s.plus(t))
	g.madeOf(n, a, 1, b, cb)
	return n
}

// madeOf notes the sums that sum n was added up from as the PTX has it.
func (g *graph) madeOf(n, a id, ca int64, b id, cb int64) {
	d := &g.nodes[n]
	if d.kind != linearNode || d.parts[0].of != 0 {
		return
	}
	next := 0
	for _, p := range [...]struct {
		of   id
		coef int64
	}{{a, ca}, {b, cb}} {
		if p.of != n && g.nodes[p.of].kind == linearNode && (p.coef == 1 || p.coef == -1) {
			d.parts[next] = part{p.of, int8(p.coef)}
			next++
		}
	}
}

// atom returns a node as a term that is not taken apart.
func (g *graph) atom(n id) sum {
	if g.nodes[n].kind != linearNode {
		return g.sumOf(n)
	}
	return sum{width: g.nodes[n].width, args: []id{n}, coef: []int64{1}}
}

// times returns a*b, the low half.
func (g *graph) times(a, b id) id {
	if c, ok := g.isConst(a); ok {
		return g.linear(g.sumOf(b).scale(value.SignExtend(c, int(g.nodes[b].width))))
	}
	if c, ok := g.isConst(b); ok {
		return g.linear(g.sumOf(a).scale(value.SignExtend(c, int(g.nodes[a].width))))
	}
	return g.add(node{kind: mulNode, width: g.nodes[a].width, args: []id{min(a, b), max(a, b)}})
}

// widen returns 32-bit n as 64 bits. The constant of a sum moves out if the
// sum cannot wrap around with it or without it: then accesses to a[i] and
// a[i+1] have one register and two offsets, though the index has 32 bits. That
// neither wraps around is seen from the intervals: they differ by the constant.
func (g *graph) widen(n id, signed bool) id {
	if c, ok := g.isConst(n); ok {
		if signed {
			c = uint64(value.SignExtend(c, 32))
		}
		return g.constant(c, 64)
	}
	whole := g.nodes[n].within(launched)
	zeros := !signed
	if whole.Natural() {
		signed = true // the same value: one form for both
	}
	if s := g.sumOf(n); s.k != 0 && len(s.args) > 0 && whole.Known && signed {
		rest := s
		rest.k = 0
		r := g.linear(rest)
		if g.nodes[r].within(launched) == whole.Plus(exactly(-s.k)) {
			n = r
		} else {
			s.k = 0
		}
		e := g.extended(n, signed)
		g.nodes[e].zeros = g.nodes[e].zeros || zeros
		return g.linear(sum{width: 64, args: []id{e}, coef: []int64{1}, k: s.k})
	}
	e := g.extended(n, signed)
	g.nodes[e].zeros = g.nodes[e].zeros || zeros
	return e
}

// extended returns n as 64 bits, with the sign or with zeros. Zeros need no
// instruction and no register.
func (g *graph) extended(n id, signed bool) id {
	e := node{kind: extNode, width: 64, args: []id{n}}
	if signed {
		e.imm = 1
	}
	k := g.add(e)
	g.nodes[k].zeros = g.nodes[k].zeros || !signed || g.nodes[n].within(ptx).Natural()
	return k
}

// maxNested bounds how deep narrow takes sums within sums apart.
const maxNested = 4

// narrow returns the low 32 bits of 64-bit n; depth is 0 but for itself.
func (g *graph) narrow(n id, depth int) id {
	switch d := g.nodes[n]; {
	case d.kind == constNode:
		return g.constant(d.imm, 32)
	case d.kind == extNode:
		return d.args[0]
	case d.kind == linearNode && depth < maxNested:
		out := sum{width: 32, k: value.SignExtend(d.imm, 32)}
		for i, a := range d.args {
			low := g.narrow(a, depth+1)
			out = out.plus(g.sumOf(low).scale(value.SignExtend(uint64(d.coef[i]), 32)))
		}
		if len(out.args) <= 2*maxTerms {
			return g.linear(out)
		}
	}
	return g.add(node{kind: truncNode, width: 32, args: []id{n}})
}
