package depgraph

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// object is a piece of memory that pointers stem from: a variable, or what a
// pointer in the kernel's parameter block points to.
type object struct {
	v     *ir.Var // nil for a parameter's
	param int     // offset in the parameter block
}

// pointer says what an address may stem from. The zero pointer stems from
// nothing known: a number.
type pointer struct {
	// any: it may point everywhere.
	any bool
	// loaded: made from 32-bit words from memory: alone, such a number may be
	// an address of a 32-bit space; added to a pointer it is an index.
	loaded bool
	// objs are the objects, by number, ascending.
	objs []int32
	// off is the offset from the start of the only object, if exact.
	off   int64
	exact bool
}

var anywhere = pointer{any: true}

// join returns what holds of an address that is one of p and q.
func (p pointer) join(q pointer) pointer {
	r := pointer{any: p.any || q.any, loaded: p.loaded || q.loaded}
	if r.any {
		return anywhere
	}
	r.objs = union(p.objs, q.objs)
	if len(r.objs) == 1 && len(p.objs) == 1 && len(q.objs) == 1 && p.exact && q.exact && p.off == q.off {
		r.off, r.exact = p.off, true
	}
	return r
}

// blur returns p with its offset forgotten.
func (p pointer) blur() pointer {
	p.off, p.exact = 0, false
	return p
}

func (p pointer) equal(q pointer) bool {
	if p.any != q.any || p.loaded != q.loaded || p.exact != q.exact || p.off != q.off || len(p.objs) != len(q.objs) {
		return false
	}
	for i := range p.objs {
		if p.objs[i] != q.objs[i] {
			return false
		}
	}
	return true
}

// union merges two ascending lists; the result may share memory with either.
func union(a, b []int32) []int32 {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0 || len(a) == 1 && len(b) == 1 && a[0] == b[0]:
		return a
	}
	var u []int32
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			u, a = append(u, a[0]), a[1:]
		case b[0] < a[0]:
			u, b = append(u, b[0]), b[1:]
		default:
			u, a, b = append(u, a[0]), a[1:], b[1:]
		}
	}
	return append(append(u, a...), b...)
}

// spaceOf returns the space in which an access through p to space s really
// takes place: an address without a space has that of its objects, if they
// agree. Generic is unknown.
func (ps *pointers) spaceOf(p pointer, s isa.Space) isa.Space {
	if s != isa.Generic {
		return normal(s)
	}
	if p.any || len(p.objs) == 0 {
		return isa.Generic
	}
	for i, o := range p.objs {
		space := isa.Global
		if v := ps.objects[o].v; v != nil {
			space = normal(v.Space)
		}
		if i > 0 && space != s {
			return isa.Generic
		}
		s = space
	}
	return s
}

// normal maps the names of one space to one.
func normal(s isa.Space) isa.Space {
	switch s {
	case isa.SharedCluster:
		return isa.Shared
	case isa.ParamEntry, isa.ParamFunc:
		return isa.Param
	}
	return s
}
