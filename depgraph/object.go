package depgraph

import (
	"slices"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// object is a piece of memory that pointers stem from: a variable, or what a
// pointer in the kernel's parameter block points to.
type object struct {
	v     *ir.Var // nil for a parameter's
	param int     // offset in the parameter block
}

// pointer says what an address may stem from. The zero pointer is what is not
// known yet: no value at all.
//
// An address is one of several alternatives, where control flow or a selection
// joins; each alternative is a sum in which some objects stand. Which of them
// is the base and which an index (a 64-bit parameter may be either) a launch
// tells, not the kernel.
type pointer struct {
	// any: it may point everywhere.
	any bool
	// loaded: made from 32-bit words from memory: alone, such a number may be
	// an address of a 32-bit space; added to a pointer it is an index.
	loaded bool
	// objs are the objects, by number, ascending.
	objs []int32
	// alts are the alternatives: the objects of each, ascending. One that
	// contains another is left out, since it says less about whether every
	// alternative has a base. The empty one is a number.
	alts [][]int32
	// off is the offset from the start of the only object, if exact.
	off   int64
	exact bool
}

// anywhere may point everywhere; number stems from no object.
var (
	anywhere = pointer{any: true}
	number   = pointer{alts: [][]int32{nil}}
)

// maxAlternatives bounds the alternatives of a pointer; with more it may point
// everywhere.
const maxAlternatives = 16

// at returns the pointer to byte off of an object.
func at(object int32, off int64) pointer {
	o := []int32{object}
	return pointer{objs: o, alts: [][]int32{o}, off: off, exact: true}
}

// known reports whether p says anything yet.
func (p pointer) known() bool { return p.any || len(p.alts) > 0 }

// join returns what holds of an address that is one of p and q.
func (p pointer) join(q pointer) pointer {
	switch {
	case !p.known():
		return q
	case !q.known():
		return p
	case p.any || q.any:
		return anywhere
	}
	r := pointer{loaded: p.loaded || q.loaded, objs: union(p.objs, q.objs), alts: p.alts}
	for _, a := range q.alts {
		r.alts = withAlternative(r.alts, a)
	}
	if len(r.alts) > maxAlternatives {
		return anywhere
	}
	if p.exact && q.exact && p.off == q.off && len(r.objs) == 1 && len(p.objs) == 1 && len(q.objs) == 1 {
		r.off, r.exact = p.off, true
	}
	return r
}

// sum returns what holds of an address that is the sum of p and q.
func (p pointer) sum(q pointer) pointer {
	switch {
	case !p.known() || !q.known():
		return pointer{}
	case p.any || q.any:
		return anywhere
	}
	r := pointer{loaded: p.loaded || q.loaded, objs: union(p.objs, q.objs)}
	switch {
	case isNumber(p.alts):
		r.alts = q.alts
		return r
	case isNumber(q.alts):
		r.alts = p.alts
		return r
	}
	for _, a := range p.alts {
		for _, b := range q.alts {
			r.alts = withAlternative(r.alts, union(a, b))
		}
	}
	if len(r.alts) > maxAlternatives {
		return anywhere
	}
	return r
}

// isNumber reports whether alternatives say: a number. It may have been made
// from objects all the same, such as the difference of two.
func isNumber(alts [][]int32) bool { return len(alts) == 1 && len(alts[0]) == 0 }

// orNumber returns p or, if it has objects, a number made from it.
func (p pointer) orNumber() pointer {
	if !p.known() {
		return p
	}
	return p.join(number).blur()
}

// withAlternative adds a to alts, in a fixed order, and keeps the smallest.
// Neither argument is changed.
func withAlternative(alts [][]int32, a []int32) [][]int32 {
	var kept [][]int32
	for _, b := range alts {
		if contains(a, b) {
			return alts
		}
		if !contains(b, a) {
			kept = append(kept, b)
		}
	}
	i, _ := slices.BinarySearchFunc(kept, a, slices.Compare[[]int32])
	return slices.Insert(kept, i, a)
}

// contains reports whether all of b stand in a; both ascend.
func contains(a, b []int32) bool {
	for _, o := range b {
		if _, ok := slices.BinarySearch(a, o); !ok {
			return false
		}
	}
	return true
}

// blur returns p with its offset forgotten.
func (p pointer) blur() pointer {
	p.off, p.exact = 0, false
	return p
}

func (p pointer) equal(q pointer) bool {
	return p.any == q.any && p.loaded == q.loaded && p.exact == q.exact && p.off == q.off &&
		slices.Equal(p.objs, q.objs) && slices.EqualFunc(p.alts, q.alts, slices.Equal[[]int32])
}

// shared returns p in a place that values may have in common: nothing is written there.
func (p pointer) shared() *pointer {
	for _, common := range []*pointer{&number, &anywhere} {
		if p.equal(*common) {
			return common
		}
	}
	return &p
}

// union merges two ascending lists; the result may share memory with either.
func union(a, b []int32) []int32 {
	switch {
	case contains(a, b):
		return a
	case contains(b, a):
		return b
	}
	u := slices.Concat(a, b)
	slices.Sort(u)
	return slices.Compact(u)
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
