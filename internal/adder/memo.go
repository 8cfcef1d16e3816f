package adder

// What a history does whose lanes share an entry depends on the addition and on that
// entry alone. Many designs have the same entry most of the time: one for each
// instruction, by 4 bits of its number or by 6. So what an addition comes to is kept by
// entry, until the next addition.

// memoRules are the rules by which it differs: parallel, onmiss, peek, untrusted.
const memoRules = 1 << 4

// memoEntries are the entries of up to 7 predictions; of more nothing is kept.
const memoEntries = 1 << 7

// memo is what additions come to by rule and entry.
type memo [memoRules][memoEntries]outcome

// outcome is what one does.
type outcome struct {
	addition                  uint64 // that it is of
	missed, recomputed, wrong uint32
	entry                     uint32 // that it leaves
}

// sharing is a design whose lanes share an entry.
type sharing struct {
	speculative
	history *shared
	rule    int
}

func newSharing(s speculative, h *shared) *sharing {
	u := &sharing{speculative: s, history: h}
	for i, on := range []bool{h.parallel, h.onMiss, s.peek, s.untrusted} {
		if on {
			u.rule |= 1 << i
		}
	}
	return u
}

func (u *sharing) add(x *Vectors, c *Counts) {
	if x.Predicted > 7 {
		u.speculative.add(x, c)
		return
	}
	entry := &u.history.row(x.Number, 1)[0]
	own := uint32(1)<<x.Predicted - 1
	o := &x.memo[u.rule][*entry&own]
	switch {
	case o.addition == x.addition:
	case x.Predicted <= 3 && u.history.onMiss && !u.history.parallel && u.peek && !u.untrusted:
		*o = x.inTurn(*entry & own)
	default:
		var of Counts
		was := *entry
		u.speculative.add(x, &of)
		*o = outcome{x.addition, uint32(of.Mispredicted), uint32(of.Recomputed), uint32(of.SliceMisses), *entry & own}
		*entry = was
	}
	*entry = *entry&^own | o.entry
	if o.missed == 0 {
		return
	}
	c.Mispredicted += uint64(o.missed)
	c.Recomputed += uint64(o.recomputed)
	c.SliceMisses += uint64(o.wrong)
	c.Stalled++
}
