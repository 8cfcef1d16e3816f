package manifest

import (
	"math"

	"hyptx/internal/strictjson"
	"hyptx/internal/tensormap"
)

// TensorMap holds the arguments of cuTensorMapEncodeTiled or, if Im2col is
// there, of cuTensorMapEncodeIm2col.
type TensorMap struct {
	Path, Name string
	Pointer    Pointer
	// Elements are as tensor maps know them, Fraction says that they are numbers with a point.
	Elements tensormap.Type
	Fraction bool
	// Dims, Box and ElementStrides in elements, innermost dimension first;
	// StridesBytes has one element less.
	Dims, StridesBytes, Box, ElementStrides []int64
	Interleave, Swizzle, L2Promotion, Fill  string
	Im2col                                  *Im2col
}

// Im2col is the window of an im2col tensor map; its corners may be those of the width alone,
// as cuTensorMapEncodeIm2colWide gets them.
type Im2col struct {
	Lower, Upper     []int64
	Channels, Pixels int64
}

func (r *reader) tensorMapsOf(o object) {
	for _, e := range o.entries("tensorMaps") {
		if t := r.tensorMap(e.node, e.path); t != nil {
			t.Name = e.name
			r.m.TensorMaps = append(r.m.TensorMaps, t)
		}
	}
}

func (r *reader) tensorMap(n *strictjson.Node, path string) *TensorMap {
	o, ok := r.object(n, path, "buffer", "offset", "type", "dims", "stridesBytes", "box", "elementStrides",
		"interleave", "swizzle", "l2Promotion", "fill", "im2col")
	if !ok {
		return nil
	}
	t := &TensorMap{Path: path, Pointer: Pointer{Buffer: o.buffer()},
		Interleave:  o.Choice("interleave", interleaves...),
		Swizzle:     o.Choice("swizzle", swizzles...),
		L2Promotion: o.Choice("l2Promotion", "none", "64B", "128B", "256B"),
		Fill:        o.Choice("fill", "zero", "nan")}
	t.Pointer.Offset = o.offset()
	typed := o.Need("type") != nil && t.elements(o)
	r.checkRange(o.Path, t.Pointer, 0)
	if t.Pointer.Offset%16 != 0 {
		o.Fail("offset", "must be a multiple of 16")
	}
	if o.Need("dims") == nil {
		return t
	}
	// The ranges are those of cuTensorMapEncodeTiled (CUDA Driver API).
	if t.Dims = o.Integers("dims", 1, 1<<32, -1); len(t.Dims) < 1 || len(t.Dims) > 5 {
		o.Fail("dims", "must hold 1 to 5 numbers, not %d", len(t.Dims))
		return t
	}
	rank := len(t.Dims)
	if rank > 1 && o.Need("stridesBytes") != nil {
		t.StridesBytes = o.Integers("stridesBytes", 16, 1<<40-1, rank-1)
	}
	for i, n := range t.StridesBytes {
		if n%16 != 0 {
			r.Fail(strictjson.ElementPath(o.At("stridesBytes"), i), "%d must be a multiple of 16", n)
		}
	}
	if t.Fill == "nan" && typed && !t.Fraction {
		o.Fail("fill", "nan is for numbers with a point, not %s", o.Get("type").Text)
	}
	t.ElementStrides = o.Integers("elementStrides", 1, 8, rank)
	im2col := o.Get("im2col")
	if im2col == nil {
		o.Need("box")
		t.Box = o.Integers("box", 1, 256, rank)
		return t
	}
	if o.Has("box") {
		o.Fail("box", "does not go with \"im2col\"")
	}
	t.Im2col = r.im2col(im2col, o.At("im2col"), rank)
	return t
}

// elements reads the type; it is false where it is wrong.
func (t *TensorMap) elements(o object) bool {
	if n := o.Get("type"); n.Kind == strictjson.String {
		if packed, ok := packedTypes[n.Text]; ok {
			t.Elements = packed
			return true
		}
	}
	of := o.dtype("type", NoType)
	if of != NoType {
		t.Elements, t.Fraction = tensorTypes[of], of.IsFloat()
	}
	return of != NoType
}

// im2col reads the corners and columns of a map in the mode im2col (PTX ISA 5.5.5); nil if they are none.
func (r *reader) im2col(n *strictjson.Node, path string, rank int) *Im2col {
	o, ok := r.object(n, path, "lower", "upper", "channels", "pixels")
	if !ok {
		return nil
	}
	if rank < 3 {
		r.Fail(path, "needs 3 to 5 dims, not %d", rank)
	}
	c := &Im2col{
		Lower: o.Integers("lower", math.MinInt16, math.MaxInt16, -1), Upper: o.Integers("upper", math.MinInt16, math.MaxInt16, -1),
		Channels: o.Integer("channels", 1, 256, 1), Pixels: o.Integer("pixels", 1, 1024, 1),
	}
	for name, corner := range map[string][]int64{"lower": c.Lower, "upper": c.Upper} {
		if n := len(corner); n != rank-2 && n != 1 && rank >= 3 {
			o.Fail(name, "must hold %d numbers, or that of the width alone, not %d", rank-2, n)
		}
	}
	if n := len(c.Lower); n != len(c.Upper) {
		o.Fail("upper", "must hold as many numbers as \"lower\", %d", n)
	}
	return c
}
