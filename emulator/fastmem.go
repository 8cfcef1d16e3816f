package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/lanes"
	"hyptx/emulator/internal/pages"
	"hyptx/emulator/internal/words"
	"hyptx/ir/isa"
)

// Loads and stores go four ways, and the first that takes an access does all of
// it: loads that were counted, so that all is known of their addresses (gather);
// loads of a full warp whose halves are regular (loadRegular); words of lanes
// anywhere in one buffer, or in shared or constant memory (fast); and lane by lane,
// with every check (access.go). What the first three do with bytes is package words';
// what stands here is which memory that is. They refuse whatever is not plain
// and know no fault: the general way comes to it and names the lane.
//
// For example ld.global.f32 by a warp at 32 addresses in a row: the base register
// shows two halves of stride 4, each half is one copy of 64 bytes out of a page.
// With one lane masked off, or the rows of a transposed matrix, it is 32 copies
// of 4 bytes, but one search for the buffer. An ld.u8 goes lane by lane.

// maxVector is the number of elements of the longest vector, .v8 (PTX ISA 5.4.2).
const maxVector = 8

// fast does an access of words; store says which way.
func (w *warp) fast(in *inst, m uint32, addr *[lanes.Width]uint64, store bool) bool {
	space := in.mem.space
	if !in.mem.words || space == isa.Generic && !allGlobal(m, addr) {
		return false
	}
	var room [maxVector]*lanes.Slot
	regs := room[:len(in.mem.elems)]
	for i := range regs {
		regs[i] = w.slot(in.mem.elems[i])
	}
	switch space {
	case isa.Global, isa.Generic:
		b := w.bufferFor(in, addr[bits.TrailingZeros32(m)&31])
		switch {
		case b == nil:
			return false
		case store:
			return words.StorePaged(b.table, b.Base, m, addr, regs)
		}
		return words.LoadPaged(b.table, b.Base, m, addr, regs)
	case isa.Shared:
		if store {
			return words.Store(w.cta.shared, m, addr, regs)
		}
		return words.Load(w.cta.shared, m, addr, regs)
	case isa.Const:
		return !store && words.Load(w.worker.launch.module.constants, m, addr, regs)
	}
	return false
}

// allGlobal reports whether the generic addresses of all lanes are global.
func allGlobal(m uint32, addr *[lanes.Width]uint64) bool {
	for rest := m; rest != 0; rest &= rest - 1 {
		if space, _ := address.Resolve(isa.Generic, addr[bits.TrailingZeros32(rest)&31]); space != isa.Global {
			return false
		}
	}
	return true
}

// loadRegular loads words for a full warp each half of which reads one word, or
// words that follow each other. It looks at the address register, before any
// lane's address is computed, and reports false for anything but plain loads
// within one page of a buffer or within shared or constant memory.
func (w *warp) loadRegular(in *inst) bool {
	e := in.mem
	n := uint64(4 * len(e.elems))
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
	var mem [2][]byte
	for k := range h {
		first := h[k].First + uint64(e.off)
		if !e.base64 {
			first = uint64(uint32(first))
		}
		// Nothing is written before both are known: the register may be that of the address,
		// and the ways that come after this one read it again.
		if mem[k] = w.stretch(in, first, h[k].Stride*(words.HalfLanes-1)+n, n); mem[k] == nil {
			return false
		}
	}
	for k := range h {
		for v, o := range e.elems {
			d := (*[words.HalfLanes]uint32)(w.slot(o)[k*words.HalfLanes:])
			words.LoadHalf(d, mem[k][4*v:], h[k].Stride)
		}
	}
	return true
}

// gather loads words for the lanes of m, which counting has found to hit memory at
// addresses that are known.
func (w *warp) gather(in *inst, m uint32, r request) bool {
	if r.p == nil {
		return false
	}
	var g words.Gather
	if g.Distances = r.p.Distances(); g.Distances == nil {
		return false
	}
	g.Lanes, g.All, g.Low, g.High = m, w.covers(m), r.p.Low, r.p.High
	g.Steps = r.p.Steps()
	var room [maxVector]*lanes.Slot
	regs := room[:in.vec]
	if regs[0] = w.slot(in.d); len(regs) > 1 {
		for i := range regs {
			regs[i] = w.slot(in.mem.elems[i])
		}
	}
	switch r.space {
	case isa.Global:
		b := w.bufferFor(in, r.addr)
		return g.FromPages(b.table, r.addr-b.Base, regs)
	case isa.Shared:
		c, at := w.sharedOf(r.addr)
		g.From(c.shared[at+uint64(g.Low):], regs)
		return true
	}
	return false
}

// stretch says for most loads of a kernel what bytesAt says for one lane: it
// returns the memory of bytes addresses from first on, nil unless it
// lies within shared or constant memory or one page of a buffer and first is a multiple
// of align, a power of two.
func (w *warp) stretch(in *inst, first, bytes, align uint64) []byte {
	if first&(align-1) != 0 {
		return nil
	}
	space := in.mem.space
	if space == isa.Generic {
		if space, _ = address.Resolve(space, first); space != isa.Global {
			return nil
		}
	}
	switch space {
	case isa.Shared, isa.Const:
		mem := w.cta.shared
		if space == isa.Const {
			mem = w.worker.launch.module.constants
		}
		if end := first + bytes; end <= uint64(len(mem)) && first < end {
			return mem[first:end]
		}
	case isa.Global:
		b := w.bufferFor(in, first)
		if b == nil {
			return nil
		}
		off := first - b.Base
		if off+bytes > uint64(b.Bytes) || off&pages.Mask+bytes > pages.Bytes {
			return nil
		}
		return b.table.At(off)[off&pages.Mask:][:bytes]
	}
	return nil
}
