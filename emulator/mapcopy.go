package emulator

import (
	"math/bits"
	"strings"

	"hyptx/emulator/internal/atomics"
	"hyptx/emulator/internal/words"
	"hyptx/internal/tensormap"
	"hyptx/internal/traffic"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// cp.async.bulk.tensor and its like (PTX ISA 9.7.10.28.5) are bulk copies whose bytes a
// tensor map finds: a tile, four rows, or a column of pixels. Package tensormap says which
// rows of elements those are, and where swizzling puts them; what is outside of the tensor
// is filled when it is loaded, and left when it is stored. The mbarrier hears of all of the
// tile, the filled part of it, too.
//
// The map is read where it lies, when the copy is executed, since a kernel may have changed it
// (tensorfield.go). It says the type, the box and the strides; the text says only how many
// dimensions there are and in which way pixels are taken. So a copy is a list of rows, each
// of which is found, clipped and moved piece by piece; a reduction puts an operation
// in the place of the move.

// mapCopy is such a copy, or a reduction of global memory.
type mapCopy struct {
	tmap, at, bar location
	coords        []operand
	offsets       []operand // of im2col
	load, rows    bool      // rows: of gather4 and scatter4
	im2col        bool
	pair          bool // .cta_group::2
	ctas          operand
	multicast     bool
	sub           string // of a reduction
	given         overrides
	wide          bool // .im2col::w and its like
	every         int64
	reports       reporting
	site          int32 // of its traffic
	needs         need
}

// buildMapCopy decodes them: [dst], [map, {coordinates}], [mbar] ..., or [map,
// {coordinates}], [src].
func buildMapCopy(c *compiler, in *ir.Instr, i *inst) error {
	x := in.Inst
	t := &mapCopy{rows: strings.Contains(x.Opcode, ".tile::gather4") || strings.Contains(x.Opcode, ".tile::scatter4"), pair: named(x, "cta_group::2"), reports: reportingOf(x)}
	t.im2col, t.wide = strings.Contains(x.Opcode, ".im2col"), strings.Contains(x.Opcode, ".im2col::w") || strings.Contains(x.Opcode, ".im2col_no_offs::w")
	if strings.Contains(x.Opcode, ".im2col::w::128") {
		t.every = everyWide
	}
	if x.Op == isa.OpCpReduceAsyncBulkTensor {
		for _, word := range []string{"add", "min", "max", "inc", "dec", "and", "or", "xor"} {
			if strings.Contains(x.Opcode, "."+word+".") {
				t.sub = word
			}
		}
	}
	for n := range x.Form.Operands {
		op := &in.Ops()[n]
		if op.Kind == ir.NoOperand {
			continue
		}
		switch spec := &x.Form.Operands[n]; {
		case spec.Kind == isa.Brackets:
			t.tmap = c.genericLocation(in, &op.Elems()[0])
			t.coords = c.elements(in, &op.Elems()[len(op.Elems())-1])
			t.given = c.overrides(in, op.Elems()[1:len(op.Elems())-1])
		case spec.Name == "dst", spec.Name == "src":
			t.at, _ = c.location(in, op)
			t.load = spec.Name == "dst"
		case spec.Name == "mbar":
			t.bar, _ = c.location(in, op)
		case spec.Name == "offsets":
			t.offsets = c.elements(in, op)
		case spec.Name == "mask":
			t.ctas, t.multicast = c.source(in, n), true
		}
	}
	t.site = c.bulkSite(in, bulkKind(x, t.load), true)
	t.needs = c.bulkNeed(in, c.slice)
	i.mem, i.exec = &access{tensor: t, space: isa.Shared}, execMapCopy
	return nil
}

// genericLocation decodes an address that names no space: that of a variable is its
// generic one.
func (c *compiler) genericLocation(in *ir.Instr, op *ir.Operand) location {
	l, _ := c.location(in, op)
	if op.Var != nil && in.Inst.Space != isa.Generic {
		l.off += int64(addressWindow(c, op.Var))
	}
	return l
}

func execMapCopy(w *warp, in *inst, m uint32) {
	t := in.mem.tensor
	at := *w.addressesOf(&t.at)
	tmap := *w.addressesOf(&t.tmap)
	var bar [32]uint64
	if t.load {
		bar = *w.addressesOf(&t.bar)
	}
	w.worker.stores++
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		a := w.begin(in, lane)
		tm, ok := a.mapAt(isa.Generic, tmap[lane])
		if !ok {
			w.copyUnknown(a, t, at[lane], bar[lane])
			continue
		}
		if t.needs != needsTold {
			a.override(&t.given, &tm)
		}
		if err := tm.Check(); err != nil {
			w.fail(in, 1<<lane, "%v", err)
		}
		located := a.value
		if !t.multicast {
			n := a.moveMapped(t, &tm, at[lane])
			a.count(t.site, located, t.barrierOf(w, bar[lane]))
			if t.load {
				a.complete(isa.Shared, bar[lane], n)
				a.heard(isa.Shared, at[lane], bar[lane], 0)
			}
			continue
		}
		site := t.site
		for ctas := w.slot(t.ctas)[lane] & (1<<maxClusterCTAs - 1); ctas != 0; ctas &= ctas - 1 {
			rank := bits.TrailingZeros32(ctas)
			to := at[lane]
			if t.needs != needsTold {
				to = w.inCTA(in, lane, rank, isa.Shared, to)
			}
			n := a.moveMapped(t, &tm, to)
			a.count(site, located, t.barrierOf(w, bar[lane]))
			site = noSite // it is read once for all
			if t.pair {   // of each pair, the one whose parity is that of the barrier's
				rank = rank&^1 | int(w.rankAt(bar[lane])&1)
			}
			signal := w.inCTA(in, lane, rank, isa.Shared, bar[lane])
			a.complete(isa.Shared, signal, n)
			a.heard(isa.Shared, to, signal, 0)
		}
	}
	w.traceSent(in)
}

