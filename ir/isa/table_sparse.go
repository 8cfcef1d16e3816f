package isa

// sparseRows are products of a sparse matrix a with a dense one (PTX ISA 9.7.16.6):
// of each few numbers of a row of a half are zero and left out, so that its fragment
// is half as long as that of mma. e says which are there, f which threads give e.
// The opcodes stand with those of mma.
var sparseRows = []row{
	{"mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 d:f16x2[2], a:f16x2[2], b:f16x2[2], c:f16x2[2], e:b32, f:imm", "", Tensor, "7.1", "80", "9.7.16.6.3"},
	{"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 d:f16x2[2], a:f16x2[2], b:f16x2[2], c:f16x2[2], e:b32, f:imm", "", Tensor, "8.5", "80", "9.7.16.6.3"},
	{"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d:f32[4], a:f16x2[2], b:f16x2[2], c:f32[4], e:b32, f:imm", "", Tensor, "7.1", "80", "9.7.16.6.3"},
	{"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d:f32[4], a:f16x2[2], b:f16x2[2], c:f32[4], e:b32, f:imm", "", Tensor, "8.5", "80", "9.7.16.6.3"},
	{"mma.sp.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 d:f32[4], a:bf16x2[2], b:bf16x2[2], c:f32[4], e:b32, f:imm", "", Tensor, "7.1", "80", "9.7.16.6.3"},
	{"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 d:f32[4], a:bf16x2[2], b:bf16x2[2], c:f32[4], e:b32, f:imm", "", Tensor, "8.5", "80", "9.7.16.6.3"},
	{"mma.sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 d:f16x2[2], a:f16x2[4], b:f16x2[4], c:f16x2[2], e:b32, f:imm", "", Tensor, "7.1", "80", "9.7.16.6.3"},
	{"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 d:f16x2[2], a:f16x2[4], b:f16x2[4], c:f16x2[2], e:b32, f:imm", "", Tensor, "8.5", "80", "9.7.16.6.3"},
	{"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 d:f32[4], a:f16x2[4], b:f16x2[4], c:f32[4], e:b32, f:imm", "", Tensor, "7.1", "80", "9.7.16.6.3"},
	{"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 d:f32[4], a:f16x2[4], b:f16x2[4], c:f32[4], e:b32, f:imm", "", Tensor, "8.5", "80", "9.7.16.6.3"},
	{"mma.sp.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32 d:f32[4], a:bf16x2[4], b:bf16x2[4], c:f32[4], e:b32, f:imm", "", Tensor, "7.1", "80", "9.7.16.6.3"},
	{"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32 d:f32[4], a:bf16x2[4], b:bf16x2[4], c:f32[4], e:b32, f:imm", "", Tensor, "8.5", "80", "9.7.16.6.3"},
	{"mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 d:f32[4], a:b32[2], b:b32[2], c:f32[4], e:b32, f:imm", "", Tensor, "7.1", "80", "9.7.16.6.3"},
	{"mma.sp::ordered_metadata.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 d:f32[4], a:b32[2], b:b32[2], c:f32[4], e:b32, f:imm", "", Tensor, "8.5", "80", "9.7.16.6.3"},
	{"mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 d:f32[4], a:b32[4], b:b32[4], c:f32[4], e:b32, f:imm", "", Tensor, "7.1", "80", "9.7.16.6.3"},
	{"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 d:f32[4], a:b32[4], b:b32[4], c:f32[4], e:b32, f:imm", "", Tensor, "8.5", "80", "9.7.16.6.3"},
	{"mma.sp.sync.aligned.m16n8k64.row.col.f32.atype.btype.f32 d:f32[4], a:b32[4], b:b32[4], c:f32[4], e:b32, f:imm", fp8Types, Tensor, "8.4", "89", "9.7.16.6.3"},
	{"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.atype.btype.f32 d:f32[4], a:b32[4], b:b32[4], c:f32[4], e:b32, f:imm", fp8Types, Tensor, "8.5", "89", "9.7.16.6.3"},
	{"mma.sp.sync.aligned.m16n8k32.row.col{.satfinite}.s32.atype.btype.s32 d:s32[4], a:b32[2], b:b32[2], c:s32[4], e:b32, f:imm", int8Types, Tensor, "7.1", "80", "9.7.16.6.3"},
	{"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col{.satfinite}.s32.atype.btype.s32 d:s32[4], a:b32[2], b:b32[2], c:s32[4], e:b32, f:imm", int8Types, Tensor, "8.5", "80", "9.7.16.6.3"},
	{"mma.sp.sync.aligned.m16n8k64.row.col{.satfinite}.s32.atype.btype.s32 d:s32[4], a:b32[4], b:b32[4], c:s32[4], e:b32, f:imm", int8Types, Tensor, "7.1", "80", "9.7.16.6.3"},
	{"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col{.satfinite}.s32.atype.btype.s32 d:s32[4], a:b32[4], b:b32[4], c:s32[4], e:b32, f:imm", int8Types, Tensor, "8.5", "80", "9.7.16.6.3"},
	{"mma.sp.sync.aligned.m16n8k64.row.col{.satfinite}.s32.atype.btype.s32 d:s32[4], a:b32[2], b:b32[2], c:s32[4], e:b32, f:imm", int4Types, Tensor, "7.1", "80", "9.7.16.6.3"},
	{"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col{.satfinite}.s32.atype.btype.s32 d:s32[4], a:b32[2], b:b32[2], c:s32[4], e:b32, f:imm", int4Types, Tensor, "8.5", "80", "9.7.16.6.3"},
	{"mma.sp.sync.aligned.m16n8k128.row.col{.satfinite}.s32.atype.btype.s32 d:s32[4], a:b32[4], b:b32[4], c:s32[4], e:b32, f:imm", int4Types, Tensor, "7.1", "80", "9.7.16.6.3"},
	{"mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col{.satfinite}.s32.atype.btype.s32 d:s32[4], a:b32[4], b:b32[4], c:s32[4], e:b32, f:imm", int4Types, Tensor, "8.5", "80", "9.7.16.6.3"},
	{"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.atype.btype.f32 d:f32[4], a:b32[4], b:b32[4], c:f32[4], e:b32, f:imm", narrowTypes, Tensor, "8.7", "120f", "9.7.16.6.3"},
	{"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f16.atype.btype.f16 d:f16x2[2], a:b32[4], b:b32[4], c:f16x2[2], e:b32, f:imm", narrowTypes, Tensor, "8.7", "120f", "9.7.16.6.3"},
	{"mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4.block_scale{.scale}.f32.e2m1.e2m1.f32.ue8m0 d:f32[4], a:b32[4], b:b32[4], c:f32[4], e:b32, f:imm" + scaled,
		".scale = .scale_vec::2X", Tensor, "8.7", "120f", "9.7.16.6.3"},
	{"mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale.f32.e2m1.e2m1.f32.stype d:f32[4], a:b32[4], b:b32[4], c:f32[4], e:b32, f:imm" + scaled,
		".scale = .scale_vec::2X .scale_vec::4X; .stype = .ue8m0 .ue4m3", Tensor, "8.7", "120f", "9.7.16.6.3"},
	{"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale{.scale}.f32.atype.btype.f32.ue8m0 d:f32[4], a:b32[4], b:b32[4], c:f32[4], e:b32, f:imm" + scaled,
		".scale = .scale_vec::1X; " + narrowTypes, Tensor, "8.7", "120f", "9.7.16.6.3"},
}
