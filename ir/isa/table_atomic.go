package isa

// The opcodes of atomic operations.
const (
	OpAtom Op = iota + firstAtomic
	OpRed
)

// atomicOperations: red is atom without a result, as its rows say.
var atomicOperations = []operation{
	{OpAtom, "atom", updates, byClass, PowerNone, plain},
	{OpRed, "red", updates, byClass, PowerNone, plain},
}

// atomicRows are atom and red (PTX ISA 9.7.15.5 and .6). Which types an
// operation has follows the manual's lists: bit operations on .b, add on
// integers but .s64, min and max on all integers, inc and dec on .u32.
var atomicRows = []row{
	{"atom{.sem}{.scope}{.space}.op{.hint}.type d, [a], b{, policy:policy}", atomOrder + bitAtomics, Atomic, "1.1", "11", "9.7.15.5"},
	{"atom{.sem}{.scope}{.space}.op{.hint}.type d, [a], b{, policy:policy}", atomOrder + addAtomics, Atomic, "1.1", "11", "9.7.15.5"},
	{"atom{.sem}{.scope}{.space}.op{.hint}.type d, [a], b{, policy:policy}", atomOrder + minMaxAtomics, Atomic, "1.1", "11", "9.7.15.5"},
	{"atom{.sem}{.scope}{.space}.op{.hint}.u32 d, [a], b{, policy:policy}", atomOrder + ".op = .inc .dec" + cacheHint, Atomic, "1.1", "11", "9.7.15.5"},
	{"atom{.sem}{.scope}{.space}.op{.hint}.type d, [a], b{, policy:policy}", atomOrder + ".op = .exch; .type = .b32 .b64 .b128@8.3/90" + cacheHint,
		Atomic, "1.1", "11", "9.7.15.5"},
	{"atom{.sem}{.scope}{.space}.op{.hint}.type d, [a], b, c{, policy:policy}", atomOrder + ".op = .cas; .type = .b16@6.3/70 .b32 .b64 .b128@8.3/90" + cacheHint,
		Atomic, "1.1", "11", "9.7.15.5"},
	{"atom{.sem}{.scope}{.space}.op.noftz{.hint}.type d, [a], b{, policy:policy}", atomOrder + halfAtomics, Atomic, "6.2", "60", "9.7.15.5"},
	{"atom{.sem}{.scope}{.global}.op{.noftz}{.hint}.vec.f32 d, [a], b{, policy:policy}", atomOrder2 + vectorF32, Atomic, "8.1", "90", "9.7.15.5"},
	{"atom{.sem}{.scope}{.global}.op.noftz{.hint}.vec.type d, [a], b{, policy:policy}", atomOrder2 + vectorHalf, Atomic, "8.1", "90", "9.7.15.5"},
	{"atom{.sem}{.scope}{.global}.op.noftz{.hint}.vec.type d, [a], b{, policy:policy}", atomOrder2 + vectorHalves, Atomic, "8.1", "90", "9.7.15.5"},

	{"red{.sem}{.scope}{.space}.op{.hint}.type [a], b{, policy:policy}", redOrder + bitAtomics, Atomic, "1.2", "11", "9.7.15.6"},
	{"red{.sem}{.scope}{.space}.op{.hint}.type [a], b{, policy:policy}", redOrder + addAtomics, Atomic, "1.2", "11", "9.7.15.6"},
	{"red{.sem}{.scope}{.space}.op{.hint}.type [a], b{, policy:policy}", redOrder + minMaxAtomics, Atomic, "1.2", "11", "9.7.15.6"},
	{"red{.sem}{.scope}{.space}.op{.hint}.u32 [a], b{, policy:policy}", redOrder + ".op = .inc .dec" + cacheHint, Atomic, "1.2", "11", "9.7.15.6"},
	{"red{.sem}{.scope}{.space}.op.noftz{.hint}.type [a], b{, policy:policy}", redOrder + halfAtomics, Atomic, "6.2", "60", "9.7.15.6"},
	{"red{.sem}{.scope}{.global}.op{.noftz}{.hint}.vec.f32 [a], b{, policy:policy}", redOrder2 + vectorF32, Atomic, "8.1", "90", "9.7.15.6"},
	{"red{.sem}{.scope}{.global}.op.noftz{.hint}.vec.type [a], b{, policy:policy}", redOrder2 + vectorHalf, Atomic, "8.1", "90", "9.7.15.6"},
	{"red{.sem}{.scope}{.global}.op.noftz{.hint}.vec.type [a], b{, policy:policy}", redOrder2 + vectorHalves, Atomic, "8.1", "90", "9.7.15.6"},
}

const (
	atomScopes  = ".scope = .cta@5.0/60 .cluster@7.8/90 .gpu@5.0/60 .sys@5.0/60; "
	atomSpaces  = ".space = .global .shared@1.2 .shared::cta@7.8 .shared::cluster@7.8/90; "
	atomOrder2  = ".sem = .relaxed@6.0/70 .acquire@6.0/70 .release@6.0/70 .acq_rel@6.0/70; " + atomScopes
	redOrder2   = ".sem = .relaxed@6.0/70 .release@6.0/70; " + atomScopes
	atomOrder   = atomOrder2 + atomSpaces
	redOrder    = redOrder2 + atomSpaces
	bitAtomics  = ".op = .and .or .xor; .type = .b32 .b64@3.1/32" + cacheHint
	addAtomics  = ".op = .add; .type = .u32 .s32 .u64@1.2/12 .f32@2.0/20 .f64@5.0/60" + cacheHint
	halfAtomics = ".op = .add; .type = .f16@6.3/70 .f16x2 .bf16@7.8/90 .bf16x2@7.8/90 .f32@9.4" + cacheHint

	minMaxAtomics = ".op = .min .max; .type = .u32 .s32 .u64@3.1/32 .s64@3.1/32" + cacheHint

	vectorF32    = ".op = .add; .vec = .v2 .v4" + cacheHint
	vectorHalf   = ".op = .add .min .max; .vec = .v2 .v4 .v8; .type = .f16 .bf16" + cacheHint
	vectorHalves = ".op = .add .min .max; .vec = .v2 .v4; .type = .f16x2 .bf16x2" + cacheHint
)
