package emulator

import (
	"math"
	"slices"
	"strings"

	"hyptx/internal/fp16"
	"hyptx/internal/texel"
	"hyptx/ir/isa"
)

// Fetches as the CUDA C++ Programming Guide writes them (Texture Fetching, Texture
// Memory, Cubemap Textures): elements are looked up in a table, coordinates moved step
// by step, filters are sums of products that a float64 holds exactly: weights have 24 bits,
// channels have as many.

var textureReferences = map[isa.Op]laneReference{
	isa.OpTex: fetched, isa.OpTexBase: fetched, isa.OpTexLevel: fetched, isa.OpTexGrad: fetched, isa.OpTld4: fetched,
	isa.OpTxq: queried, isa.OpTxqLevel: queried, isa.OpSuq: queried,
}

// asked for by a fetch: what its operands hold.
type fetchOperands struct {
	t       *provenTexture
	s       texel.Sampler
	place   []uint32
	words   []string
	integer bool
	lod     []uint32 // or gradients
	offset  []uint32
	compare []uint32
}

func operandsOf(x *isa.Inst, in []uint64) (o fetchOperands) {
	o.words = strings.Split(x.Opcode, ".")
	o.integer = strings.HasSuffix(x.Opcode, ".s32")
	o.t = provenTextures[(in[0]-proofTextures)/16]
	o.s = o.t.Sampler
	if in = in[1:]; in[0] >= proofSamplers {
		normalized := o.s.Normalized
		o.s, in = provenSamplers[(in[0]-proofSamplers)/16], in[1:]
		o.s.Normalized = normalized
	}
	take := func(n int) (v []uint32) {
		for _, bits := range in[:n] {
			v = append(v, uint32(bits))
		}
		in = in[n:]
		return v
	}
	g := geometryOf(o.words)
	o.place = take(map[string]int{"1d": 1, "2d": 2, "a1d": 2}[g.name] + 4*int(one(g.dims == 3 || g.cube || g.multisample || g.name == "a2d")))
	offsets := g.dims + one3(g.dims)
	switch x.Op {
	case isa.OpTexLevel:
		o.lod = take(1)
	case isa.OpTexGrad:
		n := offsets
		if g.cube {
			n = 4
		}
		o.lod = take(2 * n)
	}
	if len(in) >= offsets && !(len(in) == 1 && in[0] > 7 && in[0] < 1<<31) {
		o.offset = take(offsets)
	}
	o.compare = take(len(in))
	return o
}

func single(bits uint32) float64 { return float64(math.Float32frombits(bits)) }

// fetched is tex and tld4.
func fetched(x *isa.Inst, in []uint64) (out []outcome) {
	o := operandsOf(x, in)
	g := geometryOf(o.words)
	if g.cube && o.integer || g.multisample && !o.integer { // which the manual has not
		return slices.Repeat(anything, 5)
	}
	var where [6]int64 // level, layer, z, y, x, sample
	place := o.place
	if g.multisample {
		first := int64(place[0])
		where[5], place = min(first, 3), place[1:]
		if g.layered {
			where[1], place = min(int64(place[0]), 2), place[1:]
		}
	} else if g.layered {
		where[1], place = min(int64(place[0]), o.t.Layers/(1+5*int64(one(g.cube)))-1), place[1:]
	}
	at := make([]float64, g.dims)
	normalized := o.s.Normalized && !o.integer
	switch {
	case g.cube:
		n, s, t := faceOf(single(place[0]), single(place[1]), single(place[2]))
		where[1], at[0], at[1], normalized = 6*where[1]+n, s, t, true
	default:
		for d := range at {
			at[d] = float64(int32(place[d]))
			if !o.integer {
				at[d] = single(place[d])
			}
		}
	}
	level, ok := o.level(x, g)
	if !ok {
		return slices.Repeat(anything, 5)
	}
	where[0] = level
	channels := o.footprint(x, at, where, normalized)
	return append(o.results(x, channels), outcome{bits: 1})
}

// faceOf is the guide's table of faces: of a direction whose largest coordinate is one
// alone.
func faceOf(x, y, z float64) (n int64, s, t float64) {
	rows := []struct {
		m, s, t float64
		face    int64
	}{{x, -z, -y, 0}, {-x, z, -y, 1}, {y, x, z, 2}, {-y, x, -z, 3}, {z, x, -y, 4}, {-z, -x, -y, 5}}
	for _, r := range rows {
		if r.m == max(math.Abs(x), math.Abs(y), math.Abs(z)) {
			return r.face, (r.s/r.m + 1) / 2, (r.t/r.m + 1) / 2
		}
	}
	panic("no face")
}

