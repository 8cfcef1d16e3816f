package adder

// Code says what machine code makes of instructions that add, by their PCs. It keeps the
// sums of floating point; of those of integers, some go into addresses, three operands
// or one for several rounds of a loop.
type Code struct {
	// Number is where the machine's instruction stands.
	Number []uint32
	// Every: a warp makes one addition of integers in so many executions; 0 is none.
	Every []uint32
}
