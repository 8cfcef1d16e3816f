package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/atomics"
	"hyptx/emulator/internal/exchange"
	"hyptx/emulator/internal/lanes"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Operations by which the lanes of a warp see each other's registers. When they
// run, m are the lanes that do it together: those that are at the instruction
// and, with .sync, have been waited for (warpsync.go). All lanes read before one
// of them writes, since a destination may be another lane's source.

// buildShfl decodes shfl{.sync} d|p, a, b, c{, membermask} (PTX ISA 9.7.10.6).
func buildShfl(c *compiler, in *ir.Instr, i *inst) error {
	mode, ok := exchange.Shuffles[in.Inst.Sub.String()]
	if !ok {
		return c.unsupported(in, "the mode")
	}
	i.d, i.pd = c.dest(in, 0), c.pairDest(in)
	i.a, i.b, i.c = c.source(in, 1), c.source(in, 2), c.source(in, 3)
	i.exchange = &interplay{shuffle: mode}
	i.exec = execShfl
	return nil
}

func execShfl(w *warp, in *inst, m uint32) {
	out, ok, absent := in.exchange.shuffle.Run(w.slot(in.a), w.slot(in.b), w.slot(in.c), m, w.alive)
	w.worker.absent = absent
	lanes.Commit32(w.slot(in.d), &out, m)
	w.setPred(in.pd, ok, m)
}

// buildVote decodes vote{.sync} (PTX ISA 9.7.15.9, .10).
func buildVote(c *compiler, in *ir.Instr, i *inst) error {
	i.pa, i.paFlip = c.predicate(in, &in.Ops()[1])
	i.exchange = &interplay{mode: in.Inst.Sub.String()}
	if i.exec = execVote; i.exchange.mode == "ballot" {
		i.d, i.exec = c.dest(in, 0), execBallot
	} else {
		i.pd = c.predDest(&in.Ops()[0])
	}
	return nil
}

func execBallot(w *warp, in *inst, m uint32) {
	w.fill(in.d, w.pred(in.pa, in.paFlip)&m, m)
}

func execVote(w *warp, in *inst, m uint32) {
	votes := w.pred(in.pa, in.paFlip) & m
	w.setPred(in.pd, allLanes(exchange.Vote(in.exchange.mode, votes, m)), m)
}

func allLanes(b bool) uint32 {
	if b {
		return fullMask
	}
	return 0
}

// fill gives all lanes of m one value.
func (w *warp) fill(d operand, value, m uint32) {
	s := w.slot(d)
	for lane := range lanesOf(m) {
		s[lane] = value
	}
}

// buildMatch decodes match.any.sync and match.all.sync (PTX ISA 9.7.15.11).
func buildMatch(c *compiler, in *ir.Instr, i *inst) error {
	i.d, i.pd, i.a = c.dest(in, 0), c.pairDest(in), c.source(in, 1)
	i.width = uint8(in.Inst.Type().Bytes())
	i.exchange = &interplay{mode: in.Inst.Sub.String()}
	i.exec = execMatch
	return nil
}

func execMatch(w *warp, in *inst, m uint32) {
	var values [lanes.Width]uint64
	for lane := range lanesOf(m) {
		values[lane] = w.laneValue(in.a, lane, int(in.width))
	}
	same, all := exchange.Match(&values, m)
	for lane := range same {
		if in.exchange.mode == "all" && !all {
			same[lane] = 0
		}
	}
	lanes.Commit32(w.slot(in.d), (*lanes.Slot)(&same), m)
	w.setPred(in.pd, allLanes(all), m)
}

// buildRedux decodes redux.sync (PTX ISA 9.7.15.13).
func buildRedux(c *compiler, in *ir.Instr, i *inst) error {
	t := in.Inst.Type()
	op := atomics.Of(in.Inst.Sub.String(), t, false)
	if t.IsFloat() {
		op = reduxFloat(in.Inst)
	}
	if op == nil {
		return c.unsupported(in, "this operation on this type")
	}
	i.d, i.a = c.dest(in, 0), c.source(in, 1)
	i.exchange = &interplay{reduce: op, idempotent: t.IsFloat()}
	i.exec = execRedux
	return nil
}

// reduxFloat is min or max of f32, .abs of the magnitudes; with .NaN one NaN
// makes the result the canonical NaN, without it only NaNs do.
func reduxFloat(x *isa.Inst) atomics.Operation {
	v := variant(x)
	if x.Sub.String() == "max" {
		return atomics.OnOneLane(lanes.Max(v))
	}
	return atomics.OnOneLane(lanes.Min(v))
}

// execRedux combines the lanes' values; of floats the first one with itself,
// too, so that .abs and NaNs are seen to even where there is only one.
func execRedux(w *warp, in *inst, m uint32) {
	a := w.slot(in.a)
	acc := uint64(a[bits.TrailingZeros32(m)])
	if in.exchange.idempotent {
		acc = in.exchange.reduce(acc, acc, 0)
	}
	for lane := range lanesOf(m & (m - 1)) {
		acc = in.exchange.reduce(acc, uint64(a[lane]), 0)
	}
	w.fill(in.d, uint32(acc), m)
}

// buildActiveMask decodes activemask.b32 d (PTX ISA 9.7.15.12).
func buildActiveMask(c *compiler, in *ir.Instr, i *inst) error {
	i.d = c.dest(in, 0)
	i.exec = func(w *warp, in *inst, m uint32) { w.fill(in.d, m, m) }
	return nil
}

// buildElect decodes elect.sync d|p, membermask: the lowest member leads (PTX
// ISA 9.7.15.15).
func buildElect(c *compiler, in *ir.Instr, i *inst) error {
	i.d, i.pd = c.dest(in, 0), c.pairDest(in)
	i.exec = execElect
	return nil
}

func execElect(w *warp, in *inst, m uint32) {
	leader := bits.TrailingZeros32(m)
	w.fill(in.d, uint32(leader), m)
	w.setPred(in.pd, 1<<leader, m)
}
