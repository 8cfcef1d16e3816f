package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// buildShfl decodes shfl{.sync} d|p, a, b, c{, membermask} (PTX ISA 9.7.9.6).
func buildShfl(c *compiler, in *ir.Instr, i *inst) error {
	i.d, i.pd = c.dest(in, 0), noPred
	if p := in.Ops[0].Pair; p != ir.NoReg {
		i.pd = c.register(c.fn, p).off
	}
	i.a, i.b, i.c = c.source(in, 1), c.source(in, 2), c.source(in, 3)
	modes := map[string]int64{"up": 0, "down": 1, "bfly": 2, "idx": 3}
	mode, ok := modes[in.Inst.Sub.String()]
	if !ok {
		return c.unsupported(in, "the mode")
	}
	i.off, i.exec = mode, execShfl
	return nil
}

// execShfl reads a from the lane that mode, b and c name, within the segment
// that c's mask makes. A source lane out of range leaves the lane its own
// value and a false predicate; one that has exited gives 0.
func execShfl(w *warp, in *inst, m uint32) {
	a, b, c := *w.slot(in.a), w.slot(in.b), w.slot(in.c)
	var out [32]uint32
	var ok uint32
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := uint32(bits.TrailingZeros32(rest))
		bv, cv := b[lane]&31, c[lane]
		clamp, seg := cv&31, cv>>8&31
		maxLane := lane&seg | clamp&^seg
		minLane := lane & seg
		var j uint32
		var in32 bool
		switch in.off {
		case 0:
			j, in32 = lane-bv, int32(lane-bv) >= int32(maxLane)
		case 1:
			j, in32 = lane+bv, lane+bv <= maxLane
		case 2:
			j, in32 = lane^bv, lane^bv <= maxLane
		default:
			j = minLane | bv&^seg
			in32 = j <= maxLane
		}
		if !in32 {
			j = lane
		} else {
			ok |= 1 << lane
		}
		if w.alive>>(j&31)&1 != 0 {
			out[lane] = a[j&31]
		}
	}
	if in.d.off >= 0 {
		d := w.slot(in.d)
		for rest := m; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest)
			d[lane] = out[lane]
		}
	}
	w.setPred(in.pd, ok, m)
}

// buildVote decodes vote{.sync} (PTX ISA 9.7.13.12).
func buildVote(c *compiler, in *ir.Instr, i *inst) error {
	mode := in.Inst.Sub.String()
	i.pa, i.paFlip = c.predicate(in, &in.Ops[1])
	i.exchange = &exchange{mode: mode}
	if mode == "ballot" {
		i.d = c.dest(in, 0)
	} else {
		i.pd = c.predDest(&in.Ops[0])
	}
	i.exec = execVote
	return nil
}

func execVote(w *warp, in *inst, m uint32) {
	votes := w.pred(in.pa, in.paFlip) & m
	result := uint32(0)
	switch in.exchange.mode {
	case "ballot":
		d := w.slot(in.d)
		for rest := m; rest != 0; rest &= rest - 1 {
			d[bits.TrailingZeros32(rest)] = votes
		}
		return
	case "all":
		result = allLanes(votes == m)
	case "any":
		result = allLanes(votes != 0)
	case "uni":
		result = allLanes(votes == 0 || votes == m)
	}
	w.setPred(in.pd, result, m)
}

func allLanes(b bool) uint32 {
	if b {
		return fullMask
	}
	return 0
}

// buildMatch decodes match.any.sync and match.all.sync (PTX ISA 9.7.13.14).
func buildMatch(c *compiler, in *ir.Instr, i *inst) error {
	i.d, i.pd = c.dest(in, 0), noPred
	if p := in.Ops[0].Pair; p != ir.NoReg {
		i.pd = c.register(c.fn, p).off
	}
	i.a = c.source(in, 1)
	i.width = uint8(in.Inst.Type().Bytes())
	i.exchange = &exchange{mode: in.Inst.Sub.String()}
	i.exec = execMatch
	return nil
}

func execMatch(w *warp, in *inst, m uint32) {
	var masks [32]uint32
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		v := w.laneValue(in.a, lane, int(in.width))
		for other := m; other != 0; other &= other - 1 {
			j := bits.TrailingZeros32(other)
			if w.laneValue(in.a, j, int(in.width)) == v {
				masks[lane] |= 1 << j
			}
		}
	}
	all := true
	for rest := m; rest != 0; rest &= rest - 1 {
		all = all && masks[bits.TrailingZeros32(rest)] == m
	}
	for rest := m; rest != 0 && in.d.off >= 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		v := masks[lane]
		if in.exchange.mode == "all" && !all {
			v = 0
		}
		w.slot(in.d)[lane] = v
	}
	w.setPred(in.pd, allLanes(all), m)
}

// buildRedux decodes redux.sync (PTX ISA 9.7.13.15).
func buildRedux(c *compiler, in *ir.Instr, i *inst) error {
	t := in.Inst.Type()
	op := atomicOp(in.Inst.Sub.String(), t, false)
	if t.IsFloat() {
		op = reduxFloat(in.Inst)
	}
	if op == nil {
		return c.unsupported(in, "this operation on this type")
	}
	i.d, i.a = c.dest(in, 0), c.source(in, 1)
	i.exchange = &exchange{reduce: op, idempotent: t.IsFloat()}
	i.exec = execRedux
	return nil
}

// reduxFloat is min or max of f32, .abs of the magnitudes; with .NaN one NaN
// makes the result the canonical NaN, without it only NaNs do.
func reduxFloat(x *isa.Inst) atomicFunc {
	v := variant(x)
	if x.Sub.String() == "max" {
		return onOneLane(lanes.Max(v))
	}
	return onOneLane(lanes.Min(v))
}

// execRedux combines the lanes' values; of floats the first one with itself,
// too, so that .abs and NaNs are seen to even where there is only one.
func execRedux(w *warp, in *inst, m uint32) {
	a := w.slot(in.a)
	acc := uint64(a[bits.TrailingZeros32(m)])
	if in.exchange.idempotent {
		acc = in.exchange.reduce(acc, acc, 0)
	}
	for rest := m & (m - 1); rest != 0; rest &= rest - 1 {
		acc = in.exchange.reduce(acc, uint64(a[bits.TrailingZeros32(rest)]), 0)
	}
	d := w.slot(in.d)
	for rest := m; rest != 0; rest &= rest - 1 {
		d[bits.TrailingZeros32(rest)] = uint32(acc)
	}
}

// buildActiveMask decodes activemask.b32 d.
func buildActiveMask(c *compiler, in *ir.Instr, i *inst) error {
	i.d, i.exec = c.dest(in, 0), execActiveMask
	return nil
}

func execActiveMask(w *warp, in *inst, m uint32) {
	d := w.slot(in.d)
	for rest := m; rest != 0; rest &= rest - 1 {
		d[bits.TrailingZeros32(rest)] = m
	}
}

// buildElect decodes elect.sync d|p, membermask: the lowest member leads.
func buildElect(c *compiler, in *ir.Instr, i *inst) error {
	i.d, i.pd = c.dest(in, 0), noPred
	if p := in.Ops[0].Pair; p != ir.NoReg {
		i.pd = c.register(c.fn, p).off
	}
	i.exec = execElect
	return nil
}

func execElect(w *warp, in *inst, m uint32) {
	leader := bits.TrailingZeros32(m)
	for rest := m; rest != 0 && in.d.off >= 0; rest &= rest - 1 {
		w.slot(in.d)[bits.TrailingZeros32(rest)] = uint32(leader)
	}
	w.setPred(in.pd, 1<<leader, m)
}
