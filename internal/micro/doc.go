// Package micro reads a folder of micro-benchmarks, whose power was measured on
// boards at many clocks, into runs with events a second: what the calibrated power
// model is fitted to (package power).
//
// The folder has tables in measured/, of two kinds. Of some benchmarks the launches
// are known: they are emulated, a few CTAs of each, which are alike (launches.go). Of
// others only how busy units were (utilised.go). A row whose figures cannot be is left
// out, and counted.
//
// Start at [Read].
package micro
