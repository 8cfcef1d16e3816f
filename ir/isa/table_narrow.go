package isa

// narrowRows convert from and to the formats of 4, 6 and 8 bits (PTX ISA 9.7.10.24),
// add pairs and fours of them (9.7.5, 9.7.6), and compare packed integers (9.7.7.1).
// Their opcodes are those of other families.
var narrowRows = []row{
	{"cvt.rn.satfinite{.relu}.narrow.f32 d:narrow, a:f32, b:f32", narrowPairs, BitConvert, "8.6", "100f 110f 120f", "9.7.10.24"},
	{"cvt.rn{.relu}.f16x2.narrow d:f16x2, a:narrow", narrowPairs, BitConvert, "8.6", "100f 110f 120f", "9.7.10.24"},
	{"cvt.rn.satfinite{.relu}.narrow.atype d:narrow, a:atype", narrowPairs + "; .atype = .f16x2 .bf16x2", BitConvert, "9.1", "100f 110f 120f", "9.7.10.24"},
	{"cvt.rn.satfinite{.relu}.narrow.bf16x2 d:narrow, a:bf16x2", ".narrow = .e4m3x2 .e5m2x2", BitConvert, "9.1", "100f 110f 120f", "9.7.10.24"},
	{"cvt.rn{.relu}{.satfinite}{.scaled}.bf16x2.narrow d:bf16x2, a:narrow{, scale:b16?scaled}", narrowPairs + " .e4m3x2 .e5m2x2; .scaled = .scaled::n2::ue8m0",
		BitConvert, "9.2", "100f 110f 120f", "9.7.10.24"},
	{"cvt.rs{.relu}.satfinite.dtype.f32 d:dtype, a:f32[4], rbits:b32", ".dtype = .e4m3x4 .e5m2x4 .e2m1x4 .e2m3x4 .e3m2x4", BitConvert, "8.7", "100a 103a", "9.7.10.24"},
	{"cvt.frnd{.satfinite}.ue8m0x2.f32 d, a:f32, b:f32", ".frnd = .rz .rp", BitConvert, "8.6", "100f 110f 120f", "9.7.10.24"},
	{"cvt.frnd{.satfinite}.ue8m0x2.bf16x2 d, a:bf16x2", ".frnd = .rz .rp", BitConvert, "8.6", "100f 110f 120f", "9.7.10.24"},
	{"cvt.rn.bf16x2.ue8m0x2 d, a:ue8m0x2", "", BitConvert, "8.6", "100f 110f 120f", "9.7.10.24"},
	{"cvt.rn.satfinite{.relu}{.scaled}.s2f6x2.f32 d, a:f32, b:f32{, scale:b16?scaled}", scaled2, BitConvert, "9.1", "100f 110f 120f", "9.7.10.24"},
	{"cvt.rn.satfinite{.relu}{.scaled}.s2f6x2.bf16x2 d, a:bf16x2{, scale:b16?scaled}", scaled2, BitConvert, "9.1", "100f 110f 120f", "9.7.10.24"},
	{"cvt.rn{.satfinite}{.relu}{.scaled}.bf16x2.s2f6x2 d, a:s2f6x2{, scale:b16?scaled}", scaled2, BitConvert, "9.1", "100f 110f 120f", "9.7.10.24"},

	{"cvt.frnd.pzo{.relu}{.satfinite}.dtype.f32 d:dtype, a:f32", halfRnd + "; .dtype = .f16 .bf16", BitConvert, "9.4", "107f", "9.7.10.24"},
	{"cvt.frnd.pzo{.relu}{.satfinite}.dtype.f32 d:dtype, a:f32, b:f32", halfRnd + "; .dtype = .f16x2 .bf16x2", BitConvert, "9.4", "107f", "9.7.10.24"},
	{"cvt.frnd.pzo{.satfinite}{.relu}.tf32.f32 d:b32, a:f32", halfRnd, BitConvert, "9.4", "107f", "9.7.10.24"},
	{"cvt.frnd.satfinite{.relu}{.pzo}{.scaled}.narrow.f32 d:narrow, a:f32, b:f32{, scale:b8/b16?scaled}", scaled1 + narrowPairs + " .e4m3x2 .e5m2x2", BitConvert, "9.4", "107f", "9.7.10.24"},
	{"cvt.frnd.satfinite{.relu}{.pzo}{.scaled}.narrow.atype d:narrow, a:atype{, scale:b8/b16?scaled}", scaled1 + narrowPairs + " .e4m3x2 .e5m2x2; .atype = .f16x2 .bf16x2",
		BitConvert, "9.4", "107f", "9.7.10.24"},
	{"cvt.frnd.satfinite{.relu}{.scaled}.s2f6x2.f32 d, a:f32, b:f32{, scale:b16?scaled}", ".frnd = .rz; " + scaled2, BitConvert, "9.4", "107f", "9.7.10.24"},
	{"cvt.frnd.satfinite{.relu}{.scaled}.s2f6x2.bf16x2 d, a:bf16x2{, scale:b16?scaled}", ".frnd = .rz; " + scaled2, BitConvert, "9.4", "107f", "9.7.10.24"},
	{"cvt.frnd{.satfinite}{.scaled}.ue5m3x2.f32 d, a:f32, b:f32{, scale:b8/b16?scaled}", unsignedFloat, BitConvert, "9.4", "107f", "9.7.10.24"},
	{"cvt.frnd{.satfinite}{.scaled}.ue5m3x2.atype d, a:atype{, scale:b8/b16?scaled}", unsignedFloat + "; .atype = .f16x2 .bf16x2", BitConvert, "9.4", "107f", "9.7.10.24"},
	{"cvt.rn.f16x2.ue5m3x2 d, a:ue5m3x2", "", BitConvert, "9.4", "107f", "9.7.10.24"},
	{"cvt.rn{.satfinite}{.scaled}.bf16x2.ue5m3x2 d, a:ue5m3x2{, scale:b16?scaled}", scaled2, BitConvert, "9.4", "107f", "9.7.10.24"},

	{"add{.rnd}.f32x2.atype.f32x2 d, a:atype, c:f32x2", anyRnd + halfPairs, FP32, "9.4", "107f", "9.7.5.1"},
	{"add.rz.ftz.f16x2.f32x2.f32x2 d, a:f32x2, c:f32x2", "", FP16, "9.4", "107f", "9.7.5.1"},
	{"add.rz.bf16x2.f32x2.f32x2 d, a:f32x2, c:f32x2", "", FP16, "9.4", "107f", "9.7.5.1"},
	{"sub{.rnd}.f32x2.atype.f32x2 d, a:atype, c:f32x2", anyRnd + halfPairs, FP32, "9.4", "107f", "9.7.5.2"},
	{"sub.rz.ftz.f16x2.f32x2.f32x2 d, a:f32x2, c:f32x2", "", FP16, "9.4", "107f", "9.7.5.2"},
	{"sub.rz.bf16x2.f32x2.f32x2 d, a:f32x2, c:f32x2", "", FP16, "9.4", "107f", "9.7.5.2"},
	{"fma{.rnd}.f32x2.atype.f32x2.f32x2 d, a:atype, b:f32x2, c:f32x2", anyRnd + halfPairs, FP32, "9.4", "107f", "9.7.5.3"},

	{"mul.rz.ftz.f16x2.f32x2.f32x2 d, a:f32x2, c:f32x2", "", FP16, "9.4", "107f", "9.7.5.4"},
	{"mul.rz.bf16x2.f32x2.f32x2 d, a:f32x2, c:f32x2", "", FP16, "9.4", "107f", "9.7.5.4"},
	{"mul.bf16x2.bf16x2.f16x2 d, a:bf16x2, c:f16x2", "", FP16, "9.4", "107f", "9.7.5.4"},
	{"mul.f16x2.f16x2.bf16x2 d, a:f16x2, c:bf16x2", "", FP16, "9.4", "107f", "9.7.5.4"},

	{"add{.rn}{.satfinite}.fours.atype d, a:atype, c:fours", fours + bytesOf("atype"), FP16, "9.4", "100a 103a", "9.7.6.1"},
	{"sub{.rn}{.satfinite}.fours.atype d, a:atype, c:fours", fours + bytesOf("atype"), FP16, "9.4", "100a 103a", "9.7.6.2"},
	{"mul{.rn}{.satfinite}.fours.atype.btype d, a:atype, b:btype", fours + bytesOf("atype") + bytesOf("btype"), FP16, "9.4", "100a 103a", "9.7.6.3"},
	{"fma{.rn}{.satfinite}.fours.atype.btype d, a:atype, b:btype, c:fours", fours + bytesOf("atype") + bytesOf("btype"), FP16, "9.4", "100a 103a", "9.7.6.4"},

	{"set.cmp.type d, a, b", ".cmp = .eq .ne .lt .le .gt .ge; .type = .u8x4 .s8x4 .u16x2 .s16x2", Integer, "9.4", "107f", "9.7.7.1"},
}

// bytesOf are the fours of which at most 8 bits each are used, as a slot.
func bytesOf(slot string) string {
	return "; ." + slot + " = .e5m2x4 .e4m3x4 .e3m2x4 .e2m3x4 .e2m1x4 .e2m1p4x4 .ue8m0x4"
}

const (
	scaled1       = ".scaled = .scaled::n1::ue8m0; .frnd = .rz .rn; "
	scaled2       = ".scaled = .scaled::n2::ue8m0"
	unsignedFloat = ".frnd = .rn .rz .rp; .scaled = .scaled::n1::ue8m0"
	halfPairs     = "; .atype = .f16x2 .bf16x2"
	narrowPairs   = ".narrow = .e2m1x2 .e2m3x2 .e3m2x2"
	fours         = ".fours = .e5m2x4 .e4m3x4"
)
