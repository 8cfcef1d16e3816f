// Package manifest reads launch manifests: the buffers of a program and its
// launches in order, which PTX does not tell.
//
// It checks all that can be checked without the modules, lays the buffers out
// in the address space and gives their contents page by page. It knows neither
// modules nor PTX: what depends on a kernel (its parameters, its limits) is
// offered as functions over a small description, [Param] and [Kernel]. It
// executes nothing.
//
// Start with [Parse]; the result, [Manifest], is plain data. Then
//
//	object.go              how an object of its JSON is read (package strictjson)
//	buffer.go, init.go     buffers and what they hold at the start
//	source.go, random.go   contents on demand
//	tensorfile.go, npy.go, npz.go, safetensors.go  files of tensors
//	step.go, launch.go, arg.go  what happens, in order
//	number.go              numbers as they are written, and their bits
//	pack.go                a launch's arguments as the parameter block
//	grid.go, kernelname.go a launch against its target and its module
//	assume.go, new.go      manifests for a bare .ptx file
//	encode.go              manifests as JSON
//
// Every error names the file and the JSON path: a launch manifest is written
// by hand. Nothing in a manifest can make the package panic, hang or take
// unbounded memory; the limits stand in limits.go.
package manifest
