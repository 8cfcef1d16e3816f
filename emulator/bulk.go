package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/atomics"
	"hyptx/emulator/internal/mbarrier"
	"hyptx/emulator/internal/words"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Bulk copies (PTX ISA 9.7.10.28.4): one thread asks for many bytes, which go on by
// themselves. Here they are done at once, which is one of the moments that the manual
// allows; who looks at them before he has waited finds an origin that says so
// (originasync.go). When they are done, either an mbarrier hears of the bytes, or the
// thread's group of bulk copies does, for which it waits. With .multicast each CTA of
// the mask gets the bytes, at the same place of its shared memory, and hears of them.

// bulk is a copy, or a reduction of each element of the destination by one of the source.
type bulk struct {
	dst, src, bar      location
	dstSpace, srcSpace isa.Space
	signals, grouped   bool // an mbarrier, a group
	size               operand
	ctas               operand // of .multicast
	multicast          bool
	mask               operand // of .cp_mask: which bytes of 16
	masked             bool
	left, right        operand // of .ignore_oob: bytes of the source that may be none
	ignores            bool
	reduce             atomics.Operation
	element            int // bytes
	reports            reporting
	family             uint16
	site               int32 // of its traffic in global memory
	needs              need
}

// chunk is the unit of bulk copies.
const chunk = 16

// buildBulk decodes cp.async.bulk and cp.reduce.async.bulk, of multimem or not: on one
// device a multimem address stands for itself.
func buildBulk(c *compiler, in *ir.Instr, i *inst) error {
	x := in.Inst
	b := &bulk{dstSpace: shared(x.Space), srcSpace: shared(x.Space2), reports: reportingOf(x)}
	for n := range x.Form.Operands {
		op := &in.Ops()[n]
		if op.Kind == ir.NoOperand {
			continue
		}
		switch x.Form.Operands[n].Name {
		case "dst":
			b.dst, _ = c.location(in, op)
		case "src":
			b.src, _ = c.location(in, op)
		case "mbar":
			b.bar, _ = c.location(in, op)
			b.signals = true
		case "size":
			b.size = c.source(in, n)
		case "left":
			b.left, b.ignores = c.source(in, n), true
		case "right":
			b.right = c.source(in, n)
		case "mask":
			if b.masked = b.dstSpace == isa.Global; b.masked {
				b.mask = c.source(in, n)
			} else {
				b.ctas, b.multicast = c.source(in, n), true
			}
		}
	}
	b.grouped = !b.signals
	if err := c.bulkReduction(in, b); err != nil {
		return err
	}
	b.site = c.bulkSite(in, bulkKind(x, b.srcSpace == isa.Global), b.srcSpace == isa.Global || b.dstSpace == isa.Global)
	b.needs = c.bulkNeed(in, c.slice)
	i.mem, i.width, i.exec = &access{bulk: b, space: b.dstSpace}, uint8(b.element), execBulk
	return nil
}

// bulkReduction finds what a reduction does to each element.
func (c *compiler) bulkReduction(in *ir.Instr, b *bulk) error {
	sub := in.Inst.Sub.String()
	if sub == "" {
		return nil
	}
	t := in.Inst.Type()
	if b.element = t.Bytes(); t == isa.F16 || t == isa.BF16 || b.dstSpace == isa.Shared || !in.Inst.Has(isa.ModNoftz) {
		b.reduce = atomics.Of(sub, t, true)
	} else {
		b.reduce = atomics.Of(sub, t, false)
	}
	b.family = familyOf(in.Inst)
	if b.reduce == nil {
		return c.unsupported(in, "this operation on this type")
	}
	return nil
}

// shared is the space as accesses know it.
func shared(s isa.Space) isa.Space {
	if s == isa.SharedCluster {
		return isa.Shared
	}
	return s
}

