// Package papers knows which tables and figures of five papers hyptx can repeat, and how:
// by which of its own commands, what stands in the files that they write, and what the paper
// prints of it. And which it cannot repeat, and why.
//
// It runs nothing: command papers does. Published numbers that packages have (hypa,
// roofline/thesis, power) come to it in the columns that their commands write; those that
// nobody else needs stand in claims.tsv.
//
// Start with [Papers], and [Compare], which reads what a part has written.
package papers
