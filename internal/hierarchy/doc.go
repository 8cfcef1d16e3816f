// Package hierarchy is the memory of one GPU, as a program's launches use it:
// the caches and the DRAM of package cache, with the sizes and rules that
// package gpu knows of the GPU, fed with the requests that the emulator hands
// over (package stream), all of them or a sample.
//
// Several hierarchies may listen to one run ([Listeners]): the requests do not
// depend on the GPU, so that a program is emulated once for all of them.
//
// Of a large launch it is enough to see some of the waves ([Sample]). What these
// did stands for the others, and what a sample cannot see, which dirty lines the
// waves left out would have pushed out of the L2, is computed (written.go); the
// standard error of the DRAM sectors says how far that may be off. So nobody else has
// to run ([Listeners.Chosen]): what all of them touch is estimated, too (extent.go).
//
// Start with [Hierarchy].
package hierarchy
