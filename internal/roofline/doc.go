// Package roofline says how long launches take on a GPU and what limits them:
// by the thesis' model, pure (package thesis), or by an extended one that knows
// the launch's shape; and it draws both as rooflines.
//
// It counts nothing: what was executed comes from the profile (analysis), from
// a profiler's CSV or from the toolkit's JSON; what a GPU can comes from gpu or
// from the toolkit's CSV. It simulates nothing either: every term is a closed
// expression over those numbers, and each is a column of its own.
//
// Start with [Launch] (what was executed), [Device] (where), [Model] (a function
// of both, chosen by name) and [Time] (what it says). What each term of the
// default model is the words at extend say.
//
//	launch.go    Launch: counts and traffic; from the facts of a profile
//	chain.go     the longest warp's dependent chain: what it is
//	region.go    its regions: loops, and which of them are unrolled
//	round.go     the time of a region
//	latency.go   cycles of each kind of instruction
//	device.go    Device: a GPU's rates and limits
//	model.go     the time models, by name
//	time.go      Time: what a model says, or what was measured
//	extended.go  the default model: t_launch, t_issue, t_mem, t_latency
//	units.go     what each unit of an SM has to do
//	contention.go  what few warps wait for each other
//	uneven.go    CTAs of unequal lengths
//	pure.go      the thesis' model
//	row.go       the columns of roofline.csv
//	table.go     the readable table, and what its times rest on
//	summary.go   a line for each GPU
//	against.go   how far times are off measured ones
//	report.go    rows of launches, and their totals
//	missing.go   why there is no time
//	sources.go   devices by name, launches of a profile or a file
//	counters.go  what profilers counted (package nsight); nvprof's metrics
//	ncu.go       Nsight Compute's metrics
//	toolkit.go   the toolkit's files, read; toolkitwrite.go writes them
//	plot.go      the roofline; plotquadrant.go the quadrant-split view
//	figure.go    the sheet that both are drawn on (package figure)
package roofline
