package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir/isa"
)

const (
	// sectorBytes is the unit in which caches fetch on every target since Volta
	// (profile.md, gld_transactions).
	sectorBytes = 32
	// lanesSectors is how many times more bytes a word of local memory takes for
	// the 32 lanes of a warp together.
	lanesSectors = lanes.Width
	// traceRunBits are the low bits of a run word of a trace: its length.
	traceRunBits = 5
	traceRunMask = 1<<traceRunBits - 1
	// localTag is where local memory begins among sectors, and warpSectors what
	// each warp has of it: 32 times the most that a thread may have.
	localTag    = uint64(1) << 58
	warpSectors = lanes.Width * maxLocalBytes / sectorBytes
)

// localSector returns the first sector of the warp's local memory.
func (w *warp) localSector() uint64 {
	warps := uint64(w.worker.launch.threads+lanes.Width-1) / lanes.Width
	return localTag + (uint64(w.cta.linear)*warps+uint64(w.number))*warpSectors
}

// learnShape finds out what a request costs.
func (w *warp) learnShape(sh *shape, p *pattern, s *trafficSite, space isa.Space, addr uint64) {
	sh.known = true
	sh.bytes = uint32(s.size) * uint32(bits.OnesCount32(p.mask))
	sh.cells, sh.runs = sh.cells[:0], sh.runs[:0]
	sh.unique, sh.transactions = 0, 0
	sh.traces, sh.bounds = [2]tracedShape{}, bounds{}
	w.checkAligned(p, s, space, addr)
	switch space {
	case isa.Shared:
		sh.space = TrafficShared
		sh.transactions = uint32(w.worker.counting.passes.count(p, uint64(sh.at), s, w.worker.prog.sm70))
		return
	case isa.Local:
		sh.space = TrafficLocal
		sh.localCells(p, uint64(s.size))
	case isa.Const:
		sh.space = TrafficConst
		sh.linearCells(p, uint64(s.size))
	default:
		sh.space = TrafficGlobal
		sh.linearCells(p, uint64(s.size))
	}
	sh.join()
}

// checkAligned fails for a lane whose address is no multiple of what it
// accesses, as the access itself would.
func (w *warp) checkAligned(p *pattern, s *trafficSite, space isa.Space, addr uint64) {
	if (addr|p.odd)&uint64(s.size-1) == 0 {
		return
	}
	for rest := p.mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		if a := addr + p.rel[lane]; a%uint64(s.size) != 0 {
			w.fail(&inst{pc: s.pc}, 1<<lane, "misaligned: %d bytes at %s; the address must be a multiple of %d", s.size, w.describe(space, a), s.size)
		}
	}
}

// linearCells lists, lane by lane, what a request touches where addresses are
// what they are. An aligned access lies within one sector.
func (sh *shape) linearCells(p *pattern, size uint64) {
	touched := uint32(1<<size - 1)
	for rest := p.mask; rest != 0; rest &= rest - 1 {
		off := uint64(sh.at) + p.rel[bits.TrailingZeros32(rest)&31]
		sh.insert(cellOf{uint64(int64(off) >> 5), touched << (off % sectorBytes)})
	}
}

// localCells lists what a request of local memory touches: word n of a lane
// lies at (32 n + lane) * 4.
func (sh *shape) localCells(p *pattern, size uint64) {
	for done := uint64(0); done < size; {
		n := min(size, 4)
		touched := uint32(1<<n - 1)
		for rest := p.mask; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest) & 31
			off := uint64(sh.at) + p.rel[lane] + done
			// Four sectors hold a word of the 32 lanes.
			sector := uint64(int64(off)>>2)*4 + uint64(lane/8)
			sh.insert(cellOf{sector, touched << (lane%8*4 + int(off%4))})
		}
		done += n
	}
}

// insert puts a cell into its place; most come in order.
func (sh *shape) insert(c cellOf) {
	i := len(sh.cells)
	for i > 0 && int64(sh.cells[i-1].sector) > int64(c.sector) {
		i--
	}
	if i > 0 && sh.cells[i-1].sector == c.sector {
		sh.cells[i-1].bytes |= c.bytes
		return
	}
	sh.cells = append(sh.cells, cellOf{})
	copy(sh.cells[i+1:], sh.cells[i:])
	sh.cells[i] = c
}

// join counts the cells and makes runs of them.
func (sh *shape) join() {
	sh.transactions = uint32(len(sh.cells))
	for i, c := range sh.cells {
		sh.unique += uint32(bits.OnesCount32(c.bytes))
		if n := len(sh.runs); n > 0 && c.sector == sh.cells[i-1].sector+1 && sh.runs[n-1]&traceRunMask != traceRunMask {
			sh.runs[n-1]++
		} else {
			sh.runs = append(sh.runs, c.sector<<traceRunBits)
		}
	}
}

// masks returns the bytes of the cells as a trace has them, two a word.
func (sh *shape) masks(in *tracedShape) []uint64 {
	if in.number != 0 {
		return nil // the shape in the trace has them
	}
	masks := make([]uint64, (len(sh.cells)+1)/2)
	for i, c := range sh.cells {
		masks[i/2] |= uint64(c.bytes) << (i % 2 * 32)
	}
	return masks
}
