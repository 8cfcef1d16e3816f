package emulator

import (
	"bytes"
	"math"
	"strings"

	"hyptx/internal/fp16"
	"hyptx/internal/texel"
	"hyptx/ir/isa"
)

// Surfaces as the manual has them (PTX ISA 9.7.13): a thread's surface is the memory of
// its area, in rows of 32 bytes, in one dimension of 64.

var surfaceReferences = map[isa.Op]memoryReference{isa.OpSuld: surfaceLoaded, isa.OpSust: surfaceStored, isa.OpSured: surfaceReduced}

// surfaceBytes returns the bytes that an access means, nil where they lie beyond an edge
// and the mode is .zero; rest are the other operands.
func surfaceBytes(x *isa.Inst, in []uint64, mem []byte) (of *texel.Texture, b []byte, rest []uint64) {
	g := geometryOf(strings.Split(x.Opcode, "."))
	of = surfaceOf(in[0], x, g)
	place, n := in[1:], map[string]int{"1d": 1, "2d": 2, "a1d": 2}[g.name]
	if n == 0 {
		n = 4
	}
	rest = place[n:]
	layer := int64(0)
	if g.layered {
		layer, place = int64(place[0]), place[1:]
	}
	bytes, unit := accessBytes(x, of)
	row := of.Size[0] * int64(of.Format.Bytes())
	at := []int64{int64(int32(place[0])) * unit, 0, 0}
	for d := 1; d < g.dims; d++ {
		at[d] = int64(int32(place[d]))
	}
	outside := false
	clamp := func(v *int64, most int64) {
		outside = outside || *v < 0 || *v > most
		*v = min(max(*v, 0), most)
	}
	clamp(&at[0], row-bytes)
	clamp(&at[1], of.Size[1]-1)
	clamp(&at[2], of.Size[2]-1)
	clamp(&layer, of.Layers-1)
	if outside && strings.HasSuffix(x.Opcode, ".zero") {
		return of, nil, rest
	}
	from := at[0] + row*(at[1]+of.Size[1]*(at[2]+layer)) // what has layers has no depth
	return of, mem[from:][:bytes], rest
}

func surfaceLoaded(x *isa.Inst, in []uint64, mem []byte) (out []outcome) {
	_, b, _ := surfaceBytes(x, in, mem)
	for i := range max(int(x.Vec), 1) {
		v := uint64(0)
		if b != nil {
			v = wordAt(b, i, x.Type().Bits())
		}
		out = append(out, outcome{bits: v})
	}
	return out
}

func surfaceStored(x *isa.Inst, in []uint64, mem []byte) []outcome {
	of, b, values := surfaceBytes(x, in, mem)
	formatted := strings.HasPrefix(x.Opcode, "sust.p")
	switch {
	case b == nil:
	case !formatted:
		for i, v := range values {
			putWord(b, i, x.Type().Bits(), v)
		}
	default:
		copy(b, bytes.Repeat([]byte{0}, len(b)))
		for c := range min(of.Channels, len(values)) {
			putWord(b, c, of.Bits, channelOf(of, x.Type().Bits(), values[c]))
		}
	}
	return []outcome{}
}

// channelOf converts a value of so many bits to a surface's channel.
func channelOf(of *texel.Texture, bits int, v uint64) uint64 {
	v = low(v, bits)
	x := float64(math.Float32frombits(uint32(v)))
	if x != x {
		x = 0
	}
	signed := int64(v<<(64-bits)) >> (64 - bits)
	high := int64(1)<<(of.Bits-1) - 1
	switch {
	case of.Kind == texel.Float && of.Bits == 16:
		return uint64(fp16.F32ToF16(math.Float32frombits(uint32(v))))
	case of.Kind == texel.Float:
		return v
	case of.Format.Normalized && of.Kind == texel.Signed:
		return uint64(int64(math.RoundToEven(max(min(x, 1), -1) * float64(high))))
	case of.Format.Normalized:
		return uint64(math.RoundToEven(max(min(x, 1), 0) * float64(2*high+1)))
	case of.Kind == texel.Signed:
		return uint64(max(min(signed, high), -high-1))
	}
	return min(v, uint64(2*high+1))
}

// surfaceReduced is sured; of .b32 and .b64 the surface says whether numbers have signs.
func surfaceReduced(x *isa.Inst, in []uint64, mem []byte) []outcome {
	of, b, values := surfaceBytes(x, in, mem)
	if b == nil {
		return []outcome{}
	}
	t := x.Type()
	switch {
	case t == isa.B32 && of.Kind == texel.Signed:
		t = isa.S32
	case t == isa.B32:
		t = isa.U32
	case t == isa.B64 && of.Kind == texel.Signed:
		t = isa.S64
	case t == isa.B64:
		t = isa.U64
	}
	n := t.Bits()
	was, v := wordAt(b, 0, n), low(values[0], n)
	switch op := strings.Split(x.Opcode, ".")[2]; op {
	case "and":
		v &= was
	case "or":
		v |= was
	case "add":
		v += was
	default:
		if less := number(t, v).Cmp(number(t, was)) < 0; less != (op == "min") {
			v = was
		}
	}
	putWord(b, 0, n, v)
	return []outcome{}
}
