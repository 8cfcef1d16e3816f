package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/lanes"
	"hyptx/internal/order"
)

// The accesses of wmma while origins are followed: round by round, each lane its piece.
// What a lane of a fragment depends on is what any piece does, for the manual says not
// which it has.

func followTile(w *warp, in *inst, m uint32, from *order.Lanes) {
	t, n := in.mem.tile, uint64(in.width)
	if w.scattered(in, m) {
		from.Add(m, order.Undefined, w.worker.launch.log.Note(order.Invalid, uint32(in.pc)))
	}
	for round := range t.Rounds() {
		addr := *w.pieces(in, round)
		w.notePlaces(in, m, &addr)
		if in.rule.op.Reads {
			for lane := range lanesOf(m) {
				w.followLoad(in, &in.rule.op, lane, in.mem.space, addr[lane], n, from)
			}
			continue
		}
		stored := from.Spread(m)
		w.addOverlap(in, m, n, &addr, &stored)
		for lane := range lanesOf(m) {
			w.keepOld(in, lane, addr[lane], n)
		}
		if in.rule.exec != nil {
			w.storeTile(in, m, round)
		}
		for lane := range lanesOf(m) {
			w.followStore(in, lane, in.mem.space, addr[lane], n, &stored)
		}
	}
	if in.rule.op.Reads {
		*from = from.Spread(m)
		in.rule.exec(w, in, m)
	}
}

// followUnseenTile is followUnseen of wmma.store.
func followUnseenTile(w *warp, in *inst, m uint32, _ *order.Lanes) {
	for round := range in.mem.tile.Rounds() {
		addr := *w.pieces(in, round)
		w.noteUnseen(in, m, &addr, uint64(in.width))
	}
}

// scattered reports whether the lanes of m have other ideas of where a matrix lies: all have
// to name one address and one stride (PTX ISA 9.7.16.4.3, .4).
func (w *warp) scattered(in *inst, m uint32) bool {
	addr, stride := w.addresses(in), w.slot(in.mem.tile.stride)
	first := bits.TrailingZeros32(m)
	for lane := range lanesOf(m) {
		if addr[lane] != addr[first] || stride[lane] != stride[first] {
			return true
		}
	}
	return false
}

// addOverlap makes undefined what a warp stores together where two of its lanes, or rows of
// a matrix, store n bytes that overlap: nothing says which of them stays.
func (w *warp) addOverlap(in *inst, m uint32, n uint64, addr *[lanes.Width]uint64, stored *order.Lanes) {
	if apart(addr, m, n) {
		return
	}
	for a := range lanesOf(m) {
		for b := range lanesOf(m &^ (1 << a)) {
			if addr[a] < addr[b]+n && addr[b] < addr[a]+n {
				stored.Add(1<<a, order.Undefined, w.worker.launch.log.Note(order.Invalid, uint32(in.pc)))
			}
		}
	}
}
