package emulator

// In which phase of an mbarrier object an operation comes may depend on the order of threads: then who waits for
// the object knows less than in the order that is run. The filter follows those that cannot, as the
// detector does (order.Warp.TakePart, Waited): each arrival counts the same, who arrives knows that the phase before is
// over, and who waits by parity that the one between is.

// alike leaves the launch to the detector if arrivals at an object do not count the same.
func (p *objectPlace) alike(w *warp, in *inst, count uint32) {
	if p.count == 0 {
		p.count = count
	}
	if p.count != count {
		w.unfiltered(in.pc)
	}
}

// touchLate makes the last access of an object's cells one of asynchronous work, which nobody knows.
func (p *objectPlace) touchLate() {
	k, last, _ := p.s.cellsOf(p.at, 8)
	for ; k <= last; k++ {
		p.s.write[k] = (streamTimes+uint64(p.phases)+1)<<cellTime | cellMark | objectAccess
	}
}

// changes ends the phase of an object if a change of it does.
func (p *objectPlace) changes(change func()) (ended bool) {
	before := p.parity()
	change()
	if ended = p.parity() != before; ended {
		p.end()
	}
	return ended
}

// comesLate notes an arrival of a thread, -1 for its asynchronous work, by which knows what a row says. Who does not know that
// the last phase is over could in another order have arrived in that, in the stead of somebody else.
func (p *objectPlace) comesLate(w *warp, in *inst, thread int, row warpTimes) {
	if _, ok := p.streamNow(w, in); !ok {
		return
	}
	if p.lone == 0 {
		p.lone = thread + 1
	}
	if p.lone != thread+1 || thread < 0 {
		p.lone = -1
	}
	p.swapped = p.swapped || p.lone < 0 && p.phases > p.since && !p.overFor(row, p.phases)
}

// overFor reports whether who knows what a row says knows that so many phases are over.
func (o *objectClock) overFor(row warpTimes, phases uint32) bool {
	return row[o.stream+mostStreams] >= streamTimes+phases
}

// unsure reports whether a wait of lanes, or a question of theirs that finds a phase over, tells them nothing, who know
// what a row says (order.Warp.Waited): an arrival could have come in another phase, or they name the phase by its
// parity and do not know that the one between is over, so that in another order the one before that would have done.
func (p *objectPlace) unsure(w *warp, in *inst, row warpTimes) bool {
	if _, ok := p.streamNow(w, in); !ok {
		return true
	}
	early := !in.mem.object.byState && p.phases > p.since+1 && !p.overFor(row, p.phases-1)
	return early || p.swapped
}

// streamNow returns what the cells have that are of an object's stream in the phase that is open; ok is false if
// there are too many streams.
func (p *objectPlace) streamNow(w *warp, in *inst) (self uint64, ok bool) {
	c := p.s.clocks
	if p.stream == 0 {
		if c.streams == mostStreams {
			w.unfiltered(in.pc)
			return 0, false
		}
		p.stream = uint32(c.first + c.streams)
		c.streams++
	}
	return (streamTimes+uint64(p.phases)+1)<<cellTime | uint64(p.stream)<<5, true
}
