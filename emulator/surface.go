package emulator

import (
	"slices"

	"hyptx/emulator/internal/atomics"
	"hyptx/emulator/internal/words"
	"hyptx/internal/texel"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// suld, sust and sured access surfaces, lane by lane (PTX ISA 9.7.13): bytes at a byte of
// a row, or, formatted, whole elements. A surface is memory like any other: what one
// kernel stores there the next one loads, whichever way.

// surfaceAccess is what an access of a surface is beside its handle and place.
type surfaceAccess struct {
	beyond texel.Beyond
	// formatted: the place counts elements, or data of width bytes where they are reduced.
	formatted bool
	elems     []operand // that are loaded or stored
	width     int       // of each in bytes
	regBits   int
	// update is what sured does with unsigned numbers and with signed ones, where the
	// surface decides.
	update [2]atomics.Operation
}

var beyondWords = []string{"trap", "clamp", "zero"}

// buildSurface decodes suld d, [a, b], sust [a, b], c and sured [a, b], c. Without a mode
// an access beyond the edges traps: the only mode that there once was.
func buildSurface(c *compiler, in *ir.Instr, i *inst) error {
	t, spelled := c.object(in, isa.SurfRef)
	s := &surfaceAccess{width: in.Inst.Type().Bytes(), formatted: spelled[1] == "p"}
	t.surface = s
	for n, word := range beyondWords {
		if slices.Contains(spelled, word) {
			s.beyond = texel.Beyond(n)
		}
	}
	i.mem, i.width = &access{space: isa.Global, texture: t}, uint8(s.width)
	switch in.Inst.Op {
	case isa.OpSuld:
		s.elems, s.regBits, i.exec = c.destinations(&in.Ops()[0]), c.elementBits(&in.Ops()[0]), execSurfaceLoad
		return nil
	case isa.OpSured:
		s.update, i.exec = surfaceUpdates(spelled[2], in.Inst.Type()), execSurfaceUpdate
	case isa.OpSust:
		i.exec = execSurfaceStore
	}
	s.elems, s.regBits = c.elements(in, &in.Ops()[1]), c.elementBits(&in.Ops()[1])
	return nil
}

// surfaceUpdates are the operations for a type; one of bits takes its sign from the
// surface (PTX ISA 9.7.13.3).
func surfaceUpdates(word string, t isa.Type) (u [2]atomics.Operation) {
	types := [2]isa.Type{t, t}
	switch t {
	case isa.B32:
		types = [2]isa.Type{isa.U32, isa.S32}
	case isa.B64:
		types = [2]isa.Type{isa.U64, isa.S64}
	}
	for i := range u {
		u[i] = atomics.Of(word, types[i], false)
	}
	return u
}

// surfacePlace returns what a lane accesses: a surface, and so many bytes at a place in
// it; outside says that they lie beyond an edge where the mode is .zero, or in a surface
// that nobody gave.
func (w *warp) surfacePlace(in *inst, lane int) (of *texel.Texture, at, bytes uint64, outside bool) {
	t, s := in.mem.texture, in.mem.texture.surface
	if of = w.expect(in, lane, w.handleOf(&t.handle, lane), isa.SurfRef).texture; of.Assumed {
		return of, 0, 0, true
	}
	// A cube is a surface of its faces.
	if of.Dims != t.dims || (of.Layered || of.Cube) != t.layered || of.Multisampled {
		w.fail(in, 1<<lane, "%s is no surface of .%s", of.Name, t.name)
	}
	n, scale := int64(s.width*len(s.elems)), int64(1)
	switch {
	case s.formatted && s.update[0] == nil:
		n = int64(of.Format.Bytes())
		scale = n
	case s.formatted:
		scale = n
	}
	place, layer := t.place, uint32(0)
	if t.layered {
		layer, place = w.slot(place[0])[lane], place[1:]
	}
	var where [3]int64
	for d := 1; d < t.dims; d++ {
		where[d] = int64(int32(w.slot(place[d])[lane]))
	}
	x := int64(int32(w.slot(place[0])[lane])) * scale
	offset, outside := of.Surface(x, where, layer, n)
	switch row := of.Size[0] * int64(of.Format.Bytes()); {
	case n > row && s.beyond == texel.BeyondClamps:
		w.fail(in, 1<<lane, "%d bytes are more than the %d of a row of surface %s", n, row, of.Name)
	case outside && s.beyond == texel.BeyondTraps:
		w.fail(in, 1<<lane, "%d bytes at byte %d of row %d, slice %d, layer %d lie outside of surface %s", n, x, where[1], where[2], layer, of.Name)
	case outside && s.beyond == texel.BeyondClamps:
		outside = false
	case x%n != 0:
		w.fail(in, 1<<lane, "misaligned: %d bytes at byte %d of a row of surface %s; they must be at a multiple of %d", n, x, of.Name, n)
	}
	return of, of.Base + uint64(offset), uint64(n), outside
}

func execSurfaceLoad(w *warp, in *inst, m uint32) {
	s := in.mem.texture.surface
	for lane := range lanesOf(m) {
		_, at, _, outside := w.surfacePlace(in, lane)
		for i, d := range s.elems {
			if d.off < 0 {
				continue
			}
			value := uint64(0)
			if !outside {
				value = w.surfaceWord(in, lane, at+uint64(i*s.width), s.width)
			}
			setReg(s.regBits, false, w.slot(d), lane, value)
		}
	}
}

func execSurfaceStore(w *warp, in *inst, m uint32) {
	w.worker.stores++
	s := in.mem.texture.surface
	for lane := range lanesOf(m) {
		of, at, n, outside := w.surfacePlace(in, lane)
		switch {
		case outside:
		case s.formatted:
			w.storeFormatted(in, lane, of, w.bytesAt(in, lane, isa.Global, at, int(n), true))
		default:
			for i, e := range s.elems {
				w.putSurfaceWord(in, lane, at+uint64(i*s.width), s.width, w.given(s, e, lane))
			}
		}
	}
}

// given returns what a lane stores from a register, which may be wider.
func (w *warp) given(s *surfaceAccess, o operand, lane int) uint64 {
	if s.regBits == 64 {
		return wide(w.slot(o))[lane] & (1<<(8*s.width) - 1)
	}
	return w.laneValue(o, lane, s.width)
}

// storeFormatted converts what a lane gives to an element.
func (w *warp) storeFormatted(in *inst, lane int, of *texel.Texture, to []byte) {
	s := in.mem.texture.surface
	if s.width < 4 && of.Real() {
		w.fail(in, 1<<lane, "what %d bits are in the format of surface %s is open", 8*s.width, of.Name)
	}
	var given [4]uint32
	for i, e := range s.elems {
		given[i] = uint32(w.given(s, e, lane))
		if of.Kind == texel.Signed && s.width < 4 {
			unused := 32 - 8*s.width
			given[i] = uint32(int32(given[i]<<unused) >> unused)
		}
	}
	of.Encode(to, given[:len(s.elems)])
}

func execSurfaceUpdate(w *warp, in *inst, m uint32) {
	s := in.mem.texture.surface
	for lane := range lanesOf(m) {
		of, at, _, outside := w.surfacePlace(in, lane)
		if outside {
			continue
		}
		if s.formatted && of.Real() {
			w.fail(in, 1<<lane, "surface %s holds no integers", of.Name)
		}
		old := w.surfaceWord(in, lane, at, s.width)
		if value := s.update[one(of.Kind == texel.Signed)](old, w.given(s, s.elems[0], lane), 0); value != old {
			w.putSurfaceWord(in, lane, at, s.width, value)
			w.worker.stores++
		}
	}
}

// granule is the largest power of two, up to 8, by which n bytes at an address can be
// accessed: rows of a surface follow each other, and need not be aligned as an access is.
func granule(at, n uint64) int {
	g := min(n, 8)
	for at%g != 0 {
		g /= 2
	}
	return int(g)
}

// surfaceWord reads a number of so many bytes.
func (w *warp) surfaceWord(in *inst, lane int, at uint64, width int) (v uint64) {
	g := granule(at, uint64(width))
	for k := 0; k < width; k += g {
		v |= words.Get(w.bytesAt(in, lane, isa.Global, at+uint64(k), g, false)) << (8 * k)
	}
	return v
}

// putSurfaceWord writes one.
func (w *warp) putSurfaceWord(in *inst, lane int, at uint64, width int, v uint64) {
	g := granule(at, uint64(width))
	for k := 0; k < width; k += g {
		words.Put(w.bytesAt(in, lane, isa.Global, at+uint64(k), g, true), v>>(8*k))
	}
}
