// Package device runs the program of a launch manifest on a CUDA GPU: the same
// manifests as the emulator, the same outputs, and the time of each launch.
//
// It neither loads the driver nor chooses the GPU (package internal/hardware/cuda does)
// and compares nothing. What a GPU cannot do, or this version does not, is an
// error with its JSON path before anything runs.
//
// Start with [Run], or with [New] for a program that runs several times.
//
//	program.go  modules, buffers and kernels made ready
//	run.go      the steps in order, and how long each launch took
//	check.go    what the GPU cannot do
//	address.go  where buffers, variables and functions lie; arguments
//	fill.go     contents, and what the host does between launches
//	output.go   what is read back
//
// Buffers are one allocation each, so their addresses are not the emulator's:
// arguments, tables of pointers and fields of structs hold the GPU's.
package device
