package emulator

import (
	"math"
	"slices"
	"strings"

	"hyptx/internal/fp16"
	"hyptx/internal/texel"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// tex and tld4 fetch from a texture, lane by lane (PTX ISA 9.7.12.3, .4): a request is
// made of the operands, package texel says which elements it reads and what becomes of
// them. Elements are memory like any other, so that a fetch reads what kernels before
// have stored there; what the same launch stores it may see or not, as the manual has it.

// geometry is what a fetch or an access takes a texture or surface for.
type geometry struct {
	name                       string
	dims                       int
	layered, cube, multisample bool
}

var geometries = []geometry{
	{"1d", 1, false, false, false}, {"2d", 2, false, false, false}, {"3d", 3, false, false, false},
	{"a1d", 1, true, false, false}, {"a2d", 2, true, false, false}, {"cube", 2, false, true, false},
	{"acube", 2, true, true, false}, {"2dms", 2, false, false, true}, {"a2dms", 2, true, false, true},
}

// geometryOf returns the geometry that an opcode names.
func geometryOf(words []string) geometry {
	i := slices.IndexFunc(geometries, func(g geometry) bool { return slices.Contains(words, g.name) })
	return geometries[i]
}

// textureAccess is a fetch, a query, or an access of a surface: where its operands lie.
type textureAccess struct {
	geometry
	typ     isa.Type // of what the handle names
	handle  location
	sampler location // of a fetch that has one
	place   []operand
	dests   []operand
	// integer: coordinates are the numbers of elements. half: results have 16 bits; paired:
	// two of them stand in a register.
	sampled, integer, half, paired bool
	// channel is what tld4 gathers, -1 for tex.
	channel int
	// level is the operand that says which level, gradients those of which it is made.
	level     operand
	leveled   bool
	gradients [2][]operand
	offset    []operand
	compare   operand
	compared  bool
	query     func(*opaque, int64) uint32 // of a level
	surface   *surfaceAccess
}

// object decodes what textures and surfaces have in common: the handle and the place.
func (c *compiler) object(in *ir.Instr, typ isa.Type) (*textureAccess, []string) {
	words := strings.Split(in.Inst.Opcode, ".")
	at := slices.IndexFunc(in.Ops(), func(op ir.Operand) bool { return op.Kind == ir.OperandBrackets })
	parts := in.Ops()[at].Elems()
	t := &textureAccess{typ: typ, channel: -1}
	t.handle, _ = c.location(in, &parts[0])
	if len(parts) == 1 {
		return t, words // of a query
	}
	if t.sampled = len(parts) == 3; t.sampled {
		own := elementsOf(&parts[1])[0]
		t.sampler = location{base: c.place(in, &own), base64: true}
		if own.Kind == ir.OperandReg {
			t.sampler.base64 = c.fn.ir.Regs[own.Reg].Type.Slots() == 2
		} else if own.Kind == ir.OperandVar {
			t.sampler.base = c.varAddress(own.Var, int64(own.Imm), 2)
		}
	}
	t.geometry = geometryOf(words)
	t.place = c.elements(in, &parts[len(parts)-1])
	return t, words
}

// optional returns the places of the operand that has a name in the form, nil if it is
// left out.
func (c *compiler) optional(in *ir.Instr, name string) []operand {
	for i := range in.Ops() {
		if in.Inst.Form.Operands[i].Name == name && in.Ops()[i].Kind != ir.NoOperand {
			return c.elements(in, &in.Ops()[i])
		}
	}
	return nil
}

// buildFetch decodes tex and tld4.
func buildFetch(c *compiler, in *ir.Instr, i *inst) error {
	t, words := c.object(in, isa.TexRef)
	t.dests = c.destinations(&in.Ops()[0])
	t.integer = words[len(words)-1] == "s32"
	t.paired = slices.Contains(words, "f16x2")
	t.half = t.paired || slices.Contains(words, "f16")
	if in.Inst.Op == isa.OpTld4 {
		t.channel = strings.Index("rgba", words[1])
	}
	if in.Inst.Op == isa.OpTexLevel {
		t.level, t.leveled = c.optional(in, "lod")[0], true
	}
	if in.Inst.Op == isa.OpTexGrad {
		t.gradients = [2][]operand{c.optional(in, "dPdx"), c.optional(in, "dPdy")}
	}
	t.offset = c.optional(in, "e")
	if f := c.optional(in, "f"); f != nil {
		t.compare, t.compared = f[0], true
	}
	i.pd, i.mem, i.exec = c.pairDest(in), &access{space: isa.Global, texture: t}, execFetch
	return nil
}

// fetch is what a lane reads.
type fetch struct {
	texel.Taps
	of      *texel.Texture
	compare texel.Compare
}

// fetchOf finds out what a lane fetches.
func (w *warp) fetchOf(in *inst, lane int, f *fetch) {
	t := in.mem.texture
	o := w.expect(in, lane, w.handleOf(&t.handle, lane), isa.TexRef)
	if f.of = o.texture; f.of.Assumed {
		f.Taps = texel.Taps{Open: f.Open}
		return
	}
	w.checkGeometry(in, lane, f.of)
	sampler := f.of.Sampler
	if t.sampled {
		s := w.expect(in, lane, w.handleOf(&t.sampler, lane), isa.SamplerRef)
		sampler = sampler.With(&s.sampler, s.force)
	}
	if sampler.Filter && !f.of.Real() {
		sampler.Filter = false
		if !t.integer && t.channel < 0 {
			w.fail(in, 1<<lane, "%s holds integers, which are not filtered", f.of.Name)
		}
	}
	if t.half && !f.of.Real() {
		w.fail(in, 1<<lane, "%s holds integers, which are no .f16", f.of.Name)
	}
	if f.compare = texel.NoCompare; t.compared {
		if f.compare = sampler.Compare; f.compare == texel.NoCompare || !f.of.Real() {
			w.fail(in, 1<<lane, "%s is no depth texture: it needs \"compare\" and a format of numbers", f.of.Name)
		}
	}
	r, open := w.request(in, lane, f.of, &sampler)
	f.of.Taps(&sampler, &r, &f.Taps)
	f.Open = f.Open || open
}

// handleOf returns the handle of a lane.
func (w *warp) handleOf(l *location, lane int) uint64 {
	if l.base64 {
		return wide(w.slot(l.base))[lane] + uint64(l.off)
	}
	return uint64(w.slot(l.base)[lane] + uint32(l.off))
}

// checkGeometry faults a texture that is not what an instruction takes it for.
func (w *warp) checkGeometry(in *inst, lane int, t *texel.Texture) {
	g := &in.mem.texture.geometry
	if t.Dims != g.dims || t.Layered != g.layered || t.Cube != g.cube || t.Multisampled != g.multisample {
		is := slices.IndexFunc(geometries, func(h geometry) bool {
			return t.Dims == h.dims && t.Layered == h.layered && t.Cube == h.cube && t.Multisampled == h.multisample
		})
		w.fail(in, 1<<lane, "%s is .%s, not .%s", t.Name, geometries[is].name, g.name)
	}
}

// request makes a lane's operands the request of a fetch. open says that the manual
// leaves open what it means.
func (w *warp) request(in *inst, lane int, of *texel.Texture, s *texel.Sampler) (r texel.Request, open bool) {
	t := in.mem.texture
	place := t.place
	word := func(o operand) uint32 { return w.slot(o)[lane] }
	number := func(o operand) float64 { return float64(math.Float32frombits(word(o))) }
	switch {
	case t.multisample && t.layered: // the manual's text has the sample first, its example the index
		r.Sample, r.Layer = word(place[0]), word(place[1])
		open, place = r.Sample != r.Layer, place[2:]
	case t.multisample:
		r.Sample, place = word(place[0]), place[1:]
	case t.layered:
		r.Layer, place = word(place[0]), place[1:]
	}
	dims := t.dims
	if t.cube {
		dims = 3
	}
	r.Integer = t.integer && !t.cube
	for d := range dims {
		if r.Integer {
			r.At[d] = float64(int32(word(place[d])))
		} else {
			r.At[d] = number(place[d])
		}
	}
	for d := range min(len(t.offset), t.dims) {
		r.Offset[d] = int64(int32(word(t.offset[d])))
		open = open || r.Offset[d] < -8 || r.Offset[d] > 7
	}
	r.Gather = t.channel >= 0
	r.Level, open = w.levelOf(in, lane, of, s, open)
	return r, open
}

// levelOf returns the level that a lane fetches from.
func (w *warp) levelOf(in *inst, lane int, of *texel.Texture, s *texel.Sampler, open bool) (int64, bool) {
	t := in.mem.texture
	if of.Levels == 1 {
		return 0, open
	}
	number := func(o operand) float64 { return float64(math.Float32frombits(w.slot(o)[lane])) }
	switch {
	case t.leveled && t.integer:
		return min(max(int64(int32(w.slot(t.level)[lane])), 0), of.Levels-1), open
	case t.leveled:
		level, between := of.Nearest(number(t.level))
		return level, open || between
	case t.gradients[0] == nil:
		return 0, open
	case t.cube:
		w.fail(in, 1<<lane, "the level of detail that gradients across the faces of a cube mean is open")
	}
	var along [2][3]float64
	for i, g := range t.gradients {
		for d := range min(len(g), t.dims) {
			along[i][d] = number(g[d])
		}
	}
	level, _ := of.Nearest(of.Detail(along[0], along[1], s.Normalized))
	return level, true
}

func execFetch(w *warp, in *inst, m uint32) {
	var f fetch
	for lane := range lanesOf(m) {
		w.fetchOf(in, lane, &f)
		w.giveFetched(in, lane, &f)
	}
	w.setPred(in.pd, m, m) // all that is described is resident
}

// giveFetched reads the elements of a fetch and writes the results.
func (w *warp) giveFetched(in *inst, lane int, f *fetch) {
	t := in.mem.texture
	var elements [8]texel.Value
	for i := range f.N {
		if elements[i] = f.of.Border(); f.At[i] >= 0 {
			elements[i] = f.of.Decode(w.bytesAt(in, lane, isa.Global, f.of.Base+uint64(f.At[i]), f.of.Format.Bytes(), false))
		}
		if f.compare != texel.NoCompare {
			elements[i] = f.of.Passes(f.compare, math.Float32frombits(w.slot(t.compare)[lane]), elements[i])
		}
	}
	var v texel.Value
	switch {
	case f.N == 0:
	case t.channel >= 0:
		v = texel.Gather(&elements, t.channel)
	default:
		v = f.of.Blend(&f.Taps, &elements)
	}
	if t.half {
		for c := range v {
			v[c] = uint32(fp16.F32ToF16(math.Float32frombits(v[c])))
		}
	}
	if t.paired {
		v[0], v[1] = v[0]|v[1]<<16, v[2]|v[3]<<16
	}
	for i, d := range t.dests {
		if d.off >= 0 {
			w.slot(d)[lane] = v[i]
		}
	}
}
