package ir

import "slices"

// Which functions a call may reach is asked by everything that looks past one
// function: folding, slicing and counting all go over a kernel's [Func.Closure].
// For an indirect call the answer has to be large enough rather than exact: a
// function too many makes an analysis say less, one too few makes it wrong.

// Callees returns the functions that the call may call; an alias of one stands
// for its aliasee. An indirect call without .calltargets may call every
// function of the module that is defined and no kernel and has as many
// parameters and returns: taking more than those whose address is taken is
// safe.
func (c *Call) Callees(m *Module) []*Func {
	if c.Callee != nil {
		return []*Func{c.Callee.callee()}
	}
	var all []*Func
	add := func(f *Func) {
		if f = f.callee(); !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	for _, f := range c.Candidates {
		add(f)
	}
	if c.Candidates != nil {
		return all
	}
	for _, f := range m.Funcs {
		if f.Defined && !f.Kernel && len(f.Params) == len(c.Args) && len(f.Returns) == len(c.Returns) {
			add(f)
		}
	}
	return all
}

// Closure returns f and the defined functions that it may call, directly or
// through others, f first, each once, in the order of the calls.
func (f *Func) Closure() []*Func {
	seen := map[*Func]bool{f: true}
	funcs := []*Func{f}
	for i := 0; i < len(funcs); i++ {
		for _, pc := range funcs[i].Calls {
			for _, g := range f.Module.Instrs[pc].Call.Callees(f.Module) {
				if g.Defined && !seen[g] {
					seen[g] = true
					funcs = append(funcs, g)
				}
			}
		}
	}
	return funcs
}
