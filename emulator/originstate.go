package emulator

import (
	"math"
	"slices"

	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/mbarrier"
	"hyptx/internal/order"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// An mbarrier object is opaque, and so is the state that an arrival returns: what their bits
// are is the machine's matter (PTX ISA 9.7.15.16.1, 9.7.15.16.13). A program may hand a state
// on to who asks for its phase or its count; whatever else it does with it is undefined, and
// so is what any other access finds in a valid object, or leaves there.

// addObject says of an access by something else than an operation on mbarrier objects that
// what it finds or leaves is undefined if it touches one.
func (w *warp) addObject(in *inst, lane int, space isa.Space, addr, n uint64, from *order.Lanes) {
	if space != isa.Shared || in.mem != nil && in.mem.object != nil {
		return
	}
	if owner, at := w.ownerOf(address.Resolve(space, addr)); owner.Holds(at, n) {
		from.Add(1<<lane, order.Undefined, w.worker.launch.log.Note(order.Invalid, uint32(in.pc)))
	}
}

// stateUse is what an instruction makes of states.
type stateUse uint8

const (
	passesState  stateUse = iota // whatever it writes is one if what it reads is
	dropsState                   // it computes with the bits
	endsState                    // it asks for the phase or the count
	packsState                   // what it writes is one if all that it reads is
	choosesState                 // one of two
	makesState                   // it is an arrival
)

// stateRule says of an instruction what it makes of states, in a module that has any.
func (c *compiler) stateRule(in *ir.Instr, t *originRule) {
	x := in.Inst
	switch {
	case !c.hasStates():
	case returnsState(in):
		t.state = makesState
	case x.Form.Sync == isa.SyncPhase, x.Op == isa.OpMbarrierPendingCount:
		t.state = endsState
	case x.Op == isa.OpSelp:
		t.state, t.states = choosesState, []int32{c.statePlace(in, &in.Ops()[1]), c.statePlace(in, &in.Ops()[2])}
	case (x.Op == isa.OpMov || x.IsStore()) && in.Ops()[1].Kind == ir.OperandVec:
		t.state = packsState
		for i := range in.Ops()[1].Elems() {
			t.states = append(t.states, c.statePlace(in, &in.Ops()[1].Elems()[i]))
		}
	case in.Call == nil && !handsOn(in) && !x.IsStore() && !x.IsLoad() && x.Op != isa.OpShfl:
		t.state = dropsState
	}
}

// noPlace is the place of what is no register, or a constant of the launch.
const noPlace = math.MaxInt32

// statePlace returns the place of the origins of an operand.
func (c *compiler) statePlace(in *ir.Instr, op *ir.Operand) int32 {
	if op.Kind != ir.OperandReg || c.givenOrigin(in.PC, op.Reg) {
		return noPlace
	}
	return c.originPlace(op.Reg)
}

// statesIn returns the lanes that have a state at a place.
func (w *warp) statesIn(place int32) uint32 {
	if place == noPlace {
		return 0
	}
	return w.originsOf(w.frame, place).States()
}

// handState accounts for the states among the operands of an instruction.
func (w *warp) handState(in *inst, m uint32, from *order.Lanes) {
	t, are := in.rule, uint32(0)
	switch t.state {
	case dropsState:
		if was := from.States(); was != 0 {
			from.Add(was, order.Undefined, w.worker.launch.log.Note(order.Machine, uint32(in.pc)))
		}
	case packsState:
		are = m
		for _, place := range t.states {
			are &= w.statesIn(place)
		}
	case choosesState:
		first := w.pred(in.pa, in.paFlip)
		are = (w.statesIn(t.states[0])&first | w.statesIn(t.states[1])&^first) & m
	}
	from.SetStates(are)
}

// handsOn reports whether an instruction does no more with a value than to hand it on.
func handsOn(in *ir.Instr) bool { return in.Inst.Op == isa.OpMov || in.Inst.Op == isa.OpSelp }

// hasStates reports whether an instruction of the module returns a state.
func (c *compiler) hasStates() bool {
	if c.stateful == nil {
		has := slices.ContainsFunc(c.mod.Instrs, func(in ir.Instr) bool { return returnsState(&in) })
		c.stateful = &has
	}
	return *c.stateful
}

// returnsState reports whether an instruction returns the state of an mbarrier object.
func returnsState(in *ir.Instr) bool {
	x := in.Inst
	return x != nil && x.Form.Sync == isa.SyncObject && x.Op != isa.OpMbarrierCheckLayout && len(in.Defs()) > 0
}

// stateOperand returns the operand of an instruction that is to be a state, and where it stands;
// nil if there is none.
func stateOperand(in *ir.Instr, i *inst) (*ir.Operand, operand) {
	switch {
	case in.Inst.Op == isa.OpMbarrierPendingCount:
		return &in.Ops()[1], i.a
	case i.mem != nil && i.mem.object != nil && i.mem.object.byState:
		n := slices.IndexFunc(in.Inst.Form.Operands, func(s isa.OperandSpec) bool { return s.Kind == isa.Address })
		return &in.Ops()[n+1], i.b
	}
	return nil, operand{}
}

// wrongStates finds the lanes whose operand is no state that an arrival has returned; one of which
// so much is missing that it cannot be one: before it was one expected that had not arrived; or,
// of a wait, the state of another object or of an older phase than the last (PTX ISA 9.7.15.16.19).
func (c *compiler) wrongStates(in *ir.Instr, op *ir.Operand, at operand) func(*warp, *inst, uint32) uint32 {
	place := c.statePlace(in, op)
	return func(w *warp, i *inst, m uint32) (wrong uint32) {
		are := w.statesIn(place)
		for lane := range lanesOf(m) {
			state := wide(w.slot(at))[lane]
			b := mbarrier.Unpack(state)
			if are>>lane&1 == 0 || b.Pending < 1 || b.Pending > b.Expected || i.mem != nil && !w.isOf(state, i.mem.space, w.addresses(i)[lane]) {
				wrong |= 1 << lane
			}
		}
		return wrong
	}
}
