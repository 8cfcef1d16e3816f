package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/mbarrier"
	"hyptx/emulator/internal/words"
	"hyptx/internal/order"
	"hyptx/ir/isa"
)

// Where a launch forgives what hits no memory (beyond.go), a tensor map may be missing, as
// nobody gives a bare kernel one. How large its box is nobody knows, but kernels say to the
// mbarrier how many bytes they expect: a load from a tensor of which nothing is known
// completes these, and what lies there of shared memory is from then on not known. It moves
// nothing, and neither does a store.

// copyUnknown does so in the CTA of the warp, or in those that a copy goes to.
func (w *warp) copyUnknown(a *asyncWork, t *mapCopy, to, bar uint64) {
	w.worker.launch.beyond.add(a.in.pc)
	if c := w.worker.counting; c != nil {
		c.Counts.Lack(int32(a.in.pc))
	}
	switch {
	case !t.load:
	case !t.multicast:
		a.loadUnknown(to, bar)
	default:
		for ctas := w.slot(t.ctas)[a.lane] & (1<<maxClusterCTAs - 1); ctas != 0; ctas &= ctas - 1 {
			rank := bits.TrailingZeros32(ctas)
			at := w.inCTA(a.in, a.lane, rank, isa.Shared, to)
			if t.pair { // as of a copy that is known
				rank = rank&^1 | int(w.rankAt(bar)&1)
			}
			a.loadUnknown(at, w.inCTA(a.in, a.lane, rank, isa.Shared, bar))
		}
	}
}

// loadUnknown completes what an mbarrier expects. Of several loads that it expects together
// the first completes all, and any of them may have filled as much.
func (a *asyncWork) loadUnknown(to, bar uint64) {
	w := a.w
	a.from.Add(1<<a.lane, order.Assumed, 0)
	a.value = a.from
	expected := max(mbarrier.Unpack(words.Get(w.bytesAt(a.in, a.lane, isa.Shared, bar, 8, true))).Tx, 0)
	c, at := w.sharedOf(to)
	c.unknown = max(c.unknown, uint64(expected))
	end := min(at+c.unknown, uint64(len(c.shared)))
	for ; at+chunk <= end; at, to = at+chunk, to+chunk {
		if a.follow && c.order.Holds(at, chunk) { // no box is so large that it reaches an object
			break
		}
		if w.checks() { // what it has not filled for certain races with nothing
			w.writesUnseen(a.in, isa.Shared, to, chunk)
			continue
		}
		a.old(isa.Shared, to, chunk)
		a.wrote(isa.Shared, to, chunk)
	}
	if expected > 0 {
		a.complete(isa.Shared, bar, uint64(expected))
		a.heard(isa.Shared, to, bar, 0)
	}
}