// level is the level of the mipmap; not ok is one that the manual has not.
func (o *fetchOperands) level(x *isa.Inst, g geometry) (int64, bool) {
	most := o.t.Levels - 1
	switch {
	case most == 0 || o.lod == nil:
		return 0, true
	case x.Op == isa.OpTexLevel && o.integer:
		return min(int64(o.lod[0]), most), true
	case x.Op == isa.OpTexLevel:
		lod := min(max(single(o.lod[0]), 0), float64(most))
		for level := int64(0); ; level++ { // the nearest, of two the finer
			if lod <= float64(level)+0.5 {
				return level, true
			}
		}
	}
	n := len(o.lod) / 2
	rho := 0.0
	for _, g := range [][]uint32{o.lod[:n], o.lod[n:]} {
		sum := 0.0
		for d := range o.t.Dims {
			v := single(g[d])
			if o.s.Normalized {
				v *= float64(o.t.Size[d])
			}
			sum += v * v
		}
		rho = max(rho, math.Sqrt(sum))
	}
	lod := min(max(math.Log2(rho), 0), float64(most))
	return int64(math.Ceil(lod - 0.5)), !g.cube
}

// footprint returns the channels of the elements around a place, weighted: with tld4 the
// four of them.
func (o *fetchOperands) footprint(x *isa.Inst, at []float64, where [6]int64, normalized bool) [][4]float64 {
	gathers := x.Op == isa.OpTld4
	filter := (o.s.Filter && o.t.Real() || gathers) && !o.integer && o.t.Samples == 1
	type part struct {
		where  [6]int64
		weight float64
	}
	parts := []part{{where, 1}}
	for d := len(at) - 1; d >= 0; d-- {
		n := o.t.Size[d]
		for range where[0] {
			n = max(n/2, 1)
		}
		first, alpha := o.first(at[d], n, d, normalized, filter)
		if o.offset != nil {
			first += int64(int32(o.offset[d]))
		}
		mode := o.s.Address[d]
		if !normalized && mode <= texel.Mirror {
			mode = texel.ClampToEdge
		}
		var next []part
		for _, p := range parts {
			low, high := p, p
			low.where[4-d] = stepInside(mode, first, n)
			high.where[4-d] = stepInside(mode, first+1, n)
			low.weight, high.weight = p.weight*(1-alpha), p.weight*alpha
			if next = append(next, low); filter {
				next = append(next, high)
			}
		}
		parts = next
	}
	if gathers { // (i,j+1) (i+1,j+1) (i+1,j) (i,j), of rows j and j+1
		var list [][4]float64
		for _, k := range []int{2, 3, 1, 0} {
			list = append(list, o.element(parts[k].where))
		}
		return list
	}
	var sum [4]float64
	for _, p := range parts {
		for c, v := range o.element(p.where) {
			sum[c] += v * p.weight
		}
	}
	return [][4]float64{sum}
}

// first returns i and alpha of the guide: i = floor(x), or i = floor(x - 1/2) and the
// fraction, of which 8 bits are kept.
func (o *fetchOperands) first(x float64, n int64, d int, normalized, filter bool) (int64, float64) {
	if normalized {
		x *= float64(n)
	}
	if o.s.Address[d] == texel.ClampOGL && !o.integer {
		if x = max(x, 0); x > float64(n) || x == float64(n) && !filter {
			if x = float64(n); !filter {
				x -= 0.5
			}
		}
	}
	if !filter {
		return int64(math.Floor(x)), 0
	}
	i := math.Floor(x - 0.5)
	return int64(i), math.Floor((x-0.5-i)*256+0.5) / 256
}

// stepInside walks from beyond the edges to the element that is meant, -1 for the
// border.
func stepInside(mode texel.Address, i, n int64) int64 {
	for i < 0 || i >= n {
		switch {
		case mode == texel.ClampToBorder || mode == texel.ClampOGL:
			return -1
		case mode == texel.ClampToEdge && i < 0:
			i++
		case mode == texel.ClampToEdge:
			i--
		case mode == texel.Mirror && i < 0:
			i = -1 - i
		case mode == texel.Mirror:
			i = 2*n - 1 - i
		case i < 0:
			i += n
		default:
			i -= n
		}
	}
	return i
}

