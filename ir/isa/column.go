package isa

// The columns of an operation, besides its name: what it does, whatever its
// types and modifiers. Everybody who used to list opcodes asks one of them. In
// each the zero value is no answer: an operation that says nothing about a
// column is a bug that the first use of the table reports, so that a new
// instruction cannot fall into somebody's default.

// Flow is where control goes after an instruction. ir cuts blocks by it,
// emulator and machine end segments and count branches by it, depgraph finds by
// it what decides whether others run.
type Flow uint8

// The flows. FlowNext is everything that goes on to the next instruction,
// barriers included.
const (
	noFlow Flow = iota
	FlowNext
	FlowBranch // bra: to a label
	FlowSwitch // brx.idx: to one label of a list
	FlowCall   // comes back, so that it ends no block
	FlowReturn
	FlowExit
	FlowTrap  // ends the launch with an error
	FlowBreak // brkpt: for a debugger; goes on where there is one
)

// Access is what an instruction does to memory through one address operand. The
// column of an operation lists them in the order of the operands, in words
// ("async writes reads" for cp.async), or says "none", or "anywhere" for memory
// that no operand addresses, or "matrices" for those in shared memory that descriptors
// name, which tensor cores read: no accesses of a warp; or "tensor-reads" and the like for
// tensor memory, which no other access meets. "object" stands before what is done to the
// memory of a texture or surface, which is found by doing it. "unseen" stands beside them, or alone for memory that
// the program's own accesses do not meet, where nobody counts the traffic: then that of
// the launch is unknown. "apart" stands beside accesses of shared memory that are no warp's
// (st.async with its mbarrier, st.bulk): there is nothing to count.
// depgraph finds by the column which accesses depend on each other, emulator which are
// memory traffic.
type Access uint8

// The accesses.
const (
	noAccess Access = iota
	Touches         // nothing that another access could see: prefetches, hints
	Reads           // and nothing else
	Writes          // and what was there before does not matter
	Updates         // reads and writes in one step
	discards        // leaves anything
)

// accessWords are the accesses as the column spells them.
var accessWords = map[string]Access{"touches": Touches, "reads": Reads, "writes": Writes, "updates": Updates, "discards": discards}

// Lanes is whose registers and whose place an instruction's result depends on:
// where two threads that have the same values may part. depgraph slices by it,
// and emulator merges alike threads only where it is lanesOwn.
type Lanes uint8

// The dependences.
const (
	noLanes       Lanes = iota
	lanesOwn            // the thread's own operands
	LanesExchange       // the warp: registers of its other lanes, which of them are active, or a part of something common (fragments of matrices)
	LanesCTA            // what other threads of the CTA did: results of barriers
	LanesCluster        // where the CTA stands in its cluster
)

// Sync is what an instruction waits for, or which accesses it puts in order.
type Sync uint8

// The kinds of synchronisation.
const (
	noSync        Sync = iota
	syncNone           // neither
	syncLanes          // exchanges of lanes: those of the form .sync wait for the lanes of their mask
	SyncWarp           // bar.warp.sync
	SyncCTA            // bar, barrier
	SyncWarpgroup      // wgmma.wait_group: what four warps have begun together is over
	SyncCluster        // barrier.cluster
	SyncObject         // mbarriers: changes the object
	SyncPhase          // mbarriers: asks whether a phase has ended
	syncCopies         // groups of asynchronous copies, the wait for them
	SyncFence          // orders the thread's accesses
	syncPause          // sleeps, or waits for other grids
)

// State is what an instruction reads or writes that is neither an operand nor
// memory. The carry flag is written by a modifier (see WritesCC), not by an
// operation.
type State uint8

// The states.
const (
	noState       State = iota
	stateNone           // its operands are all
	readsCarry          // reads CC.CF
	readsMachine        // reads the stack pointer
	writesMachine       // moves the stack pointer, gives registers back, triggers events
)

// Unit is the part of an SM that executes a form, as far as models of time tell
// them apart.
type Unit uint8

// The units. byClass stands in the column of operations whose types decide: see
// classUnits.
const (
	noUnit Unit = iota
	byClass
	UnitFMA      // f32 and half precision
	UnitFP64     // f64
	UnitSpecial  // the multi-function unit, MUFU
	UnitALU      // integers, conversions
	UnitTensor   // matrix products
	UnitExchange // shuffles and votes; they take the way of shared memory
	UnitMemory   // loads, stores, copies
	UnitAtomic   // atomic operations, in the cache that holds the data
	UnitTexture
	UnitBranch
	UnitBarrier
	UnitMove // moves, selections and the rest of class Misc: no model of time sees them
)

// classUnits are the units of the classes for operations whose column says
// byClass. Class Misc has none: it is what the others are not.
var classUnits = [NumClasses]Unit{
	FP16: UnitFMA, FP32: UnitFMA, FP64: UnitFP64,
	SpecialFP16: UnitSpecial, SpecialFP32: UnitSpecial, SpecialFP64: UnitSpecial,
	Integer: UnitALU, BitConvert: UnitALU, Control: UnitBranch, ComputeLdSt: UnitMemory, Atomic: UnitAtomic,
	Texture: UnitTexture, InterThread: UnitExchange, Barrier: UnitBarrier, Tensor: UnitTensor,
}

// Power is what AccelWattch's PTX rules say executes an opcode, before its type
// is looked at (GPGPU-Sim, cuda-sim.cc: set_opcode_and_latency and
// set_mul_div_or_other_archop). Opcodes that are younger than the rules go with
// their kind: dp4a and dp2a with products, tanh with the exponential, wgmma with
// tensor cores. package power turns it, with the type, into a counter.
type Power uint8

// The components; the type of the instruction divides PowerALU, PowerMultiply
// and PowerDivide further.
const (
	noPower       Power = iota
	PowerNone           // no execution energy: memory, control flow, barriers
	PowerALU            // everything that is not one of the others
	PowerMultiply       // mul, mad, fma
	PowerMultiply24
	PowerDivide // div, rem, rcp
	PowerSquareRoot
	PowerLogarithm
	PowerSine
	PowerExponential
	PowerTensor
	PowerTexture
)
