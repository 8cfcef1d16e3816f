package emulator

import (
	"hyptx/emulator/internal/words"
)

// Most accesses are of a full warp each half of which goes to one word, or to words that
// follow each other; loads recognise that (fastmem.go), and looks do, too. They refuse
// what is anything but the rule, a cell that nobody has written or somebody else may have
// touched, and leave it to the look lane by lane, which finds the same of the lanes again.

// lookHalf looks at the access of half a warp, from a lane on: n bytes each, at first and
// every stride bytes behind it. It reports false for what it leaves to others.
type lookHalf func(w *warp, in *inst, lane uint32, first, stride, n uint64) bool

// lookHalves looks at an access of a full warp, if its halves are regular.
func (w *warp) lookHalves(in *inst, look lookHalf) bool {
	e, n := in.mem, in.mem.checked.bytes
	var h [2]words.Half
	var ok bool
	if e.base64 {
		h, ok = words.Halves(wide(w.slot(e.base)), n)
	} else {
		h, ok = words.NarrowHalves(w.slot(e.base), n)
	}
	if !ok {
		return false
	}
	for k := range h {
		first := h[k].First + uint64(e.off)
		if !e.base64 {
			first = uint64(uint32(first))
		}
		if first&(n-1) != 0 || !look(w, in, uint32(k*words.HalfLanes), first, h[k].Stride, n) {
			return false
		}
	}
	return true
}

// execHalfChecked looks at an access by halves, if it can, and does it.
func execHalfChecked(w *warp, in *inst, m uint32) {
	a := in.mem.checked
	if m != fullMask || !w.lookHalves(in, a.half) {
		a.look(w, in, m&a.lanes, w.addresses(in), a.bytes)
	}
	a.exec(w, in, m)
}

// half returns the cells of half a warp, nil if some are no memory, and the logarithm of
// how many each lane has.
func (s *sharedCells) half(first, stride, n uint64) (from, to uint64, ok bool) {
	from, to = first>>s.shift, (first+stride*(words.HalfLanes-1)+n-1)>>s.shift+1
	return from, to, from < to && to <= uint64(len(s.write))
}

func sharedHalfRead(w *warp, in *inst, lane uint32, first, stride, n uint64) bool {
	s := w.cta.cells
	from, to, ok := s.half(first, stride, n)
	switch {
	case !ok || w.halfAstray(in, first, stride, n):
		return false
	case s.apart:
		return s.halfReadApart(w, from, to, lane, stride, n)
	}
	now := uint64(s.now) << cellTime
	self := now | uint64(w.clockNumber())*32 + uint64(lane)
	write, read := s.write[from:to], s.read[from:to]
	read = read[:len(write)]
	if stride == 0 {
		for k, written := range write {
			if written == 0 || written >= now {
				return false
			}
			if read[k] < now {
				read[k] = self
			}
			read[k] |= cellMark
		}
		return true
	}
	each := n >> s.shift
	if each == 1 {
		for k, written := range write {
			if written == 0 || written >= now && written != self {
				return false
			}
			if r := read[k]; r < now {
				read[k] = self
			} else if r&^cellMark != self {
				read[k] = self | cellMark
			}
			self++
		}
		return true
	}
	for k, written := range write {
		mine := self + uint64(k)/each
		if written == 0 || written >= now && written != mine {
			return false
		}
		if r := read[k]; r < now {
			read[k] = mine
		} else if r&^cellMark != mine {
			read[k] = mine | cellMark
		}
	}
	return true
}

func sharedHalfWrite(w *warp, in *inst, lane uint32, first, stride, n uint64) bool {
	s := w.cta.cells
	from, to, ok := s.half(first, stride, n)
	switch {
	case !ok || stride == 0 || w.halfAstray(in, first, stride, n):
		return false
	case s.apart:
		return s.halfWriteApart(w, from, to, lane, n)
	}
	now := uint64(s.now) << cellTime
	self := now | uint64(w.clockNumber())*32 + uint64(lane)
	write, read := s.write[from:to], s.read[from:to]
	read = read[:len(write)]
	each := n >> s.shift
	for k, written := range write {
		mine := self + uint64(k)/each
		if written >= now && written != mine || read[k] >= now && read[k] != mine {
			return false
		}
		write[k] = mine
	}
	return true
}

