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
	missed, recomputed, wrong uint16
	entry                     uint16 // that it leaves
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
	h := u.history
	at := int(x.Number & h.lowest)
	var entry *uint32
	if at < len(h.entries) && h.index.PC != XorPC {
		entry = &h.entries[at]
	} else {
		entry = h.entry(x.Number)
	}
	own := uint32(1)<<(x.Predicted&7) - 1
	o := &x.memo[u.rule%memoRules][*entry&own%memoEntries]
	if o.addition != x.addition {
		u.work(x, o, entry, own)
	}
	*entry = *entry&^own | uint32(o.entry)
	if o.missed == 0 {
		return
	}
	c.Mispredicted += uint64(o.missed)
	c.Recomputed += uint64(o.recomputed)
	c.SliceMisses += uint64(o.wrong)
	c.Stalled++
}

// work finds what an addition does with an entry, of which own are the bits that it has.
func (u *sharing) work(x *Vectors, o *outcome, entry *uint32, own uint32) {
	switch {
	case u.history.onMiss && !u.history.parallel && !u.untrusted:
		*o = x.inTurn(*entry&own, u.peek)
	default:
		var of Counts
		was := *entry
		u.speculative.add(x, &of)
		*o = outcome{x.addition, uint16(of.Mispredicted), uint16(of.Recomputed), uint16(of.SliceMisses), uint16(*entry & own)}
		*entry = was
	}
}
