package oracle

import (
	"fmt"
	"slices"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// Atomics, mbarrier objects and asynchronous copies, one thread at a time.

// atomic is atom and red.
func (t *thread) atomic(in *ir.Instr) error {
	ops := in.Ops()
	if !in.Inst.IsReduction() {
		ops = ops[1:]
	}
	at, err := t.memoryAt(in, &ops[0], in.Inst.Type().Bytes())
	if err != nil {
		return err
	}
	third := uint64(0)
	if len(ops) > 2 && ops[2].Kind != ir.NoOperand {
		third = t.value(&ops[2])
	}
	old := get(at)
	v, ok := update(in.Inst, old, t.value(&ops[1]), third)
	if !ok {
		return fmt.Errorf("the oracle does not know %s", in.Inst)
	}
	if put(at, v); !in.Inst.IsReduction() {
		t.set(&in.Ops()[0], old)
	}
	return nil
}

// An mbarrier object has its expected arrivals in bits 0 to 15, those that are still
// to come in bits 16 to 31, and the number of its phase above.
func (t *thread) object(in *ir.Instr) error {
	n := 0
	if in.Inst.Op != isa.OpMbarrierInit {
		n = 1
	}
	at, err := t.memoryAt(in, &in.Ops()[n], 8)
	if err != nil {
		return err
	}
	old := get(at)
	switch in.Inst.Op {
	case isa.OpMbarrierInit:
		count := t.value(&in.Ops()[1])
		put(at, count|count<<16)
	case isa.OpMbarrierArrive:
		left := old>>16&0xffff - 1
		if left+1 == 0 {
			return fmt.Errorf("one arrival too many")
		}
		phase := old >> 32
		if left == 0 {
			left, phase = old&0xffff, phase+1
			defer t.crowd.letGo(false)
		}
		put(at, old&0xffff|left<<16|phase<<32)
		t.set(&in.Ops()[0], old)
	case isa.OpMbarrierTestWait, isa.OpMbarrierTryWait:
		state := t.value(&in.Ops()[2])
		if !in.Inst.Has(isa.ModParity) {
			state >>= 32
		}
		over := old>>32&1 != state&1
		if late := t.late; in.Inst.Op == isa.OpMbarrierTryWait {
			if t.late = false; !over && !late {
				t.waits = in
				return nil
			}
		}
		t.set(&in.Ops()[0], bit(over))
	default:
		return fmt.Errorf("the oracle does not know %s", in.Inst)
	}
	return nil
}

// letGo lets suspended threads look again: all of them, which is how those find out whose
// phase is over, and where none could go on (late) they then go on whatever they find.
func (c *crowd) letGo(late bool) (any bool) {
	for _, t := range c.threads {
		if t.waits != nil && t.waits.Inst.Op == isa.OpMbarrierTryWait {
			t.trace = t.trace[:len(t.trace)-1]
			t.pc, t.late, any = int32(t.waits.PC), late, true
			c.goOn(t)
		}
	}
	return any
}

// copying is an asynchronous copy that has begun: it may be done at any time until
// its group has been waited for.
type copying struct {
	to, from []byte
	group    int
}

// copyOne does one of the thread's copies.
func (t *thread) copyOne(i int) {
	c := t.copies[i]
	copy(c.to, c.from)
	t.copies = slices.Delete(t.copies, i, i+1)
}

// asynchronous is cp.async and the waits for it.
func (t *thread) asynchronous(in *ir.Instr) error {
	but := 0
	switch in.Inst.Op {
	case isa.OpCpAsync:
		size := int(t.value(&in.Ops()[2]))
		to, err := t.memoryIn(isa.Shared, &in.Ops()[0], size)
		if err != nil {
			return err
		}
		from, err := t.memoryIn(isa.Global, &in.Ops()[1], size)
		t.copies = append(t.copies, copying{to, from, t.groups})
		return err
	case isa.OpCpAsyncCommitGroup:
		t.groups++
		return nil
	case isa.OpCpAsyncWaitGroup:
		but = int(t.value(&in.Ops()[0]))
	case isa.OpCpAsyncWaitAll:
		but = -1 // what is in no group yet, too
	default:
		return fmt.Errorf("the oracle does not know %s", in.Inst)
	}
	for i := len(t.copies) - 1; i >= 0; i-- {
		if t.copies[i].group+but < t.groups {
			t.copyOne(i)
		}
	}
	return nil
}
