package isa

import "strings"

// Op is an opcode: the words that name an operation, without modifiers, as
// "add" or "cp.async.commit_group". They are the first word, and more where
// the manual describes the longer name as an operation of its own with other
// operands (brx.idx, cvt.pack, bar.warp.sync). What only changes an operation
// is a modifier: add.cc is OpAdd with ModCc, shfl.sync OpShfl with ModSync,
// ld.global.nc OpLd with ModNc.
type Op uint16

// The opcodes, in the order of the manual's sections.
const (
	noOp Op = iota
	OpAdd
	OpAddc
	OpSub
	OpSubc
	OpMul
	OpMad
	OpMadc
	OpMul24
	OpMad24
	OpSad
	OpDiv
	OpRem
	OpAbs
	OpNeg
	OpMin
	OpMax
	OpPopc
	OpClz
	OpBfind
	OpFns
	OpBrev
	OpBfe
	OpBfi
	OpSzext
	OpBmsk
	OpDp4a
	OpDp2a
	OpClmad

	OpTestp
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

	OpSet
	OpSetp
	OpSelp
	OpSlct

	OpAnd
	OpOr
	OpXor
	OpNot
	OpCnot
	OpLop3
	OpShf
	OpShl
	OpShr

	OpMov
	OpShfl
	OpPrmt
	OpLd
	OpLdu
	OpSt
	OpPrefetch
	OpPrefetchu
	OpApplypriority
	OpDiscard
	OpCreatepolicy
	OpIsspacep
	OpCvta
	OpCvt
	OpCvtPack
	OpMapa
	OpGetctarank

	OpCpAsync
	OpCpAsyncCommitGroup
	OpCpAsyncWaitGroup
	OpCpAsyncWaitAll
	OpCpAsyncMbarrierArrive

	OpBra
	OpBrxIdx
	OpCall
	OpRet
	OpExit
	OpTrap
	OpBrkpt

	OpBar
	OpBarWarpSync
	OpBarrier
	OpBarrierCluster
	OpMembar
	OpFence

	OpAtom
	OpRed
	OpVote
	OpMatch
	OpRedux
	OpActivemask
	OpElect
	OpGriddepcontrol

	OpMbarrierInit
	OpMbarrierInval
	OpMbarrierExpectTx
	OpMbarrierCompleteTx
	OpMbarrierArrive
	OpMbarrierArriveDrop
	OpMbarrierTestWait
	OpMbarrierTryWait
	OpMbarrierPendingCount

	OpMma
	OpWmmaLoad
	OpWmmaStore
	OpWmmaMma
	OpLdmatrix
	OpStmatrix
	OpMovmatrix

	OpWgmmaMmaAsync
	OpWgmmaFence
	OpWgmmaCommitGroup
	OpWgmmaWaitGroup

	OpStacksave
	OpStackrestore
	OpAlloca
	OpNanosleep
	OpPmevent
	OpSetmaxnreg
	numOps
)

