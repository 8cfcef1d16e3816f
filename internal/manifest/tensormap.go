package manifest

import (
	"encoding/json"
	"math"
)

// TensorMap holds the arguments of cuTensorMapEncodeTiled or, if Im2col is
// there, of cuTensorMapEncodeIm2col.
type TensorMap struct {
	Path, Name string
	Pointer    Pointer
	Type       Type
	// Dims, Box and ElementStrides in elements, innermost dimension first;
	// StridesBytes has one element less.
	Dims, StridesBytes, Box, ElementStrides []int64
	Interleave, Swizzle, L2Promotion, Fill  string
	Im2col                                  *Im2col

	raw json.RawMessage
}

// Im2col is the window of an im2col tensor map.
type Im2col struct {
	Lower, Upper     []int64
	Channels, Pixels int64
}

func (r *reader) tensorMapsOf(o object) {
	n := o.get("tensorMaps")
	if n == nil || !r.expect(n, "tensorMaps", objectNode) {
		return
	}
	for i, name := range n.keys {
		path := keyPath("tensorMaps", name)
		r.checkName(name, path)
		if t := r.tensorMap(n.list[i], path); t != nil {
			t.Name = name
			r.m.TensorMaps = append(r.m.TensorMaps, t)
		}
	}
}

func (r *reader) tensorMap(n *node, path string) *TensorMap {
	o, ok := r.object(n, path, "buffer", "offset", "type", "dims", "stridesBytes", "box", "elementStrides",
		"interleave", "swizzle", "l2Promotion", "fill", "im2col")
	if !ok {
		return nil
	}
	t := &TensorMap{Path: path, Pointer: Pointer{Buffer: o.bufferAt("buffer")},
		Interleave:  o.choice("interleave", "none", "16B", "32B"),
		Swizzle:     o.choice("swizzle", "none", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B"),
		L2Promotion: o.choice("l2Promotion", "none", "64B", "128B", "256B"),
		Fill:        o.choice("fill", "zero", "nan"), raw: n.raw(r.data)}
	t.Pointer.Offset, _ = o.offset()
	if o.need("type") != nil {
		t.Type, _ = o.dtype("type", NoType)
	}
	if t.Pointer.Buffer != nil && o.checkRange(t.Pointer.Buffer, t.Pointer.Offset, 0) && t.Pointer.Offset%16 != 0 {
		o.fail("offset", "must be a multiple of 16")
	}
	if o.need("dims") == nil {
		return t
	}
	// The ranges are those of cuTensorMapEncodeTiled (CUDA Driver API).
	if t.Dims = o.integers("dims", 1, 1<<32, -1); len(t.Dims) < 1 || len(t.Dims) > 5 {
		o.fail("dims", "must hold 1 to 5 numbers, not %d", len(t.Dims))
		return t
	}
	rank := len(t.Dims)
	t.StridesBytes = o.integers("stridesBytes", 16, 1<<40-1, rank-1)
	t.ElementStrides = o.integers("elementStrides", 1, 8, rank)
	im2col := o.get("im2col")
	if im2col == nil {
		o.need("box")
		t.Box = o.integers("box", 1, 256, rank)
		return t
	}
	if o.has("box") {
		o.fail("box", "does not go with \"im2col\"")
	}
	if i, ok := r.object(im2col, o.at("im2col"), "lower", "upper", "channels", "pixels"); ok {
		if rank < 3 {
			o.fail("im2col", "needs 3 to 5 dims, not %d", rank)
		}
		t.Im2col = &Im2col{Lower: i.integers("lower", math.MinInt16, math.MaxInt16, rank-2), Upper: i.integers("upper", math.MinInt16, math.MaxInt16, rank-2)}
		t.Im2col.Channels, _ = i.integer("channels", 1, 256, 1)
		t.Im2col.Pixels, _ = i.integer("pixels", 1, 1024, 1)
	}
	return t
}

// integers reads a list of count numbers (any count if it is negative), each
// in [low, high]; nil if the key is absent.
func (o object) integers(key string, low, high int64, count int) []int64 {
	if !o.has(key) {
		return nil
	}
	list := o.list(key)
	if count >= 0 && len(list) != count {
		o.fail(key, "must hold %d numbers, not %d", count, len(list))
		return nil
	}
	v := make([]int64, len(list))
	for i, n := range list {
		v[i], _ = o.r.integer(n, elementPath(o.at(key), i), low, high)
	}
	return v
}
