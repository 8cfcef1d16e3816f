// Package manifest reads launch manifests: the buffers of a program and its
// launches in order, which PTX does not tell.
//
// A kernel's PTX is a function without a call. How many threads run it, on what
// memory and after which other kernels is decided by a host program, which hyptx
// does not have. A manifest stands for that program: JSON with the buffers and
// what they hold at the start, the launches with their grids and arguments, and
// what is copied or set between them. A whole CNN is one file of it, with its
// weights in files of tensors beside it:
//
//	{"version": 1,
//	 "buffers": {"x": {"bytes": 4096, "type": "f32", "init": {"iota": {}}}, "y": {"bytes": 4096, "type": "f32"}},
//	 "launches": [{"module": "scale.ptx", "kernel": "scale", "grid": [8], "block": [128],
//	               "args": [{"buffer": "x"}, {"buffer": "y"}, {"value": 1024}]}],
//	 "outputs": ["y"]}
//
// The package checks all that can be checked without the modules, lays the buffers
// out in the address space and gives their contents page by page. It knows neither
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
//	pack.go, param.go      a launch's arguments as the parameter block
//	grid.go, kernelname.go a launch against its target and its module
//	assume.go              a launch for a bare .ptx file
//	new.go, fillin.go      a manifest to fill in
//
// Every error names the file and the JSON path: a launch manifest is written
// by hand. Nothing in a manifest can make the package panic, hang or take
// unbounded memory; the limits stand in limits.go.
package manifest
