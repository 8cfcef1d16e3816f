package emulator

import (
	"math/bits"
	"slices"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir/isa"
)

// Who has touched shared memory since the CTA's last barrier. A cell has the last write
// and the last read, each with its time, which is the number of barriers of all threads
// so far, and its thread:
//
//	time (32 bits) | 1 bit | thread in the CTA (31 bits), 32 to a warp; or asynchronous work
//
// The bit of a write says that it was atomic; then the thread's place has the size, for
// atomics of one size may come in any order. That of a read says that several threads
// have read. A cell of which nobody has written has 0; times begin at 1.

// sharedCells are the cells of a CTA's shared memory.
type sharedCells struct {
	write, read []uint64
	shift       uint8 // the logarithm of a cell's bytes
	now         uint32
	// apart: warps have times of their own, and clocks (checkclock.go).
	apart  bool
	clocks *warpClocks
	// first is the number of its first warp in them, warps how many it has.
	first, warps int
	meetings
}

const (
	cellTime   = 32
	cellMark   = 1 << 31
	cellThread = 1<<31 - 1
	// streamTimes is the first time of asynchronous work, mostTimes that of work which nobody
	// can know.
	streamTimes = 1 << 31
	mostTimes   = 1<<32 - 1
)

// newCells returns cells for so many bytes.
func newCells(bytes int64, shift uint8) *sharedCells {
	n := (bytes + 1<<shift - 1) >> shift
	return &sharedCells{write: make([]uint64, n), read: make([]uint64, n), shift: shift, now: 1}
}

// begin makes cells as new.
func (s *sharedCells) begin() {
	clear(s.write)
	clear(s.read)
	s.now, s.apart = 1, false
}

// cellsMet notes that all threads of the CTA have met at a barrier.
func (c *cta) cellsMet() {
	s := c.cells
	if s.apart {
		s.now = max(s.now, slices.Max(s.clocks.own[s.first:][:s.warps]))
	}
	if s.now++; s.now >= streamTimes-1 { // nobody knows any more what came before
		l := c.warps[0].worker.launch
		l.Check.Suspects(uint32(l.prog.Kernel.First))
		s.now = 1
	}
}

// fill makes cells of n bytes written, if they were not, at a time before all others.
func (s *sharedCells) fill(at, n uint64) {
	for k := at >> s.shift; k <= (at+n-1)>>s.shift; k++ {
		s.write[k] = max(s.write[k], 1)
	}
}

// cellsOf returns the first and the last cell of a lane's access; ok is false where it
// hits no memory of the CTA's own, or is no aligned access, which is noted elsewhere.
func (s *sharedCells) cellsOf(addr, n uint64) (first, last uint64, ok bool) {
	if addr&(n-1) != 0 {
		return 0, 0, false
	}
	first, last = addr>>s.shift, (addr+n-1)>>s.shift
	return first, last, last < uint64(len(s.write))
}

func lookSharedRead(w *warp, in *inst, m uint32, addr *[lanes.Width]uint64, n uint64) {
	w.lookAstray(in, m, addr, n)
	s := w.cta.cells
	now, stamp, row, first := uint64(s.now)<<cellTime, uint64(s.stamp(w))<<cellTime, s.rowOf(w, m), uint64(w.clockNumber()*lanes.Width)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		k, last, ok := s.cellsOf(addr[lane], n)
		if !ok {
			w.lookFar(in, lane, addr[lane], n, farRead)
			continue
		}
		self := stamp | first + uint64(lane)
		for ; k <= last; k++ {
			written := s.write[k]
			if written == 0 {
				w.noteUnwritten(in, lane, isa.Shared, addr[lane], n)
			} else if written >= now && written != self && !s.before(row, written, self&cellThread) {
				w.suspect(in)
			}
			switch read := s.read[k]; {
			case s.apart:
				s.reads(row, now, k, self)
			case read < now:
				s.read[k] = self
			case read&^cellMark != self:
				s.read[k] = self | cellMark
			}
		}
	}
}

