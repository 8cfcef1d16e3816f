package emulator

import (
	"hyptx/emulator/internal/atomics"
	"hyptx/emulator/internal/exchange"
	"hyptx/emulator/internal/lanes"
	"hyptx/emulator/internal/mbarrier"
	"hyptx/internal/sparse"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// A kernel is decoded once for each launch, or once for all launches that know the
// same of their parameters, and then runs some millions of instructions. So
// everything that can be decided before is: which function computes an add.f32.ftz,
// where its operands lie, whether its predicate is a constant.
//
// Registers of a function have places in its frame, counted in slots: a slot holds
// one 32-bit register of all 32 lanes (128 bytes), a 64-bit register has two. The
// frames of all warps that a worker runs lie in one slice of slots, the worker's
// arena, which begins with the constants of the program, spread over 32 lanes each.
// An operand is then an offset and a mask, and one expression finds both kinds:
//
//	arena[off + base&mask]    base: where the frame begins; mask: -1, or 0 for
//	                          a constant
//
// so that add %r1, %r2, 4 needs no test of what its third operand is. Predicates
// are 32 bits for a warp and lie apart, in the frame itself.
//
// A decoded instruction (inst) is a function and its operands. The function is the
// shape: it fetches operands, knows which lanes are on, and writes results
// (exec.go). What is computed stands in lane, a function of slots alone (package
// lanes). There are a dozen shapes and some hundreds of lane functions; neither
// knows the other. What only one family of instructions needs, an access its
// space, an mma its fragments, stands in a block of that family behind a pointer,
// so that an inst, of which a loop runs one after another, fits few cache lines.

// Program is a kernel, with all it may call, decoded for execution: plain data
// that any number of workers share.
type Program struct {
	Module *ir.Module
	Kernel *ir.Func
	funcs  []*function // that the kernel can reach, in the order of ir.Func.Index
	insts  []inst
	segs   []segment
	// library are the segments in which functions of CUDA's begin.
	library []int32
	// consts are the slots of all immediates; they stand at the start of each
	// worker's arena.
	consts []lanes.Slot
	// counts is the number of counters of a CTA: two for each segment (issues,
	// lanes), then one for each guarded instruction and two for each branch.
	counts int
	// loops are the loops of all functions together, repeats how many of them
	// are counted without running each round.
	loops     []loopInfo
	repeats   int
	sharedLen int64 // static shared memory in bytes
	sharedVar map[*ir.Var]int64
	sharedAt  []uint64 // where shared variables begin, ascending
	dynShared int64    // where the dynamic segment starts
	// guardCount is the counter of each instruction with a guard that is not a
	// constant; constGuard the truth of those that are.
	guardCount map[ir.PC]int32
	constGuard map[ir.PC]bool
	// decisions is where the two counters of decisions on inexact values stand,
	// 0 when origins are not followed.
	decisions int
	sliced    bool
	// traffic: the accesses of memory are counted, each of which is a site.
	traffic, onlyWrites bool
	sites               []site
	sm70                bool
	// turns is the order in which CTAs begin and take turns. order: what the order of
	// threads decides is followed as far as memory.
	turns turns
	order bool
	// meets: a barrier of the program waits for some warps of a CTA, or not at all, or they
	// differ in what they reduce (barriers has a bit for each).
	meets    bool
	barriers uint8
	// bars is how many barriers a CTA has: none, where no instruction uses any.
	bars int
	// checked: accesses are looked at (checkaccess.go). unfiltered: not all that may race
	// are, blind: not all that write, whose memory is looked at then (bytesAt). frees: free has its hook.
	// apart: warps have clocks from the beginning (checkclock.go).
	checked, unfiltered, blind, frees, apart bool
	// tensors: it works on tensor memory. relaxes: threads come to barriers of clusters relaxed.
	tensors, relaxes bool
	// states: it asks for phases of mbarrier objects by their states.
	states bool
	// adds are the instructions whose additions are watched.
	adds []watchedAdd
	// observed is what the instructions that are observed take, by their number.
	observed []observed
	// grain is the logarithm of the least bytes that an instruction of the text, be it
	// executed or not, accesses at a time, up to a word.
	// globalGrain is that of accesses which may be of global memory.
	grain, globalGrain uint8
}

// function is one function of a program.
type function struct {
	ir    *ir.Func
	index int   // its place in Program.funcs
	entry int32 // segment
	slots int   // register slots of a frame
	preds int
	sink  int32 // 1 + the place of what no register takes, 0 if there is none
	// reg maps registers to their place in a frame, -1 when unused.
	reg []int32
	// sregs are the special registers that a frame holds from its start.
	sregs []sregSlot
	// localBytes is the size of the local variables of one thread, offsets by
	// variable in local.
	localBytes int64
	// declared is the part of localBytes that .local variables take; the rest
	// are parameters of calls, which the machine passes in registers.
	declared        int64
	local           map[*ir.Var]int64
	params, returns []parameter
	segs            [2]int32 // its segments
	explicit        int32    // the predicate that is %is_explicit_cluster, noPred if it is not read
}

// loopInfo is what the schedule needs of a loop.
type loopInfo struct {
	waiting bool
	counts  bool   // a waiting loop that may end by itself
	limit   uint32 // back edges in a row before the path yields
	header  ir.PC
	segment int32   // of the header
	exits   []int32 // segments whose branch leaves the loop
	// repeat says how to count its rounds without running them, nil if they
	// have to be run.
	repeat *repeat
}

// The schedule's bounds (docs/design.md, Forward progress): how many back edges in a row
// a path takes before it gives way. 64 rounds of a loop that waits for a store are
// enough to see that it has to wait; a loop that waits for nobody gives way so
// rarely that nothing but an endless one notices.
const (
	waitingRounds = 64
	plainRounds   = 1 << 24
)

// execFunc runs one instruction for the lanes of m.
type execFunc func(w *warp, in *inst, m uint32)

// operand is the place of a value: a slot of the frame (mask is all ones) or
// of the constants (mask is 0).
type operand struct {
	off  int32
	mask int32
}

// inst is a decoded instruction.
type inst struct {
	exec       execFunc
	lane       lanes.Fn
	d, a, b, c operand
	// guard is the guard predicate's place in the frame, -1 without one; flip
	// is all ones for @!p. count is the counter of lanes that executed it.
	guard int32
	flip  uint32
	count int32
	// pd and pq are predicate destinations, pa a predicate source; -1 if none.
	pd, pq, pa int32
	paFlip     uint32
	index      int32 // its place in the program
	off        int64 // what cvta adds; of a load that is counted its site, of an add that is watched its number
	width      uint8 // bytes of an access, of one vector element
	vec        uint8
	pc         ir.PC
	// rule is how origins pass through it, where they are followed; varied what a
	// variation needs. The rest are the blocks of families.
	rule     *originRule
	together *together // of the pseudo-instruction before what is .aligned
	varied   *varied
	mem      *access
	test     *test
	arith    *arithmetic
	move     *move
	multiply *multiply
	exchange *interplay
}

// What only some families of instructions need stands in a block of the family,
// nil for all the others.

// access is an access of memory: its address, its space, Generic where the address
// decides, and the places of what is loaded or stored, one for each element of a
// vector.
type access struct {
	location
	space isa.Space
	// words: it moves 32-bit words between memory and 32-bit registers. signed:
	// it sign-extends; regBits is the width of the registers.
	words   bool
	signed  bool
	regBits int
	elems   []operand
	// One of these says what it is beside a load or a store.
	atomic  *atomicUpdate
	copies  *asyncCopy
	object  *mbarrierAccess
	tile    *tileAccess
	trans   bool // ldmatrix and stmatrix
	bytes   *byteMatrix
	texture *textureAccess
	bulk    *bulk
	async   *asyncStore
	tensor  *mapCopy
	field   *tensorField
	// checked is what looking at them takes, nil where nobody does.
	checked *checkedAccess
	// traffic is what counting the accesses takes, nil where nobody asked.
	traffic *trafficAccess
}

// atomicUpdate is a read-modify-write: the operation, another one on shared memory;
// the places of the old value's elements; the third operand of cas.
type atomicUpdate struct {
	op, shared atomics.Operation
	dests      []operand
	third      operand
	hasThird   bool
}

// location is where lanes find their addresses: a register of 64 bits, or of 32,
// and what is added to it.
type location struct {
	base   operand
	off    int64
	base64 bool
}

// asyncCopy is the source of a cp.async. ignore: a predicate can turn it off.
type asyncCopy struct {
	location
	ignore bool
}

// mbarrierAccess changes an mbarrier object, or waits for a phase that a state
// of 64 bits or a parity names.
type mbarrierAccess struct {
	op      mbarrier.Operation
	byState bool
	// v1: .layout::v1 is that of an object which is initialised, or that is asked for; made says
	// that the object has none from before.
	v1          bool
	conditional bool // the phase that is asked for
	made        bool
	ends        bool // it invalidates the object
	// ctas is the mask of CTAs whose objects at the same place change.
	ctas      operand
	multicast bool
	announces bool // the arrival is one that it has announced itself
	kept      bool // what it tells of may be waited for otherwise
}

// test is a comparison or an operation on predicates.
type test struct {
	pred   lanes.PredFn
	pred2  lanes.Pred2Fn // of packed halves
	set    lanes.SetFn   // where the result is a value
	boolOp isa.BoolOp
	pb     int32 // a second predicate source
	pbFlip uint32
}

// arithmetic is what has more operands than others: a condition code, a
// fourth source. wide: the destination has 64 bits.
type arithmetic struct {
	carry  lanes.CarryFn
	four   lanes.Fn4
	fourth operand
	wide   bool
	align  int64      // of alloca
	args   []argument // of the library's
	// convert has four sources that become one destination.
	convert *convertFour
}

// move packs, unpacks and copies vectors, or reads a special register: elems
// are the places of the sources, dests those of the destinations.
type move struct {
	elems, dests []operand
	regBits      int
	wide         bool
	sreg         isa.SReg
	space        isa.Space // of isspacep
	narrow       bool      // of isspacep and istypep: the address has 32 bits
	opaque       isa.Type  // of istypep: the type
	sparse       sparse.Shape
	indices      []operand // of spcompress and spdecompress
}

// multiply is an mma: elems are the registers of D, A, B and C, parts how many
// each has.
type multiply struct {
	fn    lanes.MatrixFn
	elems []operand
	parts [4]int
	wide  bool
	// open reports of the metadata of a sparse A that what comes of them is open.
	open func(*lanes.Slot) bool
	meta operand
	// One of these is all that it is if it is no mma: a wgmma, a load or store of tensor
	// memory, a copy into it, a shift in it, a tcgen05.mma; or tcgen05.alloc, of a pair, and
	// .dealloc.
	group   *groupProduct
	move    *tensorMove
	copy    *tensorCopy
	shift   *tensorShift
	product *tensorProduct
	pair    bool
	columns columnsOf
}

// interplay is an operation of lanes with each other.
type interplay struct {
	members operand // the member mask of .sync operations
	synced  bool    // there is one
	orders  bool    // a bar.warp.sync whose order is followed, or checked
	mode    string  // of vote and match
	shuffle exchange.Shuffle
	reduce  atomics.Operation
	// idempotent: redux applies the operation to the first value and itself,
	// which changes nothing but its form.
	idempotent bool
}

// noPred is the absence of a predicate.
const noPred = -1

// parameterKind says what a parameter's place is.
type parameterKind uint8

const (
	sinkParameter parameterKind = iota // _, which takes nothing
	registerParameter
	predicateParameter
	variableParameter
)

// parameter is the place of a formal or an actual parameter in a frame.
type parameter struct {
	kind parameterKind
	// reg is the place of a register or constant; slots is how many it has.
	reg   operand
	slots int
	// pred is a predicate's index, noPred for a constant; flip is what to xor
	// it with.
	pred int32
	flip uint32
	// local is the offset of a variable in the frame's locals, bytes its size or
	// a register's.
	local int64
	bytes int32
	// exact: where origins are followed, the launch or a special register gives
	// an argument, and what wrote its register is not followed.
	exact bool
}

// callInfo is what a call instruction says.
type callInfo struct {
	// callee is nil for an indirect call, whose address stands in address.
	callee     *function
	pc         ir.PC
	missing    string // the name of a function that is only declared
	address    location
	candidates []*function
	args, rets []parameter
}
