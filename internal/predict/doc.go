// Package predict joins what the other packages know of a program: what it
// executes (analysis), how long that takes on GPUs (roofline), and what power
// they draw meanwhile (power).
//
// A program is emulated once. The caches of all GPUs that are asked for listen
// to that one run, and the profile, the times and the power of each GPU are made
// of what it counted. What is not known of a GPU keeps back what needs it, with
// the reason, and nothing else.
//
// The package has no model of its own, knows no flags and writes no files. Start
// with [Run], which does all of it; the parts are there for those who want one:
//
//	predict.go  a program on GPUs: counts, times, power
//	caches.go   whose caches can be modelled
//	times.go    rows of time, network by network
//	power.go    the power model of a GPU, and launches with the times of their power
package predict
