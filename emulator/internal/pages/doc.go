// Package pages makes the pages of a buffer when they are touched.
//
// A network's manifest declares gigabytes of weights of which a profile reads
// the few that decide branches, and a launch that writes touches what its CTAs
// write. So a buffer is a table of pages of 64 KiB ([Table]), each of which comes
// into being with its first access: filled by the buffer's source, or zero. The
// table itself is there from the start, 8 bytes for each 64 KiB.
//
// Pages count against a limit for the whole program ([Budget]), that of
// --max-memory: beyond it a page is not made and the launch ends. What is read
// only by the host makes no pages.
//
// Several workers share a table. Two that touch a page at the same time are kept
// apart by the budget's lock, and an access that finds its page takes no lock:
// one atomic load. That accesses of CTAs on different workers do not meet in a
// page's bytes is what the caller of a launch vouches for, not this package.
package pages