// barrierOf is the object that a load tells of its bytes, as of other bulk copies.
func (t *mapCopy) barrierOf(w *warp, addr uint64) traffic.Object {
	return traffic.Object{Addr: objectAt(isa.Shared, addr), Told: t.load && !w.clustered()}
}

// readMap reads a tensor map, which has to be there.
func (a *asyncWork) readMap(space isa.Space, addr uint64) tensormap.Map {
	m, ok := a.mapAt(space, addr)
	if !ok {
		a.w.fail(a.in, 1<<a.lane, "%v", tensormap.ErrNoMap)
	}
	return m
}

// mapAt reads a tensor map; ok is false where there is none and the launch forgives that.
func (a *asyncWork) mapAt(space isa.Space, addr uint64) (m tensormap.Map, ok bool) {
	if addr%64 != 0 {
		a.w.fail(a.in, 1<<a.lane, "a tensor map at %#x; its address must be a multiple of 64", addr)
	}
	var b [tensormap.Bytes]byte
	a.mapped = true
	defer func() { a.mapped = false }()
	for off := uint64(0); off < tensormap.Bytes; off += chunk {
		copy(b[off:], a.read(space, addr+off, chunk))
	}
	m, err := tensormap.Unpack(b[:])
	if err != nil && !a.w.worker.launch.Forgive {
		a.w.fail(a.in, 1<<a.lane, "%v", err)
	}
	return m, err == nil
}

// moveMapped moves what a map and coordinates describe, and returns how many bytes that is in
// shared memory.
func (a *asyncWork) moveMapped(t *mapCopy, m *tensormap.Map, to uint64) uint64 {
	var at [tensormap.Rank]int64
	for i, c := range t.coords {
		at[i] = int64(int32(a.w.slot(c)[a.lane]))
	}
	if t.needs == needsTold {
		to = 0
	}
	a.checkMapped(t, m, to)
	move := mapMove{a: a, t: t, m: m, to: to, size: m.Size()}
	if t.sub != "" {
		if move.reduce = reduction(t.sub, m.Type); move.reduce == nil {
			a.w.fail(a.in, 1<<a.lane, "tensor map: no .%s of elements of type number %d", t.sub, m.Type)
		}
		move.family = familyOn(t.sub, elementTypes[m.Type])
	}
	switch {
	case t.wide:
		a.column(t, at, &move)
	case t.im2col:
		var offsets [tensormap.Rank - 2]int64
		for i, o := range t.offsets {
			offsets[i] = int64(a.w.slot(o)[a.lane] & 0xffff)
		}
		m.Column(at, offsets, move.row)
	case t.rows:
		for k := range 4 {
			m.Tile([tensormap.Rank]int64{at[0], at[1+k]}, move.row)
		}
	default:
		m.Tile(at, move.row)
	}
	return move.to - to
}

// checkMapped fails where a map does not go with the instruction.
func (a *asyncWork) checkMapped(t *mapCopy, m *tensormap.Map, to uint64) {
	rank, row := len(t.coords), uint64(m.Box[0])*m.Size()
	if t.rows {
		rank = 2
	}
	if t.im2col {
		row = uint64(m.Channels) * m.Size()
	}
	fail := func(format string, args ...any) { a.w.fail(a.in, 1<<a.lane, "tensor map: "+format, args...) }
	switch {
	case m.Rank != rank:
		fail("%d dimensions, and the instruction has %d", m.Rank, rank)
	case m.Im2col != t.im2col:
		fail("it is for the other one of tiles and im2col")
	case t.rows && m.Box[1] != 1:
		fail("a box of %d rows; those that are gathered have one", m.Box[1])
	case row%chunk != 0:
		fail("a row of %d bytes; it must be a multiple of %d", row, chunk)
	case m.Swizzle != tensormap.NoSwizzle && row > m.Swizzle.Bytes():
		fail("a row of %d bytes; one that is swizzled has at most %d", row, m.Swizzle.Bytes())
	case to%128 != 0 && !(m.Swizzle == tensormap.NoSwizzle && to%chunk == 0):
		fail("shared address %#x; it must be a multiple of 128", to)
	}
}

