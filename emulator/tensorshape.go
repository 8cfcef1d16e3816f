package emulator

import (
	"hyptx/ir/isa"
)

// What a tcgen05.mma multiplies stands in a number of 32 bits that it is given, the
// instruction descriptor (PTX ISA 9.7.18.4.2), and in its kind.

// productKind is what the text of a tcgen05.mma says.
type productKind struct {
	name   string // "f16"
	ws     bool
	scaled bool
	vec    int  // scales of a row, 0 if nothing is said
	sparse bool // half of A is there, and metadata say which
	pair   bool // of CTAs, which have half of the rows each (.cta_group::2)
	table  bool // B is indices of numbers in a table (.decompress::lut::b)
}

// productKindOf reads the text of a tcgen05.mma.
func productKindOf(x *isa.Inst) productKind {
	p := productKind{scaled: hasWord(x, "block_scale"), pair: paired(x), table: hasWord(x, "decompress::lut::b")}
	p.ws = x.Op == isa.OpTcgen05MmaWs || x.Op == isa.OpTcgen05MmaWsSp
	p.sparse = x.Op == isa.OpTcgen05MmaSp || x.Op == isa.OpTcgen05MmaWsSp
	for _, name := range []string{"f16", "tf32", "f8f6f4", "i8", "ti16", "mxf8f6f4", "mxf4", "mxf4nvf4"} {
		if hasWord(x, "kind::"+name) {
			p.name = name
		}
	}
	for word, vec := range map[string]int{"scale_vec::1X": 1, "scale_vec::2X": 2, "scale_vec::4X": 4, "block16": 4} {
		if hasWord(x, word) {
			p.vec = vec
		}
	}
	if hasWord(x, "block32") {
		p.vec = map[bool]int{true: 1, false: 2}[p.name == "mxf8f6f4"]
	}
	return p
}

// productShape is what the descriptor adds. bits are those of an element in shared
// memory, of those with fewer than 8 in containers of 8. rows are those of M that a CTA
// has, stored the elements of a row of A that are there.
type productShape struct {
	m, n, k        int
	rows, stored   int
	d, a, b        isa.Type
	bitsA, bitsB   int
	negA, negB     bool
	mnA, mnB       bool
	saturate       bool
	scale          isa.Type
	vec            int
	scaleA, scaleB int // the first byte of a row's scales in a word
	selector       int // of metadata: columns further
}

// wideKinds are the depths and types of kinds without scales.
var wideKinds = map[string]struct {
	k     int
	types map[uint32]isa.Type
	d     map[uint32]isa.Type
}{
	"f16":    {16, map[uint32]isa.Type{0: isa.F16, 1: isa.BF16}, map[uint32]isa.Type{0: isa.F16, 1: isa.F32}},
	"tf32":   {8, map[uint32]isa.Type{2: isa.TF32}, map[uint32]isa.Type{1: isa.F32}},
	"f8f6f4": {32, eightBits, map[uint32]isa.Type{0: isa.F16, 1: isa.F32}},
	"i8":     {32, map[uint32]isa.Type{0: isa.U8, 1: isa.S8}, map[uint32]isa.Type{2: isa.S32}},
	"ti16":   {16, map[uint32]isa.Type{3: isa.S16}, map[uint32]isa.Type{2: isa.S32}}, // of .s1z4m11
}

var eightBits = map[uint32]isa.Type{0: isa.E4M3, 1: isa.E5M2, 3: isa.E2M3, 4: isa.E3M2, 5: isa.E2M1}

