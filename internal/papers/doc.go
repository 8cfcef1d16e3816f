// Package papers knows what five papers print of what hyptx repeats, and in which columns of
// the files that its commands write ours stands beside it; and which tables and figures
// cannot be repeated, and why.
//
// It runs nothing: command papers does, and has the command lines. Published numbers that
// packages have (hypa, roofline/thesis, power) come to it in the columns that their commands
// write; those that nobody else needs stand in claims.tsv.
//
// Start with [Compare], which reads what a part has written.
package papers
