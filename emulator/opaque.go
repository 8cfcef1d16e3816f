package emulator

import (
	"cmp"
	"slices"

	"hyptx/emulator/internal/words"
	"hyptx/internal/texel"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// A texture, a surface or a sampler is named by a handle of 64 bits: the address of a
// variable of that type, or a number that a manifest gives as an argument. What a handle
// stands for the machine knows; there is no memory behind it. A parameter of such a type
// holds a handle, and its own address stands for the same thing.

// opaque is what a handle stands for. typ is .texref, .surfref or .samplerref.
type opaque struct {
	handle uint64
	typ    isa.Type
	// texture is what it is of; of a sampler its own properties are sampler.
	texture *texel.Texture
	sampler texel.Sampler
	// force: of a sampler: coordinates are not normalised, whatever the texture says.
	force bool
}

// Bind makes a handle stand for a texture, a surface or a sampler: one of the type
// .texref, .surfref or .samplerref.
func (m *Machine) Bind(handle uint64, typ isa.Type, t *texel.Texture) {
	m.bind(opaque{handle: handle, typ: typ, texture: t, sampler: t.Sampler})
}

func (m *Machine) bind(o opaque) {
	i, found := slices.BinarySearchFunc(m.opaques, o.handle, byHandle)
	if found {
		m.opaques[i] = o
		return
	}
	m.opaques = slices.Insert(m.opaques, i, o)
}

func byHandle(o opaque, handle uint64) int { return cmp.Compare(o.handle, handle) }

// bindVariable makes a variable's address a handle. What nobody binds to it is assumed;
// of a sampler the variable itself says what it is.
func (m *Machine) bindVariable(v *ir.Var, address uint64) {
	o := opaque{handle: address, typ: v.Type, texture: &texel.Texture{Name: v.Name}}
	o.texture.Assume()
	if v.Type == isa.SamplerRef {
		o.texture.Assumed = false
		o.sampler.Address = [3]texel.Address{texel.ClampToEdge, texel.ClampToEdge, texel.ClampToEdge}
		for _, f := range v.Fields {
			o.field(f)
		}
	}
	m.bind(o)
}

// addressWords are the addressing modes as initialisers spell them.
var addressWords = map[string]texel.Address{"wrap": texel.Wrap, "mirror": texel.Mirror, "clamp_ogl": texel.ClampOGL,
	"clamp_to_edge": texel.ClampToEdge, "clamp_to_border": texel.ClampToBorder}

// field reads a field of a sampler's initialiser (PTX ISA 5.3.2).
func (o *opaque) field(f ir.Field) {
	mode := texel.Address(f.Value)
	if m, ok := addressWords[f.Word]; ok {
		mode = m
	}
	switch f.Name {
	case "addr_mode_0", "addr_mode_1", "addr_mode_2":
		o.sampler.Address[f.Name[len(f.Name)-1]-'0'] = min(mode, texel.ClampToBorder)
	case "filter_mode":
		o.sampler.Filter = f.Word == "linear" || f.Word == "" && f.Value == 1
	case "force_unnormalized_coords":
		o.force = f.Value != 0
	}
}

// find returns what a handle stands for, nil if nothing.
func (m *Machine) find(handle uint64) *opaque {
	if i, found := slices.BinarySearchFunc(m.opaques, handle, byHandle); found {
		return &m.opaques[i]
	}
	return nil
}

// named returns what a handle stands for that a thread has; nil if it is none.
func (w *warp) named(handle uint64) *opaque {
	if last := w.worker.opaque; last != nil && last.handle == handle {
		return last
	}
	l := w.worker.launch
	if handle < uint64(len(l.Params)) { // the address of a parameter
		if handle = l.handleAt(handle); handle == 0 {
			return nil
		}
	}
	o := l.machine.find(handle)
	w.worker.opaque = o
	return o
}

// handleAt returns the handle in a parameter of an opaque type, 0 if there is none.
func (l *launch) handleAt(at uint64) uint64 {
	for _, f := range l.prog.Kernel.Params {
		if v := f.Var; v != nil && v.Type.Kind() == isa.Opaque && uint64(v.Offset) == at {
			return words.Get(l.Params[at:][:8])
		}
	}
	return 0
}

// expect returns what a lane's handle stands for, which has to be of a type; a texture
// and a surface is also what nobody gave.
func (w *warp) expect(in *inst, lane int, handle uint64, typ isa.Type) *opaque {
	o := w.named(handle)
	switch {
	case o == nil:
		w.fail(in, 1<<lane, "%#x is no %s", handle, opaqueNames[typ])
	case o.typ != typ:
		w.fail(in, 1<<lane, "%s is a %s, no %s", o.texture.Name, opaqueNames[o.typ], opaqueNames[typ])
	}
	return o
}

var opaqueNames = map[isa.Type]string{isa.TexRef: "texture", isa.SurfRef: "surface", isa.SamplerRef: "sampler"}
