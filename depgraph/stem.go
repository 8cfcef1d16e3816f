package depgraph

import (
	"slices"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// Stems calls yield for each instruction whose address stems from one place for certain, on
// whatever way it comes there: a variable, or, where v is nil, a buffer that a parameter points
// to. No other place took part in it, be it in a difference, so that whoever wrote it meant
// that place: an address that lies in another one is one that an index has led astray.
// Nothing is said of variables that may lie at one address, or of instructions with several
// addresses.
func (g *Graph) Stems(yield func(pc ir.PC, v *ir.Var, buffer int)) {
	ps := g.Kernel.provenance()
	for i := range g.Kernel.accesses {
		a := &g.Kernel.accesses[i]
		if a.op < 0 || a.object || !g.executes(a.s) || g.Kernel.mistaken(a) {
			continue
		}
		if at, ok := g.stem(ps.address(a.s, &g.Kernel.Module.Instrs[a.s.pc].Ops()[a.op])); ok {
			yield(a.s.pc, at.v, at.buffer)
		}
	}
}

// mistaken reports whether an instruction has another access in the space of one, so that nobody could tell
// them apart; of the object that hears of a copy nothing is said.
func (k *Kernel) mistaken(a *access) bool {
	all := k.accessesOf(a.s)
	return a.mbarrier && len(all) > 1 || slices.ContainsFunc(all, func(b access) bool {
		return b != *a && !b.mbarrier && !b.tensorMap && (b.space == a.space || b.space == isa.Generic || a.space == isa.Generic)
	})
}

// stem returns the place that each alternative of a pointer has for its base, if that is one,
// and no other has to do with it.
func (g *Graph) stem(p pointer) (at place, ok bool) {
	base := int32(-1)
	for _, o := range p.objs {
		switch {
		case !g.isPlace(o):
		case base >= 0:
			return place{}, false
		default:
			base = o
		}
	}
	if p.any || base < 0 || slices.ContainsFunc(p.alts, func(alt []int32) bool { return !slices.Contains(alt, base) }) {
		return place{}, false
	}
	obj := g.Kernel.pointers.objects[base]
	if obj.v != nil {
		return place{v: obj.v}, !obj.v.Extern && obj.v.Type.Kind() != isa.Opaque
	}
	arg, ok := g.pointerArg(obj.param)
	return place{v: arg.Var, buffer: arg.Buffer}, ok && arg.Var == nil && !arg.Handle
}