func lookSharedWrite(w *warp, in *inst, m uint32, addr *[lanes.Width]uint64, n uint64) {
	w.lookAstray(in, m, addr, n)
	s := w.cta.cells
	now, stamp, row, first := uint64(s.now)<<cellTime, uint64(s.stamp(w))<<cellTime, s.rowOf(w, m), uint64(w.clockNumber()*lanes.Width)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		k, last, ok := s.cellsOf(addr[lane], n)
		if !ok {
			w.lookFar(in, lane, addr[lane], n, farWrite)
			continue
		}
		self := stamp | first + uint64(lane)
		for ; k <= last; k++ {
			if written, read := s.write[k], s.read[k]; written >= now && written != self || read >= now && read != self {
				if !s.apart || written >= now && !s.before(row, written, self&cellThread) || read >= now && !s.readBefore(row, k, self&cellThread) {
					w.suspect(in)
				}
				s.read[k] = 0 // who comes behind this write comes behind those reads
			}
			s.write[k] = self
		}
	}
}

func lookSharedAtomic(w *warp, in *inst, m uint32, addr *[lanes.Width]uint64, n uint64) {
	w.lookAstray(in, m, addr, n)
	s := w.cta.cells
	now, row, stamp := uint64(s.now)<<cellTime, s.rowOf(w, m), uint64(s.stamp(w))<<cellTime
	self := cellMark | n
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		k, last, ok := s.cellsOf(addr[lane], n)
		if !ok {
			w.lookFar(in, lane, addr[lane], n, farAtomic)
			continue
		}
		for ; k <= last; k++ {
			written, read := s.write[k], s.read[k]
			if written == 0 {
				w.noteUnwritten(in, lane, isa.Shared, addr[lane], n)
			}
			const thread = cellThread + 1 // none: who reads and then changes a place does not do so at once
			if written >= now && written&(1<<cellTime-1) != self && !s.before(row, written, thread) || read >= now && !(s.apart && s.readBefore(row, k, thread)) {
				w.suspect(in)
			}
			s.write[k] = latest(written&^(1<<cellTime-1), stamp) | self
		}
	}
}

// lookLocalRead looks at a read of a thread's stack: of the bytes those count that some
// store has come to since the thread began.
func lookLocalRead(w *warp, in *inst, m uint32, addr *[lanes.Width]uint64, n uint64) {
	w.growLocalSeen()
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		at := addr[lane]
		if at&(n-1) != 0 || at >= uint64(w.localCap) || n > uint64(w.localCap)-at {
			continue
		}
		for _, seen := range w.localSeen[uint64(lane)*uint64(w.localCap)+at:][:n] {
			if !seen {
				w.noteUnwritten(in, lane, isa.Local, at, n)
				break
			}
		}
	}
}

func lookLocalWrite(w *warp, _ *inst, m uint32, addr *[lanes.Width]uint64, n uint64) {
	w.growLocalSeen()
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		at := addr[lane]
		if at&(n-1) != 0 || at >= uint64(w.localCap) || n > uint64(w.localCap)-at {
			continue
		}
		seen := w.localSeen[uint64(lane)*uint64(w.localCap)+at:][:n]
		for i := range seen {
			seen[i] = true
		}
	}
}

// growLocalSeen makes what is known of the threads' stacks as large as those are.
func (w *warp) growLocalSeen() {
	old := int64(len(w.localSeen)) / lanes.Width
	if old >= w.localCap {
		return
	}
	w.worker.hold((w.localCap - old) * lanes.Width)
	bigger := make([]bool, w.localCap*lanes.Width)
	for l := range int64(lanes.Width) {
		copy(bigger[l*w.localCap:], w.localSeen[l*old:(l+1)*old])
	}
	w.localSeen = bigger
}
