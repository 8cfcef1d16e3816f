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

// rankBytes is the room that each CTA of a cluster has for its shared memory in the window
// of the cluster: more than any has. The first is that of the CTA that looks, whatever
// its rank.
const rankBytes uint64 = 1 << 24

// OfRank returns where, in the window, the shared memory of a cluster's CTA begins.
func OfRank(rank int) uint64 { return uint64(rank+1) * rankBytes }

// Rank returns the rank of the CTA that an address of the window names, and the address
// in its memory; ok is false if it is one of the own.
func Rank(addr uint64) (rank int, at uint64, ok bool) {
	n := addr / rankBytes
	return int(n) - 1, addr % rankBytes, n > 0 && n < WindowBytes/rankBytes
}

// The windows of modules with 32-bit addresses lie below their variables; that of local
// memory is the largest.
const (
	narrowShared   uint64 = 0x07000000
	narrowConstant uint64 = 0x07100000
	narrowParam    uint64 = 0x07200000
	narrowLocal    uint64 = 0x07300000
)

// narrowFunctions is where the functions of such a module are, below the windows.
const narrowFunctions uint64 = 0x06000000

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
	case addr >= narrowShared && addr < Narrow:
		return resolveNarrow(addr)
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

// resolveNarrow is Resolve for the windows of modules with 32-bit addresses.
func resolveNarrow(addr uint64) (isa.Space, uint64) {
	switch {
	case addr < narrowConstant:
		return isa.Shared, addr - narrowShared
	case addr < narrowParam:
		return isa.Const, addr - narrowConstant
	case addr < narrowLocal:
		return isa.Param, addr - narrowParam
	}
	return isa.Local, addr - narrowLocal
}

// Window returns the start of a space's window of generic addresses, of so many bits:
// what cvta adds.
func Window(s isa.Space, bits int) uint64 {
	wide, narrow := uint64(0), uint64(0)
	switch s {
	case isa.Shared, isa.SharedCluster:
		wide, narrow = shared, narrowShared
	case isa.Local:
		wide, narrow = local, narrowLocal
	case isa.Const:
		wide, narrow = constant, narrowConstant
	case isa.Param, isa.ParamEntry:
		wide, narrow = param, narrowParam
	}
	if bits == 32 {
		return narrow
	}
	return wide
}

// Function returns the address of a module's function by its index, in an address of so
// many bits.
func Function(index, bits int) uint64 { return firstFunction(bits) + functionBytes*uint64(index) }

// FunctionAt returns the index of the function whose address of so many bits is addr, ok
// if it could be one of n.
func FunctionAt(addr uint64, n, bits int) (index int, ok bool) {
	off := addr - firstFunction(bits)
	return int(off / functionBytes), off%functionBytes == 0 && off/functionBytes < uint64(n)
}

func firstFunction(bits int) uint64 {
	if bits == 32 {
		return narrowFunctions
	}
	return functions
}
