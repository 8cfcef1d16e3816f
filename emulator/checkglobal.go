package emulator

import (
	"math/bits"
	"unsafe"

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

// stretchBytes is what a stretch takes without its cells.
const stretchBytes = int64(unsafe.Sizeof(stretch{}))

// stretch are the cells of 4 KiB in one launch.
type stretch struct {
	launch uint64
	cells  []uint32
}

// bufferCheck is what is known of a buffer in a program that is checked.
type bufferCheck struct {
	stretches []stretch
	// written are the bytes that somebody has written, of a buffer whose contents nobody
	// gave; nil of any other.
	written []uint64
	// live are the pieces of the device's heap that malloc has given; nil of any other buffer.
	live []uint64
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

// write notes that n bytes, up to 32 and aligned, are written.
func (b *bufferCheck) write(off, n uint64) {
	if b.written != nil {
		b.written[off>>6] |= (uint64(1)<<n - 1) << (off & 63)
	}
}

// allWritten reports whether all of n bytes are written.
func (b *bufferCheck) allWritten(off, n uint64) bool {
	for at := off; b.written != nil && at < off+n; at = at&^63 + 64 {
		from, to := at&63, min(off+n-at&^63, 64)
		mask := ^uint64(0) >> (64 - (to - from)) << from
		if b.written[at>>6]&mask != mask {
			return false
		}
	}
	return true
}

// stretchOf returns the cells around a byte of a buffer, as of this launch.
func (w *warp) stretchOf(b *Buffer, off uint64) *stretch {
	if b.check.stretches == nil {
		n := (b.Bytes + stretchMask) >> stretchShift
		w.worker.launch.mem.account(stretchBytes * n)
		b.check.stretches = make([]stretch, n)
	}
	s := &b.check.stretches[off>>stretchShift]
	if s.launch != w.worker.launch.GridID {
		w.renew(s)
	}
	return s
}

// renew makes the cells of a stretch those of this launch.
func (w *warp) renew(s *stretch) {
	l := w.worker.launch
	cells := 1 << (stretchShift - l.prog.globalGrain)
	if s.launch = l.GridID; len(s.cells) == cells {
		clear(s.cells)
		return
	}
	l.mem.account(int64(4 * (cells - len(s.cells))))
	s.cells = make([]uint32, cells)
}

// globalPlace is a buffer that lanes access: where it begins, how many bytes it has, its
// stretches.
type globalPlace struct {
	base, bytes uint64
	b           *Buffer
	stretches   []stretch
}

// find finds the buffer of an access of n bytes; false where there is no memory.
func (p *globalPlace) find(w *warp, in *inst, lane int, addr, n uint64) bool {
	*p = globalPlace{}
	b := w.bufferFor(in, addr)
	if b == nil || addr-b.Base+n > uint64(b.Bytes) {
		return false
	}
	bytes := uint64(b.Bytes)
	if s := w.stemOf(in, false); s != nil && s.Base != b.Base {
		w.noteAstray(in, lane, s, addr, n)
		bytes = 0 // so that it is found of each lane
	}
	if b.check.live != nil {
		w.lookHeap(in, lane, b, addr, n)
		bytes = 0
	}
	w.stretchOf(b, addr-b.Base)
	*p = globalPlace{b.Base, bytes, b, b.check.stretches}
	return true
}

// cells returns the cells of a lane's access of n bytes, as of this launch, and where that is in
// its buffer; nil where there is no memory, or what is no aligned access, which is noted elsewhere.
func (p *globalPlace) cells(w *warp, in *inst, lane int, addr, n uint64) (cells []uint32, off uint64) {
	if addr&(n-1) != 0 || (addr-p.base >= p.bytes || n > p.bytes-(addr-p.base)) && !p.find(w, in, lane, addr, n) {
		return nil, 0
	}
	off = addr - p.base
	s := &p.stretches[off>>stretchShift]
	if s.launch != w.worker.launch.GridID {
		w.renew(s)
	}
	grain := w.worker.prog.globalGrain & 3
	return s.cells[off&stretchMask>>grain : (off&stretchMask+n-1)>>grain+1], off
}

// firstThread is the number of the warp's first thread in the grid, as far as cells know.
func (w *warp) firstThread() uint32 {
	return uint32(uint64(w.cta.linear)*uint64(w.worker.launch.threads)+uint64(w.number*lanes.Width)) & threadMask
}

func lookGlobalRead(w *warp, in *inst, m uint32, addr *[lanes.Width]uint64, n uint64) {
	p := globalPlace{}
	first, a := w.firstThread(), in.mem.checked
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		cells, off := p.cells(w, in, lane, addr[lane], n)
		if cells == nil {
			continue
		}
		if p.b.check.written != nil && p.b.check.unwritten(off, n) {
			w.noteUnwritten(in, lane, isa.Global, addr[lane], n)
		}
		thread := first + uint32(lane)
		reader := readByOne | thread
		if a.copies {
			reader = readByMany
		}
		for k, cell := range cells {
			switch cell & stateMask {
			case readByMany:
			case untouched:
				cells[k] = reader
			case readByOne:
				if cell != reader {
					cells[k] = readByMany
				}
			case ownedBy:
				if cell != ownedBy|thread || a.incoherent || a.copies {
					w.suspect(in)
				}
			default:
				w.suspect(in)
			}
		}
	}
}

func lookGlobalWrite(w *warp, in *inst, m uint32, addr *[lanes.Width]uint64, n uint64) {
	p, first := globalPlace{}, w.firstThread()
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		cells, off := p.cells(w, in, lane, addr[lane], n)
		if cells == nil {
			continue
		}
		p.b.check.write(off, n)
		thread := first + uint32(lane)
		for k, cell := range cells {
			if cell != untouched && cell != readByOne|thread && cell != ownedBy|thread {
				w.suspect(in)
			}
			cells[k] = ownedBy | thread
		}
	}
}

func lookGlobalAtomic(w *warp, in *inst, m uint32, addr *[lanes.Width]uint64, n uint64) {
	p := globalPlace{}
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		cells, off := p.cells(w, in, lane, addr[lane], n)
		if cells == nil {
			continue
		}
		if p.b.check.written != nil && p.b.check.unwritten(off, n) {
			w.noteUnwritten(in, lane, isa.Global, addr[lane], n)
		}
		p.b.check.write(off, n)
		for k, cell := range cells {
			if cell != untouched && cell != atomicsOnly|uint32(n) {
				w.suspect(in)
			}
			cells[k] = atomicsOnly | uint32(n)
		}
	}
}

// beginCheck prepares a launch that is checked.
func (l *launch) beginCheck() {
	if l.Check == nil {
		return
	}
	l.Check.SharedAt = l.sharedObject
	l.beginStems()
	// What no hook sees is left to the detector, as are threads that cells cannot tell apart.
	l.Check.Unfiltered = l.prog.checked && l.prog.unfiltered
	if l.Check.Unfiltered || uint64(l.todo)*uint64(l.threads) > threadMask {
		l.Check.Suspects(uint32(l.prog.Kernel.First))
	}
}