// halfReadApart reads cells where warps have times of their own.
func (s *sharedCells) halfReadApart(w *warp, from, to uint64, lane uint32, stride, n uint64) bool {
	now, row, self := uint64(s.now)<<cellTime, s.row(w), uint64(s.stamp(w))<<cellTime|uint64(w.clockNumber())*32+uint64(lane)
	each := n >> s.shift
	for k, written := range s.write[from:to] {
		mine := self
		if stride != 0 {
			mine += uint64(k) / each
		}
		if written == 0 || written >= now && !s.before(row, written, mine&cellThread) {
			return false
		}
		if s.reads(row, now, from+uint64(k), mine); stride == 0 {
			if written >= now && written&cellThread == mine&cellThread {
				return false // the other lanes did not write it
			}
			s.reads(row, now, from+uint64(k), mine+1)
		}
	}
	return true
}

// halfWriteApart writes cells where warps have times of their own.
func (s *sharedCells) halfWriteApart(w *warp, from, to uint64, lane uint32, n uint64) bool {
	now, row, self := uint64(s.now)<<cellTime, s.row(w), uint64(s.stamp(w))<<cellTime|uint64(w.clockNumber())*32+uint64(lane)
	each := n >> s.shift
	for k, written := range s.write[from:to] {
		at := from + uint64(k)
		mine := self + uint64(k)/each
		if written >= now && !s.before(row, written, mine&cellThread) || s.read[at] >= now && !s.readBefore(row, at, mine&cellThread) {
			return false
		}
		s.write[at], s.read[at] = mine, 0
	}
	return true
}

// half returns the cells of half a warp in global memory, nil if they are not of one stretch,
// and where in its buffer they begin.
func (w *warp) half(in *inst, first, stride, n uint64) (cells []uint32, b *Buffer, off uint64) {
	if b = w.bufferFor(in, first); b == nil || b.check.live != nil {
		return nil, nil, 0
	}
	if s := w.stemOf(in, false); s != nil && s.Base != b.Base {
		return nil, nil, 0
	}
	off = first - b.Base
	last := off + stride*(words.HalfLanes-1) + n - 1
	if off>>stretchShift != last>>stretchShift || last >= uint64(b.Bytes) {
		return nil, nil, 0
	}
	grain := w.worker.prog.globalGrain & 3
	return w.stretchOf(b, off).cells[off&stretchMask>>grain : last&stretchMask>>grain+1], b, off
}

func globalHalfRead(w *warp, in *inst, lane uint32, first, stride, n uint64) bool {
	cells, b, off := w.half(in, first, stride, n)
	if cells == nil || b.check.written != nil && !b.check.allWritten(off, stride*(words.HalfLanes-1)+n) {
		return false
	}
	self := readByOne | (w.firstThread() + lane)
	if stride == 0 {
		for k, cell := range cells {
			if cell > readByMany {
				return false
			}
			cells[k] = readByMany
		}
		return true
	}
	each := uint32(n) >> (w.worker.prog.globalGrain & 3)
	for k, cell := range cells {
		if cell == readByMany {
			continue
		}
		switch mine := self + uint32(k)/each; {
		case cell == untouched:
			cells[k] = mine
		case cell > readByMany:
			return false
		case cell != mine:
			cells[k] = readByMany
		}
	}
	return true
}

func globalHalfWrite(w *warp, in *inst, lane uint32, first, stride, n uint64) bool {
	cells, b, off := w.half(in, first, stride, n)
	if cells == nil || stride == 0 {
		return false
	}
	self := w.firstThread() + lane
	each := uint32(n) >> (w.worker.prog.globalGrain & 3)
	for k, cell := range cells {
		mine := self + uint32(k)/each
		if cell != untouched && cell != readByOne|mine && cell != ownedBy|mine {
			return false
		}
		cells[k] = ownedBy | mine
	}
	for at := uint64(0); at < stride*words.HalfLanes; at += n {
		b.check.write(off+at, n)
	}
	return true
}
