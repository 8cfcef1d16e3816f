// Package csvfile reads tables that people, profilers and other tools write as
// comma or tab separated values: a header line, then a line for each row.
//
// A header is checked before any row is: a column that stands twice, or lacks,
// or that nobody reads, is more often a slip than an intention, and to read on
// would quietly mean "not measured". Every error names the file and the line as
// an editor counts it: comments, blank lines and cells of several lines count.
//
// It takes text, not files: whether that was gzipped, or began with a byte order
// mark, is settled in internal/textfile. It does not know what a column means,
// nor does it write (encoding/csv and gocsv do).
//
// Start at [Format.Open] for a table whose columns are only known when it is
// read, and at [Into] for one whose rows are a Go struct.
package csvfile
