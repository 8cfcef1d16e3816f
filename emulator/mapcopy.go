package emulator

import (
	"math/bits"
	"strings"

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

// moveMapped moves what a map and coordinates describe, and returns how many bytes that is, as an
// mbarrier counts them.
func (a *asyncWork) moveMapped(t *mapCopy, m *tensormap.Map, to uint64) uint64 {
	var at [tensormap.Rank]int64
	for i, c := range t.coords {
		at[i] = int64(int32(a.w.slot(c)[a.lane]))
	}
	if t.needs == needsTold {
		to = 0
	}
	a.checkMapped(t, m, to)
	unit := m.Unit()
	if at[0]%m.Whole() != 0 {
		a.w.fail(a.in, 1<<a.lane, "tensor map: the first coordinate is %d; it must be a multiple of %d", at[0], m.Whole())
	}
	inUnits := m.InUnits()
	m, at[0] = &inUnits, at[0]/unit.Numbers
	move := mapMove{a: a, t: t, m: m, to: to, size: unit.Packed, wide: unit.Padded}
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
	return (move.to - to) / unit.Padded * unit.Packed // an mbarrier hears of no padding (CUTLASS counts so)
}

// checkMapped fails where a map does not go with the instruction.
func (a *asyncWork) checkMapped(t *mapCopy, m *tensormap.Map, to uint64) {
	unit := m.Unit()
	rank, row := len(t.coords), uint64(m.Box[0])/uint64(unit.Numbers)*unit.Padded
	if t.rows {
		rank = 2
	}
	if t.im2col {
		row = uint64(m.Channels) / uint64(unit.Numbers) * unit.Padded
	}
	fail := func(format string, args ...any) { a.w.fail(a.in, 1<<a.lane, "tensor map: "+format, args...) }
	switch {
	case unit.Padded > unit.Packed && !t.load && m.Type != tensormap.B6Padded:
		fail("nothing is stored of numbers of 4 bits with padding")
	case unit.Numbers > 1 && t.reports != reporting{}:
		fail("there is no report of numbers of fewer than 8 bits")
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
