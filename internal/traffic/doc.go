// Package traffic counts what the memory requests of warps move: sectors of
// 32 bytes, passes over the banks of shared memory, bytes asked for, bytes that
// differ, and the footprint, which is the set of all bytes touched
// (docs/columns.md, profile.csv).
//
// A request is what one instruction of one warp asks of one memory: the
// addresses of up to 32 lanes. Hardly any is new. A loop asks for the same
// [Pattern] of addresses in each of its rounds, and so does each warp, only
// from another address on; and what a pattern costs depends, besides the
// pattern, only on where in a sector it begins. So a request is recognised by
// comparing its addresses with the last patterns of its instruction, and
// counted by adding up a [Cost] that was worked out before. Only what was never
// seen is analysed lane by lane.
//
// The package sees addresses, not memories: who calls it knows which lanes
// execute, which memory an address is in, and whether an access hits it at all.
// It is exact and knows no caches; for these, [Counter.Count] writes each
// request into the stream of its warp (package stream).
//
// Start with [Counter.Count], then pattern.go and cost.go. counts.go is what
// comes out; bank.go is shared memory, footprint.go the set of bytes, bulk.go what no
// lanes ask for.
package traffic
