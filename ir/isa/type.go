package isa

// Type is a PTX fundamental or instruction type (PTX ISA 5.2).
type Type uint8

// The types, in the manual's spelling without the dot.
const (
	NoType Type = iota
	Pred
	B8
	B16
	B32
	B64
	B128
	U8
	U16
	U32
	U64
	S8
	S16
	S32
	S64
	F16
	F32
	F64
	F16x2
	BF16
	BF16x2
	TF32
	F32x2
	U16x2
	S16x2
	U8x4
	S8x4
	E4M3
	E5M2
	E4M3x2
	E5M2x2
	B1 // element types of matrices and of cvt.pack, never of a register
	U2
	S2
	U4
	S4
	E2M1
	E2M3
	E3M2
	UE8M0
	UE4M3
	UE5M3
	S2F6
	e2M1x2 // two or four of them in an untyped register
	E2M3x2
	E3M2x2
	UE8M0x2
	s2F6x2
	UE5M3x2
	E4M3x4
	E5M2x4
	E2M1x4
	e2M1P4x4
	E2M3x4
	E3M2x4
	UE8M0x4
	TexRef
	SamplerRef
	SurfRef
	numTypes
)

// Kind groups types by how their bits are read (PTX ISA 5.2.1).
type Kind uint8

// The kinds.
const (
	noKind Kind = iota
	predicateKind
	Bit      // .bN: untyped, agrees with any type of the same size
	Unsigned // .uN
	Signed   // .sN
	Float    // .f16 .f32 .f64 and the alternate formats
	Opaque   // .texref .samplerref .surfref
)

type typeInfo struct {
	name string
	bits int
	kind Kind
	// lanes is the number of packed elements, elem their type.
	lanes int
	elem  Type
}

var types = [numTypes]typeInfo{
	NoType: {"", 0, noKind, 0, NoType},
	Pred:   {"pred", 1, predicateKind, 1, Pred},
	B8:     {"b8", 8, Bit, 1, B8}, B16: {"b16", 16, Bit, 1, B16}, B32: {"b32", 32, Bit, 1, B32}, B64: {"b64", 64, Bit, 1, B64}, B128: {"b128", 128, Bit, 1, B128},
	U8: {"u8", 8, Unsigned, 1, U8}, U16: {"u16", 16, Unsigned, 1, U16}, U32: {"u32", 32, Unsigned, 1, U32}, U64: {"u64", 64, Unsigned, 1, U64},
	S8: {"s8", 8, Signed, 1, S8}, S16: {"s16", 16, Signed, 1, S16}, S32: {"s32", 32, Signed, 1, S32}, S64: {"s64", 64, Signed, 1, S64},
	F16: {"f16", 16, Float, 1, F16}, F32: {"f32", 32, Float, 1, F32}, F64: {"f64", 64, Float, 1, F64},
	F16x2: {"f16x2", 32, Float, 2, F16}, BF16: {"bf16", 16, Float, 1, BF16}, BF16x2: {"bf16x2", 32, Float, 2, BF16},
	TF32: {"tf32", 32, Float, 1, TF32}, F32x2: {"f32x2", 64, Float, 2, F32},
	U16x2: {"u16x2", 32, Unsigned, 2, U16}, S16x2: {"s16x2", 32, Signed, 2, S16}, U8x4: {"u8x4", 32, Unsigned, 4, U8}, S8x4: {"s8x4", 32, Signed, 4, S8},
	E4M3: {"e4m3", 8, Float, 1, E4M3}, E5M2: {"e5m2", 8, Float, 1, E5M2}, E4M3x2: {"e4m3x2", 16, Float, 2, E4M3}, E5M2x2: {"e5m2x2", 16, Float, 2, E5M2},
	B1: {"b1", 1, Bit, 1, B1}, U2: {"u2", 2, Unsigned, 1, U2}, S2: {"s2", 2, Signed, 1, S2}, U4: {"u4", 4, Unsigned, 1, U4}, S4: {"s4", 4, Signed, 1, S4},
	E2M1: {"e2m1", 4, Float, 1, E2M1}, E2M3: {"e2m3", 6, Float, 1, E2M3}, E3M2: {"e3m2", 6, Float, 1, E3M2},
	UE8M0: {"ue8m0", 8, Float, 1, UE8M0}, UE4M3: {"ue4m3", 8, Float, 1, UE4M3},
	UE5M3: {"ue5m3", 8, Float, 1, UE5M3}, S2F6: {"s2f6", 8, Float, 1, S2F6},
	e2M1x2: {"e2m1x2", 8, Float, 2, E2M1}, E2M3x2: {"e2m3x2", 16, Float, 2, E2M3}, E3M2x2: {"e3m2x2", 16, Float, 2, E3M2},
	UE8M0x2: {"ue8m0x2", 16, Float, 2, UE8M0}, s2F6x2: {"s2f6x2", 16, Float, 2, S2F6}, UE5M3x2: {"ue5m3x2", 16, Float, 2, UE5M3},
	E4M3x4: {"e4m3x4", 32, Float, 4, E4M3}, E5M2x4: {"e5m2x4", 32, Float, 4, E5M2}, E2M1x4: {"e2m1x4", 16, Float, 4, E2M1},
	e2M1P4x4: {"e2m1p4x4", 32, Float, 4, E2M1}, E2M3x4: {"e2m3x4", 32, Float, 4, E2M3}, E3M2x4: {"e3m2x4", 32, Float, 4, E3M2},
	UE8M0x4: {"ue8m0x4", 32, Float, 4, UE8M0},
	TexRef:  {"texref", 64, Opaque, 1, TexRef}, SamplerRef: {"samplerref", 64, Opaque, 1, SamplerRef}, SurfRef: {"surfref", 64, Opaque, 1, SurfRef},
}

