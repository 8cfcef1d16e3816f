package machine

import (
	"slices"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// From sm_75 on an SM has a datapath of its own for integers that are the same in
// all lanes of a warp, with registers of its own: pointers and indices that only
// the loop's number decides go there. What it computes may be part of an address,
// or one operand of an integer instruction. It runs for the whole warp, so
// it is used only where all lanes that are left go the same way. Comparisons that
// branches depend on stay with the other lanes' (published listings of sm_75 count
// loops by IADD3 and ISETP beside UIADD3 on their pointers).

// uniforms marks what the uniform datapath computes.
func (b *builder) uniforms() {
	if b.x.sm < 75 {
		return
	}
	together := b.together()
	for i := range b.nodes {
		d := &b.nodes[i]
		d.uniform = d.wanted && !d.varies && together[b.x.blocks[d.place].orig] && unifiable(d)
	}
	for i := range b.nodes {
		if d := &b.nodes[i]; d.wanted {
			b.refuse(d)
		}
	}
	for _, r := range b.roots {
		b.nodes[r].uniform = false
	}
	for changed := true; changed; {
		b.x.look()
		changed = false
		for i := range b.nodes {
			switch d := &b.nodes[i]; {
			case d.uniform && !b.fed(d):
				d.uniform, changed = false, true
			case d.kind == phiNode && d.wanted && !d.uniform: // its arguments share its register
				for _, a := range d.args {
					changed = changed || b.nodes[a].uniform
					b.nodes[a].uniform = false
				}
			}
		}
	}
}

// unifiable reports whether the uniform datapath has a node's operation.
func unifiable(d *node) bool {
	if d.width != 32 && d.width != 64 {
		return false
	}
	switch d.kind {
	case linearNode, mulNode, wideNode, extNode, phiNode:
		return true
	case pureNode:
		switch d.in.Inst.Op {
		case isa.OpAnd, isa.OpOr, isa.OpXor, isa.OpNot, isa.OpShl, isa.OpShr:
			return true
		}
	}
	return false
}

// refuse takes back what a node uses in a way that only a register of the lanes
// allows: compared, stored, or computed with as a floating-point number.
func (b *builder) refuse(d *node) {
	args := d.args
	switch {
	case d.kind == effectNode:
		if d.base != 0 && !d.in.Inst.IsLoad() && !d.in.Inst.IsStore() {
			b.nodes[d.base].uniform = false
		}
	case d.kind == pureNode && !unifiable(d), d.kind == selNode:
	default:
		args = nil
	}
	for _, a := range args {
		b.nodes[a].uniform = false
	}
}

// fed reports whether all that a node is made of is there for the uniform
// datapath.
func (b *builder) fed(d *node) bool {
	for _, a := range d.args {
		n := &b.nodes[a]
		inner := !n.wanted && (n.kind == extNode || n.kind == truncNode || n.kind == mulNode || n.kind == wideNode)
		if !n.uniform && !(inner && b.fed(n)) && n.kind != constNode && n.kind != paramNode && n.kind != symNode {
			return false
		}
	}
	return d.base == 0 || d.kind != linearNode || b.nodes[d.base].uniform
}

// together reports of each block of the function whether all lanes that have not
// ended come to it together.
func (b *builder) together() []bool {
	f := b.s.Func
	out := slices.Repeat([]bool{true}, len(f.Blocks))
	var apart []int // the blocks at whose end lanes part, or that lanes come to apart
	for c, cond := range b.conds {
		orig := b.x.blocks[c].orig
		if cond != 0 && b.x.live[c] && b.nodes[cond].varies && !b.leaves(orig) {
			apart = append(apart, orig)
		}
	}
	post := f.PostDominators()
	for len(apart) > 0 {
		a := apart[len(apart)-1]
		apart = apart[:len(apart)-1]
		if len(f.Blocks[a].Succs()) < 2 {
			continue
		}
		// What depends on where a leads lies between its successors and where the
		// ways from there merge.
		for _, k := range f.Blocks[a].Succs() {
			for ; k != post.IDom(a) && k != ir.Exit; k = post.IDom(k) {
				b.x.look()
				if out[k] {
					out[k], apart = false, append(apart, k)
				}
			}
		}
	}
	return out
}

// leaves reports whether one side of a block's branch ends the thread at once.
func (b *builder) leaves(block int) bool {
	f := b.s.Func
	for _, s := range f.Blocks[block].Succs() {
		if s == ir.Exit {
			return true
		}
		if t := f.Blocks[s]; t.End-t.First == 1 && f.Kernel {
			if in := f.Module.Instrs[t.First].Inst; in.IsReturn() || in.IsExit() {
				return true
			}
		}
	}
	return false
}
