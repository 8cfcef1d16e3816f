package depgraph

import "hyptx/internal/ssa"

// agenda are the values that have changed and whose uses have not been evaluated again.
type agenda struct {
	// open: what changes is noted.
	open    bool
	changed []value
	noted   []bool // by number, those of changed
	// returnedAs are the places at which a function returns a value in a register.
	returnedAs map[value][]int
}

// note puts a value that has changed on the agenda.
func (a *agenda) note(v value, number int32) {
	if a.open && !a.noted[number] {
		a.noted[number] = true
		a.changed = append(a.changed, v)
	}
}

// solve goes over all functions twice, which is enough for nearly all, and then follows
// what has changed the second time until nothing changes any more: programs may chain
// thousands of loops or calls, for each of which another round over all would be needed.
// Values only rise: alternatives are added, or replaced by parts of themselves.
func (ps *pointers) solve() {
	ps.round()
	ps.open, ps.noted = true, make([]bool, len(ps.of))
	ps.round()
	if len(ps.changed) == 0 {
		return
	}
	ps.findReturned()
	var now []value
	for len(ps.changed) > 0 {
		now, ps.changed = ps.changed, now[:0]
		for _, v := range now {
			ps.noted[ps.k.valueIndex(v)] = false
			ps.onward(v)
		}
	}
}

func (ps *pointers) round() {
	for fn := range ps.k.Funcs {
		ps.function(int32(fn))
	}
}

// findReturned fills returnedAs.
func (ps *pointers) findReturned() {
	ps.returnedAs = map[value][]int{}
	for fn, f := range ps.k.Funcs {
		for place := range f.Returns {
			for _, v := range ps.k.returnedValues(int32(fn), place) {
				ps.returnedAs[v] = append(ps.returnedAs[v], place)
			}
		}
	}
}

// onward evaluates what is made of a value.
func (ps *pointers) onward(v value) {
	s := ps.k.SSA[v.fn]
	for _, u := range s.Users(v.id) {
		switch c := (site{v.fn, u.PC}); {
		case u.Value == ssa.NoValue && ps.k.Module.Instrs[u.PC].Call != nil:
			ps.pass(c)
		case u.Value == ssa.NoValue:
			ps.instr(c)
		case s.Values[u.Value].Kind == ssa.Phi: // of which it is one argument of perhaps thousands
			ps.flow(v, value{v.fn, u.Value})
		default:
			ps.derived(value{v.fn, u.Value})
		}
	}
	for _, place := range ps.returnedAs[v] {
		ps.returns(v.fn, place, ps.get(v))
	}
}

// pass joins the arguments of a call into the formal parameters of who may be called.
func (ps *pointers) pass(c site) {
	for _, fn := range ps.k.callees(c.pc) {
		for i, p := range ps.k.Funcs[fn].Params {
			if p.Var != nil {
				continue
			}
			if v := ps.k.SSA[fn].Param(p.Reg); v != ssa.NoValue {
				ps.argument(c, i, value{fn, v})
			}
		}
	}
}

// returns joins what a function returns at one place into its result, and the results of
// its calls.
func (ps *pointers) returns(fn int32, place int, p pointer) {
	was := ps.results[fn][place]
	if p = was.join(p); p.equal(was) {
		return
	}
	ps.results[fn][place] = p
	if !ps.open {
		return
	}
	for _, c := range ps.k.callers[fn] {
		ps.instr(c)
	}
}
