package emulator

import (
	"bytes"
	"math/bits"

	"hyptx/emulator/internal/address"
	"hyptx/internal/observe"
	"hyptx/ir/isa"
)

// Who writes a word that is watched is found in two ways. What each lane writes at its own
// address is looked at before it is done; if some of it is watched, the lanes are run one
// after the other, as they are anyway, and what was there before and after is compared.
// What lanes write together, or what a copy unit does for them, is found by what has
// changed: who writes there what is there already is not told then.

// watchedRange is a range in place.
type watchedRange struct {
	*observe.Range
	base uint64
}

// watchRange begins to watch a range, unless the program does not have its variable.
func (l *launch) watchRange(r *observe.Range) {
	base := r.Base
	if r.Var != nil {
		at, ok := l.prog.sharedVar[r.Var]
		if !ok {
			return
		}
		base += uint64(at)
	}
	l.watched = append(l.watched, watchedRange{r, base})
}

// execWatched runs an instruction and tells what it writes of what is watched.
func (w *warp) execWatched(in *inst, o *observed, m uint32) {
	l := w.worker.launch
	switch {
	case len(l.watched) == 0 || o.writes == writesNothing:
		o.exec(w, in, m)
	case o.writes == writesEach:
		w.execEach(in, o, m)
	default:
		w.execChanges(in, o, m)
	}
}

// execEach runs what each lane writes at its own address.
func (w *warp) execEach(in *inst, o *observed, m uint32) {
	space := in.mem.space
	if space != isa.Global && space != isa.Shared && space != isa.Generic {
		o.exec(w, in, m)
		return
	}
	addr := *w.addresses(in) // which a result may write over
	n := int(in.width) * max(int(in.vec), 1)
	hit := false
	for rest := m; rest != 0 && !hit; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		for i := range w.worker.launch.watched {
			_, _, lanes := w.hits(&w.worker.launch.watched[i], space, addr[lane], n)
			hit = hit || lanes > 0
		}
	}
	if !hit {
		o.exec(w, in, m)
		return
	}
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		var told []*observe.Write
		for i := range w.worker.launch.watched {
			r := &w.worker.launch.watched[i]
			owner, first, count := w.hits(r, space, addr[lane], n)
			if count == 0 {
				continue
			}
			t := &observe.Write{Place: w.threadAt(&o.step, lane), Alone: true, Atomic: o.step.in.Inst.IsAtomic(), Range: r.Range, Owner: owner.linear, First: first}
			t.Old = w.contents(r, owner, first, count)
			told = append(told, t)
		}
		o.exec(w, in, 1<<lane)
		for _, t := range told {
			t.New = w.contents(w.worker.launch.rangeOf(t.Range), w.clusterCTA(t.Owner), t.First, len(t.Old)/t.Range.Elem)
			w.worker.launch.Observer.Wrote(t)
		}
	}
}

// hits returns which elements of a range n bytes at an address touch, and whose shared
// memory it is.
func (w *warp) hits(r *watchedRange, space isa.Space, addr uint64, n int) (owner *cta, first, count int) {
	space, addr = address.Resolve(space, addr)
	if owner = w.cta; space != r.Space {
		return owner, 0, 0
	}
	if space == isa.Shared {
		if owner, addr = w.sharedOf(addr); r.CTA >= 0 && owner.linear != r.CTA {
			return owner, 0, 0
		}
	}
	from, to := max(addr, r.base), min(addr+uint64(n), r.base+uint64(r.Bytes))
	if from >= to {
		return owner, 0, 0
	}
	first = int(from-r.base) / r.Elem
	return owner, first, (int(to-r.base)+r.Elem-1)/r.Elem - first
}

// rangeOf returns a range in place.
func (l *launch) rangeOf(r *observe.Range) *watchedRange {
	for i := range l.watched {
		if l.watched[i].Range == r {
			return &l.watched[i]
		}
	}
	return nil
}

// clusterCTA returns a CTA of the warp's cluster.
func (w *warp) clusterCTA(linear int64) *cta {
	for _, c := range w.cta.cluster.ctas {
		if c.linear == linear {
			return c
		}
	}
	return w.cta
}

// contents are the bytes of elements of a range; shared memory is an owner's.
func (w *warp) contents(r *watchedRange, owner *cta, first, count int) []byte {
	data := make([]byte, count*r.Elem)
	at := r.base + uint64(first*r.Elem)
	if r.Space == isa.Shared {
		if at < uint64(len(owner.shared)) {
			copy(data, owner.shared[at:])
		}
	} else if b := w.worker.launch.mem.find(at); b != nil {
		_ = b.Read(data, int64(at-b.Base)) // which lies in the buffer: it was checked
	}
	return data
}

// execChanges runs what lanes write together, and tells what has changed.
func (w *warp) execChanges(in *inst, o *observed, m uint32) {
	type before struct {
		r     *watchedRange
		owner *cta
		data  []byte
	}
	var list []before
	for i := range w.worker.launch.watched {
		r := &w.worker.launch.watched[i]
		if r.Space == isa.Global {
			list = append(list, before{r, w.cta, w.contents(r, w.cta, 0, r.Bytes/r.Elem)})
			continue
		}
		for _, c := range w.cta.cluster.ctas {
			if r.CTA < 0 || r.CTA == c.linear {
				list = append(list, before{r, c, w.contents(r, c, 0, r.Bytes/r.Elem)})
			}
		}
	}
	o.exec(w, in, m)
	place := w.threadAt(&o.step, bits.TrailingZeros32(m))
	for _, b := range list {
		now := w.contents(b.r, b.owner, 0, b.r.Bytes/b.r.Elem)
		for at := 0; at < len(now); at += b.r.Elem {
			if old, is := b.data[at:at+b.r.Elem], now[at:at+b.r.Elem]; !bytes.Equal(old, is) {
				w.worker.launch.Observer.Wrote(&observe.Write{Place: place, Atomic: o.step.in.Inst.IsAtomic(), Range: b.r.Range, Owner: b.owner.linear, First: at / b.r.Elem, Old: old, New: is})
			}
		}
	}
}
