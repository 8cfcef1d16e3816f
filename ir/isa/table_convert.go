package isa

// The opcodes of conversion.
const (
	OpCvt Op = iota + firstConvert
	OpCvtPack
)

// convertOperations: each is one F2F, F2I, I2F or PRMT.
var convertOperations = []operation{
	{OpCvt, "cvt", computes, byClass, PowerALU, plain},
	{OpCvtPack, "cvt.pack", computes, byClass, PowerALU, plain},
}

// convertRows convert between types (PTX ISA 9.7.10.24 and .25). The rows are
// split by what the pair of types requires: a rounding to an integer, a
// rounding to a floating-point value, or none. The fp6, fp4 and ue8m0 formats
// and the forms of PTX 9.4 (.pzo, .scaled) are not in the table.
var convertRows = []row{
	{"cvt{.sat}.dtype.atype d>:dtype, a>:atype", intDest + intSource, BitConvert, "1.0", "", "9.7.10.24"},

	// floating point to integer
	{"cvt.irnd{.ftz}{.sat}.dtype.f32 d>:dtype, a>:f32", intRnd + intDest, BitConvert, "1.0", "", "9.7.10.24"},
	{"cvt.irnd{.sat}.dtype.atype d>:dtype, a>:atype", intRnd + intDest + ".atype = .f16 .f64@/13 .bf16@7.8/90", BitConvert, "1.0", "", "9.7.10.24"},

	// integer to floating point
	{"cvt.frnd{.ftz}{.sat}.f32.atype d>:f32, a>:atype", floatRnd + intSource, BitConvert, "1.0", "", "9.7.10.24"},
	{"cvt.frnd{.sat}.dtype.atype d>:dtype, a>:atype", floatRnd + ".dtype = .f16 .f64@/13 .bf16@7.8/90; " + intSource, BitConvert, "1.0", "", "9.7.10.24"},

	// to a narrower floating-point type, or between f16 and bf16
	{"cvt.frnd{.ftz}{.sat}.f32.f64 d>:f32, a>:f64", floatRnd, BitConvert, "1.0", "13", "9.7.10.24"},
	{"cvt.frnd{.ftz}{.sat}.f16.f32 d>:f16, a>:f32", floatRnd, BitConvert, "1.0", "", "9.7.10.24"},
	{"cvt.frnd{.sat}.dtype.f64 d>:dtype, a>:f64", floatRnd + ".dtype = .f16 .bf16@7.8/90", BitConvert, "1.0", "13", "9.7.10.24"},
	{"cvt.frnd{.relu}{.satfinite}.f16.f32 d>:f16, a>:f32", halfRnd, BitConvert, "7.0", "80", "9.7.10.24"},
	{"cvt.frnd{.relu}{.satfinite}.bf16.f32 d>:bf16, a>:f32", halfRnd, BitConvert, "7.0", "80", "9.7.10.24"},
	{"cvt.frnd{.ftz}{.sat}.bf16.f32 d>:bf16, a>:f32", floatRnd, BitConvert, "7.8", "90", "9.7.10.24"},
	{"cvt.frnd{.sat}.f16.bf16 d>:f16, a>:bf16", floatRnd, BitConvert, "7.8", "90", "9.7.10.24"},
	{"cvt.frnd{.sat}.bf16.f16 d>:bf16, a>:f16", floatRnd, BitConvert, "7.8", "90", "9.7.10.24"},

	// to a wider one
	{"cvt{.ftz}{.sat}.f32.f16 d>:f32, a>:f16", "", BitConvert, "1.0", "", "9.7.10.24"},
	{"cvt{.ftz}{.sat}.f64.f32 d>:f64, a>:f32", "", BitConvert, "1.0", "13", "9.7.10.24"},
	{"cvt{.sat}.f64.f16 d>:f64, a>:f16", "", BitConvert, "1.0", "13", "9.7.10.24"},
	{"cvt{.ftz}{.sat}.f32.bf16 d>:f32, a>:bf16", "", BitConvert, "7.1", "80", "9.7.10.24"},
	{"cvt{.sat}.f64.bf16 d>:f64, a>:bf16", "", BitConvert, "7.8", "90", "9.7.10.24"},

	// within a type, to an integral value
	{"cvt{.irnd}{.ftz}{.sat}.f32.f32 d>:f32, a>:f32", intRnd, BitConvert, "1.0", "", "9.7.10.24"},
	{"cvt{.irnd}{.sat}.f16.f16 d>:f16, a>:f16", intRnd, BitConvert, "1.0", "", "9.7.10.24"},
	{"cvt{.irnd}{.sat}.f64.f64 d>:f64, a>:f64", intRnd, BitConvert, "1.0", "13", "9.7.10.24"},
	{"cvt{.irnd}{.sat}.bf16.bf16 d>:bf16, a>:bf16", intRnd, BitConvert, "7.8", "90", "9.7.10.24"},

	// two values into a packed pair: a into the upper half, b into the lower
	{"cvt.frnd{.relu}{.satfinite}.dtype.f32 d:dtype, a:f32, b:f32", halfRnd + "; .dtype = .f16x2 .bf16x2", BitConvert, "7.0", "80", "9.7.10.24"},
	{"cvt.rs{.relu}{.satfinite}.dtype.f32 d:dtype, a:f32, b:f32, rbits:b32", satfinite + "; .dtype = .f16x2 .bf16x2", BitConvert, "8.7", "100a 103a", "9.7.10.24"},
	{"cvt.rna{.satfinite}.tf32.f32 d:b32, a:f32", satfinite, BitConvert, "7.0", "80", "9.7.10.24"},
	{"cvt.frnd{.relu}{.satfinite}.tf32.f32 d:b32, a:f32", halfRnd, BitConvert, "7.8", "90", "9.7.10.24"},
	{"cvt.rn.satfinite{.relu}.dtype.f32 d:dtype, a:f32, b:f32", ".dtype = .e4m3x2 .e5m2x2", BitConvert, "7.8", "89", "9.7.10.24"},
	{"cvt.rn.satfinite{.relu}.dtype.f16x2 d:dtype, a:f16x2", ".dtype = .e4m3x2 .e5m2x2", BitConvert, "7.8", "89", "9.7.10.24"},
	{"cvt.rn{.relu}.f16x2.atype d:f16x2, a:atype", ".atype = .e4m3x2 .e5m2x2", BitConvert, "7.8", "89", "9.7.10.24"},

	{"cvt.pack.sat.dtype.s32 d:b32, a:s32, b:s32", ".dtype = .u16 .s16", BitConvert, "6.5", "72", "9.7.10.25"},
	{"cvt.pack.sat.dtype.s32.b32 d:b32, a:s32, b:s32, c:b32", ".dtype = .u8 .s8 .u4@/75 .s4@/75 .u2@/75 .s2@/75", BitConvert, "6.5", "72", "9.7.10.25"},
}

const (
	intDest   = ".dtype = .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64; "
	intSource = ".atype = .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64"
	intRnd    = ".irnd = .rni .rzi .rmi .rpi; "
	floatRnd  = ".frnd = .rn .rz .rm .rp; "
	satfinite = ".satfinite = .satfinite@8.1"
	halfRnd   = ".frnd = .rn .rz; " + satfinite
)
