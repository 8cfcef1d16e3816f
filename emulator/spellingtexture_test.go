package emulator

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"hyptx/internal/texel"
	"hyptx/ir/isa"
)

// Textures and surfaces in proofs. What an instruction names is a handle in a register,
// so that each thread has its own texture, sampler and place; a surface is the memory
// that a thread has for the instruction. References get the handle, the sampler's if
// there is one, and the coordinates, in this order.

const (
	proofTextures = 0x781000000000 // handles of textures
	proofSamplers = 0x782000000000
	proofSurfaces = 0x783000000000 // of the surface in area n: n*64, and twice its format
	proofTexels   = 0x7f2000000000 // the textures' memory
)

// provenTexture is a texture of proofs, in which the reference looks elements up.
type provenTexture struct {
	texel.Texture
	geometry string
	// at are the elements, by level, layer, z, y, x, sample; each channel is a number or
	// the bits of an integer.
	at map[[6]int64][4]float64
}

var (
	provenTextures, texelBytes = drawTextures()
	provenSamplers             = drawSamplers()
	surfaceFormats             = []texel.Format{
		{Kind: texel.Unsigned, Bits: 32, Channels: 1}, {Kind: texel.Signed, Bits: 32, Channels: 1}, {Kind: texel.Unsigned, Bits: 8, Channels: 4},
		{Kind: texel.Signed, Bits: 16, Channels: 2}, {Kind: texel.Float, Bits: 32, Channels: 2}, {Kind: texel.Float, Bits: 16, Channels: 4},
		{Kind: texel.Unsigned, Bits: 8, Channels: 4, Normalized: true}, {Kind: texel.Signed, Bits: 16, Channels: 2, Normalized: true},
	}
)

// proofFormats are those of textures: numbers of floating point that sums do not round,
// and integers of all kinds.
var proofFormats = []texel.Format{
	{Kind: texel.Float, Bits: 32, Channels: 1}, {Kind: texel.Float, Bits: 32, Channels: 4}, {Kind: texel.Float, Bits: 16, Channels: 2},
	{Kind: texel.Unsigned, Bits: 8, Channels: 4, Normalized: true}, {Kind: texel.Signed, Bits: 8, Channels: 2, Normalized: true},
	{Kind: texel.Unsigned, Bits: 16, Channels: 1, Normalized: true}, {Kind: texel.Unsigned, Bits: 8, Channels: 4, Normalized: true, SRGB: true},
	{Kind: texel.Unsigned, Bits: 8, Channels: 4}, {Kind: texel.Signed, Bits: 16, Channels: 2}, {Kind: texel.Signed, Bits: 32, Channels: 1},
}

// drawTextures makes some of each geometry and format.
func drawTextures() (list []*provenTexture, mem []byte) {
	r := rand.New(rand.NewPCG(51, 52))
	for _, g := range geometries {
		for n, f := range proofFormats {
			for _, plain := range []bool{true, false} {
				t := &provenTexture{geometry: g.name, at: map[[6]int64][4]float64{}}
				t.Name, t.Format, t.Sampler = fmt.Sprintf("%s%d", g.name, n), f, drawSampler(r, f.Real(), plain)
				t.Dims, t.Layered, t.Cube, t.Multisampled = g.dims, g.layered, g.cube, g.multisample
				t.Size, t.Layers, t.Levels, t.Samples = [3]int64{7, 1, 1}, 1, 1, 1
				for d := 1; d < g.dims; d++ {
					t.Size[d] = int64(5 - 2*(d-1))
				}
				switch {
				case g.cube:
					t.Size[1], t.Layers = 7, 6*int64(1+2*one(g.layered))
				case g.layered:
					t.Layers = 3
				}
				if g.multisample {
					t.Samples = 4
				} else if !plain && n%2 == 0 {
					t.Levels, t.Mipmapped = 3, true
				}
				t.Base = proofTexels + uint64(len(mem))
				mem = t.fill(r, mem)
				mem = append(mem, make([]byte, -len(mem)&255)...)
				list = append(list, t)
			}
		}
	}
	return list, mem
}

func drawSampler(r *rand.Rand, filters, plain bool) (s texel.Sampler) {
	for d := range s.Address {
		s.Address[d] = []texel.Address{texel.Wrap, texel.Mirror, texel.ClampToEdge, texel.ClampToBorder, texel.ClampOGL}[r.IntN(5)]
	}
	s.Filter, s.Normalized, s.Compare = filters && !plain, r.IntN(2) == 0, texel.Compare(1+r.IntN(8))
	return s
}

func drawSamplers() (list []texel.Sampler) {
	r := rand.New(rand.NewPCG(53, 54))
	for i := range 16 {
		list = append(list, drawSampler(r, true, i%2 == 0))
	}
	return list
}

