// Package mbarrier is the mbarrier object: a barrier in shared memory on which
// threads arrive without waiting, and which also waits for asynchronous copies
// (PTX ISA 9.7.15.16).
//
// An object goes through phases. In each it expects a number of arrivals and,
// since sm_90, may expect transactions: bytes that copies will bring. A phase is
// complete when no arrival is pending and its tx-count is 0; at that moment the
// next one begins, expecting as many arrivals as the one before. Who waits, waits
// for the end of a phase that he names, by the state that his arrival returned
// or by its parity alone. That is enough, for nobody can be two phases behind: a
// phase does not end before all expected arrivals, his own among them.
//
//	init 2          expected 2  pending 2  parity 0
//	arrive          expected 2  pending 1  parity 0   returns the state before
//	expect_tx 128   tx 128
//	arrive          pending 0, but tx 128: not complete
//	complete_tx 128 tx 0: expected 2  pending 2  parity 1
//
// The tx-count may go below 0 for a while, when a copy is done before its
// expect_tx. What the 64 bits hold is the machine's own (the manual calls them
// opaque); a program sees them only through these operations.
package mbarrier
