package depgraph

import (
	"fmt"

	"hyptx/internal/fold"
	"hyptx/ir"
)

// Launch is a launch of a kernel as far as its dependences go.
type Launch struct {
	Kernel *ir.Func
	// Consts are the launch's constants; CTAID stays nil here.
	Consts fold.Consts
	// Pointers say which of the parameters point into which buffer. Parameter
	// bytes that do not stand here are no pointer if Consts gives them, and
	// may point anywhere if it does not.
	Pointers []PointerArg
	// Bound are the module's textures and surfaces with the buffers that they are of, the
	// same in all launches of a program.
	Bound map[*ir.Var]int
}

// PointerArg says that the 8 (or, with 32-bit addresses, 4) bytes at
// ParamOffset of the parameter block are the address of a buffer plus Offset.
// Different buffers occupy disjoint byte ranges of global memory; Buffer is
// any number from 0 that tells them apart. Var, if not nil, is a module-scope
// variable that takes the buffer's place.
type PointerArg struct {
	ParamOffset int
	Buffer      int
	Var         *ir.Var
	Offset      int64
	// Handle: they are no address, but stand for a texture or surface of the buffer.
	Handle bool
	// Address and Bytes say where the buffer lies; zero is unknown.
	Address, Bytes int64
}

// key appends what makes a launch equal to another, as far as graphs go.
func (l *Launch) key(key []byte) []byte {
	return fmt.Appendf(key, "%p %x %v %v %v %v %v %v %v", l.Kernel, l.Consts.Params, l.Consts.Known, l.Consts.NTID, l.Consts.NCTAID, l.Consts.Cluster, l.Consts.CTAID, l.Consts.Decided, l.Pointers)
}

// Mode chooses the criteria of a slice.
type Mode uint8

// The modes. Control: the guards of all branches, returns, exits, traps and
// calls, the indices of brx.idx, the addresses of indirect calls, and the
// guards of all other instructions, which decide how many threads execute
// them. Memory: these and the addresses of all accesses of memory outside the
// .param space. Full: everything.
const (
	Control Mode = iota
	Memory
	Full
)
