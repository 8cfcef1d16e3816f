// Package cuda is a CUDA GPU as the driver API gives it: devices, a context,
// modules made from PTX, memory, launches and events. The driver's library is
// loaded at run time, so that hyptx builds without cgo and without the CUDA
// toolkit, and runs on machines without a GPU, where [Open] says so
// ([ErrNoDriver], [ErrNoDevice]).
//
// It knows nothing of manifests; package internal/hardware/device runs their programs
// on a [Context].
//
// Start with [Open]; then [Driver.Context], [Context.Load], [Module.Function]
// and [Function.Launch]. A file each:
//
//	driver.go     the library, its version and its errors
//	api.go        the functions taken from the library; here the C types stand
//	constants.go  attributes, options and limits by number
//	devices.go    what GPUs there are
//	context.go    a GPU in use, and waiting for it
//	module.go     PTX to machine code, functions and variables
//	launch.go     launches
//	memory.go     allocations and copies
//	event.go      marks among the launches
//	timer.go      times
//	cudatest/testdata/libcuda.c  a stand-in for tests: it records calls and fails on demand
//
// # Threads
//
// The driver keeps the current context for each thread of the operating
// system. [Driver.Context] locks the calling goroutine to its thread
// (runtime.LockOSThread) until [Context.Close]; a Context and all that was
// made from it belong to that goroutine.
//
// # Why purego
//
// cgo would need a C compiler for each of the six targets, and CUDA's headers.
// Package purego calls C functions from Go alone. It links the program to the
// C library, though; the build tag nocuda leaves it out and gives a fully
// static program without a GPU.
//
// All names of functions, types and numbers are those of the CUDA Driver API
// reference manual (docs.nvidia.com/cuda/cuda-driver-api).
package cuda
