package emulator

import (
	"hyptx/ir"
)

// What a slice knows of a launch is decided here, not when it runs. Where a register
// always holds a launch constant or a special register (ir.Slice.ConstAt, SRegAt)
// its use reads a constant of the arena or the frame's special register, and what
// computed it is not in the slice. A guard that is a constant is none: the
// instruction runs always, or is not there. Such a one is counted all the same:
// constGuard remembers which lanes its counts have.
//
// An instruction outside of the slice leaves something behind only if it has a
// guard that varies: how many lanes execute it has to be counted, so an inst with
// that guard and nothing to do stands in its place.

// fillFunction decodes a function's segments.
func (c *compiler) fillFunction(fn *function) error {
	c.fn = fn
	for i := fn.segs[0]; i < fn.segs[1]; i++ {
		if err := c.fill(&c.prog.segs[i]); err != nil {
			return err
		}
	}
	return nil
}

// fill decodes a segment's instructions and its terminator.
func (c *compiler) fill(s *segment) error {
	last := s.pcEnd
	var term *ir.Instr
	if s.length > 0 {
		// What waits for other threads does not end a segment where the slice
		// does without it: then all threads come to it together.
		if in := &c.mod.Instrs[s.pcEnd-1]; isTerminator(in) && (in.Call != nil || !endsSegment(in) || c.runs(in.PC)) {
			term, last = in, last-1
		}
	}
	first := int32(len(c.prog.insts))
	c.ran = 0
	clear(c.leaders)
	for pc := s.pcFirst; pc < last; pc++ {
		if pc&1023 == 0 {
			c.look()
		}
		if err := c.emit(pc); err != nil {
			return err
		}
		c.written(&c.mod.Instrs[pc])
	}
	if term != nil && c.origins != nil {
		c.addTerminatorDecisions(term)
	}
	if term != nil {
		c.observeStep(term, execStepBegin)
		c.checkTerminatorReads(term)
	}
	s.first, s.last, s.ran = first, int32(len(c.prog.insts)), c.ran
	if term == nil {
		s.term = termNext
		return nil
	}
	return c.terminate(s, term)
}

// emit decodes one instruction that does not end a segment.
func (c *compiler) emit(pc ir.PC) error {
	in := &c.mod.Instrs[pc]
	i := c.newInst(in)
	c.observeStep(in, execStepBegin)
	if truth, ok := c.prog.constGuard[pc]; ok && !truth {
		return nil // never executed
	}
	if c.origins != nil {
		c.addDecision(in, in.Guard)
	}
	c.addTogether(in, i)
	c.checkReads(in, i)
	c.checkPending(in, i)
	if !c.runs(pc) {
		if !c.traceBeside(in, &i) {
			if i.guard < 0 {
				return nil // counted with its segment
			}
			i.exec = execNothing
		}
	} else if err := c.build(in, &i); err != nil {
		return err
	} else if (in.Inst.Form.Unseen || in.Inst.Form.Apart) && len(in.Inst.Form.Memory) > 0 && c.slice != nil && !c.slice.Value.Has(pc) {
		i.exec = execNothing // only its address was asked for, and nobody counts that
	} else {
		c.ran++
		c.traceBeside(in, &i)
		if c.adds.On {
			c.watchAdd(in, &i)
		}
	}
	if c.variation != nil {
		c.vary(in, &i)
	}
	if c.prog.checked && c.runs(pc) {
		c.checkInst(in, &i)
		c.checkWrites(in, &i)
	}
	if c.addressOnly(in) {
		i.exec = nil
	}
	if c.prog.traffic && c.runs(pc) && accesses(in) && !c.fn.ir.Library && (!c.prog.onlyWrites || !onlyReads(in.Inst)) {
		c.countTraffic(in, &i)
	}
	switch {
	case c.followsOrigins(in):
		c.followOrigins(in, &i)
	case c.origins != nil && c.addressOnly(in):
		c.watchStore(in, &i)
	}
	c.observe(in, &i)
	c.append(i)
	c.observeStep(in, execStepEnd)
	return nil
}

// build sets what runs an instruction.
func (c *compiler) build(in *ir.Instr, i *inst) error {
	why := NotExecuted(in.Inst)
	if why == "" && c.mod.Target.MapsF64() && computesF64(in.Inst) {
		why = "map_f64_to_f32: on this target it is of .f32"
	}
	if why != "" {
		return c.unsupported(in, why)
	}
	b := builders[in.Inst.Op]
	if b == nil {
		panic("BUG: no semantics for " + in.Inst.Form.Syntax)
	}
	return b(c, in, i)
}
