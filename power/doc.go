// Package power says what power a GPU draws while it executes a kernel, and
// what energy that costs, from counts of what the kernel does.
//
// The model is AccelWattch (Kandiah et al., MICRO 2021): constant power, static
// power of active SMs, idle SMs, and an energy for each of 22 kinds of events
// (equations 10 to 12 of the paper). Its energies, tuned on a Quadro GV100, are
// embedded data. Where the paper and the released program differ, [Rules]
// chooses; rules.go lists every difference.
//
// The package measures nothing and runs nothing: times come from a time model
// or the user, counts from package analysis or a file. A count that nobody
// could give is missing, never zero, and what needs it gives no figure.
//
// Energies of the paper are a GV100's at one clock. Of other boards the calibrated
// model says what they draw: the same energies with factors by family and type of
// memory, constant power, the power of working SMs and the voltage against the clock,
// all fitted to micro-benchmarks (data/calibration.json, which `hyptx power calibrate`
// makes). It is the default but for the GPUs that the paper has.
//
// Start with [Activity], what a launch does; [Chip], what events cost on a GPU;
// and [Chip.Estimate], which joins them. The pure model stands in
//
//	counter.go component.go energies.go static.go rules.go chip.go estimate.go technology.go
//
// and knows neither PTX nor GPUs' files. Around it:
//
//	ptx*.go      activities of a profile's launches by the PTX rules;
//	             activitytime.go is about the time in which they happen
//	network.go   launches and networks: watts, joules, components;
//	             implausible.go and summary.go say in words what they come to
//	calibration.go calibrated.go  the calibrated model and its chips
//	calibrate*.go micro.go         how it is fitted
//	limit.go     a board's power limit, which lowers the clock
//	sweep.go     networks at many clocks, within clockrange.go
//	validate*.go the published tables, recomputed
//	tune*.go     energies from one's own measurements
//	plot*.go     pictures
package power
