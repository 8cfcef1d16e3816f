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
	// Succs are the successors: the fall-through first, then targets in the
	// order of brx.idx's list, each once. Exit is the virtual exit. Preds ascend.
	Succs, Preds []int
}
