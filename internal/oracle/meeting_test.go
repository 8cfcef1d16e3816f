package oracle

import (
	"fmt"
	"math/bits"
	"strings"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// Instructions by which threads communicate, one thread at a time: those of a CTA at
// barriers, those of a warp at what names its members.

func isBarrier(in *ir.Instr) bool { return in.Inst.Form.Sync == isa.SyncCTA }

// isMeeting reports whether an instruction waits for the threads of its warp that it
// names; the last operand does.
func isMeeting(in *ir.Instr) bool {
	switch in.Inst.Op {
	case isa.OpShfl, isa.OpVote, isa.OpMatch, isa.OpRedux, isa.OpElect:
		return true
	}
	return in.Inst.Form.Sync == isa.SyncWarp
}

// communicate executes an instruction by which threads communicate, or begins to wait
// at it; known is false if it is none.
func (t *thread) communicate(in *ir.Instr) (known bool, err error) {
	x := in.Inst
	switch {
	case t.crowd == nil:
		return false, nil
	case isBarrier(in):
		t.atBarrier(in)
	case x.Form.Sync == isa.SyncCluster:
		return true, t.atCluster(in)
	case x.Op == isa.OpMapa:
		t.mapped(in)
	case isMeeting(in):
		t.waits = in
	case x.IsAtomic():
		return true, t.atomic(in)
	case x.Form.Sync == isa.SyncObject, x.Form.Sync == isa.SyncPhase:
		return true, t.object(in)
	case x.Form.Sync == isa.SyncFence:
	case strings.HasPrefix(x.Opcode, "cp.async"):
		return true, t.asynchronous(in)
	default:
		return false, nil
	}
	return true, nil
}

// atBarrier is bar and barrier: .sync, .arrive and .red.
func (t *thread) atBarrier(in *ir.Instr) {
	ops, arrives := in.Ops(), in.Inst.Has(isa.ModArrive)
	vote := false
	if in.Inst.Has(isa.ModRed) {
		vote = t.value(&ops[len(ops)-1]) != 0
		ops = ops[1 : len(ops)-1]
	}
	threads := 0
	if len(ops) > 1 && ops[1].Kind != ir.NoOperand {
		threads = int(t.value(&ops[1]))
	}
	waits := in
	if arrives {
		waits = nil
	}
	t.crowd.come(t, int(t.value(&ops[0])), threads, vote, waits)
}

// barrierResult gives a thread what bar.red has found.
func (t *thread) barrierResult(b *bar) {
	switch x := t.waits.Inst; {
	case !x.Has(isa.ModRed):
	case x.Has(isa.ModPopc):
		t.set(&t.waits.Ops()[0], uint64(b.votes))
	case strings.Contains(x.Opcode, ".and"):
		t.set(&t.waits.Ops()[0], bit(b.votes == b.total))
	default:
		t.set(&t.waits.Ops()[0], bit(b.votes > 0))
	}
}

// checkWarp lets threads of a warp go on whose members that live all wait at one
// instruction: they execute it together. That is so where the last of them has come
// there or, if it is one that has exited, anywhere.
func (c *crowd) checkWarp(last *thread) error {
	w := 32 * (last.number() / 32)
	warp := c.threads[w:min(int(w)+32, len(c.threads))]
	if !last.done {
		return c.tryTogether(last, warp)
	}
	for _, t := range warp {
		if err := c.tryTogether(t, warp); err != nil {
			return err
		}
	}
	return nil
}

// tryTogether executes what a thread waits at, if all are there that it waits for.
func (c *crowd) tryTogether(t *thread, warp []*thread) error {
	var group [32]*thread
	if t.waits == nil || !isMeeting(t.waits) || !t.fellows(warp, &group) {
		return nil
	}
	if err := named(group[:]); err != nil {
		return err
	}
	if err := together(t.waits, group[:]); err != nil {
		return err
	}
	for _, u := range group {
		if u != nil {
			c.goOn(u)
		}
	}
	return nil
}

// fellows finds the threads of a warp with which a thread executes what it waits at, by
// lane. It reports whether all of them are there.
func (t *thread) fellows(warp []*thread, group *[32]*thread) bool {
	members := t.members()
	for lane, u := range warp {
		switch {
		case members>>lane&1 == 0 || u.done:
		case u.waits != t.waits || len(u.frames) != len(t.frames):
			return false
		default:
			group[lane] = u
		}
	}
	return true
}

// named fails if some of a group name other members: then they wait for ever, or what they
// do is undefined.
func named(group []*thread) error {
	var first *thread
	for lane, t := range group {
		switch {
		case t == nil:
		case first == nil:
			first = t
		case t.members() != first.members():
			return fmt.Errorf("lane %d names %#x, another of its members %#x", lane, t.members(), first.members())
		}
	}
	return nil
}

// members are the lanes that a thread waits for.
func (t *thread) members() uint32 { return uint32(t.value(&t.waits.Ops()[len(t.waits.Ops())-1])) }

// together executes an instruction for the lanes of a group that are not nil.
func together(in *ir.Instr, group []*thread) error {
	var values [32]uint64
	var mask uint32
	source := &in.Ops()[0]
	if len(in.Ops()) > 2 {
		source = &in.Ops()[1]
	}
	for lane, t := range group {
		if t != nil {
			mask |= 1 << lane
			values[lane] = t.value(source)
		}
	}
	if in.Inst.Form.Sync == isa.SyncWarp {
		return nil
	}
	var results [32]uint64
	var preds [32]bool
	for lane, t := range group {
		if t == nil {
			continue
		}
		v, p, ok := t.exchange(in, lane, mask, &values)
		if !ok {
			return fmt.Errorf("the oracle does not know %s", in.Inst)
		}
		results[lane], preds[lane] = v, p
	}
	for lane, t := range group {
		if t != nil {
			t.set(&in.Ops()[0], results[lane])
			if q := in.Ops()[0].Pair; q != ir.NoReg {
				t.top().regs[q] = bit(preds[lane])
			}
		}
	}
	return nil
}

// exchange returns what a lane gets from those of a mask, and its second predicate
// (PTX ISA 9.7.10.6, 9.7.15.10 to 15).
func (t *thread) exchange(in *ir.Instr, lane int, mask uint32, values *[32]uint64) (v uint64, p, ok bool) {
	mode := in.Inst.Sub.String()
	switch in.Inst.Op {
	case isa.OpShfl:
		v, p = t.shuffle(in, mode, lane, mask, values)
		return v, p, true
	case isa.OpElect:
		first := bits.TrailingZeros32(mask)
		return uint64(first), lane == first, true
	case isa.OpRedux:
		v, ok = reduce(in.Inst, mask, values)
		return v, false, ok
	}
	same := uint32(0)
	for other, x := range values {
		if mask>>other&1 != 0 && (x == values[lane] && in.Inst.Op == isa.OpMatch || x != 0 && in.Inst.Op == isa.OpVote) {
			same |= 1 << other
		}
	}
	switch mode {
	case "ballot":
		return uint64(same), false, true
	case "any":
		if in.Inst.Op == isa.OpVote {
			return bit(same != 0), false, true
		}
		return uint64(same), false, true
	case "uni":
		return bit(same == 0 || same == mask), false, true
	case "all":
		if in.Inst.Op == isa.OpVote {
			return bit(same == mask), false, true
		}
		return uint64(pick(same == mask, uint64(mask), 0)), same == mask, true
	}
	return 0, false, false
}

// shuffle returns the value of the lane that a thread names, and whether that is in
// range.
func (t *thread) shuffle(in *ir.Instr, mode string, lane int, mask uint32, values *[32]uint64) (uint64, bool) {
	b, c := int(t.value(&in.Ops()[2]))&31, int(t.value(&in.Ops()[3]))
	segment := c >> 8 & 31
	last := lane&segment | c&31&^segment
	from := lane&segment | b&^segment
	switch mode {
	case "up":
		from = lane - b
	case "down":
		from = lane + b
	case "bfly":
		from = lane ^ b
	}
	inRange := from <= last
	if mode == "up" {
		inRange = from >= last
	}
	if !inRange {
		from = lane
	}
	if mask>>from&1 == 0 {
		return 0, inRange
	}
	return values[from], inRange
}

// reduce is redux.
func reduce(x *isa.Inst, mask uint32, values *[32]uint64) (v uint64, ok bool) {
	first := true
	for lane, y := range values {
		if mask>>lane&1 == 0 {
			continue
		}
		if v, ok = update(x, v, y, 0); first {
			v, first = y, false
		}
		if !ok && mask&(mask-1) != 0 {
			return 0, false
		}
	}
	return v & 0xffffffff, true
}

// update is what an atomic operation or a reduction leaves of an old value (PTX ISA
// 9.7.15.5).
func update(x *isa.Inst, old, b, c uint64) (v uint64, ok bool) {
	t := x.Type()
	switch x.Sub.String() {
	case "add":
		v = old + b
	case "and":
		v = old & b
	case "or":
		v = old | b
	case "xor":
		v = old ^ b
	case "exch":
		v = b
	case "cas":
		v = pick(old == b, c, old)
	case "min":
		v = pick(less(t, old, b), old, b)
	case "max":
		v = pick(less(t, old, b), b, old)
	case "inc":
		v = pick(old >= b, 0, old+1)
	case "dec":
		v = pick(old == 0 || old > b, b, old-1)
	default:
		return 0, false
	}
	return v, true
}
