package devicelib

import (
	"fmt"
	"strings"
)

// The heap of malloc and free (CUDA C++ Programming Guide, Dynamic Global Memory
// Allocation): a list of free blocks by address, the first that is large enough taken, and
// neighbours joined when they come back. A block begins with 16 bytes: its size, and
// where the next free one is, as distances from the heap's beginning; 0 is none, and -1
// stands in blocks that are given away, so that a second free is seen. A lock lets one
// thread at a time look at the list.
//
// What a real allocator keeps for itself nobody states; here that is 16 bytes a block, and
// sizes are multiples of 16.

// DefaultHeapBytes is CUDA's cudaLimitMallocHeapSize (CUDA Runtime API,
// cudaDeviceSetLimit: 8 MB).
const DefaultHeapBytes = 8 << 20

// heapText writes malloc and free with addresses, and a heap, of so many bytes.
func heapText(pointer int, bytes int64) string {
	bytes = max(bytes&^15, 64)
	var first []string // the one free block, behind 16 bytes that nobody gets
	for shift := range 8 {
		first = append(first, fmt.Sprint((bytes-16)>>(8*shift)&0xff))
	}
	words := fmt.Sprint(8 * pointer)
	return strings.NewReplacer("b64", "b"+words, "u64", "u"+words, "s64", "s"+words, "HEAP", fmt.Sprint(bytes), "FIRST", strings.Repeat("0, ", 16)+strings.Join(first, ", ")).Replace(heapSource)
}

const heapSource = `
.global .align 16 .b8 library_heap[HEAP] = {FIRST};
.global .align 8 .u64 library_free = 16;
.global .align 4 .u32 library_lock = 0;
.visible .func (.param .b64 result) malloc(.param .b64 bytes)
{
	.reg .b64 %need, %heap, %at, %size, %next, %before, %rest, %end, %result;
	.reg .b32 %lock, %old;
	.reg .pred %p;
	ld.param.b64 %need, [bytes];
	mov.b64 %result, 0;
	setp.eq.u64 %p, %need, 0;
	@%p bra OUT;
	setp.ge.u64 %p, %need, HEAP;
	@%p bra OUT;
	add.s64 %need, %need, 31;
	and.b64 %need, %need, -16;
	mov.u64 %heap, library_heap;
TRY:
	atom.acquire.gpu.global.cas.b32 %lock, [library_lock], 0, 1;
	setp.ne.u32 %p, %lock, 0;
	@%p bra AGAIN;
	mov.b64 %before, 0;
	ld.global.u64 %at, [library_free];
LOOK:
	setp.eq.u64 %p, %at, 0;
	@%p bra DONE;
	add.s64 %end, %heap, %at;
	ld.global.u64 %size, [%end];
	ld.global.u64 %next, [%end+8];
	setp.ge.u64 %p, %size, %need;
	@%p bra FOUND;
	mov.b64 %before, %at;
	mov.b64 %at, %next;
	bra LOOK;
FOUND:
	sub.s64 %rest, %size, %need;
	setp.lt.u64 %p, %rest, 32;
	@%p bra WHOLE;
	st.global.u64 [%end], %need;
	add.s64 %size, %end, %need;
	st.global.u64 [%size], %rest;
	st.global.u64 [%size+8], %next;
	add.s64 %next, %at, %need;
WHOLE:
	st.global.u64 [%end+8], -1;
	add.s64 %result, %end, 16;
	cvta.global.u64 %result, %result;
	setp.eq.u64 %p, %before, 0;
	@%p bra HEAD;
	add.s64 %before, %heap, %before;
	st.global.u64 [%before+8], %next;
	bra DONE;
HEAD:
	st.global.u64 [library_free], %next;
DONE:
	atom.release.gpu.global.exch.b32 %old, [library_lock], 0;
AGAIN:
	setp.ne.u32 %p, %lock, 0;
	@%p bra TRY;
OUT:
	st.param.b64 [result], %result;
	ret;
}
.visible .func free(.param .b64 pointer)
{
	.reg .b64 %block, %heap, %at, %size, %next, %before, %end, %other;
	.reg .b32 %lock, %old;
	.reg .pred %p;
	ld.param.b64 %block, [pointer];
	setp.eq.u64 %p, %block, 0;
	@%p bra OUT;
	mov.u64 %heap, library_heap;
	cvta.to.global.u64 %block, %block;
	sub.s64 %block, %block, %heap;
	sub.s64 %block, %block, 16;
	setp.lt.u64 %p, %block, HEAP;
	@%p bra TRY;
	library.fail 0;
TRY:
	atom.acquire.gpu.global.cas.b32 %lock, [library_lock], 0, 1;
	setp.ne.u32 %p, %lock, 0;
	@%p bra AGAIN;
	add.s64 %end, %heap, %block;
	ld.global.u64 %size, [%end];
	ld.global.u64 %other, [%end+8];
	setp.eq.s64 %p, %other, -1;
	@%p bra GIVEN;
	library.fail 0;
GIVEN:
	mov.b64 %before, 0;
	ld.global.u64 %at, [library_free];
LOOK:
	setp.eq.u64 %p, %at, 0;
	@%p bra PLACE;
	setp.gt.u64 %p, %at, %block;
	@%p bra PLACE;
	mov.b64 %before, %at;
	add.s64 %end, %heap, %at;
	ld.global.u64 %at, [%end+8];
	bra LOOK;
PLACE:
	mov.b64 %next, %at;
	add.s64 %end, %block, %size;
	setp.ne.u64 %p, %end, %at;
	@%p bra APART;
	add.s64 %end, %heap, %at;
	ld.global.u64 %other, [%end];
	add.s64 %size, %size, %other;
	ld.global.u64 %next, [%end+8];
APART:
	setp.eq.u64 %p, %before, 0;
	@%p bra HEAD;
	add.s64 %end, %heap, %before;
	ld.global.u64 %other, [%end];
	add.s64 %at, %before, %other;
	setp.ne.u64 %p, %at, %block;
	@%p bra BEHIND;
	add.s64 %size, %size, %other;
	st.global.u64 [%end], %size;
	st.global.u64 [%end+8], %next;
	bra DONE;
BEHIND:
	st.global.u64 [%end+8], %block;
	bra BLOCK;
HEAD:
	st.global.u64 [library_free], %block;
BLOCK:
	add.s64 %end, %heap, %block;
	st.global.u64 [%end], %size;
	st.global.u64 [%end+8], %next;
DONE:
	atom.release.gpu.global.exch.b32 %old, [library_lock], 0;
AGAIN:
	setp.ne.u32 %p, %lock, 0;
	@%p bra TRY;
OUT:
	ret;
}
`