var opNames = [numOps]string{
	OpAdd: "add", OpAddc: "addc", OpSub: "sub", OpSubc: "subc", OpMul: "mul", OpMad: "mad",
	OpMadc: "madc", OpMul24: "mul24", OpMad24: "mad24", OpSad: "sad", OpDiv: "div", OpRem: "rem",
	OpAbs: "abs", OpNeg: "neg", OpMin: "min", OpMax: "max", OpPopc: "popc", OpClz: "clz",
	OpBfind: "bfind", OpFns: "fns", OpBrev: "brev", OpBfe: "bfe", OpBfi: "bfi", OpSzext: "szext",
	OpBmsk: "bmsk", OpDp4a: "dp4a", OpDp2a: "dp2a", OpClmad: "clmad",
	OpTestp: "testp", OpCopysign: "copysign", OpFma: "fma", OpRcp: "rcp", OpSqrt: "sqrt", OpRsqrt: "rsqrt",
	OpSin: "sin", OpCos: "cos", OpLg2: "lg2", OpEx2: "ex2", OpTanh: "tanh",
	OpSet: "set", OpSetp: "setp", OpSelp: "selp", OpSlct: "slct",
	OpAnd: "and", OpOr: "or", OpXor: "xor", OpNot: "not", OpCnot: "cnot", OpLop3: "lop3",
	OpShf: "shf", OpShl: "shl", OpShr: "shr",
	OpMov: "mov", OpShfl: "shfl", OpPrmt: "prmt", OpLd: "ld", OpLdu: "ldu", OpSt: "st",
	OpPrefetch: "prefetch", OpPrefetchu: "prefetchu", OpApplypriority: "applypriority", OpDiscard: "discard", OpCreatepolicy: "createpolicy", OpIsspacep: "isspacep",
	OpCvta: "cvta", OpCvt: "cvt", OpCvtPack: "cvt.pack", OpMapa: "mapa", OpGetctarank: "getctarank",
	OpCpAsync: "cp.async", OpCpAsyncCommitGroup: "cp.async.commit_group", OpCpAsyncWaitGroup: "cp.async.wait_group", OpCpAsyncWaitAll: "cp.async.wait_all", OpCpAsyncMbarrierArrive: "cp.async.mbarrier.arrive",
	OpBra: "bra", OpBrxIdx: "brx.idx", OpCall: "call", OpRet: "ret", OpExit: "exit", OpTrap: "trap",
	OpBrkpt: "brkpt",
	OpBar:   "bar", OpBarWarpSync: "bar.warp.sync", OpBarrier: "barrier", OpBarrierCluster: "barrier.cluster", OpMembar: "membar", OpFence: "fence",
	OpAtom: "atom", OpRed: "red", OpVote: "vote", OpMatch: "match", OpRedux: "redux", OpActivemask: "activemask",
	OpElect: "elect", OpGriddepcontrol: "griddepcontrol",
	OpMbarrierInit: "mbarrier.init", OpMbarrierInval: "mbarrier.inval", OpMbarrierExpectTx: "mbarrier.expect_tx", OpMbarrierCompleteTx: "mbarrier.complete_tx", OpMbarrierArrive: "mbarrier.arrive", OpMbarrierArriveDrop: "mbarrier.arrive_drop",
	OpMbarrierTestWait: "mbarrier.test_wait", OpMbarrierTryWait: "mbarrier.try_wait", OpMbarrierPendingCount: "mbarrier.pending_count",
	OpMma: "mma", OpWmmaLoad: "wmma.load", OpWmmaStore: "wmma.store", OpWmmaMma: "wmma.mma", OpLdmatrix: "ldmatrix", OpStmatrix: "stmatrix",
	OpMovmatrix:     "movmatrix",
	OpWgmmaMmaAsync: "wgmma.mma_async", OpWgmmaFence: "wgmma.fence", OpWgmmaCommitGroup: "wgmma.commit_group", OpWgmmaWaitGroup: "wgmma.wait_group",
	OpStacksave: "stacksave", OpStackrestore: "stackrestore", OpAlloca: "alloca", OpNanosleep: "nanosleep", OpPmevent: "pmevent", OpSetmaxnreg: "setmaxnreg",
}

// String returns the opcode's words, as in "cp.async".
func (o Op) String() string { return opNames[o] }

// opByName finds an Op by its words, opMaxWords says how many words an Op that
// starts with the given one has at most.
var opByName, opMaxWords = func() (map[string]Op, map[string]int) {
	byName, words := make(map[string]Op, numOps), make(map[string]int)
	for o := noOp + 1; o < numOps; o++ {
		name := opNames[o]
		byName[name] = o
		first, _, _ := strings.Cut(name, ".")
		words[first] = max(words[first], strings.Count(name, ".")+1)
	}
	return byName, words
}()

// splitOp returns the Op that the words begin with, the longest one that fits,
// and how many words it takes; noOp if there is none.
func splitOp(words []string) (Op, int) {
	for n := min(opMaxWords[words[0]], len(words)); n > 0; n-- {
		if o, ok := opByName[strings.Join(words[:n], ".")]; ok {
			return o, n
		}
	}
	return noOp, 0
}
