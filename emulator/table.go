package emulator

import (
	"strings"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir/isa"
)

// An opcode leads to a builder, and the builder to what runs the instruction. The
// common builder is arith: it takes the modifiers of the instruction as a
// lanes.Variant, asks package lanes for the function of that variant, and puts a
// shape around it. So an instruction that only computes is one line here and a
// function there. Forms without semantics have no line but one in unsupported.go,
// and a test holds that each form of the table ir/isa is in exactly one of both.

// builders is the table of semantics beside the table of forms (ir/isa). An
// opcode without a builder is no error until a program uses it.
var builders map[isa.Op]builder

func init() {
	builders = map[isa.Op]builder{
		isa.OpAdd: addOrCarry(lanes.Add, lanes.AddCarry), isa.OpAddc: carry(lanes.AddCarry),
		isa.OpSub: addOrCarry(lanes.Sub, lanes.SubCarry), isa.OpSubc: carry(lanes.SubCarry),
		isa.OpMad: addOrCarry(lanes.Mad, lanes.MadCarry), isa.OpMadc: carry(lanes.MadCarry),
		isa.OpMul: arith(lanes.Mul), isa.OpFma: arith(lanes.Fma),
		isa.OpMul24: arith(lanes.Mul24), isa.OpMad24: arith(lanes.Mad24), isa.OpSad: arith(lanes.Sad),
		isa.OpDiv: arith(lanes.Div), isa.OpRem: arith(lanes.Rem), isa.OpAbs: arith(lanes.Abs), isa.OpNeg: arith(lanes.Neg),
		isa.OpMin: extremum(lanes.Min), isa.OpMax: extremum(lanes.Max),
		isa.OpPopc: arith(lanes.Popc), isa.OpClz: arith(lanes.Clz), isa.OpBfind: arith(lanes.Bfind), isa.OpFns: arith(lanes.Fns),
		isa.OpBrev: arith(lanes.Brev), isa.OpBfe: arith(lanes.Bfe), isa.OpBfi: buildBfi,
		isa.OpClmad: arith(lanes.Clmad), isa.OpSzext: arith(lanes.Szext), isa.OpBmsk: arith(lanes.Bmsk), isa.OpDp4a: arith(lanes.Dp4a), isa.OpDp2a: arith(lanes.Dp2a),
		isa.OpCopysign: arith(lanes.Copysign), isa.OpTestp: compare(lanes.Testp),
		isa.OpRcp: arith(lanes.Rcp), isa.OpSqrt: arith(lanes.Sqrt), isa.OpRsqrt: arith(lanes.Rsqrt),
		isa.OpSin: arith(lanes.Sin), isa.OpCos: arith(lanes.Cos), isa.OpLg2: arith(lanes.Lg2), isa.OpEx2: arith(lanes.Ex2), isa.OpTanh: arith(lanes.Tanh),
		isa.OpSet: buildSet, isa.OpSetp: buildSetp, isa.OpSelp: buildSelp, isa.OpSlct: arith(lanes.Slct),
		isa.OpAnd: logic(lanes.And, isa.AND), isa.OpOr: logic(lanes.Or, isa.OR), isa.OpXor: logic(lanes.Xor, isa.XOR),
		isa.OpNot: buildNot, isa.OpCnot: arith(lanes.Cnot), isa.OpLop3: buildLop3,
		isa.OpShf: arith(lanes.Shf), isa.OpShl: arith(lanes.Shl), isa.OpShr: arith(lanes.Shr), isa.OpPrmt: arith(lanes.Prmt),
		isa.OpMov: buildMov, isa.OpCvt: buildCvt, isa.OpCvtPack: buildCvtPack, isa.OpCvta: buildCvta, isa.OpIsspacep: buildIsspacep, isa.OpIstypep: buildIstypep,
		isa.OpLd: buildLoad, isa.OpLdu: buildLoad, isa.OpSt: buildStore,
		isa.OpCpAsync: buildCopyAsync, isa.OpCpAsyncCommitGroup: buildNothing, isa.OpCpAsyncWaitGroup: buildNothing, isa.OpCpAsyncWaitAll: buildNothing,
		isa.OpPrefetch: buildNothing, isa.OpPrefetchu: buildNothing, isa.OpApplypriority: buildNothing, isa.OpDiscard: buildDiscard,
		isa.OpCreatepolicy: buildOpaque, isa.OpMapa: buildMapa, isa.OpGetctarank: buildGetctarank,
		isa.OpGriddepcontrol: buildNothing, isa.OpSetmaxnreg: buildNothing, isa.OpBrkpt: buildBreak,
		isa.OpMbarrierInit: buildMbarrier, isa.OpMbarrierInval: buildMbarrier, isa.OpMbarrierExpectTx: buildMbarrier,
		isa.OpMbarrierCompleteTx: buildMbarrier, isa.OpMbarrierArrive: buildMbarrier, isa.OpMbarrierArriveDrop: buildMbarrier,
		isa.OpMbarrierTestWait: buildMbarrierWait, isa.OpMbarrierTryWait: buildMbarrierWait, isa.OpMbarrierPendingCount: buildPendingCount,
		isa.OpCpAsyncMbarrierArrive: buildMbarrier, isa.OpMbarrierCheckLayout: buildMbarrierLayout,
		isa.OpCpAsyncBulk: buildBulk, isa.OpCpReduceAsyncBulk: buildBulk, isa.OpMultimemCpAsyncBulk: buildBulk, isa.OpMultimemCpReduceAsyncBulk: buildBulk,
		isa.OpCpAsyncBulkPrefetch: buildNothing, isa.OpCpAsyncBulkCommitGroup: buildNothing, isa.OpCpAsyncBulkWaitGroup: buildNothing,
		isa.OpApplypriorityAsyncBulk: buildNothing,
		isa.OpStAsync:                buildAsyncStore, isa.OpRedAsync: buildAsyncStore, isa.OpStBulk: buildAsyncStore, isa.OpMultimemStAsync: buildAsyncStore, isa.OpMultimemRedAsync: buildAsyncStore,
		isa.OpCpAsyncBulkTensor: buildMapCopy, isa.OpCpReduceAsyncBulkTensor: buildMapCopy, isa.OpCpAsyncBulkPrefetchTensor: buildNothing, isa.OpApplypriorityAsyncBulkTensor: buildNothing,
		isa.OpTensormapReplace: buildReplace, isa.OpTensormapCpFenceproxy: buildCopyMap,
		isa.OpTryCancel: buildAsyncStore, isa.OpQueryCancel: buildQueryCancel,
		isa.OpMultimemLdReduce: buildLoad, isa.OpMultimemSt: buildStore, isa.OpMultimemRed: buildAtomic,
		isa.OpMembar: buildNothing, isa.OpFence: buildNothing, isa.OpNanosleep: buildNothing, isa.OpPmevent: buildNothing,
		isa.OpAtom: buildAtomic, isa.OpRed: buildAtomic,
		isa.OpShfl: buildShfl, isa.OpVote: buildVote, isa.OpMatch: buildMatch, isa.OpRedux: buildRedux,
		isa.OpActivemask: buildActiveMask, isa.OpElect: buildElect,
		isa.OpTex: buildFetch, isa.OpTexBase: buildFetch, isa.OpTexLevel: buildFetch, isa.OpTexGrad: buildFetch, isa.OpTld4: buildFetch,
		isa.OpTxq: buildQuery, isa.OpTxqLevel: buildQuery, isa.OpSuq: buildQuery,
		isa.OpSuld: buildSurface, isa.OpSust: buildSurface, isa.OpSured: buildSurface,
		isa.OpMma: buildMMA, isa.OpMmaSp: buildMMA, isa.OpMmaSpOrdered: buildMMA, isa.OpLdmatrix: buildMatrixAccess, isa.OpStmatrix: buildMatrixAccess, isa.OpMovmatrix: buildMoveMatrix,
		isa.OpWgmmaMmaAsync: buildGroupProduct, isa.OpWgmmaMmaAsyncSp: buildGroupProduct, isa.OpWgmmaFence: buildNothing, isa.OpWgmmaCommitGroup: buildNothing, isa.OpWgmmaWaitGroup: buildNothing,
		isa.OpTcgen05Alloc: buildTensorAlloc, isa.OpTcgen05Dealloc: buildTensorDealloc, isa.OpTcgen05RelinquishAllocPermit: buildTensorRelinquish,
		isa.OpSpcompress: buildCompress, isa.OpSpdecompress: buildDecompress, isa.OpTcgen05LdSpcompress: buildTensorMove, isa.OpTcgen05LdRedSpcompress: buildTensorMove,
		isa.OpTcgen05Ld: buildTensorMove, isa.OpTcgen05LdRed: buildTensorMove, isa.OpTcgen05St: buildTensorMove, isa.OpTcgen05Cp: buildTensorCopy,
		isa.OpTcgen05WaitLd: buildNothing, isa.OpTcgen05WaitSt: buildNothing, isa.OpTcgen05FenceBefore: buildNothing, isa.OpTcgen05FenceAfter: buildNothing,
		isa.OpTcgen05Commit: buildMbarrier, isa.OpTcgen05Mma: buildTensorProduct, isa.OpTcgen05MmaWs: buildTensorProduct,
		isa.OpStacksave: buildStack, isa.OpStackrestore: buildStack, isa.OpAlloca: buildStack,
		isa.OpTcgen05MmaSp: buildTensorProduct, isa.OpTcgen05MmaWsSp: buildTensorProduct, isa.OpTcgen05Shift: buildTensorShift,
		isa.OpWmmaLoad: buildTileAccess, isa.OpWmmaStore: buildTileAccess, isa.OpWmmaMma: buildWMMA,
		isa.OpVadd: video(lanes.VideoAdd), isa.OpVsub: video(lanes.VideoSub), isa.OpVabsdiff: video(lanes.VideoAbsDiff),
		isa.OpVmin: video(lanes.VideoMin), isa.OpVmax: video(lanes.VideoMax), isa.OpVset: video(lanes.VideoSet),
		isa.OpVshl: video(lanes.VideoShl), isa.OpVshr: video(lanes.VideoShr), isa.OpVmad: buildVideoMad,
		isa.OpVadd2: packedVideo(16, lanes.VideoAdd), isa.OpVsub2: packedVideo(16, lanes.VideoSub), isa.OpVavrg2: packedVideo(16, lanes.VideoAverage),
		isa.OpVabsdiff2: packedVideo(16, lanes.VideoAbsDiff), isa.OpVmin2: packedVideo(16, lanes.VideoMin), isa.OpVmax2: packedVideo(16, lanes.VideoMax),
		isa.OpVset2: packedVideo(16, lanes.VideoSet),
		isa.OpVadd4: packedVideo(8, lanes.VideoAdd), isa.OpVsub4: packedVideo(8, lanes.VideoSub), isa.OpVavrg4: packedVideo(8, lanes.VideoAverage),
		isa.OpVabsdiff4: packedVideo(8, lanes.VideoAbsDiff), isa.OpVmin4: packedVideo(8, lanes.VideoMin), isa.OpVmax4: packedVideo(8, lanes.VideoMax),
		isa.OpVset4:       packedVideo(8, lanes.VideoSet),
		isa.OpLibraryMath: buildLibraryMath, isa.OpLibraryPrint: buildLibraryPrint,
	}
}

