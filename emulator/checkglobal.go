package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir/isa"
)

// Who has touched global memory in a launch. Each cell has 4 bytes, so that the cells of
// what a launch touches take as much as it does:
//
//	state (3 bits) | thread in the grid (29 bits)
//
// A cell is one thread's, or is read by several, or has atomics alone, of one size; what
// else happens to it is a suspicion. Cells stand for a word, or for as little as the code
// accesses at a time; they are made by stretches, when those are touched.

const (
	untouched   uint32 = iota << 29
	readByOne          // by the thread
	readByMany         // and written by nobody
	ownedBy            // written, and read perhaps, by the thread alone
	atomicsOnly        // in the place of the thread is the size
	stateMask   = 7 << 29
	threadMask  = 1<<29 - 1
)

// The bytes of a stretch; a multiple of what is accessed at a time, and aligned.
const (
	stretchShift = 12
	stretchMask  = 1<<stretchShift - 1
)

// stretch are the cells of 4 KiB in one launch.
type stretch struct {
	launch uint64
	cells  []uint32
}

// bufferCheck is what is known of a buffer in a program that is checked.
type bufferCheck struct {
	stretches []*stretch
	// written are the bytes that somebody has written, of a buffer whose contents nobody
	// gave; nil of any other.
	written []uint64
}

// expectWrites makes the buffer know which of its bytes are written.
func (b *Buffer) expectWrites() error {
	n := (b.Bytes + 63) / 64
	if err := b.mem.budget.Reserve(8 * n); err != nil {
		return err
	}
	b.check.written = make([]uint64, n)
	return nil
}

// setWritten notes that n bytes are written, or are none any more.
func (b *Buffer) setWritten(off, n int64, yes bool) {
	if b.check.written == nil {
		return
	}
	for ; n > 0; off, n = off+1, n-1 {
		if off&63 == 0 && n >= 64 {
			b.check.written[off>>6] = 0
			if yes {
				b.check.written[off>>6] = ^uint64(0)
			}
			off, n = off+63, n-63
			continue
		}
		if b.check.written[off>>6] &^= 1 << (off & 63); yes {
			b.check.written[off>>6] |= 1 << (off & 63)
		}
	}
}

// copyWritten makes n bytes of b written if those of src are, after a copy by the host.
func (b *Buffer) copyWritten(off int64, src *Buffer, srcOff, n int64) {
	if b.check.written == nil || src.check.written == nil {
		return
	}
	for i := range n {
		if src.check.written[(srcOff+i)>>6]>>((srcOff+i)&63)&1 == 0 {
			b.setWritten(off+i, 1, false)
		}
	}
}

// unwritten reports whether any of n bytes, which are aligned, was never written.
func (b *bufferCheck) unwritten(off, n uint64) bool {
	mask := uint64(1)<<n - 1
	return b.written[off>>6]>>(off&63)&mask != mask
}

// stretchOf returns the cells around a byte of a buffer, as of this launch.
func (w *warp) stretchOf(b *Buffer, off uint64) *stretch {
	l := w.worker.launch
	if b.check.stretches == nil {
		n := (b.Bytes + stretchMask) >> stretchShift
		l.mem.account(8 * n)
		b.check.stretches = make([]*stretch, n)
	}
	s := b.check.stretches[off>>stretchShift]
	cells := 1 << (stretchShift - l.prog.grain)
	switch {
	case s == nil:
		l.mem.account(int64(4 * cells))
		s = &stretch{launch: l.GridID, cells: make([]uint32, cells)}
		b.check.stretches[off>>stretchShift] = s
	case len(s.cells) != cells:
		l.mem.account(int64(4 * (cells - len(s.cells))))
		s.launch, s.cells = l.GridID, make([]uint32, cells)
	case s.launch != l.GridID:
		s.launch = l.GridID
		clear(s.cells)
	}
	return s
}

// globalPlace is where a lane's access lies: the buffer, its stretch, and the cells there.
type globalPlace struct {
	b     *Buffer
	s     *stretch
	index uint64 // of the stretch in the buffer
}