// element returns an element's channels, compared if asked for.
func (o *fetchOperands) element(where [6]int64) [4]float64 {
	e := [4]float64{3: 1}
	if slices.Contains(where[2:5], -1) {
		if o.t.Channels == 4 {
			e[3] = 0
		}
	} else {
		e = o.t.at[where]
	}
	for c := range e {
		if len(o.compare) > 0 && c < o.t.Channels {
			d := single(o.compare[0])
			holds := map[texel.Compare]bool{texel.Never: false, texel.Less: d < e[c], texel.Equal: d == e[c], texel.LessEqual: d <= e[c],
				texel.Greater: d > e[c], texel.NotEqual: d != e[c], texel.GreaterEqual: d >= e[c], texel.Always: true}
			e[c] = float64(one(holds[o.s.Compare]))
		}
	}
	return e
}

// results are the registers that are written.
func (o *fetchOperands) results(x *isa.Inst, elements [][4]float64) (out []outcome) {
	channel := 0
	if x.Op == isa.OpTld4 {
		channel = strings.Index("rgba", o.words[1])
	}
	var bits []uint64
	for i := range 4 {
		v := elements[0][i]
		if x.Op == isa.OpTld4 {
			v = elements[i][channel]
		}
		f := float32(v)
		switch {
		case slices.Contains(o.words, "f16") || slices.Contains(o.words, "f16x2"):
			bits = append(bits, uint64(fp16.F32ToF16(f)))
		case o.t.Real():
			bits = append(bits, uint64(math.Float32bits(f)))
		default:
			bits = append(bits, uint64(v))
		}
	}
	if slices.Contains(o.words, "f16x2") {
		bits = []uint64{bits[0] | bits[1]<<16, bits[2] | bits[3]<<16}
	}
	for _, b := range bits {
		out = append(out, outcome{bits: b})
	}
	return out
}

// queried is txq and suq: the tables of 9.7.12.5 and 9.7.13.4, numbers of channels from
// 5.3.3.
func queried(x *isa.Inst, in []uint64) []outcome {
	words := strings.Split(x.Opcode, ".")
	word := words[len(words)-2]
	var t *texel.Texture
	s := texel.Sampler{}
	switch {
	case in[0] >= proofSurfaces:
		t = surfaceOf(in[0], x, geometries[0])
	case in[0] >= proofSamplers:
		s = provenSamplers[(in[0]-proofSamplers)/16]
	default:
		t = &provenTextures[(in[0]-proofTextures)/16].Texture
		s = t.Sampler
	}
	switch word {
	case "filter_mode":
		return is(uint64(one(s.Filter)))
	case "addr_mode_0", "addr_mode_1", "addr_mode_2":
		return is(uint64(s.Address[word[len(word)-1]-'0']))
	case "normalized_coords":
		return is(uint64(one(s.Normalized)))
	case "force_unnormalized_coords":
		return is(0)
	case "width", "height", "depth":
		d := slices.Index([]string{"width", "height", "depth"}, word)
		if d >= t.Dims {
			return is(0)
		}
		n := t.Size[d]
		if len(in) > 1 {
			for range min(int64(in[1]), t.Levels-1) {
				n = max(n/2, 1)
			}
		}
		return is(uint64(n))
	case "channel_order":
		return is(map[int]uint64{1: 0x10b0, 2: 0x10b2, 4: 0x10b5}[t.Channels])
	case "channel_data_type":
		return is(map[texel.Format]uint64{
			{Kind: texel.Signed, Bits: 8, Normalized: true}: 0x10d0, {Kind: texel.Signed, Bits: 16, Normalized: true}: 0x10d1,
			{Kind: texel.Unsigned, Bits: 8, Normalized: true}: 0x10d2, {Kind: texel.Unsigned, Bits: 16, Normalized: true}: 0x10d3,
			{Kind: texel.Signed, Bits: 8}: 0x10d7, {Kind: texel.Signed, Bits: 16}: 0x10d8, {Kind: texel.Signed, Bits: 32}: 0x10d9,
			{Kind: texel.Unsigned, Bits: 8}: 0x10da, {Kind: texel.Unsigned, Bits: 16}: 0x10db, {Kind: texel.Unsigned, Bits: 32}: 0x10dc,
			{Kind: texel.Float, Bits: 16}: 0x10dd, {Kind: texel.Float, Bits: 32}: 0x10de,
		}[texel.Format{Kind: t.Kind, Bits: t.Bits, Normalized: t.Format.Normalized}])
	case "array_size":
		n := int64(0)
		if t.Layered {
			n = t.Layers
			if t.Cube {
				n /= 6
			}
		}
		return is(uint64(n))
	case "num_mipmap_levels":
		return is(uint64(t.Levels) * uint64(one(t.Mipmapped)))
	case "num_samples":
		return is(uint64(t.Samples) * uint64(one(t.Multisampled)))
	case "memory_layout":
		return is(uint64(one(t.Linear)))
	}
	return nil
}