// unproven are the forms that are executed, but whose results no test holds
// against a reference of its own in every spelling (spelling_test.go does for all
// others): prefixes of their syntax, with the reason. The programs of
// ptx-samples/features that show them are proof of single spellings.
var unproven = []struct{ prefix, reason string }{
	{"st{.weak}.ss", "parameters of functions: the tests of calls pass them"},
	{"barrier.cluster.", noResult},
	{"prefetch", noResult},
	{"applypriority", noResult},
	{"discard", noResult},
	{"createpolicy", "policies are opaque"},
	{"cp.async.bulk.tensor.dim.global", mappedStores},
	{"cp.reduce.async.bulk.tensor", mappedStores},
	{"cp.async.bulk.tensor", mappedLoads},
	{"cp.async.bulk.prefetch", noResult},
	{"cp.async.bulk.commit_group", noResult},
	{"cp.async.bulk.wait_group", noResult},
	{"tensormap.cp", "what a tensor map's bytes are is this machine's own"},
	{"clusterlaunchcontrol.query_cancel.get", "of no cluster that was cancelled, the first CTA is open"},
	{"clusterlaunchcontrol.query_cancel.dim", "of no cluster that was cancelled, the first CTA is open"},
	{"cp.async.commit_group", noResult},
	{"cp.async.wait", noResult},
	{"cvt.frnd.pzo", "what .pzo does to zeros follows from its name alone"},
	{"cvt.rs{.relu}.satfinite.dtype", "which random bit meets which of those that are cut off is open: the tests of the lanes hold what is not"},
	{"cvt.rn.satfinite{.relu}{.scaled}.s2f6x2.bf16x2", halvesOrBytes},
	{"cvt.frnd.satfinite{.relu}{.scaled}.s2f6x2.bf16x2", halvesOrBytes},
	{"mul.bf16x2.bf16x2.f16x2", twoFormats},
	{"mul.f16x2.f16x2.bf16x2", twoFormats},
	{"bra{", randomPrograms},
	{"brx.idx{", randomPrograms},
	{"call{", randomPrograms},
	{"ret{", randomPrograms},
	{"exit", randomPrograms},
	{"brkpt", noResult},
	{"trap", "ends the launch with an error: the programs alone"},
	{"bar{.cta}.sync", noResult},
	{"bar{.cta}.arrive", noResult},
	{"barrier{.cta}.sync", noResult},
	{"barrier{.cta}.arrive", noResult},
	{"bar.warp.sync", noResult},
	{"membar", noResult},
	{"fence", noResult},
	{"griddepcontrol", noResult},
	{"nanosleep", noResult},
	{"mma.sync.aligned.m8n8k4.alayout", "the fragments of quarters of a warp are held against the manual's layouts in the tests of the lanes"},
	{"wgmma.mma_async", "a product of four warps with matrices in shared memory: TestGroupProducts has every spelling"},
	{"tcgen05.ld", "the registers of a warp and tensor memory: TestTensorMoves has every spelling"},
	{"tcgen05.st", "the registers of a warp and tensor memory: TestTensorMoves has every spelling"},
	{"tcgen05.cp", "shared and tensor memory: TestTensorCopies has every spelling"},
	{"tcgen05.mma.group.kind::f8f6f4.decompress", lookedUp},
	{"tcgen05.mma.group.kind::mxf8f6f4.block_scale.decompress", lookedUp},
	{"tcgen05.mma.sp.group.kind::f8f6f4.decompress", lookedUp},
	{"tcgen05.mma.sp.group.kind::mxf8f6f4.block_scale.decompress", lookedUp},
	{"tcgen05.mma", "matrices in shared and tensor memory: TestTensorProducts has every spelling"},
	{"tcgen05.shift", "tensor memory: TestTensorShifts has every spelling; which way is down the manual says in words alone"},
	{"tcgen05.alloc", "where columns are free is this machine's own"},
	{"tcgen05.dealloc", noResult},
	{"tcgen05.relinquish", noResult},
	{"tcgen05.wait", noResult},
	{"tcgen05.fence", noResult},
	{"wgmma.fence", noResult},
	{"wgmma.commit_group", noResult},
	{"wgmma.wait_group", noResult},
	{"pmevent", noResult},
	{"setmaxnreg", noResult},
}

const (
	noResult       = "has no result that a reference could give"
	randomPrograms = "control flow: the oracle runs random programs, which do not spell .uni"
	halvesOrBytes  = "the manual has the elements of the source in halves and in bytes"
	twoFormats     = "whether the second factor is rounded to the format of the first is open"
	mappedLoads    = "many bytes, and the wait for them: TestMappedLoads has every mode but those of the width alone"
	mappedStores   = "many bytes, and the wait for them: TestMappedStores has every mode but those of the width alone"
	lookedUp       = "TestTensorProducts has every spelling; where a table of B lies a figure of the manual has alone, as public implementations read it"
)

// Unproven returns why no reference holds for a form, "" if one does.
func Unproven(f *isa.Form) string {
	for _, u := range unproven {
		if strings.HasPrefix(f.Syntax, u.prefix) {
			return u.reason
		}
	}
	return ""
}