// shapeOf reads an instruction descriptor, and says what is wrong with it.
func (p *productKind) shapeOf(bits uint32) (s productShape, why string) {
	s.n = int(bits>>17&0x3f) << 3
	s.negA, s.negB, s.mnA, s.mnB = bits>>13&1 != 0, bits>>14&1 != 0, bits>>15&1 != 0, bits>>16&1 != 0
	atype, btype := bits>>7&7, bits>>10&7
	if p.scaled {
		why = p.scaledShape(bits, &s, atype, btype)
	} else {
		why = p.plainShape(bits, &s, atype, btype)
	}
	s.rows = s.m
	if p.pair {
		s.rows = s.m / 2
	}
	switch {
	case why != "":
		return s, "the instruction descriptor: " + why
	case s.a == isa.NoType || s.b == isa.NoType || s.d == isa.NoType || s.d == isa.F16 && p.name == "f16" && (s.a != isa.F16 || s.b != isa.F16):
		return s, "the instruction descriptor has types that the kind has not"
	case p.sparse != (bits>>2&1 != 0):
		return s, "the instruction descriptor and the instruction do not agree on whether A is sparse"
	case p.sparse && s.selector > 1, p.sparse && s.selector == 1 && s.k != 16 && s.k != 8:
		return s, "the sparsity selector is one of which the manual shows the metadata in figures alone"
	case !p.sized(&s):
		return s, "the instruction descriptor has a size that the kind has not"
	case p.table && p.tableless(&s) != "":
		return s, "the instruction descriptor: " + p.tableless(&s)
	case p.name == "tf32" && (s.mnA || s.mnB), p.name[0] == 'm' && p.name != "mxf8f6f4" && (s.mnA || s.mnB), p.name == "i8" && (s.negA || s.negB):
		return s, "the instruction descriptor transposes or negates, which the kind does not, or in a layout that the manual shows in figures alone"
	case s.mnA && s.a.Bits() < 8 || s.mnB && s.b.Bits() < 8:
		return s, "the instruction descriptor transposes elements of fewer than 8 bits"
	}
	s.bitsA, s.bitsB = max(s.a.Bits(), 8), max(s.b.Bits(), 8)
	if p.name == "mxf4" || p.name == "mxf4nvf4" {
		s.bitsA, s.bitsB = 4, 4
	}
	if s.stored = s.k; p.sparse {
		s.k *= 2
	}
	return s, ""
}

// plainShape reads what is particular to kinds without scales (table 51).
func (p *productKind) plainShape(bits uint32, s *productShape, atype, btype uint32) (why string) {
	kind := wideKinds[p.name]
	s.k, s.m, s.saturate, s.selector = kind.k, int(bits>>24&0x1f)<<4, bits>>3&1 != 0, int(bits&3)
	s.a, s.b, s.d = kind.types[atype], kind.types[btype], kind.d[bits>>4&3]
	deep := bits>>29&1 != 0
	switch {
	case s.saturate && p.name != "i8":
		return "it saturates, which products of integers of 8 bits do alone"
	case bits>>6&1 != 0 || bits>>23&1 != 0 || bits>>30 != 0 && !p.ws || deep && p.name != "f8f6f4":
		return "bits that are zero in this kind are not"
	case p.name == "ti16" && (s.mnA || s.mnB):
		return "of transposing in .kind::ti16 the manual's tables 51 and 62 say different things"
	case deep:
		return p.deepen(s)
	}
	return ""
}

// deepen doubles the depth of a product of bytes, as sm_107 has it (PTX ISA table 48).
func (p *productKind) deepen(s *productShape) (why string) {
	switch s.k = 64; {
	case p.sparse || s.a.Bits() < 8 || s.b.Bits() < 8:
		return "a depth of 64 with an A that is sparse, or with elements of fewer than 8 bits, of which the manual shows the layout in figures alone"
	case !p.ws && (s.m != 128 && !p.pair || s.m != 256 && p.pair || s.n%16 != 0):
		return "a size that the kind has not at a depth of 64"
	}
	return ""
}

