package fold

import (
	"slices"

	"hyptx/internal/ssa"
	"hyptx/ir"
)

// CTA evaluates a few instructions of a kernel for one CTA after the
// other: those that compute with %ctaid and constants of the launch only. It
// tells which CTAs behave alike, so it runs for each CTA of a grid: instead of
// a propagation it evaluates a list of instructions once, in order, over cells
// of its own.
type CTA struct {
	f  *Folding
	ff *Func
	// order are the instructions, each after those whose results it reads.
	order  []ir.PC
	consts Consts
}

// PerCTA returns the evaluation of the given instructions of the kernel, which
// must be unguarded and stand after those whose results they read.
func (f *Folding) PerCTA(order []ir.PC) *CTA {
	c := &CTA{order: order, consts: *f.consts}
	own := *f
	own.consts = &c.consts
	ff := *f.Funcs[0]
	if len(order) > 0 { // else nothing is written there
		ff.cells = slices.Clone(ff.cells)
	}
	c.f, c.ff = &own, &ff
	return c
}

// At evaluates the instructions for a CTA.
func (c *CTA) At(ctaid [3]uint32) {
	c.consts.CTAID = &ctaid
	e := evaluator{f: c.f, ff: c.ff}
	for _, pc := range c.order {
		e.in = &c.ff.SSA.Func.Module.Instrs[pc]
		e.out = e.out[:0]
		e.evaluate()
		for i, r := range e.in.Defs() {
			c.ff.cells[c.ff.SSA.Written(pc, i)] = e.result(r)
		}
	}
}

// Const returns the constant that value v is in the CTA last evaluated.
func (c *CTA) Const(v ssa.ValueID) (bits uint64, ok bool) { return c.ff.Const(v) }
