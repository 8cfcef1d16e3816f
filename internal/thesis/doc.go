// Package thesis repeats the experiments of E. N. Konstantinidis' thesis ("A GPU performance
// estimation model based on micro-benchmarks and black-box kernel profiling", NKUA 2017):
// what its model says of its kernels, once from the counters that it prints and once from
// our versions of them, emulated; mixbench over the rooflines of its GPUs; and what
// bandwidth caches, shared memory and constants give. What is printed stands beside it.
//
// The model itself is package roofline/thesis, and so is what the thesis prints. Where a
// profiler of the thesis measured on a GTX-480, we emulate that GPU's caches, and as there
// the counts go for all GPUs. Some experiments cannot be repeated; command papers says which.
//
// Start with [Experiments]. A [Result] has the rows of all that ran, and [Figures] draw it:
//
//	kernel.go    kernels: parameters, times, and what they use
//	mixbench.go  operations against bytes
//	memory.go    bandwidth of memories on the chip
package thesis