// tableless says why B cannot come of a table (PTX ISA 9.7.18.4.1, 9.7.18.10.10.1): it has
// 64 rows of e4m3, and the table stands in lanes of layout A or D.
func (p *productKind) tableless(s *productShape) string {
	depth := s.k
	if p.sparse {
		depth *= 2
	}
	switch {
	case depth != 64:
		return "B that is looked up has 64 rows"
	case s.b != isa.E4M3 || s.mnB:
		return "B that is looked up is e4m3, and not transposed"
	case s.rows != tensorLanes:
		return "where B is looked up a CTA has 128 rows of A"
	}
	return ""
}

// sized reports whether M and N are among those of the kind (PTX ISA 9.7.18.2.1).
func (p *productKind) sized(s *productShape) bool {
	switch {
	case p.ws:
		return (s.m == 32 || s.m == 64 || s.m == 128) && (s.n == 64 || s.n == 128 || s.n == 256 && !p.sparse)
	case s.n < 8, s.n > 256:
		return false
	case p.pair:
		step := map[bool]int{true: 32, false: 16}[p.name == "i8" || p.name == "ti16"]
		return (s.m == 256 || s.m == 128 && (!p.scaled || !p.sparse)) && s.n%step == 0
	case s.m != 128 && (s.m != 64 || p.scaled):
		return false
	case p.name == "ti16":
		return s.m == 64 || s.n%16 == 0
	}
	return p.name != "i8" || s.n <= 32 || s.n%16 == 0
}

// scaledShape reads what is particular to kinds with scales.
func (p *productKind) scaledShape(bits uint32, s *productShape, atype, btype uint32) (why string) {
	s.m, s.d, s.k, s.vec = int(bits>>27&3)<<7, isa.F32, 32, p.vec
	s.scaleB, s.scaleA, s.scale = int(bits>>4&3), int(bits>>29&3), isa.UE4M3
	if bits>>23&1 != 0 {
		s.scale = isa.UE8M0
	}
	s.a, s.b = eightBits[atype], eightBits[btype]
	switch {
	case bits&3 != 0 || bits>>6&1 != 0:
		return "bits that are zero in this kind are not"
	case bits>>3&1 != 0 || bits>>24&3 != 0 || bits>>26&1 != 0:
		return "a depth of 128, scales of ue5m3 or in 128 lanes, of which the manual shows the layout in figures alone"
	case p.name != "mxf8f6f4":
		s.k = 64
		if s.a, s.b = isa.E2M1, isa.E2M1; atype != 1 || btype != 1 || bits>>31 != 0 {
			return "types other than two of e2m1, or a depth of 96, of which the manual shows the layout in figures alone"
		}
	case bits>>31 != 0:
		if why = p.deepen(s); why != "" {
			return why
		}
		if s.vec > 0 { // .block32, which is .scale_vec::1X here at every depth
			s.vec = 2
		}
	}
	if s.vec == 0 && p.name != "mxf4nvf4" { // .block32
		s.vec = s.k / 32
	}
	valid := s.vec == s.k/32 && s.scale == isa.UE8M0 || p.name == "mxf4nvf4" && s.vec == 4
	if !valid || s.scaleA%s.vec != 0 || s.scaleB%s.vec != 0 || s.scaleA+s.vec > 4 || s.scaleB+s.vec > 4 {
		return "scales that the kind has not"
	}
	return ""
}

// half reports whether a CTA has its rows in half of the lanes: 16 of each warp's.
func (p *productKind) half(s *productShape) bool {
	return s.rows == 64 && !p.ws && (!p.pair || p.sparse)
}

// parts is into how many pieces the columns are cut, which lie in lanes below each other.
func (p *productKind) parts(s *productShape) int {
	if p.half(s) {
		return 1
	}
	return tensorLanes / s.rows
}

// lane returns where row i of a CTA lies, of a part of the columns (layouts A to G of PTX
// ISA 9.7.18.10.5). What a lane of D is made of lies in the same lane: A, where it is in
// tensor memory, and metadata stand there once for each part.
func (p *productKind) lane(s *productShape, i, part int) int {
	if p.half(s) {
		return i/16*32 + i%16
	}
	return i + part*s.rows
}
