package emulator

import (
	"strings"

	"hyptx/internal/texel"
	"hyptx/ir/isa"
)

// Surfaces in proofs: each thread's is the memory of its area for the instruction.

// surfaceValue draws the handle of a thread's surface, or a coordinate in it.
func (p *proof) surfaceValue(x *isa.Inst, g geometry, i, thread int) uint64 {
	offset := uint64(len(p.mem)) // of the area that comes next
	if i == 0 {
		format := p.r.IntN(len(surfaceFormats))
		switch {
		case strings.HasPrefix(x.Opcode, "sured.p"):
			format = p.r.IntN(2)
		case x.Type().Bytes() < 4 && strings.HasPrefix(x.Opcode, "sust.p"):
			format = p.r.IntN(4)
		}
		handle := proofSurfaces + offset + uint64(thread*areaBytes) + uint64(2*format)
		p.surfaces = append(p.surfaces, handle)
		p.rows = append(p.rows, surfaceOf(handle, x, g))
		return handle
	}
	of := p.rows[len(p.rows)-p.threads()+thread]
	lo, hi := 0, 1 // how far beyond an edge
	if strings.HasSuffix(x.Opcode, ".clamp") || strings.HasSuffix(x.Opcode, ".zero") {
		lo, hi = 2, 4
	}
	draw := func(n int64) uint64 { return uint64(uint32(int32(p.r.IntN(int(n)-1+lo+hi) - lo))) }
	if g.layered {
		if i == 1 {
			return uint64(p.r.IntN(int(of.Layers) - 1 + hi))
		}
		i--
	}
	if i > 1 {
		return draw(of.Size[min(i-1, 2)])
	}
	n, unit := accessBytes(x, of)
	return uint64(uint32(int32(draw(of.Size[0]*int64(of.Format.Bytes())/n)) * int32(n/unit)))
}

// accessBytes is how much an instruction moves, and of how many bytes its coordinate is
// the number.
func accessBytes(x *isa.Inst, of *texel.Texture) (n, unit int64) {
	n = int64(x.Type().Bytes() * max(int(x.Vec), 1))
	switch {
	case strings.HasPrefix(x.Opcode, "sust.p"):
		n = int64(of.Format.Bytes())
		return n, n
	case strings.HasPrefix(x.Opcode, "sured.p"):
		return n, n
	}
	return n, 1
}

// surfaceOf is the surface in the area that a handle names: rows of 32 bytes, of one
// dimension a single one.
func surfaceOf(handle uint64, x *isa.Inst, g geometry) *texel.Texture {
	n := handle - proofSurfaces
	if x.Op == isa.OpSuq {
		g = geometries[n/64%5]
	}
	t := &texel.Texture{Name: "surface", Base: proofMem + n&^63, Format: surfaceFormats[n%64/2], Dims: g.dims, Layered: g.layered, Layers: 1, Levels: 1, Samples: 1,
		Size: [3]int64{32, 1, 1}, Linear: n/64%2 == 0}
	switch {
	case g.layered:
		t.Layers = 2
	case g.dims == 1:
		t.Size[0] = 64
	default:
		t.Size[g.dims-1] = 2
	}
	t.Size[0] /= int64(t.Format.Bytes())
	return t
}
