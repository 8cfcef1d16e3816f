package isa

// The opcodes of matrices whose fragments the manual lays out.
const (
	OpMma Op = iota + firstMatrix
	OpLdmatrix
	OpStmatrix
	OpMovmatrix
	OpMmaSp
	OpMmaSpOrdered
)

// matrixOperations: the warp as a whole executes them, and a lane holds a part
// (LanesExchange); they wait for nobody.
var matrixOperations = []operation{
	{OpMma, "mma", gathers, byClass, PowerTensor, by(costMatrix)},
	{OpLdmatrix, "ldmatrix", behaviour{FlowNext, "reads", LanesExchange, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpStmatrix, "stmatrix", behaviour{FlowNext, "writes", LanesExchange, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpMovmatrix, "movmatrix", gathers, UnitMove, PowerALU, plain},
	{OpMmaSp, "mma.sp", gathers, byClass, PowerTensor, by(costMatrix)},
	{OpMmaSpOrdered, "mma.sp::ordered_metadata", gathers, byClass, PowerTensor, by(costMatrix)},
}

// matrixRows are the warp-level matrix instructions with fixed fragments (PTX
// ISA 9.7.16.5). The lengths of the fragments follow the layouts of 9.7.16.5.1
// to .13: a lane holds M*K/32 elements of a, K*N/32 of b and M*N/32 of c and
// d, four-byte registers for whatever is smaller; m8n8k4 on f16 computes four
// products at once.
var matrixRows = []row{
	{"mma.sync.aligned.m8n8k4.alayout.blayout.f16.f16.f16.f16 d:f16x2[4], a:f16x2[2], b:f16x2[2], c:f16x2[4]", layouts, Tensor, "6.4", "70", "9.7.16.5.14"},
	{"mma.sync.aligned.m8n8k4.alayout.blayout.f32.f16.f16.f16 d:f32[8], a:f16x2[2], b:f16x2[2], c:f16x2[4]", layouts, Tensor, "6.4", "70", "9.7.16.5.14"},
	{"mma.sync.aligned.m8n8k4.alayout.blayout.f32.f16.f16.f32 d:f32[8], a:f16x2[2], b:f16x2[2], c:f32[8]", layouts, Tensor, "6.4", "70", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 d:f16x2[2], a:f16x2[2], b:f16x2[1], c:f16x2[2]", "", Tensor, "6.5", "75", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 d:f32[4], a:f16x2[2], b:f16x2[1], c:f32[4]", "", Tensor, "6.5", "75", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 d:f16x2[2], a:f16x2[4], b:f16x2[2], c:f16x2[2]", "", Tensor, "7.0", "80", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d:f32[4], a:f16x2[4], b:f16x2[2], c:f32[4]", "", Tensor, "7.0", "80", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 d:f32[4], a:bf16x2[2], b:bf16x2[1], c:f32[4]", "", Tensor, "7.0", "80", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 d:f32[4], a:bf16x2[4], b:bf16x2[2], c:f32[4]", "", Tensor, "7.0", "80", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 d:f32[4], a:b32[2], b:b32[1], c:f32[4]", "", Tensor, "7.0", "80", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 d:f32[4], a:b32[4], b:b32[2], c:f32[4]", "", Tensor, "7.0", "80", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k16.row.col.f16.atype.btype.f16 d:f16x2[2], a:b32[2], b:b32[1], c:f16x2[2]", fp8Types, Tensor, "8.7", "89", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k16.row.col.f32.atype.btype.f32 d:f32[4], a:b32[2], b:b32[1], c:f32[4]", fp8Types, Tensor, "8.7", "89", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k32.row.col.f16.atype.btype.f16 d:f16x2[2], a:b32[4], b:b32[2], c:f16x2[2]", fp8Types, Tensor, "8.7", "89", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k32.row.col.f32.atype.btype.f32 d:f32[4], a:b32[4], b:b32[2], c:f32[4]", fp8Types, Tensor, "8.4", "89", "9.7.16.5.14"},
	{"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64{.rnd} d:f64[2], a:f64[1], b:f64[1], c:f64[2]", anyRnd, Tensor, "7.0", "80", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64{.rnd} d:f64[4], a:f64[2], b:f64[1], c:f64[4]", anyRnd, Tensor, "7.8", "90", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64{.rnd} d:f64[4], a:f64[4], b:f64[2], c:f64[4]", anyRnd, Tensor, "7.8", "90", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64{.rnd} d:f64[4], a:f64[8], b:f64[4], c:f64[4]", anyRnd, Tensor, "7.8", "90", "9.7.16.5.14"},
	{"mma.sync.aligned.m8n8k16.row.col{.satfinite}.s32.atype.btype.s32 d:s32[2], a:b32[1], b:b32[1], c:s32[2]", int8Types, Tensor, "6.5", "75", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k16.row.col{.satfinite}.s32.atype.btype.s32 d:s32[4], a:b32[2], b:b32[1], c:s32[4]", int8Types, Tensor, "7.0", "80", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k32.row.col{.satfinite}.s32.atype.btype.s32 d:s32[4], a:b32[4], b:b32[2], c:s32[4]", int8Types, Tensor, "7.0", "80", "9.7.16.5.14"},
	{"mma.sync.aligned.m8n8k32.row.col{.satfinite}.s32.atype.btype.s32 d:s32[2], a:b32[1], b:b32[1], c:s32[2]", int4Types, Tensor, "6.5", "75", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k32.row.col{.satfinite}.s32.atype.btype.s32 d:s32[4], a:b32[2], b:b32[1], c:s32[4]", int4Types, Tensor, "7.0", "80", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k64.row.col{.satfinite}.s32.atype.btype.s32 d:s32[4], a:b32[4], b:b32[2], c:s32[4]", int4Types, Tensor, "7.0", "80", "9.7.16.5.14"},
	{"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.op.popc d:s32[2], a:b32[1], b:b32[1], c:s32[2]", bitOps, Tensor, "7.0", "75", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.op.popc d:s32[4], a:b32[2], b:b32[1], c:s32[4]", bitOps, Tensor, "7.0", "80", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.op.popc d:s32[4], a:b32[4], b:b32[2], c:s32[4]", bitOps, Tensor, "7.0", "80", "9.7.16.5.14"},

	{"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.atype.btype.f32 d:f32[4], a:b32[4], b:b32[2], c:f32[4]", narrowTypes, Tensor, "8.7", "120f", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.atype.btype.f16 d:f16x2[2], a:b32[4], b:b32[2], c:f16x2[2]", narrowTypes, Tensor, "8.7", "120f", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale{.scale}.f32.e2m1.e2m1.f32.ue8m0 d:f32[4], a:b32[4], b:b32[2], c:f32[4]" + scaled,
		".scale = .scale_vec::2X", Tensor, "8.7", "120f", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale.f32.e2m1.e2m1.f32.stype d:f32[4], a:b32[4], b:b32[2], c:f32[4]" + scaled,
		".scale = .scale_vec::2X .scale_vec::4X; .stype = .ue8m0 .ue4m3", Tensor, "8.7", "120f", "9.7.16.5.14"},
	{"mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale{.scale}.f32.atype.btype.f32.ue8m0 d:f32[4], a:b32[4], b:b32[2], c:f32[4]" + scaled,
		".scale = .scale_vec::1X; " + narrowTypes, Tensor, "8.7", "120f", "9.7.16.5.14"},

	{"ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 d:b32, [a]", matrixCount, ComputeLdSt, "6.5", "75", "9.7.16.5.15"},
	{"ldmatrix.sync.aligned.m16n16.num.trans{.ss}.b8 d:b32[matrices], [a]", ".num = .x1 .x2; .ss = .shared .shared::cta", ComputeLdSt, "8.6", "100f 110f 120f", "9.7.16.5.15"},
	{"ldmatrix.sync.aligned.m16n16.num.trans{.ss}.b8x16.fmt d:b32[matrices], [a]", ".num = .x1 .x2; .fmt = .b6x16_p32 .b4x16_p64; .ss = .shared .shared::cta",
		ComputeLdSt, "8.6", "100f 110f 120f", "9.7.16.5.15"},
	{"ldmatrix.sync.aligned.m8n16.num{.ss}.b8x16.fmt d:b32[matrices], [a]", ".fmt = .b6x16_p32 .b4x16_p64; " + matrixCount, ComputeLdSt, "8.6", "100f 110f 120f", "9.7.16.5.15"},
	{"ldmatrix.sync.aligned.m8n16.num{.ss}.s8.s4 d:b32[matrices], [a]", matrixCount, ComputeLdSt, "9.4", "90a 100f 110f 120f", "9.7.16.5.15"},
	{"stmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 [a], b:b32", matrixCount, ComputeLdSt, "7.8", "90", "9.7.16.5.16"},
	{"stmatrix.sync.aligned.m16n8.num.trans{.ss}.b8 [a], b:b32", matrixCount, ComputeLdSt, "8.6", "100f 110f 120f", "9.7.16.5.16"},
	{"movmatrix.sync.aligned.m8n8.trans.b16 d:b32, a:b32", "", Misc, "7.8", "75", "9.7.16.5.17"},
}

const (
	// scaled are the scales of a and b, with which byte of which thread holds them.
	scaled      = ", scaleA:b32, selectA:u16[2], scaleB:b32, selectB:u16[2]"
	narrowTypes = ".atype = .e4m3 .e5m2 .e3m2 .e2m3 .e2m1; .btype = .e4m3 .e5m2 .e3m2 .e2m3 .e2m1"

	layouts     = ".alayout = .row .col; .blayout = .row .col"
	fp8Types    = ".atype = .e4m3 .e5m2; .btype = .e4m3 .e5m2"
	int8Types   = ".atype = .u8 .s8; .btype = .u8 .s8"
	int4Types   = ".atype = .u4 .s4; .btype = .u4 .s4"
	bitOps      = ".op = .xor .and@7.1/80"
	matrixCount = ".num = .x1 .x2 .x4; .ss = .shared .shared::cta@7.8"
)
