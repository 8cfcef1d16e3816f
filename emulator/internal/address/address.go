package address

import "hyptx/ir/isa"

// Module is where variables of modules in .global begin, and WindowBytes the
// size of each of the windows below.
const (
	Module      uint64 = 0x7e0000000000
	Narrow      uint64 = 0x08000000 // of modules with 32-bit addresses, up to their buffers
	NarrowEnd   uint64 = 0x10000000
	WindowBytes uint64 = 1 << 32
)

const (
	shared    uint64 = 0x7d0000000000
	local     uint64 = 0x7c0000000000
	constant  uint64 = 0x7b0000000000
	param     uint64 = 0x7a0000000000
	functions uint64 = 0x790000000000
)

// functionBytes lie between the addresses of two functions: nothing is there to
// read, but two functions must differ, and a pointer to one may be aligned.
const functionBytes = 16

// Resolve returns the space that an address lies in and the address there. Only
// a generic address does not say so itself.
func Resolve(space isa.Space, addr uint64) (isa.Space, uint64) {
	if space != isa.Generic {
		return space, addr
	}
	switch {
	case addr-shared < WindowBytes:
		return isa.Shared, addr - shared
	case addr-local < WindowBytes:
		return isa.Local, addr - local
	case addr-constant < WindowBytes:
		return isa.Const, addr - constant
	case addr-param < WindowBytes:
		return isa.Param, addr - param
	}
	return isa.Global, addr
}

// Window returns the start of a space's window of generic addresses: what cvta
// adds.
func Window(s isa.Space) uint64 {
	switch s {
	case isa.Shared, isa.SharedCluster:
		return shared
	case isa.Local:
		return local
	case isa.Const:
		return constant
	case isa.Param, isa.ParamEntry:
		return param
	}
	return 0
}

// Function returns the address of a module's function by its index.
func Function(index int) uint64 { return functions + functionBytes*uint64(index) }

// FunctionAt returns the index of the function whose address is addr, ok if it
// could be one of n.
func FunctionAt(addr uint64, n int) (index int, ok bool) {
	off := addr - functions
	return int(off / functionBytes), off%functionBytes == 0 && off/functionBytes < uint64(n)
}
