// Package calibrate measures a GPU with micro-benchmarks and says what it does
// a second and what power that takes: the parameters of the roofline
// (Konstantinidis 2017, section 4.2.3) and runs for tuning AccelWattch's
// energies (Kandiah et al. 2021, sections 4 and 5).
//
// The benchmarks are PTX that the package writes ([Benchmark.PTX]). What one of
// them does is counted by hyptx itself, from the same text ([Counter]): nothing
// is counted by hand. Measuring and evaluating are apart: a measurement is a
// line in a log ([Log]), and the files are made from the log alone, so that
// this needs no GPU.
//
// It is no model, and it fills no gaps: what was not measured and what no
// document states stays unknown in the GPU's file.
//
//	part.go parts*.go            what a benchmark's loop is made of
//	benchmark.go benchmarks.go   the benchmarks, kernel.go their text
//	plan.go                      which points are measured, for how long
//	measure.go campaign.go       the protocol, on a [Machine]; device.go program.go are a GPU
//	log.go                       measurements as lines of JSON
//	count.go                     what a benchmark does, by emulation
//	rates.go gpufile.go runs.go  the files
//
// Textures are not measured: their objects are made by calls that the programs
// of hyptx do not make.
package calibrate
