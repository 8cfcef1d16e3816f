// Package silicon holds predictions against real GPUs: a folder has manifests of
// kernels and tables of what was measured of them (time, and power where a board
// gives it), on several boards at several clocks; the package predicts every row
// and says how far off the predictions are.
//
// It fits nothing. A row that cannot be predicted has the reason, and what is
// measured without a model (the one constant that fits best, the plain roofline)
// stands beside the models, as the floor that they have to beat.
//
// It has no model of its own either: launches are emulated once for all boards
// and clocks (analysis), times are a time model's (internal/roofline), watts those
// of package power.
//
// Start with [Open], then [Plan.Run], then [Report].
//
//	folder.go    the folder: tables of measured rows
//	board.go     which GPU a row is of
//	run.go       manifests, emulated once; rows of them
//	predict.go   the time and power of a row
//	row.go       the columns of the CSV file
//	floor.go     the plain roofline
//	group.go     groups: a set on a GPU at a clock
//	again.go     rows that a run wrote
//	report.go    tables of how far off the rows are; markdown.go writes them as Markdown
package silicon
