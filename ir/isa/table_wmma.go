package isa

// The opcodes of wmma, matrices whose fragments only the machine knows.
const (
	OpWmmaLoad Op = iota + firstWmma
	OpWmmaStore
	OpWmmaMma
)

// wmmaOperations: the warp as a whole executes them.
var wmmaOperations = []operation{
	{OpWmmaLoad, "wmma.load", behaviour{FlowNext, "reads", LanesExchange, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpWmmaStore, "wmma.store", behaviour{FlowNext, "writes", LanesExchange, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpWmmaMma, "wmma.mma", gathers, byClass, PowerTensor, by(CostFragments)},
}

// wmmaRows are wmma.load, .store and .mma (PTX ISA 9.7.16.4). How many registers a
// fragment takes is in 9.7.16.4.1, where the elements lie in nobody's manual.
// Before PTX 6.3 .aligned is not written.
var wmmaRows = append(append(wmmaLoads, wmmaStores...), wmmaProducts...)

var wmmaLoads = []row{
	{"wmma.load.a.sync{.aligned}.layout.m16n16k16{.ss}.f16 r:f16x2[8], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.0", "70", "9.7.16.4.3"},
	{"wmma.load.b.sync{.aligned}.layout.m16n16k16{.ss}.f16 r:f16x2[8], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.0", "70", "9.7.16.4.3"},
	{"wmma.load.c.sync{.aligned}.layout.m16n16k16{.ss}.f16 r:f16x2[4], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.0", "70", "9.7.16.4.3"},
	{"wmma.load.c.sync{.aligned}.layout.m16n16k16{.ss}.f32 r:f32[8], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.0", "70", "9.7.16.4.3"},
	{"wmma.load.a.sync{.aligned}.layout.m16n16k16{.ss}.type r:b32[2], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8; .type = .s8 .u8", ComputeLdSt, "6.3", "72", "9.7.16.4.3"},
	{"wmma.load.b.sync{.aligned}.layout.m16n16k16{.ss}.type r:b32[2], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8; .type = .s8 .u8", ComputeLdSt, "6.3", "72", "9.7.16.4.3"},
	{"wmma.load.c.sync{.aligned}.layout.m16n16k16{.ss}.s32 r:s32[8], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.3", "72", "9.7.16.4.3"},
	{"wmma.load.a.sync{.aligned}.layout.m16n16k16{.ss}.bf16 r:b32[4], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "7.0", "80", "9.7.16.4.3"},
	{"wmma.load.b.sync{.aligned}.layout.m16n16k16{.ss}.bf16 r:b32[4], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "7.0", "80", "9.7.16.4.3"},
	{"wmma.load.a.sync{.aligned}.layout.m8n32k16{.ss}.f16 r:f16x2[8], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.1", "70", "9.7.16.4.3"},
	{"wmma.load.b.sync{.aligned}.layout.m8n32k16{.ss}.f16 r:f16x2[8], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.1", "70", "9.7.16.4.3"},
	{"wmma.load.c.sync{.aligned}.layout.m8n32k16{.ss}.f16 r:f16x2[4], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.1", "70", "9.7.16.4.3"},
	{"wmma.load.c.sync{.aligned}.layout.m8n32k16{.ss}.f32 r:f32[8], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.1", "70", "9.7.16.4.3"},
	{"wmma.load.a.sync{.aligned}.layout.m8n32k16{.ss}.type r:b32[1], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8; .type = .s8 .u8", ComputeLdSt, "6.3", "72", "9.7.16.4.3"},
	{"wmma.load.b.sync{.aligned}.layout.m8n32k16{.ss}.type r:b32[4], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8; .type = .s8 .u8", ComputeLdSt, "6.3", "72", "9.7.16.4.3"},
	{"wmma.load.c.sync{.aligned}.layout.m8n32k16{.ss}.s32 r:s32[8], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.3", "72", "9.7.16.4.3"},
	{"wmma.load.a.sync{.aligned}.layout.m8n32k16{.ss}.bf16 r:b32[2], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "7.0", "80", "9.7.16.4.3"},
	{"wmma.load.b.sync{.aligned}.layout.m8n32k16{.ss}.bf16 r:b32[8], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "7.0", "80", "9.7.16.4.3"},
	{"wmma.load.a.sync{.aligned}.layout.m32n8k16{.ss}.f16 r:f16x2[8], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.1", "70", "9.7.16.4.3"},
	{"wmma.load.b.sync{.aligned}.layout.m32n8k16{.ss}.f16 r:f16x2[8], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.1", "70", "9.7.16.4.3"},
	{"wmma.load.c.sync{.aligned}.layout.m32n8k16{.ss}.f16 r:f16x2[4], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.1", "70", "9.7.16.4.3"},
	{"wmma.load.c.sync{.aligned}.layout.m32n8k16{.ss}.f32 r:f32[8], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.1", "70", "9.7.16.4.3"},
	{"wmma.load.a.sync{.aligned}.layout.m32n8k16{.ss}.type r:b32[4], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8; .type = .s8 .u8", ComputeLdSt, "6.3", "72", "9.7.16.4.3"},
	{"wmma.load.b.sync{.aligned}.layout.m32n8k16{.ss}.type r:b32[1], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8; .type = .s8 .u8", ComputeLdSt, "6.3", "72", "9.7.16.4.3"},
	{"wmma.load.c.sync{.aligned}.layout.m32n8k16{.ss}.s32 r:s32[8], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.3", "72", "9.7.16.4.3"},
	{"wmma.load.a.sync{.aligned}.layout.m32n8k16{.ss}.bf16 r:b32[8], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "7.0", "80", "9.7.16.4.3"},
	{"wmma.load.b.sync{.aligned}.layout.m32n8k16{.ss}.bf16 r:b32[2], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "7.0", "80", "9.7.16.4.3"},
	{"wmma.load.a.sync{.aligned}.layout.m16n16k8{.ss}.tf32 r:b32[4], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "7.0", "80", "9.7.16.4.3"},
	{"wmma.load.b.sync{.aligned}.layout.m16n16k8{.ss}.tf32 r:b32[4], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "7.0", "80", "9.7.16.4.3"},
	{"wmma.load.c.sync{.aligned}.layout.m16n16k8{.ss}.f32 r:f32[8], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "7.0", "80", "9.7.16.4.3"},
	{"wmma.load.a.sync{.aligned}.layout.m8n8k4{.ss}.f64 r:f64[1], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "7.0", "80", "9.7.16.4.3"},
	{"wmma.load.b.sync{.aligned}.layout.m8n8k4{.ss}.f64 r:f64[1], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "7.0", "80", "9.7.16.4.3"},
	{"wmma.load.c.sync{.aligned}.layout.m8n8k4{.ss}.f64 r:f64[2], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "7.0", "80", "9.7.16.4.3"},
	{"wmma.load.a.sync{.aligned}.row.m8n8k32{.ss}.type r:b32[1], [p]{, stride:u32}", ".ss = .global .shared .shared::cta@7.8; .type = .s4 .u4", ComputeLdSt, "6.3", "75", "9.7.16.4.3"},
	{"wmma.load.b.sync{.aligned}.col.m8n8k32{.ss}.type r:b32[1], [p]{, stride:u32}", ".ss = .global .shared .shared::cta@7.8; .type = .s4 .u4", ComputeLdSt, "6.3", "75", "9.7.16.4.3"},
	{"wmma.load.c.sync{.aligned}.layout.m8n8k32{.ss}.s32 r:s32[2], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.3", "75", "9.7.16.4.3"},
	{"wmma.load.a.sync{.aligned}.row.m8n8k128{.ss}.b1 r:b32[1], [p]{, stride:u32}", ".ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.3", "75", "9.7.16.4.3"},
	{"wmma.load.b.sync{.aligned}.col.m8n8k128{.ss}.b1 r:b32[1], [p]{, stride:u32}", ".ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.3", "75", "9.7.16.4.3"},
	{"wmma.load.c.sync{.aligned}.layout.m8n8k128{.ss}.s32 r:s32[2], [p]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.3", "75", "9.7.16.4.3"},
}

var wmmaStores = []row{
	{"wmma.store.d.sync{.aligned}.layout.m16n16k16{.ss}.f16 [p], b:f16x2[4]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.0", "70", "9.7.16.4.4"},
	{"wmma.store.d.sync{.aligned}.layout.m16n16k16{.ss}.f32 [p], b:f32[8]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.0", "70", "9.7.16.4.4"},
	{"wmma.store.d.sync{.aligned}.layout.m16n16k16{.ss}.s32 [p], b:s32[8]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.3", "72", "9.7.16.4.4"},
	{"wmma.store.d.sync{.aligned}.layout.m8n32k16{.ss}.f16 [p], b:f16x2[4]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.1", "70", "9.7.16.4.4"},
	{"wmma.store.d.sync{.aligned}.layout.m8n32k16{.ss}.f32 [p], b:f32[8]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.1", "70", "9.7.16.4.4"},
	{"wmma.store.d.sync{.aligned}.layout.m8n32k16{.ss}.s32 [p], b:s32[8]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.3", "72", "9.7.16.4.4"},
	{"wmma.store.d.sync{.aligned}.layout.m32n8k16{.ss}.f16 [p], b:f16x2[4]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.1", "70", "9.7.16.4.4"},
	{"wmma.store.d.sync{.aligned}.layout.m32n8k16{.ss}.f32 [p], b:f32[8]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.1", "70", "9.7.16.4.4"},
	{"wmma.store.d.sync{.aligned}.layout.m32n8k16{.ss}.s32 [p], b:s32[8]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.3", "72", "9.7.16.4.4"},
	{"wmma.store.d.sync{.aligned}.layout.m16n16k8{.ss}.f32 [p], b:f32[8]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "7.0", "80", "9.7.16.4.4"},
	{"wmma.store.d.sync{.aligned}.layout.m8n8k4{.ss}.f64 [p], b:f64[2]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "7.0", "80", "9.7.16.4.4"},
	{"wmma.store.d.sync{.aligned}.layout.m8n8k32{.ss}.s32 [p], b:s32[2]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.3", "75", "9.7.16.4.4"},
	{"wmma.store.d.sync{.aligned}.layout.m8n8k128{.ss}.s32 [p], b:s32[2]{, stride:u32}", ".layout = .row .col; .ss = .global .shared .shared::cta@7.8", ComputeLdSt, "6.3", "75", "9.7.16.4.4"},
}

var wmmaProducts = []row{
	{"wmma.mma.sync{.aligned}.alayout.blayout.m16n16k16.f16.f16 d:f16x2[4], a:f16x2[8], b:f16x2[8], c:f16x2[4]", layouts, Tensor, "6.0", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m16n16k16.f16.f16.satfinite d:f16x2[4], a:f16x2[8], b:f16x2[8], c:f16x2[4]", layouts, Tensor, "6.0 until 6.5", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m16n16k16.f16.f32 d:f16x2[4], a:f16x2[8], b:f16x2[8], c:f32[8]", layouts, Tensor, "6.0", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m16n16k16.f16.f32.satfinite d:f16x2[4], a:f16x2[8], b:f16x2[8], c:f32[8]", layouts, Tensor, "6.0 until 6.5", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m16n16k16.f32.f16 d:f32[8], a:f16x2[8], b:f16x2[8], c:f16x2[4]", layouts, Tensor, "6.0", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m16n16k16.f32.f16.satfinite d:f32[8], a:f16x2[8], b:f16x2[8], c:f16x2[4]", layouts, Tensor, "6.0 until 6.5", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m16n16k16.f32.f32 d:f32[8], a:f16x2[8], b:f16x2[8], c:f32[8]", layouts, Tensor, "6.0", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m16n16k16.f32.f32.satfinite d:f32[8], a:f16x2[8], b:f16x2[8], c:f32[8]", layouts, Tensor, "6.0 until 6.5", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m16n16k16.s32.atype.btype.s32{.satfinite} d:s32[8], a:b32[2], b:b32[2], c:s32[8]", layouts + "; " + int8Types, Tensor, "6.3", "72", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m16n16k16.f32.bf16.bf16.f32 d:f32[8], a:b32[4], b:b32[4], c:f32[8]", layouts, Tensor, "7.0", "80", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m8n32k16.f16.f16 d:f16x2[4], a:f16x2[8], b:f16x2[8], c:f16x2[4]", layouts, Tensor, "6.1", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m8n32k16.f16.f16.satfinite d:f16x2[4], a:f16x2[8], b:f16x2[8], c:f16x2[4]", layouts, Tensor, "6.1 until 6.5", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m8n32k16.f16.f32 d:f16x2[4], a:f16x2[8], b:f16x2[8], c:f32[8]", layouts, Tensor, "6.1", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m8n32k16.f16.f32.satfinite d:f16x2[4], a:f16x2[8], b:f16x2[8], c:f32[8]", layouts, Tensor, "6.1 until 6.5", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m8n32k16.f32.f16 d:f32[8], a:f16x2[8], b:f16x2[8], c:f16x2[4]", layouts, Tensor, "6.1", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m8n32k16.f32.f16.satfinite d:f32[8], a:f16x2[8], b:f16x2[8], c:f16x2[4]", layouts, Tensor, "6.1 until 6.5", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m8n32k16.f32.f32 d:f32[8], a:f16x2[8], b:f16x2[8], c:f32[8]", layouts, Tensor, "6.1", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m8n32k16.f32.f32.satfinite d:f32[8], a:f16x2[8], b:f16x2[8], c:f32[8]", layouts, Tensor, "6.1 until 6.5", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m8n32k16.s32.atype.btype.s32{.satfinite} d:s32[8], a:b32[1], b:b32[4], c:s32[8]", layouts + "; " + int8Types, Tensor, "6.3", "72", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m8n32k16.f32.bf16.bf16.f32 d:f32[8], a:b32[2], b:b32[8], c:f32[8]", layouts, Tensor, "7.0", "80", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m32n8k16.f16.f16 d:f16x2[4], a:f16x2[8], b:f16x2[8], c:f16x2[4]", layouts, Tensor, "6.1", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m32n8k16.f16.f16.satfinite d:f16x2[4], a:f16x2[8], b:f16x2[8], c:f16x2[4]", layouts, Tensor, "6.1 until 6.5", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m32n8k16.f16.f32 d:f16x2[4], a:f16x2[8], b:f16x2[8], c:f32[8]", layouts, Tensor, "6.1", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m32n8k16.f16.f32.satfinite d:f16x2[4], a:f16x2[8], b:f16x2[8], c:f32[8]", layouts, Tensor, "6.1 until 6.5", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m32n8k16.f32.f16 d:f32[8], a:f16x2[8], b:f16x2[8], c:f16x2[4]", layouts, Tensor, "6.1", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m32n8k16.f32.f16.satfinite d:f32[8], a:f16x2[8], b:f16x2[8], c:f16x2[4]", layouts, Tensor, "6.1 until 6.5", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m32n8k16.f32.f32 d:f32[8], a:f16x2[8], b:f16x2[8], c:f32[8]", layouts, Tensor, "6.1", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m32n8k16.f32.f32.satfinite d:f32[8], a:f16x2[8], b:f16x2[8], c:f32[8]", layouts, Tensor, "6.1 until 6.5", "70", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m32n8k16.s32.atype.btype.s32{.satfinite} d:s32[8], a:b32[4], b:b32[1], c:s32[8]", layouts + "; " + int8Types, Tensor, "6.3", "72", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m32n8k16.f32.bf16.bf16.f32 d:f32[8], a:b32[8], b:b32[2], c:f32[8]", layouts, Tensor, "7.0", "80", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m16n16k8.f32.tf32.tf32.f32 d:f32[8], a:b32[4], b:b32[4], c:f32[8]", layouts, Tensor, "7.0", "80", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.alayout.blayout.m8n8k4{.rnd}.f64.f64.f64.f64 d:f64[2], a:f64[1], b:f64[1], c:f64[2]", layouts + "; " + anyRnd, Tensor, "7.0", "80", "9.7.16.4.5"},
	{"wmma.mma.sync{.aligned}.row.col.m8n8k32.s32.atype.btype.s32{.satfinite} d:s32[2], a:b32[1], b:b32[1], c:s32[2]", int4Types, Tensor, "6.3", "75", "9.7.16.4.5"},
	{"wmma.mma.op.popc.sync{.aligned}.row.col.m8n8k128.s32.b1.b1.s32 d:s32[2], a:b32[1], b:b32[1], c:s32[2]", bitOps, Tensor, "6.3", "75", "9.7.16.4.5"},
}
