package ir

// Block is a basic block: instructions that are entered at the first and left
// after the last. A block ends before a label that is a target, after bra,
// brx.idx, ret, exit and trap, guarded or not. Calls do not end one.
//
// The blocks are cut from the text as it stands, so that a profile speaks of
// the program that its author sees: nothing is merged, moved or removed, and
// code that cannot be reached has blocks as well.
type Block struct {
	// Index is the place in Func.Blocks.
	Index int
	// First and End bound its instructions.
	First, End PC
	// links are the edges of the function's blocks; succs and preds are where those of this
	// one begin.
	links        *links
	succs, preds int32
}

// links are the edges of a function's blocks, block after block: a list for each block
// would take more memory than the blocks.
type links struct {
	succs, preds []int
	blocks       []Block // and one more, where the last one's edges end
}

// maxLinks bounds the edges of a function, which may have many tables of many targets.
const maxLinks = 1<<31 - 1

// onlyExit are the successors of a block that ends in ret, exit or trap: text may be of
// nothing else. They are not among the links.
var onlyExit = []int{Exit}

// Succs returns the successors: the fall-through first, then targets in the order of
// brx.idx's list, each once. Exit is the virtual exit.
func (b *Block) Succs() []int {
	from, to := b.succs, b.links.blocks[b.Index+1].succs
	if from == to {
		return onlyExit
	}
	return b.links.succs[from:to:to]
}

// Preds returns the predecessors, ascending.
func (b *Block) Preds() []int {
	from, to := b.preds, b.links.blocks[b.Index+1].preds
	return b.links.preds[from:to:to]
}