// fill appends a texture's elements, in the order that doc.go of texel says.
func (t *provenTexture) fill(r *rand.Rand, mem []byte) []byte {
	for level := range t.Levels {
		size := [3]int64{max(t.Size[0]>>level, 1), max(t.Size[1]>>level, 1), max(t.Size[2]>>level, 1)}
		for layer := range t.Layers {
			for z := range size[2] {
				for y := range size[1] {
					for x := range size[0] {
						for sample := range t.Samples {
							var v [4]float64
							v, mem = t.draw(r, mem)
							t.at[[6]int64{level, layer, z, y, x, sample}] = v
						}
					}
				}
			}
		}
	}
	return mem
}

// draw appends an element and returns its channels, as the guide says that they are read.
func (t *provenTexture) draw(r *rand.Rand, mem []byte) (v [4]float64, _ []byte) {
	v[3] = 1
	for c := range t.Channels {
		bits := r.Uint64()
		signed := int64(bits<<(64-t.Bits)) >> (64 - t.Bits)
		unsigned := bits & (1<<t.Bits - 1)
		switch {
		case t.Kind == texel.Float:
			v[c] = float64(r.IntN(257)-128) / 64
			bits = uint64(math.Float32bits(float32(v[c])))
			if t.Bits == 16 {
				bits = halfBits(v[c])
			}
		case t.SRGB && c < 3:
			if v[c] = float64(unsigned) / 255; v[c] <= 0.04045 {
				v[c] /= 12.92
			} else {
				v[c] = math.Pow((v[c]+0.055)/1.055, 2.4)
			}
		case t.Format.Normalized && t.Kind == texel.Unsigned:
			v[c] = float64(unsigned) / (math.Pow(2, float64(t.Bits)) - 1)
		case t.Format.Normalized:
			v[c] = max(float64(signed)/(math.Pow(2, float64(t.Bits-1))-1), -1)
		case t.Kind == texel.Signed:
			v[c] = float64(uint32(signed))
		default:
			v[c] = float64(unsigned)
		}
		if t.Real() {
			v[c] = float64(float32(v[c]))
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], bits)
		mem = append(mem, b[:t.Bits/8]...)
	}
	return v, mem
}

// halfBits are those of a multiple of 1/64 up to 2 as .f16.
func halfBits(x float64) uint64 {
	if x == 0 {
		return 0
	}
	fraction, exponent := math.Frexp(math.Abs(x))
	bits := uint64(exponent+14)<<10 | uint64(fraction*2048)&1023
	if x < 0 {
		bits |= 1 << 15
	}
	return bits
}

// texturesOf are those that an instruction may name.
func texturesOf(x *isa.Inst) (list []int) {
	words := strings.Split(x.Opcode, ".")
	for i, t := range provenTextures {
		if slices.Contains(words, t.geometry) || x.Op == isa.OpTxq || x.Op == isa.OpTxqLevel {
			list = append(list, i)
		}
	}
	return list
}

// textureOperand draws what stands in brackets, and the operands beside it.
func (p *proof) textureOperand(x *isa.Inst, s *isa.OperandSpec) (o proofOperand, is bool) {
	if x.Form.Class != isa.Texture || s.Write || x.Op == isa.OpIstypep {
		return o, false
	}
	o = proofOperand{spec: s, typ: isa.B32, bits: 32}
	register := func(kind string) {
		p.regs++
		o.names = append(o.names, fmt.Sprintf("r_%s_%d", kind, p.regs))
	}
	g := geometries[0] // of a query
	if words := strings.Split(x.Opcode, "."); x.Op != isa.OpTxq && x.Op != isa.OpTxqLevel && x.Op != isa.OpSuq {
		g = geometryOf(words)
	}
	switch s.Name {
	case "a":
		o.brackets = true
		register("b64")
		if o.sampled = len(s.Parts) == 3 && p.r.IntN(2) == 0; o.sampled {
			register("b64")
		}
		if len(s.Parts) > 1 {
			n := x.Elements(&s.Parts[len(s.Parts)-1])
			for range n {
				register("b32")
			}
		}
	case "e":
		for range g.dims + one3(g.dims) {
			register("b32")
		}
	case "dPdx", "dPdy":
		n := g.dims + one3(g.dims)
		if g.cube {
			n = 4
		}
		for range n {
			register("f32")
		}
	case "f":
		o.scalar = true
		register("f32")
	case "lod":
		o.scalar = true
		register("b32")
	default:
		return o, false
	}
	o.braces = s.Name == "e" || !o.brackets && len(o.names) > 1
	p.loadTexture(x, &o, g)
	return o, true
}

// one3 is 1 for three dimensions, which are padded to four.
func one3(dims int) int {
	if dims == 3 {
		return 1
	}
	return 0
}

// loadTexture draws the values of such an operand.
func (p *proof) loadTexture(x *isa.Inst, o *proofOperand, g geometry) {
	choice := texturesOf(x)
	for i, name := range o.names {
		at := 8 * len(p.in)
		for thread := range p.threads() {
			p.in = append(p.in, p.textureValue(x, o, g, i, thread, choice))
		}
		bits := 32
		if strings.HasPrefix(name, "r_b64") {
			bits = 64
		}
		p.line("ld.global.b%d %s, [in+%d];", bits, name, at)
	}
}

