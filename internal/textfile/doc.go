// Package textfile opens the files that hyptx reads as a whole: PTX, manifests,
// GPUs, tables and logs. What people keep is gzipped, or begins with the mark
// of an editor, or comes from a pipe; that is settled here, once, and so is how
// large a file may be and what is said of one that cannot be read.
//
// It does not look at what the text says. Tensors are not read here: they are
// large and entered in the middle (internal/manifest).
//
// Start at [Read].
package textfile
