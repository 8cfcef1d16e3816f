// Package analysis turns runs into figures: the profile of a network's
// launches, its totals, and the per-CTA, per-instruction and per-loop views.
//
// It plans which part of each launch has to be emulated (package depgraph),
// has it emulated (package emulator) and scales the counts of what was run to
// what it stands for. What each figure means is defined in docs/columns.md.
//
// Start with [Session]: it holds a manifest's modules, memory and plan;
// [Session.Profile] makes a [LaunchProfile] of each launch: which it is
// ([Launch]) and what was counted ([Facts]). One analysis a file:
//
//	counter.go  what is counted, how it is totalled, and how instructions add to it
//	facts.go    the counts of a launch, or of several
//	launch.go   which launch they are of
//	row.go      the columns of profile.csv, made of facts
//	options.go  what a user chooses
//	session.go  manifest, modules, machine
//	profile.go  launches in order
//	emulate.go  one of them, emulated as its mode asks
//	parts.go    the slices of a launch, compiled: what follows origins, what may run side by side
//	total.go    their totals
//	choice.go   which launches get a row, and what has to run for them
//	traffic.go  from counters of accesses to requests and sectors
//	machine.go  the estimate of the machine code
//	sampled.go  what accesses moved, and what caches saw, of a sample of the CTAs
//	lengths.go  how long each CTA is, where they are unequal
//	represent.go  which CTAs and warps stand for which
//	hoststep.go what stands between launches
//	observe.go  threads that are followed, observewatch.go elements that are watched, and
//	            firstnan.go where the first NaN comes from, for who debugs a program
//	verify.go   full mode beside the chosen one
package analysis
