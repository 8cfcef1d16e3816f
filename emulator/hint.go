package emulator

import "hyptx/ir"

// What acts on the machine and on nothing that a program could see.

// buildOpaque gives a destination something that only hints: the policies of
// createpolicy.
func buildOpaque(c *compiler, in *ir.Instr, i *inst) error {
	bits := c.regBits(in, 0)
	i.d, i.a = c.dest(in, 0), c.constant(0, max(bits/32, 1))
	i.exec = moveFor(bits)
	return nil
}

// buildBreak decodes brkpt: without a debugger it ends the run.
func buildBreak(_ *compiler, _ *ir.Instr, i *inst) error {
	i.exec = func(w *warp, in *inst, m uint32) { w.fail(in, m, "a breakpoint, and no debugger") }
	return nil
}
