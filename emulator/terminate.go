package emulator

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// The last instruction of a segment is decoded apart from those within it: it does
// not run in the loop over insts but decides where the path goes, and may stop it,
// split it or end it. A segment that just falls into the next one has none. Where
// the guard or the index of a branch is a launch constant, what remains is a jump.

// terminate decodes the instruction that ends a segment.
func (c *compiler) terminate(s *segment, in *ir.Instr) error {
	i := c.newInst(in)
	s.in = &i
	truth, known := c.prog.constGuard[in.PC]
	if known && !truth {
		s.term = termNext
		if in.Inst.IsBranch() {
			c.addBranch(s)
		}
		return nil
	}
	switch in.Inst.Form.Flow {
	case isa.FlowBranch:
		c.addBranch(s)
		s.term = termBranch
		if i.guard < 0 {
			s.term = termJump
		}
	case isa.FlowSwitch:
		c.addBranch(s)
		s.term = termSwitch
		return c.indexedBranch(s, in)
	case isa.FlowReturn:
		s.term = termRet
	case isa.FlowExit:
		s.term = termExit
	case isa.FlowTrap, isa.FlowBreak:
		s.term = termTrap
		c.endLaunch(in, s.in)
	default:
		return c.terminateSync(s, in)
	}
	return nil
}

// addBranch gives a branch its two counters.
func (c *compiler) addBranch(s *segment) {
	s.branch = c.counter(2)
}

// indexedBranch decodes brx.idx; an index that is a launch constant leaves one
// target.
func (c *compiler) indexedBranch(s *segment, in *ir.Instr) error {
	op := &in.Ops()[0]
	bits, known := op.Imm, op.Kind == ir.OperandImm
	if op.Kind == ir.OperandReg {
		bits, known = c.constUse(in.PC, op.Reg)
	}
	if known && bits < uint64(len(s.targets)) && s.in.guard < 0 {
		s.term, s.target = termJump, s.targets[bits]
		return nil
	}
	s.in.a = c.source(in, 0)
	return nil
}

// terminateSync decodes calls, barriers and warp-synchronous operations.
func (c *compiler) terminateSync(s *segment, in *ir.Instr) error {
	switch {
	case in.Call != nil:
		s.term = termCall
		c.fillCall(s, in)
		return nil
	case in.Inst.Form.Sync == isa.SyncCluster:
		s.term = termCluster
		c.fillClusterBarrier(s, in)
		return nil
	case isBarrier(in.Inst):
		s.term, c.prog.bars = termBarrier, max(c.prog.bars, numBarriers)
		return c.fillBarrier(s, in)
	case in.Inst.Form.Sync == isa.SyncWarpgroup:
		s.term, c.prog.bars = termBarrier, numBarriers+numGroups
		c.fillGroupWait(s, in)
		return nil
	}
	if suspends(in.Inst) {
		s.term = termSuspend
		return c.buildTerminator(s, in)
	}
	s.term = termWarpSync
	members := c.source(in, len(in.Ops())-1)
	if in.Inst.Form.Sync != isa.SyncWarp {
		if err := c.buildTerminator(s, in); err != nil {
			return err
		}
	}
	if in.Inst.Form.Sync == isa.SyncWarp && (c.prog.checked || c.origins != nil && c.origins.Run.Has(in.PC)) {
		s.in.exec, s.in.exchange = execWarpOrder, &interplay{orders: true}
		c.prog.apart = c.prog.checked
	}
	if s.in.exchange == nil {
		s.in.exchange = &interplay{}
	}
	s.in.exchange.members, s.in.exchange.synced = members, true
	return nil
}

// buildTerminator decodes one that is executed as instructions within a segment are, if it is.
func (c *compiler) buildTerminator(s *segment, in *ir.Instr) error {
	if !c.runs(in.PC) {
		return nil
	}
	if err := c.build(in, s.in); err != nil {
		return err
	}
	if c.prog.checked {
		c.checkInst(in, s.in)
		c.checkWrites(in, s.in)
	}
	if c.origins != nil && c.origins.Run.Has(in.PC) {
		c.followOrigins(in, s.in)
	}
	return nil
}

// fillCall decodes a call's callee and parameters.
func (c *compiler) fillCall(s *segment, in *ir.Instr) {
	call := &callInfo{pc: in.PC}
	if f := in.Call.Callee; f != nil {
		if call.callee = c.prog.function(f); call.callee == nil {
			call.missing = f.Name
		}
	} else {
		call.address = location{base: c.place(in, &in.Call.Address), base64: c.mod.AddressSize == 64}
		for _, f := range indirectCandidates(c.mod, in.Call) {
			call.candidates = append(call.candidates, c.prog.function(f))
		}
	}
	for i := range in.Call.Args {
		call.args = append(call.args, c.argument(in, &in.Call.Args[i]))
	}
	for i := range in.Call.Returns {
		call.rets = append(call.rets, c.result(&in.Call.Returns[i]))
	}
	s.call = call
}

// fillClusterBarrier decodes barrier.cluster.
func (c *compiler) fillClusterBarrier(s *segment, in *ir.Instr) {
	s.bar = &barrierInfo{
		aligned: in.Inst.Has(isa.ModAligned), arriveOnly: in.Inst.Has(isa.ModArrive), relaxed: in.Inst.Sem == isa.Relaxed,
		src: noPred, divergent: c.counter(1), follow: c.origins != nil && c.origins.Run.Has(in.PC),
	}
}

// fillBarrier decodes bar and barrier.
func (c *compiler) fillBarrier(s *segment, in *ir.Instr) error {
	b := &barrierInfo{
		aligned:    in.Inst.Op == isa.OpBar || in.Inst.Has(isa.ModAligned),
		arriveOnly: in.Inst.Has(isa.ModArrive),
		src:        noPred,
		divergent:  c.counter(1),
	}
	b.follow = c.origins != nil && c.origins.Run.Has(in.PC)
	s.bar = b
	c.prog.meets = c.prog.meets || b.arriveOnly
	for n := range in.Inst.Form.Operands {
		op, spec := &in.Ops()[n], &in.Inst.Form.Operands[n]
		if op.Kind == ir.NoOperand {
			continue
		}
		switch spec.Name {
		case "a":
			b.id = c.place(in, op)
		case "b":
			b.threads, b.hasThreads, c.prog.meets = c.place(in, op), true, true
		case "c":
			b.src, b.srcFlip = c.predicate(in, op)
			b.srcExact = op.Kind == ir.OperandReg && c.givenOrigin(in.PC, op.Reg)
		case "d":
			s.in.d = c.output(op)
		case "p":
			s.in.pd = c.predDest(op)
		}
	}
	if in.Inst.Has(isa.ModRed) {
		b.isRed = true
		b.popc, b.and = in.Inst.Has(isa.ModPopc), in.Inst.Bool == isa.AND
	}
	c.prog.barriers |= 1 << b.reduction()
	c.prog.meets = c.prog.meets || c.prog.barriers&(c.prog.barriers-1) != 0
	return nil
}

// indirectCandidates returns the functions that an indirect call may reach.
func indirectCandidates(mod *ir.Module, call *ir.Call) []*ir.Func {
	if call.Candidates != nil {
		return call.Candidates
	}
	var fs []*ir.Func
	for _, f := range mod.Funcs {
		if f.Defined && !f.Kernel && len(f.Params) == len(call.Args) && len(f.Returns) == len(call.Returns) {
			fs = append(fs, f)
		}
	}
	return fs
}
