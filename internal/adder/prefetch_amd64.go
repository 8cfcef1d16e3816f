package adder

import "unsafe"

// prefetch has the processor bring the five lines of its caches that begin at an address, while it
// works on. What waits of a warp was written long before it is read, and an addition is two or three
// hundred bytes at a time of each of many streams, in which a processor sees no order.
//
//go:noescape
func prefetch(at unsafe.Pointer)
