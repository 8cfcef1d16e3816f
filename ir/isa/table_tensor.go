package isa

import (
	"fmt"
	"strings"
)

// The opcodes of warpgroups' matrices (wgmma) and of tensor memory (tcgen05).
const (
	OpWgmmaMmaAsync Op = iota + firstTensor
	OpWgmmaMmaAsyncSp
	OpWgmmaFence
	OpWgmmaCommitGroup
	OpWgmmaWaitGroup
	OpTcgen05Alloc
	OpTcgen05Dealloc
	OpTcgen05RelinquishAllocPermit
	OpTcgen05Ld
	OpTcgen05LdRed
	OpTcgen05LdSpcompress
	OpTcgen05LdRedSpcompress
	OpTcgen05St
	OpTcgen05WaitLd
	OpTcgen05WaitSt
	OpTcgen05Cp
	OpTcgen05Shift
	OpTcgen05Mma
	OpTcgen05MmaSp
	OpTcgen05MmaWs
	OpTcgen05MmaWsSp
	OpTcgen05FenceBefore
	OpTcgen05FenceAfter
	OpTcgen05Commit
)

// tensorOperations: matrices in shared memory are named by descriptors, and only read.
// Tensor memory is no memory that loads and stores see: it is a space of its own.
var tensorOperations = []operation{
	{OpWgmmaMmaAsync, "wgmma.mma_async", warpgroup, byClass, PowerTensor, by(costMatrix)},
	{OpWgmmaMmaAsyncSp, "wgmma.mma_async.sp", warpgroup, byClass, PowerTensor, by(costMatrix)},
	{OpWgmmaFence, "wgmma.fence", orders, byClass, PowerNone, plain},
	{OpWgmmaCommitGroup, "wgmma.commit_group", groups, byClass, PowerNone, plain},
	{OpWgmmaWaitGroup, "wgmma.wait_group", behaviour{FlowNext, "none", LanesCTA, SyncWarpgroup, stateNone}, byClass, PowerNone, plain},
	{OpTcgen05Alloc, "tcgen05.alloc", behaviour{FlowNext, "writes tensor-updates", LanesCTA, syncNone, stateNone}, UnitMove, PowerNone, plain},
	{OpTcgen05Dealloc, "tcgen05.dealloc", tensorUpdates, UnitMove, PowerNone, plain},
	{OpTcgen05RelinquishAllocPermit, "tcgen05.relinquish_alloc_permit", tensorUpdates, UnitMove, PowerNone, plain},
	{OpTcgen05Ld, "tcgen05.ld", tensorLoads, byClass, PowerNone, plain},
	{OpTcgen05LdRed, "tcgen05.ld.red", tensorLoads, byClass, PowerNone, plain},
	{OpTcgen05LdSpcompress, "tcgen05.ld.spcompress", tensorLoads, byClass, PowerNone, plain},
	{OpTcgen05LdRedSpcompress, "tcgen05.ld.red.spcompress", tensorLoads, byClass, PowerNone, plain},
	{OpTcgen05St, "tcgen05.st", behaviour{FlowNext, "tensor-writes", LanesExchange, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpTcgen05WaitLd, "tcgen05.wait::ld", groups, byClass, PowerNone, plain},
	{OpTcgen05WaitSt, "tcgen05.wait::st", groups, byClass, PowerNone, plain},
	{OpTcgen05Cp, "tcgen05.cp", behaviour{FlowNext, "matrices tensor-writes", lanesOwn, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpTcgen05Shift, "tcgen05.shift", tensorUpdates, UnitMemory, PowerNone, plain},
	{OpTcgen05Mma, "tcgen05.mma", tensorProducts, byClass, PowerTensor, by(costMatrix)},
	{OpTcgen05MmaSp, "tcgen05.mma.sp", tensorProducts, byClass, PowerTensor, by(costMatrix)},
	{OpTcgen05MmaWs, "tcgen05.mma.ws", tensorProducts, byClass, PowerTensor, by(costMatrix)},
	{OpTcgen05MmaWsSp, "tcgen05.mma.ws.sp", tensorProducts, byClass, PowerTensor, by(costMatrix)},
	{OpTcgen05FenceBefore, "tcgen05.fence::before_thread_sync", orders, byClass, PowerNone, plain},
	{OpTcgen05FenceAfter, "tcgen05.fence::after_thread_sync", orders, byClass, PowerNone, plain},
	{OpTcgen05Commit, "tcgen05.commit", arrives, byClass, PowerNone, plain},
}

var (
	warpgroup   = behaviour{FlowNext, "matrices", LanesExchange, syncNone, stateNone}
	tensorLoads = behaviour{FlowNext, "tensor-reads", LanesExchange, syncNone, stateNone}
	// What allocates, or moves within tensor memory, and what multiplies into it.
	tensorUpdates  = behaviour{FlowNext, "tensor-updates", lanesOwn, syncNone, stateNone}
	tensorProducts = behaviour{FlowNext, "matrices tensor-updates", lanesOwn, syncNone, stateNone}
)

// wgmmaRows multiply matrices in shared memory, a possibly in registers (PTX ISA
// 9.7.17). Of sparse ones sp are the metadata and which threads give them.
var wgmmaRows = []row{
	{"wgmma.mma_async.sync.aligned.shape.dtype.f16.f16" + wgmmaOf("dtype") + wgmmaScales + wgmmaTrans, wgmmaHalf(16), Tensor, "8.0", "90a", "9.7.17.5.2"},
	{"wgmma.mma_async.sync.aligned.shape.f32.bf16.bf16" + wgmmaOf("f32") + wgmmaScales + wgmmaTrans, wgmmaShapes(16, 8), Tensor, "8.0", "90a", "9.7.17.5.2"},
	{"wgmma.mma_async.sync.aligned.shape.f32.tf32.tf32" + wgmmaOf("f32") + wgmmaScales, wgmmaShapes(8, 8), Tensor, "8.0", "90a", "9.7.17.5.2"},
	{"wgmma.mma_async.sync.aligned.shape.dtype.atype.btype" + wgmmaOf("dtype") + wgmmaScales, wgmmaHalf(32) + "; " + fp8Types, Tensor, "8.0", "90a", "9.7.17.5.2"},
	{"wgmma.mma_async.sync.aligned.shape{.satfinite}.s32.atype.btype" + wgmmaOf("s32"), wgmmaShapes(32, 16) + "; " + int8Types, Tensor, "8.0", "90a", "9.7.17.5.2"},
	{"wgmma.mma_async.sync.aligned.shape.s32.b1.b1.op.popc" + wgmmaOf("s32"), wgmmaShapes(256, 16) + "; .op = .and", Tensor, "8.0", "90a", "9.7.17.5.2"},
	{"wgmma.mma_async.sp.sync.aligned.shape.dtype.f16.f16" + wgmmaSparse("dtype") + wgmmaScales + wgmmaTrans, wgmmaHalf(32), Tensor, "8.2", "90a", "9.7.17.6.3"},
	{"wgmma.mma_async.sp.sync.aligned.shape.f32.bf16.bf16" + wgmmaSparse("f32") + wgmmaScales + wgmmaTrans, wgmmaShapes(32, 8), Tensor, "8.2", "90a", "9.7.17.6.3"},
	{"wgmma.mma_async.sp.sync.aligned.shape.f32.tf32.tf32" + wgmmaSparse("f32") + wgmmaScales, wgmmaShapes(16, 8), Tensor, "8.2", "90a", "9.7.17.6.3"},
	{"wgmma.mma_async.sp.sync.aligned.shape.dtype.atype.btype" + wgmmaSparse("dtype") + wgmmaScales, wgmmaHalf(64) + "; " + fp8Types, Tensor, "8.2", "90a", "9.7.17.6.3"},
	{"wgmma.mma_async.sp.sync.aligned.shape{.satfinite}.s32.atype.btype" + wgmmaSparse("s32"), wgmmaShapes(64, 16) + "; " + int8Types, Tensor, "8.2", "90a", "9.7.17.6.3"},
	{"wgmma.fence.sync.aligned", "", Barrier, "8.0", "90a", "9.7.17.7.1"},
	{"wgmma.commit_group.sync.aligned", "", Barrier, "8.0", "90a", "9.7.17.7.2"},
	{"wgmma.wait_group.sync.aligned n:imm", "", Barrier, "8.0", "90a", "9.7.17.7.3"},
}

const (
	wgmmaScales = ", scaleA:imm, scaleB:imm"
	wgmmaTrans  = ", transB:imm{, transA:imm}" // two where both matrices have descriptors
)

// wgmmaOf are the operands of a product whose result is of a type; two numbers of a
// half share a register.
func wgmmaOf(dtype string) string {
	if dtype != "dtype" {
		return fmt.Sprintf(" d&:%s[wgmma], a:b32/b64[4], b:b64, scaleD:pred", dtype)
	}
	return " d&:b32/f32[wgmma], a:b32/b64[4], b:b64, scaleD:pred"
}

func wgmmaSparse(dtype string) string {
	return strings.Replace(wgmmaOf(dtype), ", scaleD", ", sp:b32, select:imm, scaleD", 1)
}

// wgmmaShapes are the shapes of depth k: N is a multiple of 8 up to 256; of integers
// of 16, but for 8 and 24.
func wgmmaShapes(k, step int) string {
	slot := ".shape ="
	for n := 8; n <= 256; n += 8 {
		if n%step == 0 || n <= 24 {
			slot += fmt.Sprintf(" .m64n%dk%d", n, k)
		}
	}
	return slot
}

func wgmmaHalf(k int) string { return wgmmaShapes(k, 8) + "; .dtype = .f32 .f16" }

// tensorRows allocate tensor memory, move it, and wait for that (PTX ISA 9.7.18.7 to
// .9, .11, .12).
var tensorRows = []row{
	{"tcgen05.alloc{.exclusive}.group.sync.aligned{.ss}.b32 [dst], columns:u32", ".exclusive = .exclusive@9.4; .ss = .shared::cta; " + ctaGroup, Misc, "8.6", tensorTargets, "9.7.18.7.1"},
	{"tcgen05.dealloc{.exclusive}.group.sync.aligned.b32 taddr, columns:u32", ".exclusive = .exclusive@9.4; " + ctaGroup, Misc, "8.6", tensorTargets, "9.7.18.7.1"},
	{"tcgen05.relinquish_alloc_permit.group.sync.aligned", ctaGroup, Misc, "8.6", tensorTargets, "9.7.18.7.1"},
	{"tcgen05.ld.sync.aligned.layout.times{.pack}.b32 r[tmem], [taddr:tmem]", tensorShapes + tensorTimes + "; .pack = .pack::16b", ComputeLdSt, "8.6", tensorTargets, "9.7.18.8.3"},
	{"tcgen05.ld.sync.aligned.16x32bx2.times{.pack}.b32 r[tmem], [taddr:tmem], split:imm", tensorTimes + "; .pack = .pack::16b", ComputeLdSt, "8.6", tensorTargets, "9.7.18.8.3"},
	{"tcgen05.ld.red.sync.aligned.32x32b.times.op{.abs}{.NaN}.f32 r[tmem], d, [taddr:tmem]", tensorReduce, ComputeLdSt, "8.8", "103f 110f", "9.7.18.8.3"},
	{"tcgen05.ld.red.sync.aligned.16x32bx2.times.op{.abs}{.NaN}.f32 r[tmem], d, [taddr:tmem], split:imm", tensorReduce, ComputeLdSt, "8.8", "103f 110f", "9.7.18.8.3"},
	{"tcgen05.ld.red.sync.aligned.32x32b.times.op.type r[tmem], d, [taddr:tmem]", tensorReduce + "; .type = .u32 .s32", ComputeLdSt, "8.8", "103f 110f", "9.7.18.8.3"},
	{"tcgen05.ld.red.sync.aligned.16x32bx2.times.op.type r[tmem], d, [taddr:tmem], split:imm", tensorReduce + "; .type = .u32 .s32", ComputeLdSt, "8.8", "103f 110f", "9.7.18.8.3"},
	{"tcgen05.ld.spcompress.sync.aligned.32x32b.times.op.sp::2:4{.abs}.f32.b2 r:b32[spmeta], d:b32[spkept], [taddr:tmem]", tensorCompress, ComputeLdSt, "9.4", "107a", "9.7.18.8.3"},
	{"tcgen05.ld.red.spcompress.sync.aligned.32x32b.times.op.sp::2:4{.abs}{.NaN}.f32.b2 r:b32[spmeta], d:b32[spkept], p:f32, [taddr:tmem]", tensorCompress, ComputeLdSt, "9.4", "107a", "9.7.18.8.3"},
	{"tcgen05.st.sync.aligned.layout.times{.unpack}.b32 [taddr:tmem], b[tmem]", tensorShapes + tensorTimes + "; .unpack = .unpack::16b", ComputeLdSt, "8.6", tensorTargets, "9.7.18.8.4"},
	{"tcgen05.st.sync.aligned.16x32bx2.times{.unpack}.b32 [taddr:tmem], split:imm, b[tmem]", tensorTimes + "; .unpack = .unpack::16b", ComputeLdSt, "8.6", tensorTargets, "9.7.18.8.4"},
	{"tcgen05.wait::ld.sync.aligned", "", Barrier, "8.6", tensorTargets, "9.7.18.8.5"},
	{"tcgen05.wait::st.sync.aligned", "", Barrier, "8.6", tensorTargets, "9.7.18.8.5"},
	{"tcgen05.cp.group.layout{.b8x16.fmt} [taddr:tmem], s:b64", ctaGroup + "; .layout = .128x256b .4x256b .128x128b; " + tensorFormats, ComputeLdSt, "8.6", tensorTargets, "9.7.18.9.2"},
	{"tcgen05.cp.group.64x128b.multicast{.b8x16.fmt} [taddr:tmem], s:b64", ctaGroup + "; .multicast = .warpx2::02_13 .warpx2::01_23; " + tensorFormats, ComputeLdSt, "8.6", tensorTargets, "9.7.18.9.2"},
	{"tcgen05.cp.group.32x128b.warpx4{.b8x16.fmt} [taddr:tmem], s:b64", ctaGroup + "; " + tensorFormats, ComputeLdSt, "8.6", tensorTargets, "9.7.18.9.2"},
	{"tcgen05.shift.group.down [taddr:tmem]", ctaGroup, ComputeLdSt, "8.6", "100a 101a 103a 107a 110a", "9.7.18.9.3"},
	{"tcgen05.fence::before_thread_sync", "", Barrier, "8.6", tensorTargets, "9.7.18.11.1"},
	{"tcgen05.fence::after_thread_sync", "", Barrier, "8.6", tensorTargets, "9.7.18.11.1"},
	{"tcgen05.commit.group.mbarrier::arrive::one{.restrict}{.ss}{.multicast}.b64 [mbar]{, mask:u16?multicast}", ctaGroup + "; .restrict = .sync_restrict::shared::read::mma::a@9.4; .ss = .shared::cluster" + multicast,
		Barrier, "8.6", tensorTargets, "9.7.18.12.1"},
}

// tensorMmaRows multiply into tensor memory (PTX ISA 9.7.18.10). a is named by a
// descriptor or lies in tensor memory.
var tensorMmaRows = []row{
	{"tcgen05.mma.group.kind{.ashift}{.fill}{.fillB} [d:tmem], a:desc, b:b64, idesc:b32{, lanes:b32[lanes]}, enable:pred{, scale:imm}", ctaGroup + mmaKinds + fills, Tensor, "8.6", tensorTargets, "9.7.18.10.10.1"},
	{"tcgen05.mma.group.kind.block_scale{.size}{.fill}{.fillB} [d:tmem], a:desc, b:b64, idesc:b32, [scaleA:tmem], [scaleB:tmem], enable:pred", ctaGroup + scaledKinds + fills, Tensor, "8.6", tensorTargets, "9.7.18.10.10.1"},
	{"tcgen05.mma.group.kind::f8f6f4.decompress::lut::b{.fill}{.fillB} [d:tmem], a:desc, b:b64, [meta:tmem], idesc:b32{, lanes:b32[lanes]}, enable:pred", ctaGroup + fills, Tensor, "9.4", "107f", "9.7.18.10.10.1"},
	{"tcgen05.mma.group.kind::mxf8f6f4.block_scale.decompress::lut::b{.block32}{.fill}{.fillB} [d:tmem], a:desc, b:b64, [meta:tmem], idesc:b32, [scaleA:tmem], [scaleB:tmem], enable:pred",
		ctaGroup + fills, Tensor, "9.4", "107f", "9.7.18.10.10.1"},
	{"tcgen05.mma.sp.group.kind{.ashift}{.fill}{.fillB} [d:tmem], a:desc, b:b64, [meta:tmem], idesc:b32{, lanes:b32[lanes]}, enable:pred{, scale:imm}", ctaGroup + mmaKinds + fills, Tensor, "8.6", tensorTargets, "9.7.18.10.10.2"},
	{"tcgen05.mma.sp.group.kind.block_scale{.size}{.fill}{.fillB} [d:tmem], a:desc, b:b64, [meta:tmem], idesc:b32, [scaleA:tmem], [scaleB:tmem], enable:pred", ctaGroup + scaledKinds + fills, Tensor, "8.6", tensorTargets, "9.7.18.10.10.2"},
	{"tcgen05.mma.sp.group.kind::f8f6f4.decompress::lut::b{.fill}{.fillB} [d:tmem], a:desc, b:b64, [metaB:tmem], [meta:tmem], idesc:b32{, lanes:b32[lanes]}, enable:pred", ctaGroup + fills, Tensor, "9.4", "107f", "9.7.18.10.10.2"},
	{"tcgen05.mma.sp.group.kind::mxf8f6f4.block_scale.decompress::lut::b{.block32}{.fill}{.fillB} [d:tmem], a:desc, b:b64, [metaB:tmem], [meta:tmem], idesc:b32, [scaleA:tmem], [scaleB:tmem], enable:pred",
		ctaGroup + fills, Tensor, "9.4", "107f", "9.7.18.10.10.2"},
	{"tcgen05.mma.ws.cta_group::1.kind{.fillWs} [d:tmem], a:desc, b:b64, idesc:b32, enable:pred{, columns:b64}", mmaKinds[2:] + fillsWs, Tensor, "8.6", tensorTargets, "9.7.18.10.10.3"},
	{"tcgen05.mma.ws.sp.cta_group::1.kind{.fillWs} [d:tmem], a:desc, b:b64, [meta:tmem], idesc:b32, enable:pred{, columns:b64}", mmaKinds[2:] + fillsWs, Tensor, "8.6", tensorTargets, "9.7.18.10.10.4"},
}

const (
	tensorTargets  = "100f 101f 110f"
	ctaGroup       = ".group = .cta_group::1 .cta_group::2"
	tensorShapes   = ".layout = .16x64b .16x128b .16x256b .32x32b; "
	tensorTimes    = ".times = .x1 .x2 .x4 .x8 .x16 .x32 .x64 .x128"
	tensorReduce   = ".times = .x2 .x4 .x8 .x16 .x32 .x64 .x128; .op = .min .max"
	tensorCompress = ".times = .x4 .x8 .x16 .x32 .x64 .x128; .op = .min .max"
	tensorFormats  = ".fmt = .b6x16_p32 .b4x16_p64"

	mmaKinds    = "; .kind = .kind::f16 .kind::tf32 .kind::f8f6f4 .kind::i8 .kind::ti16@9.4/107f"
	scaledKinds = "; .kind = .kind::mxf8f6f4 .kind::mxf4 .kind::mxf4nvf4@8.7; .size = .scale_vec::1X .scale_vec::2X .scale_vec::4X .block16@8.8 .block32@8.8"
	fills       = "; .fill = .collector::a::fill .collector::a::use .collector::a::lastuse .collector::a::discard" +
		"; .fillB = .collector::b::fill@9.4 .collector::b::use@9.4 .collector::b::lastuse@9.4 .collector::b::discard@9.4"
	fillsWs = "; .fillWs = .collector::b0::fill .collector::b0::use .collector::b0::lastuse .collector::b0::discard" +
		" .collector::b1::fill .collector::b1::use .collector::b1::lastuse .collector::b1::discard" +
		" .collector::b2::fill .collector::b2::use .collector::b2::lastuse .collector::b2::discard" +
		" .collector::b3::fill .collector::b3::use .collector::b3::lastuse .collector::b3::discard"
)
