package depgraph

import (
	"iter"
	"slices"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// place is memory that no other place overlaps: a variable or a buffer.
type place struct {
	v      *ir.Var
	buffer int // when v is nil
}

// dynamicShared is the place of all .extern .shared variables: they begin at
// one address (PTX ISA 5.4.2).
var dynamicShared = place{buffer: -1}

// ref is what an access of a launch may touch.
type ref struct {
	space isa.Space // Generic: any
	// any: every place of the space.
	any    bool
	places []place
	// off is the first byte of the only place, if exact; bytes is the size, 0
	// if unknown.
	off   int64
	exact bool
	bytes int64
}

// refs returns what each access of the launch may touch, by number.
func (g *Graph) ref(a int32) *ref {
	if g.refs == nil {
		g.refs = make([]*ref, len(g.Kernel.accesses))
	}
	if g.refs[a] == nil {
		g.refs[a] = g.resolve(&g.Kernel.accesses[a])
	}
	return g.refs[a]
}

// resolve finds out what an access may touch.
func (g *Graph) resolve(a *access) *ref {
	ps := g.Kernel.provenance()
	if a.op < 0 {
		return &ref{space: a.space, any: true}
	}
	op := &g.Kernel.Module.Instrs[a.s.pc].Ops()[a.op]
	p := ps.address(a.s, op)
	switch {
	case a.tensorMap:
		p = ps.address(a.s, &op.Elems()[0])
	case a.object:
		p = ps.handle(a.s, &op.Elems()[0])
	}
	r := &ref{space: ps.spaceOf(p, a.space), any: p.any, bytes: int64(a.bytes), off: p.off, exact: p.exact}
	for _, o := range p.objs {
		g.addObject(r, ps.objects[o])
	}
	if len(r.places) != 1 || a.object {
		r.exact = false
	}
	// A number is an address that we know nothing of, and so is what lies
	// outside of the object that it stems from.
	if !g.based(p) || !a.object && g.leaves(a, op, r) {
		r.any, r.exact = true, false
	}
	return r
}

// based reports whether every alternative of p has an object to lie in.
func (g *Graph) based(p pointer) bool {
	for _, alt := range p.alts {
		if !slices.ContainsFunc(alt, g.isPlace) {
			return false
		}
	}
	return len(p.alts) > 0
}

// isPlace reports whether an object is memory, rather than a number that the
// launch gives.
func (g *Graph) isPlace(o int32) bool {
	obj := g.Kernel.pointers.objects[o]
	if obj.v != nil {
		return true
	}
	_, ok := g.pointerArg(obj.param)
	return ok || !g.given(obj.param)
}

// leaves reports whether an access surely lies, in whole or in part, outside
// of the places that r names: by a constant offset, or because all addresses
// that the launch's constants allow do. An offset that only may lead out is
// taken not to (docs/design.md, Emulating as little as decides the answer).
func (g *Graph) leaves(a *access, op *ir.Operand, r *ref) bool {
	if r.any {
		return false
	}
	if r.exact {
		if e := g.extent(r.places[0]); r.off < 0 || e.bytes > 0 && r.off+max(r.bytes, 1) > e.bytes {
			return true
		}
	}
	if op.Reg == ir.NoReg || op.Var != nil {
		return false
	}
	low, high, ok := g.folding(a.s.fn).Range(g.Kernel.use(a.s, op.Reg))
	if !ok {
		return false
	}
	low, high = low+int64(op.Imm), high+int64(op.Imm)
	for _, p := range r.places {
		if e := g.extent(p); e.address == 0 || e.bytes == 0 || e.holds(low, high, r.bytes) {
			return false
		}
	}
	return true
}

// extent is where a place lies: its size, and its address if it is a buffer.
// Zero is unknown.
type extent struct{ address, bytes int64 }

func (g *Graph) extent(p place) extent {
	if p == dynamicShared {
		return extent{}
	}
	if p.v != nil {
		return extent{bytes: p.v.Bytes}
	}
	for _, a := range g.launch.Pointers {
		if a.Var == nil && a.Buffer == p.buffer && !a.Handle {
			return extent{a.Address, a.Bytes}
		}
	}
	return extent{}
}

// holds reports whether an access of so many bytes at one of the addresses
// from low to high may lie within e; a single address must.
func (e extent) holds(low, high, bytes int64) bool {
	if low == high {
		return low >= e.address && low+max(bytes, 1) <= e.address+e.bytes
	}
	return low < e.address+e.bytes && high >= e.address
}

// addObject adds the place of an object to r.
func (g *Graph) addObject(r *ref, o object) {
	at, off := place{v: o.v}, int64(0)
	switch {
	case o.v != nil && r.space != isa.Generic && normal(o.v.Space) != r.space:
		r.any = true // the number of an address of one space is another place in the next
		return
	case o.v != nil && o.v.Extern && normal(o.v.Space) == isa.Shared:
		at = dynamicShared
	case o.v != nil && g.launch != nil && o.v.Type.Kind() == isa.Opaque:
		if b, ok := g.launch.Bound[o.v]; ok {
			at = place{buffer: b}
		}
	case o.v == nil:
		arg, ok := g.pointerArg(o.param)
		if !ok {
			// A given number is no pointer; what is not given may be one.
			r.any = r.any || !g.given(o.param)
			return
		}
		at, off = place{v: arg.Var, buffer: arg.Buffer}, arg.Offset
		if arg.Var != nil {
			at.buffer = 0
		}
	}
	r.off += off
	if slices.Contains(r.places, at) {
		r.exact = false
		return
	}
	r.places = append(r.places, at)
}

// pointerArg returns what the launch says of the pointer at offset off of the
// parameter block.
func (g *Graph) pointerArg(off int) (PointerArg, bool) {
	if g.launch != nil {
		for _, p := range g.launch.Pointers {
			if p.ParamOffset == off {
				return p, true
			}
		}
	}
	return PointerArg{}, false
}

// given reports whether the launch gives the parameter bytes at off.
func (g *Graph) given(off int) bool {
	return g.launch != nil && off < len(g.launch.Consts.Known) && g.launch.Consts.Known[off]
}

// overlaps reports whether two accesses may touch the same byte.
func (r *ref) overlaps(o *ref) bool {
	if !spacesMeet(r.space, o.space) {
		return false
	}
	if r.any || o.any {
		return true
	}
	for _, p := range r.places {
		for _, q := range o.places {
			if p != q {
				continue
			}
			if !r.exact || !o.exact || r.bytes == 0 || o.bytes == 0 {
				return true
			}
			return r.off < o.off+o.bytes && o.off < r.off+r.bytes
		}
	}
	return false
}

// spacesMeet reports whether accesses to two spaces may touch the same byte.
// Parameters are reached through their own space only, and so is tensor memory.
func spacesMeet(a, b isa.Space) bool {
	switch {
	case a == b:
		return true
	case a == isa.Param || b == isa.Param || a == isa.TensorMemory || b == isa.TensorMemory:
		return false
	}
	return a == isa.Generic || b == isa.Generic
}

// crossThread reports whether another thread may see the access.
func (r *ref) crossThread() bool { return r.space != isa.Local && r.space != isa.Param }

// crossCTA reports whether a thread of another CTA, or of another launch, may
// see the access.
func (r *ref) crossCTA() bool { return r.space == isa.Global || r.space == isa.Generic }

// writers goes through the instructions that the launch can execute and that
// write memory for which may holds, as often as they do.
func (g *Graph) writers(may func(*ref) bool) iter.Seq[site] {
	return func(yield func(site) bool) {
		for _, i := range g.Kernel.writes {
			s := g.Kernel.accesses[i].s
			if g.executes(s) && may(g.ref(i)) && !yield(s) {
				return
			}
		}
	}
}

// written reports whether the launch may write what r may touch; among, unless
// it is nil, says which instructions count.
func (g *Graph) written(r *ref, among func(ir.PC) bool) bool {
	for s := range g.writers(r.overlaps) {
		if among == nil || among(s.pc) {
			return true
		}
	}
	return false
}
