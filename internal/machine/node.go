package machine

import (
	"encoding/binary"

	"hyptx/internal/value"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// id numbers the nodes of a graph; 0 is none.
type id int32

// kind says what a node computes.
type kind uint8

const (
	noKind     kind = iota
	constNode       // imm
	paramNode       // a kernel's parameter or an extent of the launch: imm; a constant-bank operand
	sregNode        // special register imm
	symNode         // the address of v
	undefNode       // never written, or not known
	linearNode      // sum of coef[i]*args[i], plus imm
	extNode         // args[0] widened from 32 to 64 bits; imm 1: by its sign
	truncNode       // the low 32 bits of args[0]
	mulNode         // args[0]*args[1], the low half
	wideNode        // args[0]*args[1], twice as wide; imm 1: signed
	phiNode         // where paths join
	selNode         // args[0] ? args[1] : args[2]; imm 1: written as selp
	notNode         // a predicate, negated
	pureNode        // any operation without effect
	effectNode      // any other instruction: stays where it is
	partNode        // a further result of args[0]: imm
)

// node is a value, or an instruction with an effect.
//
// Values are numbered (as in global value numbering): two expressions of the
// same operation over the same nodes are one node, wherever they stand, as long
// as the first one dominates the second. Moves, conversions that change
// nothing, and the two halves of what PTX writes in several instructions so
// disappear by themselves. A node also knows where the machine computes it:
// outside of loops if its operands allow it.
//
// A kernel has as many as instructions: what few of them have stands elsewhere, and the
// order of the fields leaves no gaps.
type node struct {
	in   *ir.Instr
	v    *ir.Var
	args []id
	coef []int64
	// parts are the sums that a sum was added up from as the PTX has it; made are the
	// values that the machine adds up instead of args, nil if it does args.
	made  []id
	parts [2]part
	imm   uint64
	// low and high bound the value, read as a signed integer, where that is known.
	low, high [kinds]int64
	// guard is the predicate of a guarded effect, base the register part of a
	// memory operand; v and offset are the rest of it.
	offset      int64
	guard, base id
	// place is the copy of a block where the machine computes it: the one that
	// it stands in, or one outside the loops in which its operands stay the same.
	place int32
	// from is the copy it stood in.
	from int32
	// leader is the access that this one is part of, 0 for none.
	leader id

	uses, sums int32 // uses as a whole; uses as a term of a sum (need.go, as all below)
	kind       kind
	width      uint8 // in bits; 1 for predicates
	known      [kinds]bool
	varies     bool // threads of a warp may have different values
	wanted     bool // in a register
	done       bool // priced
	fused      bool // part of the instruction that uses it
	zeros      bool // an extension whose upper half is zero
	contracted bool // an addition that is a multiply-add with one of its operands
	uniform    bool // computed once for the warp
	combined   bool // a comparison that also combines its result with a predicate
}

// within returns the bounds of a node's value.
func (n *node) within(by knowledge) value.Interval {
	return value.Interval{Low: n.low[by], High: n.high[by], Known: n.known[by]}
}

// bind sets the bounds of a node's value.
func (n *node) bind(by knowledge, r value.Interval) {
	n.low[by], n.high[by], n.known[by] = r.Low, r.High, r.Known
}

// part is a sum in another one, added or subtracted.
type part struct {
	of   id
	sign int8
}

// graph holds the nodes of a function; equal ones once where one dominates the
// other.
type graph struct {
	x     *expansion
	nodes []node
	// byKey is the last node of each key, before the one of the same key before a
	// node.
	byKey  *numbering
	before []id
	key    []byte
	// merged are the accesses that are part of another.
	merged map[id][]id
	// cur is the copy that is being read, in the instruction.
	cur int
	in  *ir.Instr
}

// newGraph returns a graph with node 0, which is none.
func newGraph(x *expansion) *graph {
	room := 64
	for i := range x.blocks {
		b := x.f.Blocks[x.blocks[i].orig]
		room += int(b.End-b.First) * 5 / 4
	}
	return &graph{x: x, nodes: make([]node, 1, room), before: make([]id, 1, room), byKey: newNumbering(room), merged: map[id][]id{}}
}

// maxSame is how many equal nodes in other branches are tried.
const maxSame = 8

// add adds a pure node, or returns an equal one that dominates this place.
func (g *graph) add(n node) id {
	g.key = g.keyOf(g.key[:0], &n)
	slot := g.byKey.find(g.key)
	last, same := slot.last, id(0)
	for have, n := last, 0; have != 0 && n < maxSame; have, n = g.before[have], n+1 {
		if g.x.dominates(int(g.nodes[have].place), g.cur) {
			same = have
		}
	}
	if same != 0 {
		return same // the first that was there
	}
	n.place, n.from = int32(g.hoist(g.early(n.args))), int32(g.cur)
	if n.in == nil {
		n.in = g.in
	}
	k := g.push(n)
	g.byKey.put(slot, g.key, k)
	g.before[k] = last
	return k
}

// fixed adds a node that stays where it is.
func (g *graph) fixed(n node) id {
	n.place, n.from = int32(g.cur), int32(g.cur)
	if n.in == nil {
		n.in = g.in
	}
	return g.push(n)
}

// push adds a node and bounds it, unless it came with its intervals.
func (g *graph) push(n node) id {
	bounded := !n.known[ptx]
	for by := range kinds {
		switch {
		case n.known[by]:
		case by == launched && bounded && g.alike(n.args):
			n.bind(by, n.within(ptx))
		default:
			n.bind(by, g.bound(&n, by).Signed(int(n.width)))
		}
	}
	g.nodes, g.before = append(g.nodes, n), append(g.before, 0)
	return id(len(g.nodes) - 1)
}

// alike reports whether the launch says no more of any of args than ptxas knows.
func (g *graph) alike(args []id) bool {
	for _, a := range args {
		if n := &g.nodes[a]; n.within(ptx) != n.within(launched) {
			return false
		}
	}
	return true
}

// keyOf appends what makes a node equal to another.
func (g *graph) keyOf(key []byte, n *node) []byte {
	key = append(key, byte(n.kind), n.width)
	key = binary.LittleEndian.AppendUint64(key, n.imm)
	for i, a := range n.args {
		key = binary.LittleEndian.AppendUint32(key, uint32(a))
		if n.coef != nil {
			key = binary.LittleEndian.AppendUint64(key, uint64(n.coef[i]))
		}
	}
	if n.kind == pureNode {
		key = append(key, n.in.Inst.Opcode...)
	}
	if n.v != nil {
		key = binary.LittleEndian.AppendUint32(key, uint32(n.v.Index))
	}
	return key
}

// early returns the first block in which all args are known: the deepest of
// their places.
func (g *graph) early(args []id) int {
	e := 0
	for _, a := range args {
		if p := int(g.nodes[a].place); g.x.dominates(e, p) {
			e = p
		}
	}
	return e
}

// hoist returns where the machine computes what is known from block early on
// and used in the present one: as far outside of loops as possible, and no
// farther from here than that takes. (Loop-invariant code motion. Moving a value
// up within a loop would gain nothing and make other paths pay for it.)
func (g *graph) hoist(early int) int {
	p := g.cur
	for o := g.x.blocks[p].outer; o >= 0 && g.x.dominates(early, o); o = g.x.blocks[p].outer {
		p = o
	}
	return p
}

// stand puts the walk where the machine computes d, for nodes that d needs.
func (g *graph) stand(d *node) {
	g.cur, g.in = int(d.place), d.in
	if d.place != d.from {
		g.in = nil // the instruction is elsewhere
	}
}

// constant returns the node of a constant.
func (g *graph) constant(bits uint64, width uint8) id {
	bits = value.Truncate(bits, int(width))
	x := exactly(value.SignExtend(bits, int(width)))
	if width == 1 {
		x = exactly(int64(bits))
	}
	n := node{kind: constNode, width: width, imm: bits}
	for by := range kinds {
		n.bind(by, x)
	}
	return g.add(n)
}

// isConst returns a constant's bits.
func (g *graph) isConst(n id) (uint64, bool) {
	return g.nodes[n].imm, g.nodes[n].kind == constNode
}

// not returns the negation of a predicate.
func (g *graph) not(p id) id {
	switch n := &g.nodes[p]; n.kind {
	case constNode:
		return g.constant(n.imm^1, 1)
	case notNode:
		return n.args[0]
	}
	return g.add(node{kind: notNode, width: 1, args: []id{p}})
}

// widthOf is the width of registers of type t.
func widthOf(t isa.Type) uint8 { return uint8(t.Bits()) }
