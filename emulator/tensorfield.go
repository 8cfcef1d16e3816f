package emulator

import (
	"strings"

	"hyptx/emulator/internal/address"
	"hyptx/internal/tensormap"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// tensormap.replace changes a field of a tensor map where it lies (PTX ISA 9.7.10.29), and
// tensormap.cp_fenceproxy copies one from shared to global memory, as one step (9.7.15.17).
// Neither is asynchronous; they go the way of asynchronous work since a map has more bytes
// than a thread accesses at a time, and are waited for at once.

// tensorField is what tensormap.replace changes.
type tensorField struct {
	name  string
	ord   int
	value operand
	wide  bool
}

// buildReplace decodes tensormap.replace.tile.field [a]{, ord}, value.
func buildReplace(c *compiler, in *ir.Instr, i *inst) error {
	f := &tensorField{}
	for word := range strings.SplitSeq(in.Inst.Opcode, ".") {
		switch word {
		case "global_address", "rank", "box_dim", "global_dim", "global_stride", "element_stride",
			"elemtype", "interleave_layout", "swizzle_mode", "swizzle_atomicity", "fill_mode":
			f.name = word
		}
	}
	e := &access{field: f}
	for n := range in.Inst.Form.Operands {
		switch op := &in.Ops()[n]; in.Inst.Form.Operands[n].Name {
		case "a":
			c.access(in, e, op)
		case "ord":
			f.ord = int(op.Imm)
		case "value":
			f.wide = c.slotsOf(op) == 2
			f.value = c.source(in, n)
		}
	}
	i.mem, i.exec = e, execReplace
	return nil
}

func execReplace(w *warp, in *inst, m uint32) {
	f := in.mem.field
	addr := *w.addresses(in)
	w.worker.stores++
	for lane := range lanesOf(m) {
		a := w.begin(in, lane)
		tm := a.readMap(in.mem.space, addr[lane])
		v := uint64(w.slot(f.value)[lane])
		if f.wide {
			v = wide(w.slot(f.value))[lane]
		}
		a.wait()
		if err := tm.Replace(f.name, f.ord, v); err != nil {
			w.fail(in, 1<<lane, "%v", err)
		}
		b := tm.Pack()
		a.put128(in.mem.space, addr[lane], &b)
		a.wait()
	}
}

// put128 writes a tensor map.
func (a *asyncWork) put128(space isa.Space, addr uint64, b *[tensormap.Bytes]byte) {
	for off := uint64(0); off < tensormap.Bytes; off += chunk {
		value := a.value
		copy(a.old(space, addr+off, chunk), b[off:])
		a.wrote(space, addr+off, chunk)
		a.value = value
	}
}

// wait waits for the work, where that is a part of the instruction.
func (a *asyncWork) wait() {
	if a.follow {
		a.w.async.WaitBehind(a.lane, a.since)
		a.w.order.Acquire(1<<a.lane, a.w.async.Release(1<<a.lane))
	}
}

// buildCopyMap decodes tensormap.cp_fenceproxy [dst], [src], 128.
func buildCopyMap(c *compiler, in *ir.Instr, i *inst) error {
	e := &access{field: &tensorField{}}
	c.access(in, e, &in.Ops()[0])
	from := &asyncCopy{}
	from.location, _ = c.location(in, &in.Ops()[1])
	e.copies = from
	e.field.ord = int(in.Ops()[2].Imm)
	i.mem, i.exec = e, execCopyMap
	return nil
}

func execCopyMap(w *warp, in *inst, m uint32) {
	dst := *w.addresses(in)
	src := *w.addressesOf(&in.mem.copies.location)
	w.worker.stores++
	if n := in.mem.field.ord; n != tensormap.Bytes {
		w.fail(in, m, "a tensor map has %d bytes, not %d", tensormap.Bytes, n)
	}
	for lane := range lanesOf(m) {
		a := w.begin(in, lane)
		tm := a.readMap(isa.Shared, src[lane])
		b := tm.Pack()
		a.put128(isa.Global, dst[lane], &b)
		a.wait()
	}
}

// addressWindow is where the space of a variable lies among generic addresses.
func addressWindow(c *compiler, v *ir.Var) uint64 { return address.Window(v.Space, c.mod.AddressSize) }