// find finds the cells of an access of n bytes; ok is false where there is no memory.
func (p *globalPlace) find(w *warp, in *inst, addr, n uint64) (off uint64, cells []uint32, ok bool) {
	if addr&(n-1) != 0 {
		return 0, nil, false
	}
	if p.b == nil || addr-p.b.Base >= uint64(p.b.Bytes) {
		if p.b = w.bufferFor(in, addr); p.b == nil {
			return 0, nil, false
		}
		p.s = nil
	}
	off = addr - p.b.Base
	if off+n > uint64(p.b.Bytes) {
		return 0, nil, false
	}
	if i := off >> stretchShift; p.s == nil || i != p.index {
		p.s, p.index = w.stretchOf(p.b, off), i
	}
	grain := w.worker.prog.grain
	at := off & stretchMask
	return off, p.s.cells[at>>grain : (at+n-1)>>grain+1], true
}

// firstThread is the number of the warp's first thread in the grid, as far as cells know.
func (w *warp) firstThread() uint32 {
	return uint32(uint64(w.cta.linear)*uint64(w.worker.launch.threads)+uint64(w.number*lanes.Width)) & threadMask
}

func lookGlobalRead(w *warp, in *inst, m uint32, addr *[lanes.Width]uint64, n uint64) {
	var p globalPlace
	first, incoherent := w.firstThread(), in.mem.checked.incoherent
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		off, cells, ok := p.find(w, in, addr[lane], n)
		if !ok {
			continue
		}
		if p.b.check.written != nil && p.b.check.unwritten(off, n) {
			w.noteUnwritten(in, lane, isa.Global, addr[lane], n)
		}
		thread := first + uint32(lane)
		for i, cell := range cells {
			switch cell & stateMask {
			case readByMany:
			case untouched:
				cells[i] = readByOne | thread
			case readByOne:
				if cell != readByOne|thread {
					cells[i] = readByMany
				}
			case ownedBy:
				if cell != ownedBy|thread || incoherent {
					w.suspect(in)
				}
			default:
				w.suspect(in)
			}
		}
	}
}

func lookGlobalWrite(w *warp, in *inst, m uint32, addr *[lanes.Width]uint64, n uint64) {
	var p globalPlace
	first := w.firstThread()
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		off, cells, ok := p.find(w, in, addr[lane], n)
		if !ok {
			continue
		}
		if p.b.check.written != nil {
			p.b.setWritten(int64(off), int64(n), true)
		}
		thread := first + uint32(lane)
		for i, cell := range cells {
			if cell != untouched && cell != readByOne|thread && cell != ownedBy|thread {
				w.suspect(in)
			}
			cells[i] = ownedBy | thread
		}
	}
}

func lookGlobalAtomic(w *warp, in *inst, m uint32, addr *[lanes.Width]uint64, n uint64) {
	var p globalPlace
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		off, cells, ok := p.find(w, in, addr[lane], n)
		if !ok {
			continue
		}
		if p.b.check.written != nil {
			if p.b.check.unwritten(off, n) {
				w.noteUnwritten(in, lane, isa.Global, addr[lane], n)
			}
			p.b.setWritten(int64(off), int64(n), true)
		}
		for i, cell := range cells {
			if cell != untouched && cell != atomicsOnly|uint32(n) {
				w.suspect(in)
			}
			cells[i] = atomicsOnly | uint32(n)
		}
	}
}

// beginCheck prepares a launch that is checked, endCheck ends it.
func (l *launch) beginCheck() {
	// Threads that cells cannot tell apart are left to the detector, as is what no hook sees.
	if l.prog.unfiltered || l.shape.size > 1 || uint64(l.todo)*uint64(l.threads) > threadMask {
		l.Check.Suspects(uint32(l.prog.Kernel.First))
	}
}

func (l *launch) endCheck() {
	if !l.prog.blind {
		return
	}
	for _, b := range l.mem.buffers { // whatever was written without a look
		b.setWritten(0, b.Bytes, true)
	}
}