func (p *proof) textureValue(x *isa.Inst, o *proofOperand, g geometry, i, thread int, choice []int) uint64 {
	integer := strings.HasSuffix(x.Opcode, ".s32")
	number := func(v float64) uint64 { return uint64(math.Float32bits(float32(v))) }
	switch {
	case o.brackets && x.Form.Object > isa.Reads || x.Op == isa.OpSuld || x.Op == isa.OpSuq:
		return p.surfaceValue(x, g, i, thread)
	case o.brackets && i == 0 && asksSampler(x):
		return proofSamplers + 16*uint64(p.r.IntN(len(provenSamplers)))
	case o.brackets && i == 0:
		for {
			n := choice[p.r.IntN(len(choice))]
			// Of a cube the manual does not say how gradients mean a level.
			if t := provenTextures[n]; (t.Real() || !p.real(x)) && !(g.cube && x.Op == isa.OpTexGrad && t.Levels > 1) {
				return proofTextures + 16*uint64(n)
			}
		}
	case o.brackets && i == 1 && o.sampled:
		return proofSamplers + 16*uint64(p.r.IntN(len(provenSamplers)/2)*2+p.r.IntN(2)*int(one(p.real(x))))
	case o.brackets:
		if o.sampled {
			i--
		}
		return p.coordinate(g, i-1, integer)
	case o.spec.Name == "e":
		return uint64(uint32(int32(p.r.IntN(16) - 8)))
	case o.spec.Name == "f":
		return number(float64(1+p.r.IntN(64)) / 64)
	case o.spec.Name == "lod" && (integer || x.Op == isa.OpTxqLevel):
		return uint64(p.r.IntN(3))
	case o.spec.Name == "lod":
		return number(float64(p.r.IntN(17)-4) / 4)
	}
	return number(math.Ldexp(1.25, p.r.IntN(8)-6)) // a gradient, of which no sum is a tie
}

// real reports whether an instruction needs numbers: filters of samplers do, too.
func (p *proof) real(x *isa.Inst) bool {
	words := strings.Split(x.Opcode, ".")
	return p.compares || slices.Contains(words, "f16") || slices.Contains(words, "f16x2") || slices.Contains(words, "f32") && words[len(words)-2] == "f32" || x.Op == isa.OpTexLevel
}

// asksSampler reports whether an instruction is asked about a sampler.
func asksSampler(x *isa.Inst) bool {
	return slices.ContainsFunc(samplerQueries, func(q string) bool { return strings.Contains(x.Opcode, "."+q) })
}

// coordinate draws one: small multiples of 1/64, a prime number of which is no tie.
func (p *proof) coordinate(g geometry, i int, integer bool) uint64 {
	switch {
	case g.layered && i == 0, g.multisample && i < 1+int(one(g.layered)):
		return uint64(p.r.IntN(3))
	case integer:
		return uint64(uint32(int32(p.r.IntN(20) - 6)))
	case g.cube: // the largest of three is one alone
		return uint64(math.Float32bits(float32(7*(p.r.IntN(20)-10)+i+1-int(one(g.layered))) / 64))
	}
	return uint64(math.Float32bits(float32(p.r.IntN(1600)-600) / 64))
}

// bindTextures makes the handles stand for what they are.
func (p *proof) bindTextures(m *Machine) error {
	b, err := m.Memory.AddBuffer("texels", proofTexels, int64(len(texelBytes)), nil, false)
	if err != nil {
		return err
	}
	if err := b.Write(texelBytes, 0); err != nil {
		return err
	}
	for i, t := range provenTextures {
		m.Bind(proofTextures+16*uint64(i), isa.TexRef, &t.Texture)
	}
	for i := range provenSamplers {
		m.Bind(proofSamplers+16*uint64(i), isa.SamplerRef, &texel.Texture{Name: "sampler", Sampler: provenSamplers[i]})
	}
	for i, handle := range p.surfaces {
		m.Bind(handle, isa.SurfRef, p.rows[i])
	}
	return nil
}

// bracketText is how a texture with a place in it is written.
func (o *proofOperand) bracketText() string {
	parts, place := o.names[:1], o.names[1:]
	if o.sampled {
		parts, place = o.names[:2], o.names[2:]
	}
	text := "[" + strings.Join(parts, ", ")
	if len(place) > 0 {
		text += ", {" + strings.Join(place, ", ") + "}"
	}
	return text + "]"
}

// textureTakes reports whether the manual has an optional operand of a fetch for its
// geometry: no offsets in cubes, no comparison in three dimensions and of samples
// (9.7.12.3), and none with coordinates that are not numbers.
func textureTakes(x *isa.Inst, name string) bool {
	if x.Form.Class != isa.Texture || name != "e" && name != "f" {
		return true
	}
	g := geometryOf(strings.Split(x.Opcode, "."))
	if name == "e" {
		return !g.cube
	}
	return g.dims < 3 && !g.multisample && !strings.HasSuffix(x.Opcode, ".s32")
}
