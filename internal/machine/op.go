package machine

import (
	"hyptx/internal/pipe"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Slot numbers a value that the machine has in registers. An instruction waits
// until the values of its slots are there; two slots may in truth share a
// register one after the other.
type Slot int32

// Op is one machine instruction.
type Op struct {
	// PC is the PTX instruction that it comes from, Part the copy of a PTX block
	// that this instruction stands in, as an index of the block's Parts.
	PC   ir.PC
	Part int32
	Kind pipe.Kind
	// Guarded: only those of Part's threads execute it whose guard holds.
	Guarded bool
	Class   isa.Class
	// Bytes are what each lane accesses.
	Bytes uint8
	// Product and MulAdds, by the whole warp, are those of a matrix instruction.
	Product pipe.Product
	MulAdds int32
	// Dst is the slot of the result, NoSlot without one, More those of further ones, as of a
	// load of four words; Srcs are those that it waits for.
	Dst  Slot
	More []Slot
	Srcs []Slot
	// Merged are the further accesses of PTX that one machine instruction makes,
	// beside that of PC in Part.
	Merged []Access
}

// Access is one access of the PTX: an instruction in a copy of its block.
type Access struct {
	PC   ir.PC
	Part int32
}

// NoSlot is no value.
const NoSlot Slot = -1

// Results goes through the slots that an instruction writes. Each may have its last reader
// elsewhere: who reads a word of four needs no register for it any more.
func (o *Op) Results(yield func(Slot) bool) {
	if o.Dst == NoSlot || !yield(o.Dst) {
		return
	}
	for _, s := range o.More {
		if !yield(s) {
			return
		}
	}
}

// Listing is the machine code of a function, in the order of issue.
type Listing struct {
	Func *ir.Func
	// Blocks are the machine's blocks; the function begins with Blocks[0].
	Blocks []CodeBlock
	// Slots is the number of slots; Regs how many registers of 32 bits each
	// takes, 0 for predicates.
	Slots int
	Regs  []uint8
	// Registers is how many registers of 32 bits a thread is expected to have.
	Registers int
	// mostRegisters bounds a thread's.
	mostRegisters int
	// Open are loops that are unrolled though nobody knows how often they go round.
	Open []OpenLoop
	// places are the copies of each PTX block.
	places [][]Place
	// broken counts instructions that wait for one another: a mistake.
	broken int
}

// CodeBlock is machine instructions that a warp issues from the first to the
// last. It stands for copies of blocks of the PTX: the one that it begins with,
// those that became predication, and those to which control always goes on.
type CodeBlock struct {
	Ops   []Op
	Parts []Part
}

// Part is a copy of a block of the PTX.
type Part struct {
	// PTX is the index in Func.Blocks.
	PTX   int32
	Edges []Edge
	// Arm: it is predicated, so that threads may not come to it; they come to all others.
	Arm bool
}

// Edge says where the machine goes on when the PTX does with block PTX.
type Edge struct {
	PTX int32
	To  Place
	// Moves hand values over to slots of To's block, all at once: registers are
	// renamed, so that no instruction is issued. Several of one Dst: it is
	// there when all of them are.
	Moves []Move
	// Left: there the machine issues rounds of a loop that an unrolled one leaves over.
	Left bool
}

// Move makes the value of Src that of Dst.
type Move struct{ Dst, Src Slot }

// Place is a part of a machine block. A warp that enters part 0 issues the
// block's instructions, those of all its parts; entering another part says only
// that the PTX has come so far.
type Place struct{ Block, Part int32 }
