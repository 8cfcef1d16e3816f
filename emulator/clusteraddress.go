package emulator

import (
	"math"

	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/lanes"
	"hyptx/internal/order"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Addresses of a cluster's shared memory. A CTA finds its own shared memory from 0 on,
// as .shared and .shared::cta address it; that of the CTA of rank r lies, for all CTAs of
// the cluster, from address.OfRank(r) on, its own included. mapa makes the latter, and
// getctarank reads them. Where launches have no clusters mapa gives back what it gets.

// sharedOf returns the CTA whose shared memory an address lies in, and the address
// there; an address of no CTA of the cluster is left to fail as one of the own.
func (w *warp) sharedOf(addr uint64) (*cta, uint64) {
	if rank, at, ok := address.Rank(addr); ok && rank < len(w.cta.cluster.ranks) {
		c := w.cta.cluster.ranks[rank]
		if c == nil {
			c = w.worker.absentCTA()
		}
		return c, at
	}
	return w.cta, addr
}

// absentCTA stands for those of a cluster that do not run, because others stand for them:
// nobody that runs stores into shared memory.
func (wk *worker) absentCTA() *cta {
	if wk.noCTA == nil {
		l := wk.launch
		wk.hold(l.shared + ctaBytes)
		c := &cta{shared: make([]byte, l.shared)}
		if l.prog.decisions > 0 {
			c.order.Begin(&l.order, math.MaxUint32)
			c.shadow = order.NewShadow(l.shared, order.Assumed, wk.hold)
		}
		wk.noCTA = c
	}
	return wk.noCTA
}

// ownShared reports whether an address lies in the shared memory of the warp's CTA.
func (w *warp) ownShared(addr uint64) bool {
	c, at := w.sharedOf(addr)
	_, _, ranked := address.Rank(at)
	return c == w.cta && !ranked
}

// rankAt returns the rank of the CTA that an address of shared memory lies in.
func (w *warp) rankAt(addr uint64) uint32 {
	if rank, _, ok := address.Rank(addr); ok {
		return uint32(rank)
	}
	return w.cta.rankIn(w.worker.launch)
}

// buildMapa decodes mapa d, a, b: the address of a in CTA b of the cluster.
func buildMapa(c *compiler, in *ir.Instr, i *inst) error {
	i.d, i.a, i.b = c.dest(in, 0), c.source(in, 1), c.source(in, 2)
	i.move = &move{wide: c.regBits(in, 0) == 64, space: in.Inst.Space}
	i.exec = execMapa
	return nil
}

func execMapa(w *warp, in *inst, m uint32) {
	rank := w.slot(in.b)
	t := &w.worker.tmp
	if !in.move.wide && in.move.space == isa.Generic && w.worker.launch.shape.size > 1 {
		w.fail(in, m, "generic addresses of 32 bits have no room for the shared memory of other CTAs of a cluster")
	}
	for lane := range lanesOf(m) {
		addr := w.sharedOperand(in, lane)
		addr = w.inCTA(in, lane, int(rank[lane]), in.move.space, addr)
		if in.move.wide {
			wide(&t[0])[lane] = addr
		} else {
			t[0][lane] = uint32(addr)
		}
	}
	commit(w.slot(in.d), &t[0], m, in.move.wide)
}

// sharedOperand returns the address that a lane gives mapa or getctarank, which is one of
// shared memory.
func (w *warp) sharedOperand(in *inst, lane int) uint64 {
	bytes := 4
	if in.move.wide {
		bytes = 8
	}
	addr := w.laneValue(in.a, lane, bytes)
	if in.move.space == isa.Generic {
		if space, _ := address.Resolve(isa.Generic, addr); space != isa.Shared {
			w.fail(in, 1<<lane, "%#x is no address of shared memory", addr)
		}
	}
	return addr
}

// buildGetctarank decodes getctarank d, a.
func buildGetctarank(c *compiler, in *ir.Instr, i *inst) error {
	i.d, i.a = c.dest(in, 0), c.source(in, 1)
	i.move = &move{wide: in.Inst.Type().Bits() == 64, space: in.Inst.Space}
	i.exec = execGetctarank
	return nil
}

func execGetctarank(w *warp, in *inst, m uint32) {
	var ranks lanes.Slot
	for lane := range lanesOf(m) {
		_, addr := address.Resolve(in.move.space, w.sharedOperand(in, lane))
		ranks[lane] = w.rankAt(addr)
	}
	commit(w.slot(in.d), &ranks, m, false)
}

// inCTA returns where an address of a lane is in the shared memory of the CTA of a rank: at
// the same place.
func (w *warp) inCTA(in *inst, lane, rank int, space isa.Space, addr uint64) uint64 {
	size := int(w.worker.launch.shape.size)
	if rank >= size {
		w.fail(in, 1<<lane, "the cluster has no CTA of rank %d, only %d", rank, size)
	}
	if size == 1 {
		return addr
	}
	window := addr &^ (address.WindowBytes - 1)
	if space != isa.Generic {
		window = 0
	}
	if _, at, ok := address.Rank(addr - window); ok {
		addr = window + at
	}
	return addr + address.OfRank(rank)
}
