package isa

// The opcodes that only floating point has.
const (
	OpTestp Op = iota + firstFloat
	OpCopysign
	OpFma
	OpRcp
	OpSqrt
	OpRsqrt
	OpSin
	OpCos
	OpLg2
	OpEx2
	OpTanh
)

// floatOperations: special functions are MUFU with the steps around it.
var floatOperations = []operation{
	{OpTestp, "testp", computes, byClass, PowerALU, plain},
	{OpCopysign, "copysign", computes, byClass, PowerALU, plain},
	{OpFma, "fma", computes, byClass, PowerMultiply, by(CostFMA)},
	{OpRcp, "rcp", computes, byClass, PowerDivide, stepwise(rcpSteps...)},
	{OpSqrt, "sqrt", computes, byClass, PowerSquareRoot, stepwise(sqrtSteps...)},
	{OpRsqrt, "rsqrt", computes, byClass, PowerSquareRoot, stepwise(rsqrtSteps...)},
	{OpSin, "sin", computes, byClass, PowerSine, stepwise(sinSteps)},
	{OpCos, "cos", computes, byClass, PowerSine, stepwise(cosSteps)},
	{OpLg2, "lg2", computes, byClass, PowerLogarithm, stepwise(lg2Steps...)},
	{OpEx2, "ex2", computes, byClass, PowerExponential, stepwise(ex2Steps...)},
	{OpTanh, "tanh", computes, byClass, PowerExponential, stepwise(single)},
}

// fourRnd are the IEEE 754 rounding directions of f32 arithmetic.
const (
	fourRnd = ".rnd = .rn .rz .rm@/20 .rp@/20"
	anyRnd  = ".rnd = .rn .rz .rm .rp"
)

