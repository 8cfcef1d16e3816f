// Package devicelib knows the functions that CUDA's compilers leave undefined in PTX:
// libdevice's mathematics (__nv_expf ...), the device runtime's vprintf, __assertfail,
// malloc and free, and those of dynamic parallelism, which nothing here executes.
//
// [Text] writes a module of PTX that defines those of them which a program lacks, to be
// linked to it. What an instruction of PTX does is one there (__nv_fadd_rz is add.rz.f32),
// malloc is a heap with a list of free blocks, and what no instruction does is an
// instruction of the library's own (ir/isa, table_library.go), which only such a module
// has. So whatever follows values, memory and the order of threads through a program
// follows them through these functions without knowing of them.
//
// What NVIDIA's own code of these functions executes nobody can tell from PTX: the
// instructions of such a module are not counted, and a launch that calls one says so
// (column library_calls) and is "assumed". Results are those of a calculation in higher
// precision, rounded once, so within the errors that the CUDA C++ Programming Guide states
// (Mathematical Functions Appendix), as far as functions.go says nothing else.
//
//	library.go    Text, Refused
//	functions.go  the functions that are one instruction
//	math.go       the functions that are calculated
//	float.go      float64 functions through math/big
//	gamma.go, special.go
//	              functions that Go lacks, or has lost the bits of
//	format.go     what printf writes
//	heap.go       malloc and free
package devicelib
