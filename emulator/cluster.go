package emulator

import "hyptx/ir"

// Launches have no clusters yet: each CTA is a cluster of its own, of rank 0. So
// shared::cluster is shared::cta, mapa gives back the address it gets, and a rank
// that is not 0 is a fault rather than another CTA's memory that is not there.

// buildMapa decodes mapa d, a, b: the address of a in CTA b of the cluster.
func buildMapa(c *compiler, in *ir.Instr, i *inst) error {
	i.d, i.a, i.b = c.dest(in, 0), c.source(in, 1), c.source(in, 2)
	i.move = &move{wide: c.regBits(in, 0) == 64}
	i.exec = execMapa
	return nil
}

func execMapa(w *warp, in *inst, m uint32) {
	rank := w.slot(in.b)
	for lane := range lanesOf(m) {
		if rank[lane] != 0 {
			w.fail(in, 1<<lane, "the cluster has no CTA of rank %d, only one", rank[lane])
		}
	}
	commit(w.slot(in.d), w.slot(in.a), m, in.move.wide)
}

// buildOpaque gives a destination something that only hints (the policies of
// createpolicy), or the rank of the only CTA.
func buildOpaque(c *compiler, in *ir.Instr, i *inst) error {
	bits := c.regBits(in, 0)
	i.d, i.a = c.dest(in, 0), c.constant(0, max(bits/32, 1))
	if i.exec = moveFor(bits); i.d.off < 0 {
		i.exec = execNothing
	}
	return nil
}

// buildBreak decodes brkpt: without a debugger it ends the run.
func buildBreak(_ *compiler, _ *ir.Instr, i *inst) error {
	i.exec = func(w *warp, in *inst, m uint32) { w.fail(in, m, "a breakpoint, and no debugger") }
	return nil
}
