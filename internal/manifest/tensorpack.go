package manifest

import (
	"slices"

	"hyptx/internal/tensormap"
)

// tensorTypes are the types of elements as tensor maps know them: copies move bits, so
// that signs do not matter to those that have no number of their own.
var tensorTypes = [...]tensormap.Type{
	S8: tensormap.U8, U8: tensormap.U8, B8: tensormap.U8, S16: tensormap.U16, U16: tensormap.U16, B16: tensormap.U16,
	S32: tensormap.S32, U32: tensormap.U32, B32: tensormap.U32, S64: tensormap.S64, U64: tensormap.U64, B64: tensormap.U64,
	F16: tensormap.F16, BF16: tensormap.BF16, F32: tensormap.F32, F64: tensormap.F64,
}

// packedTypes are those of numbers of fewer than 8 bits, by their names in PTX.
var packedTypes = map[string]tensormap.Type{"b4x16": tensormap.B4, "b4x16_p64": tensormap.B4Padded, "b6x16_p32": tensormap.B6Padded}

// Map returns the object that a kernel gets for a tensor map.
func (t *TensorMap) Map() *tensormap.Map {
	m := &tensormap.Map{Address: t.Pointer.Address(), Type: t.Elements, Rank: len(t.Dims), Im2col: t.Im2col != nil}
	for i := range tensormap.Rank {
		m.Dims[i], m.Box[i], m.Steps[i] = 1, 1, 1
	}
	m.Strides[0] = m.Size()
	for i, n := range t.Dims {
		m.Dims[i] = uint64(n)
		if i > 0 && i <= len(t.StridesBytes) {
			m.Strides[i] = uint64(t.StridesBytes[i-1])
		}
	}
	for i, n := range t.Box {
		m.Box[i] = uint32(n)
	}
	for i, n := range t.ElementStrides {
		m.Steps[i] = uint32(n)
	}
	m.Interleave = uint8(slices.Index(interleaves, t.Interleave))
	if t.Fill == "nan" {
		m.Fill = 1
	}
	i := slices.Index(swizzles, t.Swizzle)
	m.Swizzle, m.Atom = tensormap.Swizzle(min(i, int(tensormap.Swizzle128))), tensormap.Atom(max(i-int(tensormap.Swizzle128), 0))
	if c := t.Im2col; c != nil {
		m.Channels, m.Pixels = uint32(c.Channels), uint32(c.Pixels)
		for i := range c.Lower {
			m.Lower[i], m.Upper[i] = int16(c.Lower[i]), int16(c.Upper[i])
		}
	}
	return m
}

// The choices of a tensor map, the default first; the atoms of 128B follow it in their
// order.
var (
	interleaves = []string{"none", "16B", "32B"}
	swizzles    = []string{"none", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B"}
)

// tensorMap puts a tensor map in place.
func (p *packer) tensorMap(a *Arg, bytes, at int) {
	if bytes != tensormap.Bytes {
		p.Fail(a.Path, "a tensor map of %d bytes for %d", tensormap.Bytes, bytes)
		return
	}
	i := slices.IndexFunc(p.m.TensorMaps, func(t *TensorMap) bool { return t.Name == a.Name })
	b := p.m.TensorMaps[i].Map().Pack()
	copy(p.block.Data[at:], b[:])
}