var typeByName = func() map[string]Type {
	m := make(map[string]Type, numTypes)
	for t := NoType + 1; t < numTypes; t++ {
		m[types[t].name] = t
	}
	return m
}()

// ParseType returns the type spelled name ("u32", no dot), or NoType.
func ParseType(name string) Type { return typeByName[name] }

// String returns the manual's spelling with the dot, as ".u32".
func (t Type) String() string { return "." + types[t].name }

// Bits returns the size in bits; a predicate has 1.
func (t Type) Bits() int { return types[t].bits }

// Bytes returns the size in memory in bytes; a predicate has none.
func (t Type) Bytes() int { return types[t].bits / 8 }

// Kind says how the bits of t are read.
func (t Type) Kind() Kind { return types[t].kind }

// Lanes returns the number of packed elements: 2 for .f16x2, 1 for .f32.
func (t Type) Lanes() int { return types[t].lanes }

// Elem returns the type of one packed element: .f16 for .f16x2.
func (t Type) Elem() Type { return types[t].elem }

// IsFloat reports whether t is a floating-point type, packed ones included.
func (t Type) IsFloat() bool { return types[t].kind == Float }

// IsSigned reports whether t is a signed integer type.
func (t Type) IsSigned() bool { return types[t].kind == Signed }

// double returns the integer type of twice the width: .u32 for .u16; NoType if
// there is none.
func (t Type) double() Type {
	switch t {
	case U8, U16, U32, S8, S16, S32, B8, B16, B32, B64:
		return t + 1 // widths ascend within a kind
	}
	return NoType
}

// IsFundamental reports whether variables and registers may be declared with t
// (PTX ISA 5.2.1, and the opaque types of 5.3). The others are instruction
// types, whose values are kept in registers of other types.
func (t Type) IsFundamental() bool {
	return t >= Pred && t <= F16x2 || types[t].kind == Opaque
}

// Contained reports whether a register of type r has the bits of a value of an
// alternate or packed format, though the manual wants an untyped register for it:
// .f16x2 in .u32. Compilers before PTX 4.2 kept .f16 in .u16.
func (t Type) Contained(r Type) bool {
	return t != F32 && t != F64 && types[t].kind == Float && isInteger(r) && t.Bits() == r.Bits()
}

// Slots returns how many 32-bit register slots a value of t takes: a
// predicate none, up to 32 bits one, 64 bits two, 128 bits four.
func (t Type) Slots() int {
	if t == Pred {
		return 0
	}
	return (types[t].bits + 31) / 32
}

// BitsType returns the untyped type of the given width in bits, or NoType.
func BitsType(bits int) Type {
	for t := B8; t <= B128; t++ {
		if types[t].bits == bits {
			return t
		}
	}
	return NoType
}
