package isa

// The opcodes of arithmetic, with those that floating point shares, and of bit
// fields.
const (
	OpAdd Op = iota + firstInteger
	OpAddc
	OpSub
	OpSubc
	OpMul
	OpMad
	OpMadc
	OpMul24
	OpMad24
	OpSad
	OpDiv
	OpRem
	OpAbs
	OpNeg
	OpMin
	OpMax
	OpPopc
	OpClz
	OpBfind
	OpFns
	OpBrev
	OpBfe
	OpBfi
	OpSzext
	OpBmsk
	OpDp4a
	OpDp2a
	OpClmad
)

// integerOperations: multiplications and divisions have units of their own in the
// power model. Costs are those of integers; the forms on floating point become one
// instruction, but for the quotient. Signs cost nothing there (CostSign).
var integerOperations = []operation{
	{OpAdd, "add", computes, byClass, PowerALU, plain},
	{OpAddc, "addc", carries, byClass, PowerALU, plain},
	{OpSub, "sub", computes, byClass, PowerALU, plain},
	{OpSubc, "subc", carries, byClass, PowerALU, plain},
	{OpMul, "mul", computes, byClass, PowerMultiply, halved(CostProduct, 8)},
	{OpMad, "mad", computes, byClass, PowerMultiply, halved(CostFMA, 8)},
	{OpMadc, "madc", carries, byClass, PowerMultiply, plain},
	{OpMul24, "mul24", computes, byClass, PowerMultiply24, counted(2, 2, latencies)},
	{OpMad24, "mad24", computes, byClass, PowerMultiply24, counted(2, 2, latencies)},
	{OpSad, "sad", computes, byClass, PowerALU, counted(1, 6, latencies)},
	{OpDiv, "div", computes, byClass, PowerDivide, quotient(divSteps...)},
	{OpRem, "rem", computes, byClass, PowerDivide, quotient(remSteps...)},
	{OpAbs, "abs", computes, byClass, PowerALU, halved(CostSign, 3)},
	{OpNeg, "neg", computes, byClass, PowerALU, by(CostSign)},
	{OpMin, "min", computes, byClass, PowerALU, halved(CostExtremum, 4)},
	{OpMax, "max", computes, byClass, PowerALU, halved(CostExtremum, 4)},
	{OpPopc, "popc", computes, byClass, PowerALU, counted(1, 3, latencies)},
	{OpClz, "clz", computes, byClass, PowerALU, counted(2, 4, latencies)},
	{OpBfind, "bfind", computes, byClass, PowerALU, counted(1, 3, latencies)},
	{OpFns, "fns", computes, byClass, PowerALU, counted(20, 20, ownEstimate)},
	{OpBrev, "brev", computes, byClass, PowerALU, counted(2, 4, latencies)},
	{OpBfe, "bfe", computes, byClass, PowerALU, counted(2, 4, ownEstimate)},
	{OpBfi, "bfi", computes, byClass, PowerALU, counted(3, 6, ownEstimate)},
	{OpSzext, "szext", computes, byClass, PowerALU, plain},
	{OpBmsk, "bmsk", computes, byClass, PowerALU, plain},
	{OpDp4a, "dp4a", computes, byClass, PowerMultiply, plain},
	{OpDp2a, "dp2a", computes, byClass, PowerMultiply, plain},
	{OpClmad, "clmad", computes, byClass, PowerMultiply, plain},
}

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

// The steps of quotients: I2F.RP, MUFU.RCP, F2I, the quotient by IMAD.HI and two
// corrections, with IABS and the sign in front and behind; of 64 bits, where the
// operands fit into 32, the same after a test.
var (
	divSteps = []Steps{
		{Type: U32, Special: 1, Integer: 14, Convert: 2, Misc: 1, Source: listings},
		{Type: S32, Special: 1, Integer: 20, Convert: 2, Misc: 1, Source: listings},
		{Type: U64, Special: 1, Integer: 16, Convert: 2, Misc: 2, Branch: 1, Source: listings},
		{Type: S64, Special: 1, Integer: 16, Convert: 2, Misc: 2, Branch: 1, Source: ownEstimate},
		{Type: U16, Special: 1, Float: 2, Integer: 4, Convert: 3, Source: ownEstimate},
		{Type: S16, Special: 1, Float: 2, Integer: 6, Convert: 3, Source: ownEstimate},
		{Type: F32, Mods: approxFtz, Special: 1, Float: 1, Source: listings}, // MUFU.RCP, FMUL
		{Type: F32, Mods: approx, Special: 1, Float: 4, Source: listings},    // FSETP, FMUL twice before
		{Type: F32, Mods: full, Special: 1, Float: 7, Source: listings},      // FSETP twice, FMUL four times before
		{Type: F32, Below: 80, Special: 1, Float: 7, FMA: 7, Check: 1, Branch: 1, Source: nvprof},
		{Type: F32, Special: 1, Float: 5, FMA: 5, Check: 1, Branch: 1, Source: listings},               // MUFU.RCP, FCHK, five FFMA
		{Type: F64, Special: 1, Float: 7, FMA: 6, Integer: 3, Misc: 1, Branch: 1, Source: ownEstimate}, // MUFU.RCP64H, DFMA steps, tests of the exponents
	}
	remSteps = []Steps{
		{Type: U32, Special: 1, Integer: 13, Convert: 2, Misc: 1, Source: ownEstimate},
		{Type: S32, Special: 1, Integer: 19, Convert: 2, Misc: 1, Source: ownEstimate},
		{Type: U64, Special: 1, Integer: 15, Convert: 2, Misc: 2, Branch: 1, Source: ownEstimate},
		{Type: S64, Special: 1, Integer: 15, Convert: 2, Misc: 2, Branch: 1, Source: ownEstimate},
		{Type: U16, Special: 1, Float: 2, Integer: 5, Convert: 3, Source: ownEstimate},
		{Type: S16, Special: 1, Float: 2, Integer: 7, Convert: 3, Source: ownEstimate},
	}
)
