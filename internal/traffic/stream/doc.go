// Package stream is how the memory requests of a launch get from the warps
// that make them to the caches that answer them: one encoding, written once by
// the warp and read as it is by every cache model that listens.
//
// A request is what one instruction of one warp asks of memory at a time: a
// kind (load, store, atomic ...) and the 32-byte sectors that its lanes touch.
// Where they lie in one block of 128 bytes, as those of most requests do, the
// request is a single [Word]. Otherwise it is two: the word says where it
// begins, and a number says which of the launch's [Shapes] it has; the same few
// shapes come again and again, only from another place on.
//
// Each warp of a [CTA] has a stream of its own, since caches see the warps of
// an SM side by side, not in the order in which an emulator happens to run
// them. A [Queue] hands CTAs over in the order in which they start on a GPU,
// whichever of them was emulated first.
//
// What a request costs in DRAM, or whether it hits, is package cache's answer;
// this one knows no caches. Requests of shared memory and of constants are
// not in a stream: neither goes through the caches that are modelled.
//
// Start with [Word], then [CTA].
package stream
