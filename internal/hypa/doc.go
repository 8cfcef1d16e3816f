// Package hypa repeats the experiment of HyPA's paper (Metz, Plump, Berger, Drechsler: Hybrid
// PTX Analysis for GPU accelerated CNN inferencing aiding Computer Architecture Design): 32
// networks are profiled, ten times each, and what had to be executed, what was counted and
// how long it took stands beside what the paper prints.
//
// The networks are the same, the PTX is not: the paper's came out of TensorFlow, ours out of
// package networks. So ratios are to be compared, not counts; and the paper counts
// instructions of the files, since it does not see launches.
//
// Start with [Measure], which gives a [Row]; [Figures] draw rows.
package hypa