// floatRows are the floating-point instructions on f32, f32x2 and f64 (PTX ISA
// 9.7.3). Where a rounding is optional, .rn is meant, and only then ptxas may
// contract mul and add. Before PTX 1.4 div, rcp, sqrt and others did without
// .approx or a rounding; that was for sm_1x alone, and ptxas no longer knows it.
var floatRows = []row{
	{"testp.op.f32 p:pred, a", testpOps, FP32, "2.0", "20", "9.7.3.1"},
	{"testp.op.f64 p:pred, a", testpOps, FP64, "2.0", "20", "9.7.3.1"},
	{"copysign.f32 d, a, b", "", FP32, "2.0", "20", "9.7.3.2"},
	{"copysign.f64 d, a, b", "", FP64, "2.0", "20", "9.7.3.2"},
	{"add{.rnd}{.ftz}{.sat}.f32 d, a, b", fourRnd, FP32, "1.0", "", "9.7.3.3"},
	{"add{.rnd}{.ftz}.f32x2 d, a, b", anyRnd, FP32, "8.6", "100", "9.7.3.3"},
	{"add{.rnd}.f64 d, a, b", anyRnd, FP64, "1.0", "13", "9.7.3.3"},
	{"sub{.rnd}{.ftz}{.sat}.f32 d, a, b", fourRnd, FP32, "1.0", "", "9.7.3.4"},
	{"sub{.rnd}{.ftz}.f32x2 d, a, b", anyRnd, FP32, "8.6", "100", "9.7.3.4"},
	{"sub{.rnd}.f64 d, a, b", anyRnd, FP64, "1.0", "13", "9.7.3.4"},
	{"mul{.rnd}{.ftz}{.sat}.f32 d, a, b", fourRnd, FP32, "1.0", "", "9.7.3.5"},
	{"mul{.rnd}{.ftz}.f32x2 d, a, b", anyRnd, FP32, "8.6", "100", "9.7.3.5"},
	{"mul{.rnd}.f64 d, a, b", anyRnd, FP64, "1.0", "13", "9.7.3.5"},
	{"fma.rnd{.ftz}{.sat}.f32 d, a, b, c", anyRnd, FP32, "2.0", "20", "9.7.3.6"},
	{"fma.rnd{.ftz}.f32x2 d, a, b, c", anyRnd, FP32, "8.6", "100", "9.7.3.6"},
	{"fma.rnd.f64 d, a, b, c", anyRnd, FP64, "1.4", "13", "9.7.3.6"},
	{"mad.rnd{.ftz}{.sat}.f32 d, a, b, c", anyRnd, FP32, "2.0", "20", "9.7.3.7"},
	{"mad{.ftz}{.sat}.f32 d, a, b, c", "", FP32, "1.0 until 3.2", "", "9.7.3.7"},
	{"mad.rnd.f64 d, a, b, c", anyRnd, FP64, "1.0", "13", "9.7.3.7"},
	{"div.approx{.ftz}.f32 d, a, b", "", SpecialFP32, "1.4", "", "9.7.3.8"},
	{"div.full{.ftz}.f32 d, a, b", "", SpecialFP32, "1.4", "", "9.7.3.8"},
	{"div.rnd{.ftz}.f32 d, a, b", anyRnd, SpecialFP32, "1.4", "20", "9.7.3.8"},
	{"div.rnd.f64 d, a, b", ".rnd = .rn .rz@/20 .rm@/20 .rp@/20", SpecialFP64, "1.4", "13", "9.7.3.8"},
	{"abs{.ftz}.f32 d, a", "", FP32, "1.0", "", "9.7.3.9"},
	{"abs.f64 d, a", "", FP64, "1.0", "13", "9.7.3.9"},
	{"neg{.ftz}.f32 d, a", "", FP32, "1.0", "", "9.7.3.10"},
	{"neg.f64 d, a", "", FP64, "1.0", "13", "9.7.3.10"},
	{"min{.ftz}{.NaN}.f32 d, a, b{, c@8.8/100}", propagateNaN, FP32, "1.0", "", "9.7.3.11"},
	{"min{.ftz}{.NaN}.xorsign.abs.f32 d, a, b", propagateNaN, FP32, "7.2", "86", "9.7.3.11"},
	{"min{.ftz}{.NaN}.abs.f32 d, a, b, c", propagateNaN, FP32, "8.8", "100", "9.7.3.11"},
	{"min.f64 d, a, b", "", FP64, "1.0", "13", "9.7.3.11"},
	{"max{.ftz}{.NaN}.f32 d, a, b{, c@8.8/100}", propagateNaN, FP32, "1.0", "", "9.7.3.12"},
	{"max{.ftz}{.NaN}.xorsign.abs.f32 d, a, b", propagateNaN, FP32, "7.2", "86", "9.7.3.12"},
	{"max{.ftz}{.NaN}.abs.f32 d, a, b, c", propagateNaN, FP32, "8.8", "100", "9.7.3.12"},
	{"max.f64 d, a, b", "", FP64, "1.0", "13", "9.7.3.12"},
	{"rcp.approx{.ftz}.f32 d, a", "", SpecialFP32, "1.4", "", "9.7.3.13"},
	{"rcp.rnd{.ftz}.f32 d, a", anyRnd, SpecialFP32, "1.4", "20", "9.7.3.13"},
	{"rcp.rnd.f64 d, a", ".rnd = .rn .rz@/20 .rm@/20 .rp@/20", SpecialFP64, "1.4", "13", "9.7.3.13"},
	{"rcp.approx.ftz.f64 d, a", "", SpecialFP64, "2.1", "20", "9.7.3.14"},
	{"sqrt.approx{.ftz}.f32 d, a", "", SpecialFP32, "1.4", "", "9.7.3.15"},
	{"sqrt.rnd{.ftz}.f32 d, a", anyRnd, SpecialFP32, "1.4", "20", "9.7.3.15"},
	{"sqrt.rnd.f64 d, a", ".rnd = .rn .rz@/20 .rm@/20 .rp@/20", SpecialFP64, "1.4", "13", "9.7.3.15"},
	{"rsqrt.approx{.ftz}.f32 d, a", "", SpecialFP32, "1.4", "", "9.7.3.16"},
	{"rsqrt.approx.f64 d, a", "", SpecialFP64, "1.4", "13", "9.7.3.16"},
	{"rsqrt.approx.ftz.f64 d, a", "", SpecialFP64, "4.0", "20", "9.7.3.17"},
	{"sin.approx{.ftz}.f32 d, a", "", SpecialFP32, "1.4", "", "9.7.3.18"},
	{"cos.approx{.ftz}.f32 d, a", "", SpecialFP32, "1.4", "", "9.7.3.19"},
	{"lg2.approx{.ftz}.f32 d, a", "", SpecialFP32, "1.4", "", "9.7.3.20"},
	{"ex2.approx{.ftz}.f32 d, a", "", SpecialFP32, "1.4", "", "9.7.3.21"},
	{"tanh.approx.f32 d, a", "", SpecialFP32, "7.0", "75", "9.7.3.22"},
}

