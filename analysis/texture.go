package analysis

import (
	"fmt"
	"slices"

	"hyptx/internal/manifest"
	"hyptx/internal/texel"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// A manifest describes textures; a kernel has handles of them, as arguments or as module
// variables of the types .texref, .surfref and .samplerref. Here both come together: the
// emulator learns what each handle stands for, the dependency graph of which buffer it
// is. What nobody described is assumed: it reads as zeros, and says so.

// objectTypes are the types of variables, by what they stand for.
var objectTypes = map[manifest.ArgKind]isa.Type{manifest.ArgTexture: isa.TexRef, manifest.ArgSurface: isa.SurfRef, manifest.ArgSampler: isa.SamplerRef}

// bindKinds are the words by which a manifest binds variables.
var bindKinds = map[string]manifest.ArgKind{"texture": manifest.ArgTexture, "surface": manifest.ArgSurface, "sampler": manifest.ArgSampler}

// bindTextures makes handles stand for the manifest's textures.
func (s *Session) bindTextures() {
	m := s.Manifest
	s.textures = map[string]*texel.Texture{}
	for _, t := range m.Textures {
		s.textures[t.Name] = textureOf(t)
		for kind, typ := range objectTypes {
			s.machine.Bind(m.Handle(kind, t.Name), typ, s.textures[t.Name])
		}
	}
	s.bound = map[*ir.Var]int{}
}

// bindSymbol binds a variable to a texture.
func (s *Session) bindSymbol(sym *manifest.Symbol) error {
	m := s.Manifest
	mod, v, err := resolver{s}.variable(sym.Module, sym.Name)
	typ := objectTypes[bindKinds[sym.Bind]]
	switch {
	case err != nil:
	case v.Type != typ:
		err = fmt.Errorf("variable %s is of type %s; a %s is bound to one of type %s", v.Name, v.Type, sym.Bind, typ)
	default:
		s.machine.Bind(s.machine.Variable(mod, v).Base, typ, s.textures[sym.Target])
		i := slices.IndexFunc(m.Textures, func(t *manifest.Texture) bool { return t.Name == sym.Target })
		s.bound[v] = s.bufferIndex[m.Textures[i].Buffer]
		return nil
	}
	return m.Errorf(sym.Path, "%w", err)
}

// textureOf makes of a description what the emulator fetches from.
func textureOf(t *manifest.Texture) *texel.Texture {
	x := &texel.Texture{Name: t.Name, Assumed: t.Assumed}
	if t.Assumed {
		x.Assume()
		return x
	}
	x.Base, x.Format = t.Buffer.Base, formatOf(t)
	x.Dims, x.Layered, x.Cube = t.Dims(), t.Layered(), t.Cube()
	x.Size = [3]int64{t.Width, max(t.Height, 1), max(t.Depth, 1)}
	x.Layers, x.Levels, x.Samples = max(t.Layers, 1), max(t.Levels, 1), max(t.Samples, 1)
	x.Mipmapped, x.Multisampled = t.Levels > 0, t.Samples > 0
	x.Linear, x.Pitch = t.Kind == "linear" || t.Kind == "pitch2d", t.PitchBytes
	x.Sampler = texel.Sampler{Filter: t.Filter == "linear", Normalized: t.NormalizedCoords, Compare: comparisons[t.Compare]}
	for i, mode := range t.Address {
		x.Address[i] = addressModes[mode]
	}
	if t.Kind == "linear" { // beyond the end there is nothing
		x.Address = [3]texel.Address{texel.ClampToBorder, texel.ClampToBorder, texel.ClampToBorder}
	}
	return x
}

var (
	addressModes = map[string]texel.Address{"wrap": texel.Wrap, "mirror": texel.Mirror, "clamp": texel.ClampToEdge, "border": texel.ClampToBorder}
	comparisons  = map[string]texel.Compare{"never": texel.Never, "less": texel.Less, "equal": texel.Equal, "lessEqual": texel.LessEqual,
		"greater": texel.Greater, "notEqual": texel.NotEqual, "greaterEqual": texel.GreaterEqual, "always": texel.Always}
)

func formatOf(t *manifest.Texture) texel.Format {
	f := texel.Format{Kind: texel.Unsigned, Bits: 8 * t.Format.Size(), Channels: t.Channels, Normalized: t.ReadMode == "normalizedFloat", SRGB: t.SRGB}
	switch {
	case t.Format.IsFloat():
		f.Kind = texel.Float
	case t.Format.IsSigned():
		f.Kind = texel.Signed
	}
	return f
}

// objectOf says what a kernel's parameter stands for: what its type says, or where its
// value is used. A sampler is what stands second in the brackets of a fetch.
func objectOf(k *ir.Func, param *ir.Var) manifest.ArgKind {
	for kind, typ := range objectTypes {
		if param.Type == typ {
			return kind
		}
	}
	if param.Bytes != 8 || param.Count > 1 || param.Type.IsFloat() {
		return 0
	}
	carries := carriers(k, param)
	for i := range k.Instrs() {
		in := &k.Instrs()[i]
		if in.Inst.Form.Class != isa.Texture {
			continue
		}
		for _, op := range in.Ops() {
			for n, part := range op.Elems() {
				if op.Kind != ir.OperandBrackets || part.Reg == ir.NoReg || part.Kind == ir.OperandVec || !carries[part.Reg] {
					continue
				}
				switch {
				case n == 1 && len(op.Elems()) == 3:
					return manifest.ArgSampler
				case n > 0:
				case isSurfaceOp(in.Inst.Op):
					return manifest.ArgSurface
				default:
					return manifest.ArgTexture
				}
			}
		}
	}
	return 0
}

func isSurfaceOp(op isa.Op) bool {
	return op == isa.OpSuld || op == isa.OpSust || op == isa.OpSured || op == isa.OpSuq
}

// unbound are the textures and surfaces of a module that a kernel names and nobody has
// described.
func (s *Session) unbound(k *ir.Func) (names []string) {
	for _, f := range k.Closure() {
		for i := range f.Instrs() {
			for _, op := range f.Instrs()[i].Ops() {
				for _, v := range append([]*ir.Var{op.Var}, variablesOf(op.Elems())...) {
					if _, ok := s.bound[v]; v == nil || ok || v.Space != isa.Global || v.Type != isa.TexRef && v.Type != isa.SurfRef {
						continue
					}
					what := "texture"
					if v.Type == isa.SurfRef {
						what = "surface"
					}
					if name := fmt.Sprintf("%s=%s%s", v.Name, what, nothingKnown); !slices.Contains(names, name) {
						names = append(names, name)
					}
				}
			}
		}
	}
	return names
}

func variablesOf(ops []ir.Operand) (vars []*ir.Var) {
	for i := range ops {
		vars = append(vars, ops[i].Var)
	}
	return vars
}
