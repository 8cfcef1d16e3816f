package manifest

import (
	"slices"
	"strings"
)

// Type is the type of a buffer's elements or of a value.
type Type uint8

// The types. NoType stands where a type was left out.
const (
	NoType Type = iota
	S8
	S16
	S32
	S64
	U8
	U16
	U32
	U64
	B8
	B16
	B32
	B64
	F16
	BF16
	F32
	F64
)

var typeNames = [...]string{"", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "b8", "b16", "b32", "b64", "f16", "bf16", "f32", "f64"}

var typeSizes = [...]int{0, 1, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8}

var typeList = strings.Join(typeNames[1:], ", ")

// String returns the type as it is written in a manifest.
func (t Type) String() string { return typeNames[t] }

// Size returns the type's size in bytes, 0 for NoType.
func (t Type) Size() int { return typeSizes[t] }

// IsFloat reports whether t is f16, bf16, f32 or f64.
func (t Type) IsFloat() bool { return t >= F16 }

// IsSigned reports whether t is s8, s16, s32 or s64.
func (t Type) IsSigned() bool { return t >= S8 && t <= S64 }

// IsBits reports whether t is b8, b16, b32 or b64.
func (t Type) IsBits() bool { return t >= B8 && t <= B64 }

// ParseType returns the type of that name.
func ParseType(name string) (Type, bool) {
	i := slices.Index(typeNames[1:], name)
	return Type(i + 1), i >= 0
}
