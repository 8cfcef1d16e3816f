package isa

// halfRows are the half-precision instructions, on f16 and bf16 and their
// packed pairs (PTX ISA 9.7.4).
var halfRows = []row{
	{"add{.rnd}{.ftz}{.sat}.type d, a, b", ".rnd = .rn; " + f16Types, FP16, "4.2", "53", "9.7.4.1"},
	{"add{.rnd}.type d, a, b", ".rnd = .rn; " + bf16Types, FP16, "7.8", "90", "9.7.4.1"},
	{"sub{.rnd}{.ftz}{.sat}.type d, a, b", ".rnd = .rn; " + f16Types, FP16, "4.2", "53", "9.7.4.2"},
	{"sub{.rnd}.type d, a, b", ".rnd = .rn; " + bf16Types, FP16, "7.8", "90", "9.7.4.2"},
	{"mul{.rnd}{.ftz}{.sat}.type d, a, b", ".rnd = .rn; " + f16Types, FP16, "4.2", "53", "9.7.4.3"},
	{"mul{.rnd}.type d, a, b", ".rnd = .rn; " + bf16Types, FP16, "7.8", "90", "9.7.4.3"},
	{"fma.rn{.ftz}{.sat}.type d, a, b, c", f16Types, FP16, "4.2", "53", "9.7.4.4"},
	{"fma.rn{.ftz}.relu.type d, a, b, c", f16Types, FP16, "7.0", "80", "9.7.4.4"},
	{"fma.rn{.relu}.type d, a, b, c", bf16Types, FP16, "7.0", "80", "9.7.4.4"},
	{"fma.rn.oob{.relu}.type d, a, b, c", ".type = .f16 .f16x2 .bf16 .bf16x2", FP16, "8.1", "90", "9.7.4.4"},
	{"fma.rnd{.relu}.type d, a, b, c", ".rnd = .rz .rm .rp; " + bf16Types, FP16, "7.0 ptxas", "80", "9.7.4.4"},
	{"neg{.ftz}.type d, a", f16Types, FP16, "6.0", "53", "9.7.4.5"},
	{"neg.type d, a", bf16Types, FP16, "7.0", "80", "9.7.4.5"},
	{"abs{.ftz}.type d, a", f16Types, FP16, "6.5", "53", "9.7.4.6"},
	{"abs.type d, a", bf16Types, FP16, "7.0", "80", "9.7.4.6"},
	{"min{.ftz}{.NaN}{.xorsign.abs}.type d, a, b", xorsign + f16Types, FP16, "7.0", "80", "9.7.4.7"},
	{"min{.NaN}{.xorsign.abs}.type d, a, b", xorsign + bf16Types, FP16, "7.0", "80", "9.7.4.7"},
	{"max{.ftz}{.NaN}{.xorsign.abs}.type d, a, b", xorsign + f16Types, FP16, "7.0", "80", "9.7.4.8"},
	{"max{.NaN}{.xorsign.abs}.type d, a, b", xorsign + bf16Types, FP16, "7.0", "80", "9.7.4.8"},
	{"tanh.approx.type d, a", ".type = .f16 .f16x2 .bf16@7.8/90 .bf16x2@7.8/90", SpecialFP16, "7.0", "75", "9.7.4.9"},
	{"ex2.approx.type d, a", f16Types, SpecialFP16, "7.0", "75", "9.7.4.10"},
	{"ex2.approx.ftz.type d, a", bf16Types, SpecialFP16, "7.8", "90", "9.7.4.10"},
}

const (
	f16Types  = ".type = .f16 .f16x2"
	bf16Types = ".type = .bf16 .bf16x2"
	xorsign   = ".xorsign = .xorsign@7.2/86; "
)

// mixedRows are the instructions that add or multiply half-precision values
// to f32 ones (PTX ISA 9.7.5).
var mixedRows = []row{
	{"add{.rnd}{.sat}.f32.atype d:f32, a:atype, c:f32", anyRnd + halfSource, FP32, "8.6", "100", "9.7.5.1"},
	{"sub{.rnd}{.sat}.f32.atype d:f32, a:atype, c:f32", anyRnd + halfSource, FP32, "8.6", "100", "9.7.5.2"},
	{"fma{.rnd}{.sat}.f32.atype d:f32, a:atype, b:atype, c:f32", anyRnd + halfSource, FP32, "8.6", "100", "9.7.5.3"},
}

const halfSource = "; .atype = .f16 .bf16"
