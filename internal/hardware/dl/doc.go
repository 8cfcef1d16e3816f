// Package dl loads shared libraries of C functions at run time, without cgo:
// libcuda here, libnvidia-ml elsewhere. It knows nothing of what is in them.
//
// Start with [Open], then [Library.BindAll] for a table of functions or
// [Library.Bind] for one. A loader file for
// each system does the work (loader_linux.go, loader_windows.go); where there
// is none (other systems, or the build tag nocuda, which makes a fully static
// binary) loader_none.go answers that there is none.
//
// The binding is purego's: a Go function type says what the C function takes,
// and nothing can check that. Memory that C reads through a pointer inside of
// other memory has to be pinned (runtime.Pinner); what is passed directly
// needs not.
package dl
