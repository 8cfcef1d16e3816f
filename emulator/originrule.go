package emulator

import (
	"slices"
	"strings"

	"hyptx/internal/order"
	"hyptx/internal/ssa"
	"hyptx/internal/value"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Origins say where values come from, as far as an exact profile has to know it:
// whether a value depends on data or a launch that nobody gave, on the order in
// which threads happen to run, or on what the manual leaves open (package order).
// A decision on such a value makes the counts that follow from it as good as the
// value (docs/design.md, Exactness).
//
// Three things have origins. A register has one for each lane, a word of memory
// has one in its shadow, and what has decided the way of a warp so far makes all
// that it stores from then on depend on it, too (warp.implicit). An instruction
// passes its operands' origins on to its results; a load takes those of the
// words, and of the order of those who touched them.
//
// Origins are followed only in programs that are compiled so (Options.Origins),
// through the instructions of a slice, on one worker: the others pay nothing.

// originRule is what following origins through an instruction needs: how it is
// run, and the registers that it reads and writes, as places in frame.origins.
type originRule struct {
	exec       execFunc
	uses, defs []int32
	// cross: each lane's result depends on all lanes. clock and machine: it reads
	// a special register that no manual defines, or of a fragment that none lays out.
	// unsettled: a wgmma works on the registers that it writes.
	// dealt: the lanes hold a matrix together, which they read from their registers if gathered.
	cross, clock, machine, unsettled, dealt, gathered bool
	// open says of which operands the result is open, nans what becomes of a NaN.
	open []openResult
	nans value.NaNUse
	// follow accounts for what it does to memory, or for what it puts in order;
	// nil if neither. op is the access.
	follow func(w *warp, in *inst, m uint32, from *order.Lanes)
	op     order.Op
	// counted: its accesses are counted as traffic, too.
	counted bool
	commits bool // it ends a group of copies
	sc      bool // it is a fence.sc
	reads   bool // it waits only until its copies, or loads of tensor memory, have read
	plain   bool // at an mbarrier it arrives, and nothing else
	copied  bool // what it copies, or stores, may decide
	// elements are those of a vector load, exchanged what a shuffle hands over, nil
	// for any other.
	elements  []loadedElement
	exchanged *exchanged
	texture   *textureRule // of a fetch
	gathering []bool       // of activemask: see gatheringBlocks
	// location is what it makes of numbers of addresses, locates that it reads one of the machine's;
	// data are the places of what it stores. callee: it decides which function is called.
	location        locationUse
	locates, callee bool
	data            []int32
	// reaches: it may come to local memory. state is what it makes of states of mbarrier objects,
	// states are the places of what has to be one all together.
	reaches bool
	state   stateUse
	states  []int32
	// address are the places of a store's address registers, for Program.order.
	address []int32
}

// followOrigins wraps an instruction so that it also passes on origins.
func (c *compiler) followOrigins(in *ir.Instr, i *inst) {
	t := &originRule{exec: i.exec}
	for _, r := range in.Uses() {
		if r == in.Guard || c.givenOrigin(in.PC, r) {
			if sreg, ok := sregIn(c.origins, in.PC, r); ok && r != in.Guard {
				t.special(sreg)
			}
			continue
		}
		if !ssa.OnlyHints(in, r) && c.tracks(in, r) {
			t.uses = append(t.uses, c.originPlace(r))
		}
	}
	for n := range in.Ops() {
		if in.Ops()[n].Kind == ir.OperandSReg {
			t.special(in.Ops()[n].SReg)
		}
	}
	for _, r := range in.Defs() {
		t.defs = append(t.defs, c.originPlace(r))
	}
	x := in.Inst
	t.cross = x.CrossLane()
	t.dealt = t.cross && x.Form.Class != isa.InterThread
	t.gathered = len(x.Form.Memory) == 0 || x.IsStore()
	t.machine = t.machine || x.Op == isa.OpQueryCancel  // whether there was a cluster to cancel
	t.machine = t.machine || x.Op == isa.OpCreatepolicy // "an opaque 64-bit register" (PTX ISA 9.7.10.21)
	t.machine = t.machine || c.asksFragments(in)
	t.unsettled = len(t.defs) > 0 && c.form(c.fn).Unsettled(in.PC)
	t.open, t.nans = openResults(in, i), value.UseOfNaN(x)
	if op, at := stateOperand(in, i); op != nil {
		t.open = append(t.open, openResult{c.wrongStates(in, op, at), order.Undefined, order.Invalid})
	}
	c.locationRule(in, t)
	c.stateRule(in, t)
	if i.mem != nil && i.mem.traffic != nil {
		t.counted, t.exec = true, i.mem.traffic.exec
	}
	c.followAccess(in, i, t)
	i.rule, i.exec = t, execFollowed
}

// special notes that an instruction reads a special register.
func (t *originRule) special(r isa.SReg) {
	t.clock = t.clock || r.Volatile()
	t.machine = t.machine || r.OfMachine()
}

// followAccess chooses how to account for an instruction's accesses, or for the
// order that it makes.
func (c *compiler) followAccess(in *ir.Instr, i *inst, t *originRule) {
	x := in.Inst
	t.op = accessOp(in)
	t.op.Width = uint8(i.width)
	t.op.Reads = t.op.Reads || x.Form.Matrices || x.Form.Tensor == isa.Reads
	if x.IsAtomic() && len(t.defs) > 0 {
		t.op.Reads = c.readBy(c.origins, in)
	}
	if t.op.Atomic && t.op.Family == noFamily {
		t.op.Function = c.functionOf(x)
	}
	t.plain = t.op.Phase == order.Phased
	if x.Form.Sync == isa.SyncObject && len(t.defs) > 0 { // how many have arrived, or which phase it is
		counts := c.stateReadBy(c.origins, in)
		t.op.Reads, t.op.Phase = counts || c.readBy(c.origins, in), order.Phased
		if counts {
			t.op.Phase, t.plain = 0, false
		}
	}
	t.op.Decides = t.op.Reads && c.deciding(in)
	t.copied = t.op.Writes && (c.decides == nil || c.prog.order || c.decides.Value.Has(in.PC))
	if c.prog.order {
		if x.Open() == isa.Reordered {
			t.op.Family = anySum
		}
	}
	if x.IsStore() || x.IsAtomic() {
		t.address = c.addressOrigins(in)
	}
	t.elements = c.vectorElements(in, i, t)
	c.followBy(in, i, t)
}

// followBy chooses how the origins of an access are followed, by what it accesses.
func (c *compiler) followBy(in *ir.Instr, i *inst, t *originRule) {
	x := in.Inst
	switch {
	case i.mem != nil && (i.mem.bulk != nil || i.mem.async != nil || i.mem.tensor != nil || i.mem.field != nil):
		t.follow = followAsync
	case x.Op == isa.OpCpAsyncBulkCommitGroup, x.Op == isa.OpCpAsyncBulkWaitGroup:
		t.follow, t.commits, i.b = followBulkGroups, x.Op == isa.OpCpAsyncBulkCommitGroup, operand{off: -1}
		if t.reads = named(x, "read"); !t.commits {
			i.b = c.source(in, 0)
		}
	case x.Form.Sync == isa.SyncFence:
		switch {
		case strings.Contains(x.Form.Syntax, ".proxy.async"):
			t.follow = followProxyFence
		case ordersMemory(x):
			t.follow, t.sc = followFence, x.Op == isa.OpMembar || x.Sem == isa.SeqCst
		}
	case x.Op == isa.OpTcgen05Alloc:
		t.follow, t.address = followTensorAlloc, nil
	case i.multiply != nil && i.multiply.fn == nil && x.Op != isa.OpTcgen05Dealloc:
		t.follow = i.multiply.follow()
		t.op.Async, t.op.Proxy = true, i.multiply.move == nil
	case x.Op == isa.OpTcgen05WaitLd, x.Op == isa.OpTcgen05WaitSt:
		t.follow, t.reads = followTensorWait, x.Op == isa.OpTcgen05WaitLd
	case x.Op == isa.OpWgmmaCommitGroup:
		t.follow = followGroupCommit
	case x.Op == isa.OpCpAsync:
		t.follow = followCopy
	case x.Op == isa.OpShfl:
		c.shuffleRule(in, t)
		t.follow = followShuffle
	case x.Op == isa.OpActivemask:
		t.follow, t.gathering = followActiveMask, c.gatheringBlocks(in)
	case x.Op == isa.OpDiscard:
		t.op.Writes, t.follow = true, followDiscard
	case x.Op == isa.OpCpAsyncCommitGroup, x.Op == isa.OpCpAsyncWaitGroup, x.Op == isa.OpCpAsyncWaitAll:
		t.follow, t.commits, i.b = followCopies, x.Op == isa.OpCpAsyncCommitGroup, operand{off: -1}
		if x.Op == isa.OpCpAsyncWaitGroup {
			i.b = c.source(in, 0)
		}
	case i.mem == nil:
	case i.mem.texture != nil:
		c.textureRule(in, i, t)
	case i.mem.tile != nil:
		t.follow = followTile
	case x.Op == isa.OpTcgen05Commit:
		t.follow = followTensorCommit
	case x.Op == isa.OpCpAsyncMbarrierArrive:
		t.follow = followCopyArrival
		i.mem.object.kept = slices.ContainsFunc(c.mod.Instrs, func(w ir.Instr) bool {
			return w.Inst != nil && (w.Inst.Op == isa.OpCpAsyncWaitGroup || w.Inst.Op == isa.OpCpAsyncWaitAll)
		})
	case i.mem.object != nil:
		t.follow = followObject
	case len(t.elements) > 0:
		t.follow, t.defs, t.reaches = followElements, nil, true
	case i.width > 0 && (x.IsLoad() || x.IsStore() || x.IsAtomic()):
		t.follow, t.reaches = followMemory, true
	}
}

// deciding reports whether a decision may depend on what in loads. Where the order is
// followed into memory all loads count: when a store turns out to overtake one, what
// was loaded may be anywhere.
func (c *compiler) deciding(in *ir.Instr) bool {
	if c.decides == nil || c.prog.order {
		return true
	}
	returns := in.Inst.IsAtomic() || returnsState(in)
	return c.decides.Value.Has(in.PC) && (!returns || c.readBy(c.decides, in))
}

// originPlace returns the place of a register in a frame's origins: values by
// their slot, then predicates. A frame's origins grow with its registers, so
// the place of a predicate is negative until the program is complete.
func (c *compiler) originPlace(r ir.RegID) int32 {
	o := c.register(c.fn, r).off
	if c.fn.ir.Regs[r].Type == isa.Pred {
		return ^o
	}
	return o
}

// givenOrigin reports whether, as far as origins go, instruction pc reads a
// constant of the launch or a special register in reg.
func (c *compiler) givenOrigin(pc ir.PC, reg ir.RegID) bool {
	_, known := constIn(c.origins, pc, reg)
	_, special := sregIn(c.origins, pc, reg)
	return known || special
}

// Programs that follow the order of threads (vary.Variation.Order) follow
// origins through all instructions, and beyond what exactness needs keep two
// things: a floating-point sum counts as one whatever its order, for that has a
// bound of its own (anySum); and what a buffer holds at the end can be asked for
// (Buffer.Scheduled).

// The families of atomic operations that commute among themselves. Two of one
// family leave the same in either order, whatever their operands: those of
// integers of one width that are associative and commutative (PTX ISA 9.7.15.5).
const (
	noFamily uint16 = iota
	addFamily
	andFamily
	orFamily
	xorFamily
	minUnsigned
	minSigned
	maxUnsigned
	maxSigned
	arrivals // at an mbarrier
	anySum   // see Program.order
	widthStep
)

// familyOf returns the family of an atomic operation.
func familyOf(x *isa.Inst) uint16 { return familyOn(x.Sub.String(), x.Type()) }

// familyOn returns the family of an atomic operation on a type.
func familyOn(sub string, t isa.Type) uint16 {
	if t.IsFloat() {
		return noFamily
	}
	f := noFamily
	switch sub {
	case "add":
		f = addFamily
	case "and":
		f = andFamily
	case "or":
		f = orFamily
	case "xor":
		f = xorFamily
	case "min":
		if f = minUnsigned; t.IsSigned() {
			f = minSigned
		}
	case "max":
		if f = maxUnsigned; t.IsSigned() {
			f = maxSigned
		}
	}
	if f == noFamily {
		return f
	}
	return f + widthStep*uint16(t.Bits())
}

// accessOp returns what an instruction does to memory.
func accessOp(in *ir.Instr) order.Op {
	x := in.Inst
	op := order.Op{PC: uint32(in.PC), Reads: x.IsLoad(), Writes: x.IsStore(), Async: x.Form.Async, Incoherent: x.Has(isa.ModNc) || x.Op == isa.OpLdu}
	op.Scope = scopeOf(x)
	switch {
	case x.IsAtomic():
		op.Atomic, op.Strong, op.Reads, op.Writes = true, true, !x.IsReduction(), true
		op.Keeps = x.Sub.String() != "exch"
		op.Family = familyOf(x)
	case x.IsVolatile(), x.Sem == isa.Relaxed, x.Sem == isa.Acquire, x.Sem == isa.Release:
		op.Strong = true
	}
	if x.Form.Sync == isa.SyncObject || x.Form.Sync == isa.SyncPhase {
		return objectOp(x, op)
	}
	op.Acquires = op.Reads && (x.Sem == isa.Acquire || x.Sem == isa.AcqRel)
	op.Releases = op.Writes && (x.Sem == isa.Release || x.Sem == isa.AcqRel)
	return op
}

// objectOp returns what an operation on an mbarrier object does to its 64 bits.
// Arrivals commute; they release and waits acquire if nothing else is said, but who only
// counts bytes is relaxed (PTX ISA 9.7.15.16).
func objectOp(x *isa.Inst, op order.Op) order.Op {
	op.Strong = true
	switch x.Op {
	case isa.OpMbarrierInit, isa.OpMbarrierInval:
		op.Writes, op.Strong = true, false
	case isa.OpMbarrierCheckLayout:
		op.Reads, op.Strong = true, false
	case isa.OpMbarrierTestWait, isa.OpMbarrierTryWait:
		if suspends(x) {
			op.Family = arrivals
		}
		op.Reads, op.Acquires, op.Phase = true, x.Sem != isa.Relaxed, order.Phased
	default:
		op.Atomic, op.Writes, op.Keeps, op.Family = true, true, true, arrivals
		op.Releases = x.Sem != isa.Relaxed && x.Op != isa.OpMbarrierExpectTx && x.Op != isa.OpMbarrierCompleteTx
		if x.Op == isa.OpMbarrierArrive && !x.Has(isa.ModExpectTx) {
			op.Phase = order.Phased
		}
	}
	return op
}

// scopeOf returns the scope of a strong access: .gpu for atomics, .sys for
// volatile accesses where nothing is said (PTX ISA 8.5, 9.7.15.5).
func scopeOf(x *isa.Inst) order.Scope {
	if x.Scope == isa.CTA {
		return order.ScopeCTA
	}
	return order.ScopeGrid
}

// ordersMemory reports whether a fence orders accesses to memory, not proxies of
// one.
func ordersMemory(x *isa.Inst) bool {
	return x.Scope != 0 && !strings.Contains(x.Form.Syntax, ".proxy")
}

// An access of which a slice needs nothing but the address is not done. Its place
// in the slice rests on what pointers stem from, and on one thing that is trusted:
// an index stays in its buffer. Here the address is known: a store that comes to a
// word from which a decision reads all the same is noted in the word's shadow, so
// that the decision says on what it rests.

// watchStore makes a store that is not done note where it would have stored.
func (c *compiler) watchStore(in *ir.Instr, i *inst) {
	if x := in.Inst; x.IsStore() || x.IsAtomic() {
		i.rule, i.exec = &originRule{counted: true, follow: followUnseen}, execFollowed
		if i.mem.tile != nil {
			i.rule.follow = followUnseenTile
		}
	}
}
