// Package beside puts what a profiler counted on a GPU beside what hyptx counts of the
// same launches, metric by metric, and says what each of ours rests on: the PTX, the
// estimate of the machine code, the model of the caches, or nothing, because PTX cannot
// know it.
//
// It reads no CSV itself (package nsight does), and judges nothing: how far apart two
// numbers may be depends on what the second rests on.
//
// Start with [Read], then [Rows].
//
//	metric.go  what metrics of profilers are in our counters
//	row.go     launches of both sides, joined
package beside
