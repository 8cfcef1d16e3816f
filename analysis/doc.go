// Package analysis turns runs into figures: the profile of a network's
// launches, its totals, and the per-CTA, per-instruction and per-loop views.
//
// It plans which part of each launch has to be emulated (package depgraph),
// has it emulated (package emulator) and scales the counts of what was run to
// what it stands for. What each figure means is defined in docs/columns.md.
//
// Start with [Session]: it holds a manifest's modules, memory and plan;
// [Session.Profile] makes the rows. One analysis a file:
//
//	row.go      the columns of profile.csv
//	session.go  manifest, modules, machine
//	profile.go  launches in order, their rows, the totals
//	choice.go   which launches get a row, and what has to run for them
//	traffic.go  from counters of accesses to the memory block
//	tally.go    from counters of segments to counts of instructions
//	represent.go  which CTAs and warps stand for which
//	hoststep.go what stands between launches
//	verify.go   full mode beside the chosen one
package analysis
