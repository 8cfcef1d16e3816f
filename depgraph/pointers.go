package depgraph

import (
	"hyptx/internal/fold"
	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Provenance. Whether a load may see what a store writes is decided by where
// their addresses stem from, not by numbers: each value of a kernel gets the
// objects (variables, what parameters point to) that it was made from, by going
// over all instructions until nothing changes. This is done once for a kernel.
// A launch then says which buffer a parameter points to, so that accesses become
// places (ref, in alias.go), and two accesses may touch the same byte if they
// share a place, unless both lie at known offsets in it that do not overlap. What
// is loaded from memory, but for parameters, may point everywhere.

// pointers is the provenance of every value of a kernel: what it may point to.
// It holds for all launches: what a kernel parameter points to is an object of
// its own here, and a launch says which buffer that is.
type pointers struct {
	k        *Kernel
	objects  []object
	byObject map[object]int32 // the places in objects
	// of is the pointer of each value, nil for one that is unknown. Nearly all are one of
	// the shared ones.
	of []*pointer
	// results are what each function returns, by the places of its return parameters.
	results [][]pointer
	// fold are the constants that hold for all launches, until all is solved.
	fold *fold.Folding
	// agenda is what has changed, and is followed from then on.
	agenda
}

// provenance returns the kernel's pointers, computed on first use.
func (k *Kernel) provenance() *pointers {
	k.once.Do(func() {
		ps := newPointers(k)
		ps.solve()
		ps.fold, ps.results, ps.agenda = nil, nil, agenda{}
		k.pointers = ps
	})
	return k.pointers
}

// newPointers returns the pointers of which nothing is known yet.
func newPointers(k *Kernel) *pointers {
	ps := &pointers{k: k, byObject: make(map[object]int32), of: make([]*pointer, k.valueAt[len(k.Funcs)]), results: make([][]pointer, len(k.Funcs))}
	for i, f := range k.Funcs {
		ps.results[i] = make([]pointer, len(f.Returns))
	}
	ps.fold = fold.Propagate(k.Func, k.SSA, &fold.Consts{})
	return ps
}

// function evaluates all values of a function in an order in which all but back edges
// lead onwards, so that a value comes before its uses, phis among them.
func (ps *pointers) function(fn int32) {
	f, s := ps.k.Funcs[fn], ps.k.SSA[fn]
	for id := 1; id < s.Len(); id++ {
		ps.given(value{fn, ssa.ValueID(id)})
	}
	for _, b := range f.Dominators().Preorder() {
		for _, phi := range s.Phis(b) {
			ps.derived(value{fn, phi})
		}
		for pc := f.Blocks[b].First; pc < f.Blocks[b].End; pc++ {
			ps.instr(site{fn, pc})
			for _, v := range s.Defs(pc) {
				ps.derived(value{fn, v})
			}
		}
	}
	for place := range f.Returns {
		for _, v := range ps.k.returnedValues(fn, place) {
			ps.returns(fn, place, ps.get(v))
		}
	}
}

// given evaluates the values that a function begins with.
func (ps *pointers) given(v value) {
	switch val := &ps.k.SSA[v.fn].Values[v.id]; val.Kind {
	case ssa.Entry:
		ps.formal(v, val.Reg)
	case ssa.Undef:
		ps.set(v, number)
	}
}

// derived evaluates the values that are made of others, which no instruction computes.
func (ps *pointers) derived(v value) {
	s := ps.k.SSA[v.fn]
	val := &s.Values[v.id]
	switch val.Kind {
	case ssa.Phi:
		for _, a := range val.Args {
			ps.flow(value{v.fn, a}, v)
		}
	case ssa.Select:
		ps.flow(value{v.fn, val.Args[ssa.SelectNew]}, v)
		ps.flow(value{v.fn, val.Args[ssa.SelectOld]}, v)
	}
}

// formal joins the arguments of all calls into a formal parameter.
func (ps *pointers) formal(v value, r ir.RegID) {
	for i, p := range ps.k.Funcs[v.fn].Params {
		if p.Var != nil || p.Reg != r {
			continue
		}
		for _, c := range ps.k.callers[v.fn] {
			ps.argument(c, i, v)
		}
	}
}

// argument joins the i'th argument of a call into the formal parameter v.
func (ps *pointers) argument(c site, i int, v value) {
	if args := ps.k.Module.Instrs[c.pc].Call.Args; i < len(args) {
		ps.set(v, ps.operand(c, &args[i]))
	}
}

// flow joins what is known of one value into another.
func (ps *pointers) flow(from, to value) {
	if from.id != ssa.NoValue {
		ps.set(to, ps.get(from))
	}
}

// get returns the pointer of a value.
func (ps *pointers) get(v value) pointer {
	if p := ps.of[ps.k.valueIndex(v)]; p != nil {
		return *p
	}
	return pointer{}
}

// set joins p into the pointer of a value.
func (ps *pointers) set(v value, p pointer) {
	was := ps.get(v)
	if p = was.join(p); !p.equal(was) {
		ps.of[ps.k.valueIndex(v)] = p.shared()
		ps.note(v, ps.k.valueIndex(v))
	}
}

// instr evaluates what an instruction writes.
func (ps *pointers) instr(s site) {
	in := &ps.k.Module.Instrs[s.pc]
	if len(in.Defs()) == 0 {
		return
	}
	if in.Call != nil {
		ps.call(s, in)
		return
	}
	for i, r := range in.Defs() {
		v := value{s.fn, ps.k.SSA[s.fn].Written(s.pc, i)}
		ps.set(v, ps.result(s, in, r))
	}
}

// call joins what the callees return.
func (ps *pointers) call(s site, in *ir.Instr) {
	callees := ps.k.callees(s.pc)
	for i, r := range in.Defs() {
		v := value{s.fn, ps.k.SSA[s.fn].Written(s.pc, i)}
		if len(callees) == 0 {
			ps.set(v, anywhere)
		}
		for _, fn := range callees {
			place := ps.k.returnIndex(s, r)
			ps.set(v, ps.results[fn][place])
			if ps.k.Funcs[fn].Returns[place].Var != nil {
				ps.set(v, anywhere)
			}
		}
	}
}

// operand returns what a source operand points to.
func (ps *pointers) operand(s site, op *ir.Operand) pointer {
	switch op.Kind {
	case ir.OperandReg:
		return ps.get(value{s.fn, ps.k.use(s, op.Reg)})
	case ir.OperandVar:
		return at(ps.number(object{v: op.Var}), int64(op.Imm))
	case ir.OperandVec:
		p := number
		for i := range op.Elems() {
			p = p.sum(ps.operand(s, &op.Elems()[i]))
		}
		return p
	}
	return number
}

// constant returns the number that a source operand is in every launch.
func (ps *pointers) constant(s site, op *ir.Operand) (int64, bool) {
	switch op.Kind {
	case ir.OperandImm:
		return signed(op.Imm, op.Type), true
	case ir.OperandReg:
		bits, ok := ps.fold.Of(ps.k.Funcs[s.fn]).Const(ps.k.use(s, op.Reg))
		return signed(bits, op.Type), ok
	}
	return 0, false
}

// signed reads the bits of an operand as a signed number: an address moves
// backwards by a large unsigned one.
func signed(bits uint64, t isa.Type) int64 {
	if n := t.Bits(); n > 0 && n < 64 {
		return int64(bits<<(64-n)) >> (64 - n)
	}
	return int64(bits)
}

// number returns the number of an object, a new one at first sight.
func (ps *pointers) number(o object) int32 {
	n, ok := ps.byObject[o]
	if !ok {
		n = int32(len(ps.objects))
		ps.objects = append(ps.objects, o)
		ps.byObject[o] = n
	}
	return n
}
