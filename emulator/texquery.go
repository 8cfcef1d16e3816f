package emulator

import (
	"slices"
	"strings"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// What a texture, a sampler or a surface is like (PTX ISA 9.7.12.5, 9.7.13.4). The
// numbers of enumerations are those that the manual has.

// queries are the words of txq and suq.
var queries = map[string]func(o *opaque, level int64) uint32{
	"width":                     func(o *opaque, level int64) uint32 { return o.texture.Extent(0, level) },
	"height":                    func(o *opaque, level int64) uint32 { return o.texture.Extent(1, level) },
	"depth":                     func(o *opaque, level int64) uint32 { return o.texture.Extent(2, level) },
	"channel_data_type":         func(o *opaque, _ int64) uint32 { return o.texture.DataType() },
	"channel_order":             func(o *opaque, _ int64) uint32 { return o.texture.Order() },
	"array_size":                func(o *opaque, _ int64) uint32 { return o.texture.ArraySize() },
	"normalized_coords":         func(o *opaque, _ int64) uint32 { return one(o.texture.Sampler.Normalized) },
	"memory_layout":             func(o *opaque, _ int64) uint32 { return one(o.texture.Linear) },
	"num_mipmap_levels":         func(o *opaque, _ int64) uint32 { return uint32(o.texture.Levels) * one(o.texture.Mipmapped) },
	"num_samples":               func(o *opaque, _ int64) uint32 { return uint32(o.texture.Samples) * one(o.texture.Multisampled) },
	"force_unnormalized_coords": func(o *opaque, _ int64) uint32 { return one(o.force) },
	"filter_mode":               func(o *opaque, _ int64) uint32 { return one(o.sampler.Filter) },
	"addr_mode_0":               func(o *opaque, _ int64) uint32 { return uint32(o.sampler.Address[0]) },
	"addr_mode_1":               func(o *opaque, _ int64) uint32 { return uint32(o.sampler.Address[1]) },
	"addr_mode_2":               func(o *opaque, _ int64) uint32 { return uint32(o.sampler.Address[2]) },
}

// samplerQueries begin the words that ask for a sampler's properties, which a texture has
// too where there are no samplers.
var samplerQueries = []string{"force_", "filter_", "addr_"}

func one(is bool) uint32 {
	if is {
		return 1
	}
	return 0
}

// buildQuery decodes txq and suq: d, [a] {, lod}.
func buildQuery(c *compiler, in *ir.Instr, i *inst) error {
	typ := isa.TexRef
	if in.Inst.Op == isa.OpSuq {
		typ = isa.SurfRef
	}
	t, words := c.object(in, typ)
	word := words[len(words)-2]
	t.query = queries[word]
	if slices.ContainsFunc(samplerQueries, func(p string) bool { return strings.HasPrefix(word, p) }) {
		t.typ = isa.SamplerRef
	}
	if lod := c.optional(in, "lod"); lod != nil {
		t.level, t.leveled = lod[0], true
	}
	i.d, i.mem, i.exec = c.dest(in, 0), &access{texture: t}, execQuery
	return nil
}

func execQuery(w *warp, in *inst, m uint32) {
	t := in.mem.texture
	for lane := range lanesOf(m) {
		o := w.queried(in, lane)
		level := int64(0)
		if t.leveled {
			level = int64(int32(w.slot(t.level)[lane]))
		}
		if in.d.off >= 0 {
			w.slot(in.d)[lane] = t.query(o, level)
		}
	}
}

// queried returns what a lane asks about.
func (w *warp) queried(in *inst, lane int) *opaque {
	t := in.mem.texture
	handle := w.handleOf(&t.handle, lane)
	o := w.named(handle)
	if t.typ == isa.SamplerRef && o != nil && o.typ == isa.TexRef {
		return o
	}
	return w.expect(in, lane, handle, t.typ)
}

// buildIstypep decodes istypep.type p, a: whether a names something of the type
// (PTX ISA 9.7.12.6).
func buildIstypep(c *compiler, in *ir.Instr, i *inst) error {
	m := &move{narrow: c.regBits(in, 1) == 32, opaque: in.Inst.Type()}
	i.pd, i.a, i.move, i.exec = c.predDest(&in.Ops()[0]), c.source(in, 1), m, execIstypep
	if op := &in.Ops()[1]; op.Kind == ir.OperandVar {
		i.a, m.narrow = c.varAddress(op.Var, int64(op.Imm), 2), false
	}
	return nil
}

func execIstypep(w *warp, in *inst, m uint32) {
	bytes := 8
	if in.move.narrow {
		bytes = 4
	}
	var is uint32
	for lane := range lanesOf(m) {
		if o := w.named(w.laneValue(in.a, lane, bytes)); o != nil && o.typ == in.move.opaque {
			is |= 1 << lane
		}
	}
	w.setPred(in.pd, is, m)
}
