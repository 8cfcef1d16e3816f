package isa

// The opcodes of comparison and selection.
const (
	OpSet Op = iota + firstCompare
	OpSetp
	OpSelp
	OpSlct
)

// compareOperations: set and slct become a comparison and selections of halves.
var compareOperations = []operation{
	{OpSet, "set", computes, byClass, PowerALU, by(CostSelect)},
	{OpSetp, "setp", computes, byClass, PowerALU, plain},
	{OpSelp, "selp", computes, UnitMove, PowerALU, plain},
	{OpSlct, "slct", computes, byClass, PowerALU, by(CostSelect)},
}

// compareRows are the comparisons and selections (PTX ISA 9.7.7 and 9.7.8).
// Which comparison operators there are depends on the type compared, and so
// does the class; a second row each combines the outcome with a predicate c.
var compareRows = []row{
	{"setp.cmp.type p:pred[|q], a, b", bitCmp, Integer, "1.0", "", "9.7.7.2"},
	{"setp.cmp.type p:pred[|q], a, b", signedCmp, Integer, "1.0", "", "9.7.7.2"},
	{"setp.cmp.type p:pred[|q], a, b", unsignedCmp, Integer, "1.0", "", "9.7.7.2"},
	{"setp.cmp{.ftz}.f32 p:pred[|q], a, b", floatCmp, FP32, "1.0", "", "9.7.7.2"},
	{"setp.cmp.f64 p:pred[|q], a, b", floatCmp, FP64, "1.0", "13", "9.7.7.2"},
	{"setp.cmp.bool.type p:pred[|q], a, b, {!}c:pred", bitCmp + boolOps, Integer, "1.0", "", "9.7.7.2"},
	{"setp.cmp.bool.type p:pred[|q], a, b, {!}c:pred", signedCmp + boolOps, Integer, "1.0", "", "9.7.7.2"},
	{"setp.cmp.bool.type p:pred[|q], a, b, {!}c:pred", unsignedCmp + boolOps, Integer, "1.0", "", "9.7.7.2"},
	{"setp.cmp.bool{.ftz}.f32 p:pred[|q], a, b, {!}c:pred", floatCmp + boolOps, FP32, "1.0", "", "9.7.7.2"},
	{"setp.cmp.bool.f64 p:pred[|q], a, b, {!}c:pred", floatCmp + boolOps, FP64, "1.0", "13", "9.7.7.2"},

	{"setp.cmp{.ftz}.f16 p:pred, a, b", floatCmp, FP16, "4.2", "53", "9.7.8.2"},
	{"setp.cmp{.ftz}.f16x2 p:pred|q, a, b", floatCmp, FP16, "4.2", "53", "9.7.8.2"},
	{"setp.cmp.bf16 p:pred, a, b", floatCmp, FP16, "7.8", "90", "9.7.8.2"},
	{"setp.cmp.bf16x2 p:pred|q, a, b", floatCmp, FP16, "7.8", "90", "9.7.8.2"},
	{"setp.cmp.bool{.ftz}.f16 p:pred, a, b, {!}c:pred", floatCmp + boolOps, FP16, "4.2", "53", "9.7.8.2"},
	{"setp.cmp.bool{.ftz}.f16x2 p:pred|q, a, b, {!}c:pred", floatCmp + boolOps, FP16, "4.2", "53", "9.7.8.2"},
	{"setp.cmp.bool.bf16 p:pred, a, b, {!}c:pred", floatCmp + boolOps, FP16, "7.8", "90", "9.7.8.2"},
	{"setp.cmp.bool.bf16x2 p:pred|q, a, b, {!}c:pred", floatCmp + boolOps, FP16, "7.8", "90", "9.7.8.2"},

	{"set.cmp.dtype.type d:dtype, a:type, b:type", setTypes + bitCmp, Integer, "1.0", "", "9.7.7.1"},
	{"set.cmp.dtype.type d:dtype, a:type, b:type", setTypes + signedCmp, Integer, "1.0", "", "9.7.7.1"},
	{"set.cmp.dtype.type d:dtype, a:type, b:type", setTypes + unsignedCmp, Integer, "1.0", "", "9.7.7.1"},
	{"set.cmp{.ftz}.dtype.f32 d:dtype, a:f32, b:f32", setTypes + floatCmp, FP32, "1.0", "", "9.7.7.1"},
	{"set.cmp.dtype.f64 d:dtype, a:f64, b:f64", setTypes + floatCmp, FP64, "1.0", "13", "9.7.7.1"},
	{"set.cmp.bool.dtype.type d:dtype, a:type, b:type, {!}c:pred", setTypes + bitCmp + boolOps, Integer, "1.0", "", "9.7.7.1"},
	{"set.cmp.bool.dtype.type d:dtype, a:type, b:type, {!}c:pred", setTypes + signedCmp + boolOps, Integer, "1.0", "", "9.7.7.1"},
	{"set.cmp.bool.dtype.type d:dtype, a:type, b:type, {!}c:pred", setTypes + unsignedCmp + boolOps, Integer, "1.0", "", "9.7.7.1"},
	{"set.cmp.bool{.ftz}.dtype.f32 d:dtype, a:f32, b:f32, {!}c:pred", setTypes + floatCmp + boolOps, FP32, "1.0", "", "9.7.7.1"},
	{"set.cmp.bool.dtype.f64 d:dtype, a:f64, b:f64, {!}c:pred", setTypes + floatCmp + boolOps, FP64, "1.0", "13", "9.7.7.1"},

	{"set.cmp{.ftz}.dtype.f16 d:dtype, a:f16, b:f16", halfDest + floatCmp, FP16, "4.2", "53", "9.7.8.1"},
	{"set.cmp.dtype.bf16 d:dtype, a:bf16, b:bf16", bhalfDest + floatCmp, FP16, "7.8", "90", "9.7.8.1"},
	{"set.cmp{.ftz}.dtype.f16x2 d:dtype, a:f16x2, b:f16x2", halvesDest + floatCmp, FP16, "4.2", "53", "9.7.8.1"},
	{"set.cmp.dtype.bf16x2 d:dtype, a:bf16x2, b:bf16x2", bhalvesDest + floatCmp, FP16, "7.8", "90", "9.7.8.1"},
	{"set.cmp.bool{.ftz}.dtype.f16 d:dtype, a:f16, b:f16, {!}c:pred", halfDest + floatCmp + boolOps, FP16, "4.2", "53", "9.7.8.1"},
	{"set.cmp.bool.dtype.bf16 d:dtype, a:bf16, b:bf16, {!}c:pred", bhalfDest + floatCmp + boolOps, FP16, "7.8", "90", "9.7.8.1"},
	{"set.cmp.bool{.ftz}.dtype.f16x2 d:dtype, a:f16x2, b:f16x2, {!}c:pred", halvesDest + floatCmp + boolOps, FP16, "4.2", "53", "9.7.8.1"},
	{"set.cmp.bool.dtype.bf16x2 d:dtype, a:bf16x2, b:bf16x2, {!}c:pred", bhalvesDest + floatCmp + boolOps, FP16, "7.8", "90", "9.7.8.1"},
	// a half-precision result of a comparison of other types
	{"set.cmp.dtype.type d:dtype, a:type, b:type", halfResult + bitCmp, Integer, "4.2", "53", "9.7.8.1"},
	{"set.cmp.dtype.type d:dtype, a:type, b:type", halfResult + signedCmp, Integer, "4.2", "53", "9.7.8.1"},
	{"set.cmp.dtype.type d:dtype, a:type, b:type", halfResult + unsignedCmp, Integer, "4.2", "53", "9.7.8.1"},
	{"set.cmp{.ftz}.dtype.f32 d:dtype, a:f32, b:f32", halfResult + floatCmp, FP32, "4.2", "53", "9.7.8.1"},
	{"set.cmp.dtype.f64 d:dtype, a:f64, b:f64", halfResult + floatCmp, FP64, "4.2", "53", "9.7.8.1"},
	{"set.cmp.bool.dtype.type d:dtype, a:type, b:type, {!}c:pred", halfResult + bitCmp + boolOps, Integer, "4.2", "53", "9.7.8.1"},
	{"set.cmp.bool.dtype.type d:dtype, a:type, b:type, {!}c:pred", halfResult + signedCmp + boolOps, Integer, "4.2", "53", "9.7.8.1"},
	{"set.cmp.bool.dtype.type d:dtype, a:type, b:type, {!}c:pred", halfResult + unsignedCmp + boolOps, Integer, "4.2", "53", "9.7.8.1"},
	{"set.cmp.bool{.ftz}.dtype.f32 d:dtype, a:f32, b:f32, {!}c:pred", halfResult + floatCmp + boolOps, FP32, "4.2", "53", "9.7.8.1"},
	{"set.cmp.bool.dtype.f64 d:dtype, a:f64, b:f64, {!}c:pred", halfResult + floatCmp + boolOps, FP64, "4.2", "53", "9.7.8.1"},

	{"selp.type d, a, b, c:pred", ".type = .b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64@/13", Misc, "1.0", "", "9.7.7.3"},
	{"slct.dtype.s32 d:dtype, a:dtype, b:dtype, c:s32", slctTypes, Integer, "1.0", "", "9.7.7.4"},
	{"slct{.ftz}.dtype.f32 d:dtype, a:dtype, b:dtype, c:f32", slctTypes, FP32, "1.0", "", "9.7.7.4"},
}

const (
	bitCmp      = ".cmp = .eq .ne; .type = .b16 .b32 .b64"
	signedCmp   = ".cmp = .eq .ne .lt .le .gt .ge; .type = .s16 .s32 .s64"
	unsignedCmp = ".cmp = .eq .ne .lt .le .gt .ge .lo .ls .hi .hs; .type = .u16 .u32 .u64"
	floatCmp    = ".cmp = .eq .ne .lt .le .gt .ge .equ .neu .ltu .leu .gtu .geu .num .nan"
	boolOps     = "; .bool = .and .or .xor"

	setTypes    = ".dtype = .u32 .s32 .f32; "
	halfResult  = ".dtype = .f16 .bf16@7.8/90; "
	halfDest    = ".dtype = .f16 .bf16@7.8/90 .u16@6.5 .s16@6.5 .u32@6.5 .s32@6.5; "
	bhalfDest   = ".dtype = .bf16 .u16 .s16 .u32 .s32; "
	halvesDest  = ".dtype = .f16x2 .u32@6.5 .s32@6.5; "
	bhalvesDest = ".dtype = .bf16x2 .u32 .s32; "
	slctTypes   = ".dtype = .b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64@/13"
)