const (
	testpOps     = ".op = .finite .infinite .number .notanumber .normal .subnormal"
	propagateNaN = ".NaN = .NaN@7.0/80"
)

// The steps of special functions: MUFU with scaling of subnormal operands, RCP64H
// and RSQ64H with DFMA steps and tests of the exponents.
var (
	rcpSteps = []Steps{
		{Type: F32, Mods: approxFtz, Special: 1, Source: listings},                                                      // MUFU.RCP
		{Type: F32, Mods: approx, Special: 1, Float: 3, Source: listings},                                               // FSETP, FMUL, MUFU, FMUL
		{Type: F32, Special: 1, Float: 3, FMA: 2, Integer: 3, Branch: 1, Operands: true, First: true, Source: listings}, // IADD, LOP3, ISETP; FFMA, FADD, FFMA
		{Type: F64, Mods: approxFtz, Special: 1, Misc: 1, Source: ownEstimate},
		{Type: F64, Special: 1, Float: 5, FMA: 5, Integer: 2, Branch: 1, Operands: true, Source: latencies},
	}
	sqrtSteps = []Steps{
		{Type: F32, Mods: approxFtz, Special: 1, Source: latencies},                                                     // MUFU.SQRT
		{Type: F32, Mods: approx, Special: 1, Float: 3, Source: ownEstimate},                                            // FSETP, FMUL, MUFU, FMUL
		{Type: F32, Special: 1, Float: 4, FMA: 2, Integer: 2, Branch: 1, Operands: true, First: true, Source: listings}, // IADD, ISETP; FMUL, FMUL, FFMA, FFMA
		{Type: F64, Special: 1, Float: 7, FMA: 5, Integer: 4, Branch: 1, Source: ownEstimate},
	}
	rsqrtSteps = []Steps{
		{Type: F32, Mods: approxFtz, Special: 1, Source: listings},
		{Type: F32, Special: 1, Float: 3, Source: listings},
		{Type: F64, Mods: approxFtz, Special: 1, Misc: 1, Source: latencies},
		{Type: F64, Special: 1, Float: 6, FMA: 4, Integer: 3, Branch: 1, Source: ownEstimate},
	}
	lg2Steps = []Steps{
		{Type: F32, Mods: approxFtz, Special: 1, Source: listings},
		{Type: F32, Special: 1, Float: 3, Source: listings},
	}
	ex2Steps = []Steps{
		{Type: F32, Mods: approxFtz, Special: 1, Source: ownEstimate},
		{Type: F32, Special: 1, Float: 3, Source: latencies}, // FSETP, FMUL, MUFU.EX2, FMUL
		single,
	}
	sinSteps = Steps{Type: F32, Special: 1, Float: 1, Source: latencies} // FMUL, MUFU.SIN
	cosSteps = Steps{Type: F32, Special: 1, Float: 1, Source: ownEstimate}
	// single is for what the machine has: tanh, and functions of f16.
	single = Steps{Special: 1, Source: ownEstimate}
)