func execBulk(w *warp, in *inst, m uint32) {
	b := in.mem.bulk
	dst := *w.addressesOf(&b.dst)
	src := *w.addressesOf(&b.src)
	var bar [32]uint64
	if b.signals {
		bar = *w.addressesOf(&b.bar)
	}
	w.worker.stores++
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		size := uint64(w.slot(b.size)[lane])
		if size%chunk != 0 {
			w.fail(in, 1<<lane, "a bulk copy of %d bytes; they must be a multiple of %d", size, chunk)
		}
		a := w.begin(in, lane)
		if b.multicast {
			w.bulkCopies(a, b, dst[lane], src[lane], size, bar[lane])
			continue
		}
		switch {
		case b.needs == needsTold:
		case b.ignores:
			a.copyWithin(b, dst[lane], src[lane], size)
		default:
			w.bulkCopy(a, b, dst[lane], src[lane], size)
		}
		b.stretches(a, dst[lane], src[lane], size)
		a.count(b.site, a.from, b.barrierOf(w, bar[lane]))
		a.end(b, dst[lane], bar[lane], size)
	}
	w.traceSent(in)
}

// bulkCopies is bulkCopy to each CTA of a multicast, which is read once for all.
func (w *warp) bulkCopies(a *asyncWork, b *bulk, dst, src, size, bar uint64) {
	site := b.site
	for ctas := w.slot(b.ctas)[a.lane] & (1<<maxClusterCTAs - 1); ctas != 0; ctas &= ctas - 1 {
		rank, to := bits.TrailingZeros32(ctas), dst
		if b.needs != needsTold {
			to = w.inCTA(a.in, a.lane, rank, b.dstSpace, dst)
			w.bulkCopy(a, b, to, src, size)
		}
		b.stretches(a, dst, src, size)
		a.count(site, a.from, b.barrierOf(w, bar))
		site = noSite
		a.end(b, to, w.inCTA(a.in, a.lane, rank, b.dstSpace, bar), size)
	}
}

// bulkCopy copies size bytes, or reduces by them.
func (w *warp) bulkCopy(a *asyncWork, b *bulk, dst, src, size uint64) {
	if b.needs == needsPlaces && a.hits(b.srcSpace, src, size, false) && a.hits(b.dstSpace, dst, size, true) {
		a.undone(b.dstSpace, dst, size)
		return
	}
	keep := uint32(1<<chunk - 1)
	if b.masked {
		keep = w.slot(b.mask)[a.lane]
	}
	for off := uint64(0); off < size; off += chunk {
		from := a.read(b.srcSpace, src+off, chunk)
		a.inspect(b.reports, from)
		to := a.old(b.dstSpace, dst+off, chunk)
		switch {
		case b.reduce != nil:
			for k := 0; k < chunk; k += b.element {
				v := b.reduce(words.Get(to[k:][:b.element]), words.Get(from[k:][:b.element]), 0)
				words.Put(to[k:][:b.element], v)
			}
		case keep == 1<<chunk-1:
			copy(to, from)
		default:
			for k := range to {
				if keep>>k&1 != 0 {
					to[k] = from[k]
				}
			}
		}
		if b.reduce != nil {
			a.reduced(b.dstSpace, dst+off, from, b.element, b.family)
		} else {
			a.wrote(b.dstSpace, dst+off, chunk)
		}
	}
}

// end signals that n bytes have come: to the mbarrier, or to nobody until the group of the
// thread is waited for.
func (a *asyncWork) end(b *bulk, dst, bar, n uint64) {
	if !b.signals {
		return
	}
	a.complete(isa.Shared, bar, n)
	if b.srcSpace == isa.Global {
		n = 0 // which the L2 sends
	}
	a.heard(b.dstSpace, dst, bar, n)
}

// complete performs complete-tx of n bytes on an mbarrier object.
func (a *asyncWork) complete(space isa.Space, addr, n uint64) {
	mem := a.w.bytesAt(a.in, a.lane, space, addr, 8, true)
	old := words.Get(mem)
	a.keep(space, addr, 8)
	object := mbarrier.Unpack(old)
	a.reportOn(&object)
	if wrong := object.Update(mbarrier.CompleteTx, int64(n)); wrong != "" {
		a.w.fail(a.in, 1<<a.lane, "%s", wrong)
	}
	words.Put(mem, object.Pack())
	if a.w.worker.prog.states {
		a.w.countPhase(space, addr, old, &object, false)
	}
	a.signalled(space, addr, mbarrier.Unpack(old), object)
}