// mapMove is a copy in progress: to is where in shared memory its next byte is, but for
// swizzling.
type mapMove struct {
	a      *asyncWork
	t      *mapCopy
	m      *tensormap.Map
	to     uint64
	size   uint64
	reduce atomics.Operation
	family uint16
	open   bool // what it moves is not sure
}

// row moves a row of elements, piece by piece of shared memory.
func (v *mapMove) row(r tensormap.Row) {
	if v.t.needs == needsTold {
		v.to += uint64(r.Elements) * v.size
		return
	}
	v.a.stretch(r.From+uint64(r.First)*v.size, uint64(r.Last-r.First)*v.size)
	if v.t.needs == needsPlaces && v.undone(&r) {
		return
	}
	piece := uint64(chunk)
	if v.m.Atom == tensormap.Atom32Flip8 {
		piece = 8
	}
	per := int64(piece / v.size)
	for k := int64(0); k < r.Elements; k += per {
		if v.t.load {
			v.load(&r, k, per, piece)
		} else {
			v.store(&r, k, per)
		}
		v.to += piece
	}
}

// undone goes on behind a row as if it had been moved, if all of it hits memory.
func (v *mapMove) undone(r *tensormap.Row) bool {
	a, shared := v.a, uint64(r.Elements)*v.size
	from, bytes := r.From+uint64(r.First)*v.size, uint64(r.Last-r.First)*v.size
	if shared%chunk != 0 || !a.hits(isa.Shared, v.to, shared, v.t.load) || bytes > 0 && !a.hits(isa.Global, from, bytes, !v.t.load) {
		return false
	}
	if v.t.load {
		a.undone(isa.Shared, v.to, shared)
	} else {
		a.undone(isa.Global, from, bytes)
	}
	v.to += shared
	return true
}

// load fills a piece of shared memory with n elements from number k on.
func (v *mapMove) load(r *tensormap.Row, k, n int64, piece uint64) {
	var b [chunk]byte
	for e := range n {
		into := b[uint64(e)*v.size:][:v.size]
		if i := k + e; i >= r.First && i < r.Last {
			copy(into, v.a.read(isa.Global, r.From+uint64(i)*v.size, v.size))
		} else if v.m.Fill != 0 {
			words.Put(into, nans[v.m.Type])
		}
	}
	if first, last := max(r.First-k, 0), min(r.Last-k, n); first < last {
		v.a.inspect(v.t.reports, b[uint64(first)*v.size:uint64(last)*v.size])
	}
	at := v.m.Place(v.to)
	copy(v.a.old(isa.Shared, at, piece), b[:piece])
	if v.open {
		v.a.doubt()
	}
	v.a.wrote(isa.Shared, at, piece)
}

// store writes, or reduces, those of n elements from number k on that are in the tensor.
func (v *mapMove) store(r *tensormap.Row, k, n int64) {
	for e := range n {
		i := k + e
		if i < r.First || i >= r.Last {
			continue
		}
		from := v.a.read(isa.Shared, v.m.Place(v.to)+uint64(e)*v.size, v.size)
		at := r.From + uint64(i)*v.size
		to := v.a.old(isa.Global, at, v.size)
		if v.reduce != nil {
			words.Put(to, v.reduce(words.Get(to), words.Get(from), 0))
			v.a.reduced(isa.Global, at, from, int(v.size), v.family)
			continue
		}
		copy(to, from)
		v.a.wrote(isa.Global, at, v.size)
	}
}

// nans are what is outside of a tensor where a map asks for NaN: the manual does not give
// the bits, so these are the canonical ones.
var nans = [...]uint64{tensormap.F16: 0x7fff, tensormap.BF16: 0x7fff, tensormap.F32: 0x7fffffff, tensormap.F64: 0x7fffffffffffffff}

// elementTypes are the types of a tensor's elements.
var elementTypes = [...]isa.Type{
	tensormap.U8: isa.B8, tensormap.U16: isa.U16, tensormap.U32: isa.U32, tensormap.S32: isa.S32, tensormap.U64: isa.U64, tensormap.S64: isa.S64,
	tensormap.F16: isa.F16, tensormap.F32: isa.F32, tensormap.F64: isa.F64, tensormap.BF16: isa.BF16,
}

// reduction returns what a reduction does to elements of a type, nil if there is none.
func reduction(sub string, t tensormap.Type) atomics.Operation {
	e := elementTypes[t]
	switch bits := e.Bits(); {
	case bits < 32 && !e.IsFloat(), e.IsFloat() && (sub != "add" && (sub != "min" && sub != "max" || bits > 16)),
		(sub == "inc" || sub == "dec") && e != isa.U32:
		return nil
	}
	return atomics.Of(sub, e, true)
}
