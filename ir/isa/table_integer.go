package isa

// integerRows are the integer arithmetic instructions (PTX ISA 9.7.1).
var integerRows = []row{
	{"add.type d, a, b", ".type = .u16 .u32 .u64 .s16 .s32 .s64" + packedInts, Integer, "1.0", "", "9.7.1.1"},
	{"add.sat.type d, a, b", ".type = .s32 .u32@9.2/120f,107f .u16x2@9.2/120f,107f .s16x2@9.2/120f,107f .u8x4@9.2/120f,107f .s8x4@9.2/120f,107f",
		Integer, "1.0", "", "9.7.1.1"},
	{"sub.type d, a, b", ".type = .u16 .u32 .u64 .s16 .s32 .s64" + byteInts, Integer, "1.0", "", "9.7.1.2"},
	{"sub.sat.type d, a, b", ".type = .s32" + byteInts, Integer, "1.0", "", "9.7.1.2"},
	{"mul.mode.type d, a, b", ".mode = .lo .hi; .type = .u16 .u32 .u64 .s16 .s32 .s64", Integer, "1.0", "", "9.7.1.3"},
	{"mul.mode.type d:double, a, b", ".mode = .wide; .type = .u16 .u32 .s16 .s32", Integer, "1.0", "", "9.7.1.3"},
	{"mad.mode.type d, a, b, c", ".mode = .lo .hi; .type = .u16 .u32 .u64 .s16 .s32 .s64", Integer, "1.0", "", "9.7.1.4"},
	{"mad.mode.type d:double, a, b, c:double", ".mode = .wide; .type = .u16 .u32 .s16 .s32", Integer, "1.0", "", "9.7.1.4"},
	{"mad.hi.sat.s32 d, a, b, c", "", Integer, "1.0", "", "9.7.1.4"},
	{"clmad.mode.u64 d, a, b, c", ".mode = .hi .lo", Integer, "9.3", "80", "9.7.1.5"},
	{"mul24.mode.type d, a, b", ".mode = .hi .lo; .type = .u32 .s32", Integer, "1.0", "", "9.7.1.6"},
	{"mad24.mode.type d, a, b, c", ".mode = .hi .lo; .type = .u32 .s32", Integer, "1.0", "", "9.7.1.7"},
	{"mad24.hi.sat.s32 d, a, b, c", "", Integer, "1.0", "", "9.7.1.7"},
	{"sad.type d, a, b, c", ".type = .u16 .u32 .u64 .s16 .s32 .s64", Integer, "1.0", "", "9.7.1.8"},
	{"div.type d, a, b", ".type = .u16 .u32 .u64 .s16 .s32 .s64", Integer, "1.0", "", "9.7.1.9"},
	{"rem.type d, a, b", ".type = .u16 .u32 .u64 .s16 .s32 .s64", Integer, "1.0", "", "9.7.1.10"},
	{"abs.type d, a", ".type = .s16 .s32 .s64", Integer, "1.0", "", "9.7.1.11"},
	{"neg.type d, a", ".type = .s16 .s32 .s64 .s8x4@9.2/120f", Integer, "1.0", "", "9.7.1.12"},
	{"min.type d, a, b", ".type = .u16 .u32 .u64 .s16 .s32 .s64" + packedInts, Integer, "1.0", "", "9.7.1.13"},
	{"min.relu.type d, a, b", ".type = .s32 .s16x2 .s8x4@9.2/120f", Integer, "8.0", "90", "9.7.1.13"},
	{"max.type d, a, b", ".type = .u16 .u32 .u64 .s16 .s32 .s64" + packedInts, Integer, "1.0", "", "9.7.1.14"},
	{"max.relu.type d, a, b", ".type = .s32 .s16x2 .s8x4@9.2/120f", Integer, "8.0", "90", "9.7.1.14"},
	{"popc.type d:u32, a", ".type = .b32 .b64", Integer, "2.0", "20", "9.7.1.15"},
	{"clz.type d:u32, a", ".type = .b32 .b64", Integer, "2.0", "20", "9.7.1.16"},
	{"bfind{.shiftamt}.type d:u32, a", ".type = .u32 .u64 .s32 .s64", Integer, "2.0", "20", "9.7.1.17"},
	{"fns.b32 d, mask, base, offset:s32", "", Integer, "6.0", "30", "9.7.1.18"},
	{"brev.type d, a", ".type = .b32 .b64", Integer, "2.0", "20", "9.7.1.19"},
	{"bfe.type d, a, pos:u32, len:u32", ".type = .u32 .u64 .s32 .s64", Integer, "2.0", "20", "9.7.1.20"},
	{"bfi.type d, a, b, pos:u32, len:u32", ".type = .b32 .b64", Integer, "2.0", "20", "9.7.1.21"},
	{"szext.mode.type d, a, b:u32", ".mode = .clamp .wrap; .type = .u32 .s32", Integer, "7.6", "70", "9.7.1.22"},
	{"bmsk.mode.b32 d, a, b", ".mode = .clamp .wrap", Integer, "7.6", "70", "9.7.1.23"},
	{"dp4a.atype.btype d:u32, a:b32, b:b32, c:u32", ".atype = .u32 .s32; .btype = .u32 .s32", Integer, "5.0", "61", "9.7.1.24"},
	{"dp2a.mode.atype.btype d:u32, a:b32, b:b32, c:u32", ".mode = .lo .hi; .atype = .u32 .s32; .btype = .u32 .s32",
		Integer, "5.0", "61", "9.7.1.25"},
}

// The packed integer types, as alternatives that continue a list.
const (
	byteInts   = " .u8x4@9.2/120f,107f .s8x4@9.2/120f,107f"
	packedInts = " .u16x2@8.0/90 .s16x2@8.0/90" + byteInts
)

// carryRows are the extended-precision instructions (PTX ISA 9.7.2). CC.CF is
// an operand that is not written down: see ReadsCC and WritesCC.
var carryRows = []row{
	{"add.cc.type d, a, b", carryTypes, Integer, "1.2", "", "9.7.2.1"},
	{"addc{.cc}.type d, a, b", carryTypes, Integer, "1.2", "", "9.7.2.2"},
	{"sub.cc.type d, a, b", carryTypes, Integer, "1.2", "", "9.7.2.3"},
	{"subc{.cc}.type d, a, b", carryTypes, Integer, "1.2", "", "9.7.2.4"},
	{"mad.mode.cc.type d, a, b, c", ".mode = .lo .hi; " + carryTypes, Integer, "3.0", "20", "9.7.2.5"},
	{"madc.mode{.cc}.type d, a, b, c", ".mode = .lo .hi; " + carryTypes, Integer, "3.0", "20", "9.7.2.6"},
}

const carryTypes = ".type = .u32 .s32 .u64@4.3/20 .s64@4.3/20"
