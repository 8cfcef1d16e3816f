package emulator

import (
	"math/bits"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// An mbarrier object is 64 opaque bits in shared memory (PTX ISA 9.7.15.16).
// Here bits 0 to 19 are the expected arrivals of a phase, 20 to 39 those still
// pending, 40 to 60 the tx-count in two's complement and 63 the parity of the
// phase.
type mbarrier struct {
	expected, pending, tx int64
	parity                uint64
}

// mbarrierMax is the largest count of arrivals and of bytes (9.7.15.16.4).
const mbarrierMax = 1<<20 - 1

func unpackMbarrier(v uint64) mbarrier {
	return mbarrier{
		expected: int64(v & mbarrierMax), pending: int64(v >> 20 & mbarrierMax),
		tx: int64(v<<3) >> 43, parity: v >> 63,
	}
}

func (b mbarrier) pack() uint64 {
	return uint64(b.expected) | uint64(b.pending)<<20 | uint64(b.tx)&(1<<21-1)<<40 | b.parity<<63
}

// complete begins the next phase if nothing is pending any more.
func (b *mbarrier) complete() {
	if b.pending == 0 && b.tx == 0 {
		b.parity ^= 1
		b.pending = b.expected
	}
}

// mbarrierOp changes an object by a count; it returns what is wrong.
type mbarrierOp func(b *mbarrier, count int64) (wrong string)

func mbarrierInit(b *mbarrier, count int64) string {
	*b = mbarrier{expected: count, pending: count}
	if count < 1 {
		return "an mbarrier expects at least one arrival"
	}
	return ""
}

func mbarrierInval(b *mbarrier, _ int64) string {
	*b = mbarrier{}
	return ""
}

func mbarrierExpectTx(b *mbarrier, count int64) string {
	b.tx += count
	return ""
}

func mbarrierCompleteTx(b *mbarrier, count int64) string {
	b.tx -= count
	b.complete()
	return ""
}

func mbarrierArrive(b *mbarrier, count int64) string {
	if count < 1 || count > b.pending {
		return "more arrivals at an mbarrier than it expects in this phase"
	}
	b.pending -= count
	b.complete()
	return ""
}

func mbarrierArriveExpectTx(b *mbarrier, count int64) string {
	b.tx += count
	return mbarrierArrive(b, 1)
}

// mbarrierNoComplete arrives where the arrival must not complete the phase.
func mbarrierNoComplete(b *mbarrier, count int64) string {
	if count >= b.pending {
		return "mbarrier .noComplete would complete the phase"
	}
	return mbarrierArrive(b, count)
}

// dropping makes of an arrival one that does not come again in later phases.
func dropping(op mbarrierOp, arrivals func(count int64) int64) mbarrierOp {
	return func(b *mbarrier, count int64) string {
		b.expected -= arrivals(count)
		return op(b, count)
	}
}

// mbarrierOpOf returns the operation of an instruction.
func mbarrierOpOf(x *isa.Inst) mbarrierOp {
	same := func(count int64) int64 { return count }
	op := mbarrierOp(mbarrierArrive)
	switch {
	case x.Has(isa.ModExpectTx):
		op, same = mbarrierArriveExpectTx, func(int64) int64 { return 1 }
	case x.Has(isa.ModNoComplete):
		op = mbarrierNoComplete
	}
	switch x.Op {
	case isa.OpMbarrierInit:
		return mbarrierInit
	case isa.OpMbarrierInval:
		return mbarrierInval
	case isa.OpMbarrierExpectTx:
		return mbarrierExpectTx
	case isa.OpMbarrierCompleteTx:
		return mbarrierCompleteTx
	case isa.OpMbarrierArriveDrop:
		return dropping(op, same)
	}
	return op
}

// buildMbarrier decodes what changes an object: [a]{, count} or d, [a]{, count}.
// Copies of cp.async are complete at once, so that cp.async.mbarrier.arrive is
// an arrival, and without .noinc one that it announced itself: nothing.
func buildMbarrier(c *compiler, in *ir.Instr, i *inst) error {
	if in.Inst.Op == isa.OpCpAsyncMbarrierArrive && !in.Inst.Has(isa.ModNoinc) {
		return buildNothing(c, in, i)
	}
	n := 0
	i.d = operand{off: -1}
	if in.Inst.Form.Operands[0].Write {
		i.d, n = c.dest(in, 0), 1
	}
	e := &access{object: &mbarrierAccess{op: mbarrierOpOf(in.Inst)}}
	c.access(in, i, e, &in.Ops[n])
	i.b = c.constant(1, 1)
	if n+1 < len(in.Ops) && in.Ops[n+1].Kind != ir.NoOperand {
		i.b = c.source(in, n+1)
	}
	i.width, i.mem, i.exec = 8, e, execMbarrier
	return nil
}

func execMbarrier(w *warp, in *inst, m uint32) {
	addr := *w.addresses(in)
	count := w.slot(in.b)
	w.worker.stores++
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		mem := w.bytesAt(in, lane, in.mem.space, addr[lane], 8, true)
		old := loadBytes(mem)
		b := unpackMbarrier(old)
		wrong := in.mem.object.op(&b, int64(count[lane]))
		if wrong == "" && (max(b.expected, b.pending, b.tx, -b.tx) > mbarrierMax || b.expected < 0) {
			wrong = "a count of an mbarrier leaves its range"
		}
		if wrong != "" {
			w.fail(in, 1<<lane, "%s", wrong)
		}
		storeBytes(mem, b.pack())
		if in.d.off >= 0 {
			wide(w.slot(in.d))[lane] = old
		}
	}
}

// buildMbarrierWait decodes test_wait and try_wait, which here never block: p,
// [a], state or parity.
func buildMbarrierWait(c *compiler, in *ir.Instr, i *inst) error {
	e := &access{object: &mbarrierAccess{byState: !in.Inst.Has(isa.ModParity)}}
	i.pd = c.predDest(&in.Ops[0])
	c.access(in, i, e, &in.Ops[1])
	i.b = c.source(in, 2)
	i.width, i.mem, i.exec = 8, e, execMbarrierWait
	return nil
}

// execMbarrierWait tells whether the phase of a state or parity is over: then
// the object is in one of the other parity.
func execMbarrierWait(w *warp, in *inst, m uint32) {
	addr := *w.addresses(in)
	over := uint32(0)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		b := unpackMbarrier(loadBytes(w.bytesAt(in, lane, in.mem.space, addr[lane], 8, false)))
		parity := uint64(w.slot(in.b)[lane] & 1)
		if in.mem.object.byState {
			parity = unpackMbarrier(wide(w.slot(in.b))[lane]).parity
		}
		if b.parity != parity {
			over |= 1 << lane
		}
	}
	w.setPred(in.pd, over, m)
}

// buildPendingCount decodes mbarrier.pending_count d, state.
func buildPendingCount(c *compiler, in *ir.Instr, i *inst) error {
	i.d, i.a, i.exec = c.dest(in, 0), c.source(in, 1), execPendingCount
	return nil
}

func execPendingCount(w *warp, in *inst, m uint32) {
	d, a := w.slot(in.d), wide(w.slot(in.a))
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		d[lane] = uint32(unpackMbarrier(a[lane]).pending)
	}
}
