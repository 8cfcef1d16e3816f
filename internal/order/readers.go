package order

// Readers are the threads that have read a piece of memory, in one launch, for what a
// decision may depend on, and when last. They are for stores at addresses that the order
// of threads decides: in another order such a store may have hit what any of them read.
type Readers struct {
	launch uint32
	warps  []reader
	// many: more warps have read than are kept.
	many bool
}

// maxReaders bounds the warps that are kept of a piece of memory.
const maxReaders = 256

// reader is when the lanes of a warp have read last, 0 for never.
type reader struct {
	cta    uint32
	warp   uint8
	strong bool
	ticks  [32]uint32
}

// Note notes that a lane of the warp reads.
func (r *Readers) Note(w *Warp, lane int, op *Op) {
	if n := w.CTA.launch.Number; r.launch != n {
		*r = Readers{launch: n, warps: r.warps[:0]}
	}
	for i := len(r.warps) - 1; i >= 0; i-- {
		if x := &r.warps[i]; x.cta == w.CTA.number && x.warp == w.number && x.strong == op.Strong {
			x.ticks[lane] = w.now()
			return
		}
	}
	if len(r.warps) == maxReaders {
		r.many = true
		return
	}
	r.warps = append(r.warps, reader{cta: w.CTA.number, warp: w.number, strong: op.Strong})
	r.warps[len(r.warps)-1].ticks[lane] = w.now()
}

// Overtaken returns what the reads depend on that are not in order with a store that a
// lane of the warp makes now.
func (r *Readers) Overtaken(w *Warp, lane int, op *Op) (from Origin) {
	if r.launch != w.CTA.launch.Number {
		return 0
	}
	if r.many {
		from = Scheduled
	}
	store := w.access(lane, op, 0)
	for i := range r.warps {
		x := &r.warps[i]
		for l, tick := range x.ticks {
			read := access{cta: x.cta, warp: x.warp, tick: tick, lanes: 1 << l}
			if x.strong {
				read.flags = strong
			}
			if tick != 0 && w.unknown(&read, lane) != 0 {
				from |= level(&read, &store)
			}
		}
	}
	if from != 0 {
		w.CTA.launch.unsettle(from, 0)
	}
	return from
}
