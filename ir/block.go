package ir

// Block is a basic block: instructions that are entered at the first and left
// after the last. A block ends before a label that is a target, after bra,
// brx.idx, ret, exit and trap, guarded or not. Calls do not end one.
type Block struct {
	// Index is the place in Func.Blocks.
	Index int
	// First and End bound its instructions.
	First, End PC
	// Succs are the successors: the fall-through first, then targets in the
	// order of brx.idx's list, each once. Exit is the virtual exit.
	Succs, Preds []int
}
