// Package words moves 32-bit words between memory and the registers of a warp:
// the fast ways of most loads and stores.
//
// Nearly all accesses of compiled kernels are loads and stores of 32-bit words or
// vectors of them, by lanes that all lie in one buffer or in shared memory.
// Done lane by lane through the general path, each lane would ask anew which
// space its address is in, which buffer holds it, whether it is aligned and how
// wide the register is. Here that is asked once for the access, and the loop over
// the lanes is left with a comparison and a copy.
//
// There are three ways, the narrowest first:
//
//	half.go   half a warp reads one word, or words that follow each other; that
//	          is recognised from the address register before any address is
//	          computed, and 16 words are copied in one go
//	paged.go  lanes anywhere in one buffer of global memory
//	flat.go   lanes anywhere in memory in one piece, which is shared memory
//
// Each reports false for what it is not made for: an address out of bounds or
// not aligned, a vector of another length. It may have written some lanes of the
// destination by then, or none; the caller does the whole access again in the
// general way, which gives all lanes their values, or finds the fault and names
// the lane. So nothing here knows an error.
package words
