package emulator

import (
	"hyptx/emulator/internal/lanes"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Video instructions name parts of their registers, which stand in the operands and
// not in the opcode (PTX ISA 9.7.20).

// video decodes a scalar video instruction: d{.part}, a{.part}, b{.part}{, c}.
func video(of func(lanes.Variant) lanes.VideoFn) builder {
	return func(c *compiler, in *ir.Instr, i *inst) error {
		return c.lane(in, i, lanes.ScalarVideo(of(variant(in.Inst)), videoOf(in)))
	}
}

// packedVideo decodes one on elements of so many bits: d{.mask}, a{.parts}, b{.parts}, c.
// What names no elements has those of a in a's place, those of b in b's, and all of d.
func packedVideo(bits int, of func(lanes.Variant) lanes.VideoFn) builder {
	return func(c *compiler, in *ir.Instr, i *inst) error {
		v := videoOf(in)
		for first, p := range []*lanes.Parts{&v.OfA, &v.OfB, &v.To} {
			for n := 0; p.Bits == 0 && n < 32/bits; n++ {
				p.At = append(p.At, first%2*32/bits+n)
			}
			p.Bits = bits
		}
		return c.lane(in, i, lanes.PackedVideo(of(variant(in.Inst)), v))
	}
}

// buildVideoMad decodes vmad d, {-}a{.part}, {-}b{.part}, {-}c.
func buildVideoMad(c *compiler, in *ir.Instr, i *inst) error {
	return c.lane(in, i, lanes.VideoMad(videoOf(in)))
}

// videoOf collects what the opcode and the operands say. Comparisons have no type of
// their own: what they make is unsigned.
func videoOf(in *ir.Instr) lanes.Video {
	x := in.Inst
	v := lanes.Video{D: x.Types[0], A: x.Types[1], B: x.Types[2], Sat: x.Has(isa.ModSat)}
	if v.B == isa.NoType {
		v.D, v.A, v.B = isa.U32, x.Types[0], x.Types[1]
	}
	for n, p := range []*lanes.Parts{&v.To, &v.OfA, &v.OfB} {
		p.At, p.Bits = in.Ops()[n].Selector.Parts()
	}
	v.Negative, v.NegativeC = in.Ops()[1].Neg != in.Ops()[2].Neg, in.Ops()[3].Neg
	for _, m := range x.Mods {
		switch m.String() {
		case "add":
			v.Then = lanes.SecondAdd
		case "min":
			v.Then = lanes.SecondMin
		case "max":
			v.Then = lanes.SecondMax
		case "po":
			v.One = true
		case "shr7":
			v.Scale = 7
		case "shr15":
			v.Scale = 15
		}
	}
	return v
}
