package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/abort"
	"hyptx/emulator/internal/address"
	"hyptx/internal/order"
	"hyptx/internal/slice"
	"hyptx/internal/ssa"
	"hyptx/internal/traffic"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// A bulk copy names a size, or a tensor map that describes a tile: what it accesses is no
// pattern of a warp's lanes, and often many kilobytes. Hopper's and Blackwell's products
// load all of their operands so, and how long they take is how soon these come.
//
// What bulk copies move of global memory is found by doing them: of each the stretches of
// it that it has read or written, once for all CTAs that a multicast gives them to. What
// they do to shared memory is no access of a warp, and passes over no banks that somebody
// counts.

// noSite says that nobody counts.
const noSite = -1

// bulkSite makes a site of an instruction that moves global memory in bulk, if it does
// and somebody counts.
func (c *compiler) bulkSite(in *ir.Instr, kind traffic.Kind, global bool) int32 {
	if !global || !c.prog.traffic || c.prog.onlyWrites || c.fn.ir.Library {
		return noSite
	}
	n := int32(len(c.prog.sites))
	c.prog.sites = append(c.prog.sites, site{Site: traffic.Site{PC: in.PC, Kind: kind, Size: 1, Past: true}, space: isa.Global, width: 1, leader: n})
	return n
}

// bulkKind returns what a bulk copy does to global memory.
func bulkKind(x *isa.Inst, reads bool) traffic.Kind {
	switch {
	case reads:
		return traffic.Load
	case x.Op == isa.OpCpReduceAsyncBulk || x.Op == isa.OpCpReduceAsyncBulkTensor || x.Op == isa.OpMultimemCpReduceAsyncBulk:
		return traffic.Reduce
	}
	return traffic.Store
}

// stretch notes bytes of global memory that the work has moved.
func (a *asyncWork) stretch(addr, bytes uint64) {
	c := a.w.worker.counting
	if c == nil || bytes == 0 {
		return
	}
	if k := len(c.stretches) - 1; k >= 0 && c.stretches[k].Addr+c.stretches[k].Bytes == addr {
		c.stretches[k].Bytes += bytes
		return
	}
	c.stretches = append(c.stretches, traffic.Stretch{Addr: addr, Bytes: bytes})
}

// count counts what was noted as one request of a site, of which an object hears, and
// whether the addresses, which come from where located says, are exact.
func (a *asyncWork) count(site int32, located order.Lanes, of traffic.Object) {
	c := a.w.worker.counting
	if c == nil {
		return
	}
	if site != noSite && len(c.stretches) > 0 {
		if located = located.And(1 << a.lane); !located.Exact() {
			for i := range order.Reasons {
				c.Counts.Inexact[i] += uint64(located.Any() >> i & 1)
			}
		}
		if err := c.Bulk(site, c.stretches, of, &a.w.moved); err != nil {
			abort.Throw(err)
		}
	}
	c.stretches = c.stretches[:0]
}

// barrierOf is the object that a copy tells of its bytes. That of a cluster's CTA hears of
// them by itself (tracepeer.go).
func (b *bulk) barrierOf(w *warp, addr uint64) traffic.Object {
	return traffic.Object{Addr: objectAt(isa.Shared, addr), Told: b.signals && !w.clustered()}
}

// stretches notes what a copy of bytes without a tensor map has moved of global memory.
func (b *bulk) stretches(a *asyncWork, dst, src, size uint64) {
	switch {
	case b.srcSpace == isa.Global && b.ignores:
		left, right := uint64(a.w.slot(b.left)[a.lane]), uint64(a.w.slot(b.right)[a.lane])
		if left+right < size {
			a.stretch(src+left, size-left-right)
		}
	case b.srcSpace == isa.Global:
		a.stretch(src, size)
	case b.dstSpace == isa.Global && b.masked:
		for off := uint64(0); off < size; off += chunk {
			for keep := a.w.slot(b.mask)[a.lane] & (1<<chunk - 1); keep != 0; {
				first := uint64(bits.TrailingZeros32(keep))
				n := uint64(bits.TrailingZeros32(^(keep >> first)))
				a.stretch(dst+off+first, n)
				keep &^= uint32(1<<(first+n) - 1<<first)
			}
		}
	case b.dstSpace == isa.Global:
		a.stretch(dst, size)
	}
}

// Where a slice needs of a copy only that an mbarrier hears of its bytes, and where they
// would go, it is not done, as long as all of it hits memory: what does not is found, and
// said, by doing it. Where nobody asks for traffic not even the places are known.

// need is what a slice needs of a copy.
type need uint8

const (
	needsBytes  need = iota
	needsPlaces      // and not the bytes
	needsTold        // nothing but how many bytes: where they lie nobody has found out
)

// bulkNeed returns what a slice, or all that there is, needs of a copy.
func (c *compiler) bulkNeed(in *ir.Instr, of *slice.Slice) need {
	switch {
	case of == nil || of.Value.Has(in.PC):
		return needsBytes
	case c.prog.traffic:
		return needsPlaces
	}
	return needsTold
}

// tracks reports whether what an instruction does depends on a register, as far as origins
// are followed: not on one that says where a copy goes of which only the bytes count.
func (c *compiler) tracks(in *ir.Instr, r ir.RegID) bool {
	if !in.Inst.Form.Bulk || c.bulkNeed(in, c.origins) != needsTold {
		return true
	}
	for told := range ssa.Telling(in) {
		if told == r {
			return true
		}
	}
	return false
}

// hits reports whether n bytes at an address could be copied piece by piece.
func (a *asyncWork) hits(space isa.Space, addr, n uint64, write bool) bool {
	if n == 0 {
		return true
	}
	space, addr = address.Resolve(space, addr)
	base, bytes := a.w.extent(a.in, space, addr)
	return addr%chunk == 0 && addr-base < bytes && n <= bytes-(addr-base) && !(write && readOnly(space))
}

// undone notes bytes that would have been written by a copy that is not done, as followUnseen
// does.
func (a *asyncWork) undone(space isa.Space, addr, n uint64) {
	if !a.follow || a.w.worker.counting == nil {
		return
	}
	w := a.w
	space, addr = address.Resolve(space, addr)
	if space == isa.Global {
		if b := w.bufferFor(a.in, addr); b == nil || !b.Watched {
			return
		}
	}
	why := w.worker.launch.log.Note(order.Unseen, uint32(a.in.pc))
	for off := uint64(0); off < n; off += chunk {
		if s, at := w.shadowAt(a.in, space, addr+off, min(chunk, n-off)); s != nil {
			s.Unseen(at, min(chunk, n-off), why)
		}
	}
}
