// Package descriptor says where the elements of a matrix in shared memory lie that a
// tensor core reads by itself (PTX ISA 9.7.17.5.1.2, 9.7.18.3, 9.7.18.4): wgmma and
// tcgen05 name it by a number of 64 bits, with its address, two strides, and by how the
// rows of a pattern are swizzled.
//
// Start with [Matrix].
package descriptor
