// Package golden reads and writes what a GPU left in memory: for each program
// of hyptx's samples the contents of its outputs, with the device, its driver
// and the date. `hyptx judge` writes such files on a machine with a GPU; the
// tests hold the emulator against every one in testdata/golden.
//
// A file is JSON, a document a line: first a [Header], then a [Program] for
// each program in the order in which they ran. A line is written as soon as its
// program has ended, so that a run which is cut off leaves a file that can be
// read. The same contents give the same bytes.
//
// Nothing here knows a GPU: a [Run] is given. Nor does a bound stand here: a
// feature program's header has its own, package compare those of all others.
// Start with [Samples], then [Make].
//
//	sample.go  the programs that are run
//	make.go    one run
//	golden.go  what is kept of it
//	file.go    files
//	check_test.go  a run held against a golden
//	counted_test.go  counts held against those of Nsight Compute
package golden
