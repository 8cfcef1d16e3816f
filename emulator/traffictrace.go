package emulator

import (
	"fmt"
	"slices"
	"sync"

	"hyptx/ir"
)

// Trace is what the warps of one CTA asked of the caches, in the order in
// which the schedule ran them: request after request, each a header word, the
// sector from which its runs count, and the runs of 32-byte sectors that it
// touches, in ascending order and each sector once.
//
//	header  bits 63-32  the instruction's PC
//	        bits 31-24  the warp's number in the CTA
//	        bits 23-16  the TraceKind
//	        bit  15     a sector is touched only in part
//	        bit  14     the runs are a shape's, whose number follows
//	        bits 13-0   how many words follow: runs, and masks
//	run     bits 63-5   the first sector: byte address / 32
//	        bits 4-0    the sectors that follow it without a gap (0 to 31)
//	mask    bits 63-32 and 31-0  the bytes of two sectors, the first one below
//
// Only a store that writes a sector in part has masks, one for each sector.
//
// Addresses are the emulator's generic ones: those of buffers and variables as
// they are, .const memory from 0x7b0000000000 on. Local memory, with its lanes
// interleaved, lies from bit 63 of the address on (bit 58 of the sector), 16
// MiB for each warp of the grid, so that no two threads share a sector. Shared
// memory has no sectors and is not recorded; a generic access whose lanes lie
// in several spaces gives one request for each of them.
//
// A warp runs until it waits, so the requests of a CTA's warps stand in long
// stretches; whoever models warps side by side has to deal them out anew by
// the warp's number.
type Trace struct {
	// CTA is the linear index of the CTA.
	CTA int64
	// Words are valid only during the call that hands them over.
	Words  []uint64
	shapes *traceShapes
}

// TraceKind is what a request does.
type TraceKind uint8

// The kinds of requests.
const (
	TraceLoad       TraceKind = iota // of global memory
	TraceStore                       // to global memory
	TraceAtomic                      // atom and red on global memory
	TraceConst                       // a load of .const memory
	TraceLocalLoad                   // of local memory
	TraceLocalStore                  // to local memory
	TraceLoadPast                    // of global memory, not by the L1
)

// maxTraceWords bounds the trace of one CTA: 512 MiB.
const maxTraceWords = 64 << 20

// maxHeldWords bounds the traces that wait for that of an earlier CTA: 2 GiB.
const maxHeldWords = 256 << 20

// TraceRequest is a request of a trace, without its runs.
type TraceRequest struct {
	PC   ir.PC
	Warp int
	Kind TraceKind
	// Partial: not all bytes of all its sectors are touched.
	Partial bool
	// First is the sector from which the runs count, modulo 2^59.
	First uint64
	// Shape is a number that stands for the runs and masks throughout the launch;
	// 0 if they have none.
	Shape uint32
	// Masks are the bytes that a partial store writes, two sectors a word.
	Masks []uint64
}

// masked reports whether a request has masks.
func masked(kind TraceKind, partial bool) bool {
	return partial && (kind == TraceStore || kind == TraceLocalStore)
}

// tracePart and traceShaped are the header's bits.
const (
	tracePart   = 1 << 15
	traceShaped = 1 << 14
)

// traceHeader packs a header word, without the number of words that follow. It
// takes no TraceRequest: to copy one that was just put together would wait for
// all vector stores before it.
func traceHeader(pc ir.PC, warp int, kind TraceKind, partial bool) uint64 {
	h := uint64(uint32(pc))<<32 | uint64(warp&0xff)<<24 | uint64(kind)<<16
	if partial {
		h |= tracePart
	}
	return h
}

// Each calls f for every request with its runs of sectors, counted from First:
// First<<5 is to be added to each.
func (t Trace) Each(f func(r TraceRequest, runs []uint64)) {
	t.EachKnown(func(TraceKind, int, uint64, uint32) bool { return false }, f)
}

// EachKnown is Each, but of a request with a shape and without masks it first
// asks known, which may know what the shape's number stands for: then f is not
// called for it.
func (t Trace) EachKnown(known func(kind TraceKind, warp int, first uint64, shape uint32) bool, f func(r TraceRequest, runs []uint64)) {
	shapes := t.shapes.all()
	for words := t.Words; len(words) > 0; {
		h := words[0]
		n := 2 + int(h&(traceShaped-1))
		kind, warp, partial := TraceKind(h>>16), int(h>>24&0xff), h&tracePart != 0
		runs := words[2:n]
		shape := uint32(0)
		if h&traceShaped != 0 {
			shape = uint32(runs[0])
			if !masked(kind, partial) && known(kind, warp, words[1], shape) {
				words = words[n:]
				continue
			}
			runs = shapes[shape-1]
		}
		r := TraceRequest{PC: ir.PC(h >> 32), Warp: warp, Kind: kind, Partial: partial, First: words[1], Shape: shape}
		if masked(kind, partial) {
			runs, r.Masks = splitMasks(runs)
		}
		f(r, runs)
		words = words[n:]
	}
}

// splitMasks divides the words of a masked request: each sector of the runs has
// half a word of mask.
func splitMasks(words []uint64) (runs, masks []uint64) {
	sectors := 0
	for i, run := range words {
		sectors += int(run&(1<<traceRunBits-1)) + 1
		if i+1+(sectors+1)/2 == len(words) {
			return words[:i+1], words[i+1:]
		}
	}
	panic("BUG: a trace without the masks of a partial store")
}

// maxTraceShapes bounds what the shapes of a launch take: 16 MiB of runs.
const maxTraceShapes = 1 << 16

// traceShapes are the runs and masks of requests that came again, of all workers of a
// launch: a trace has a number in their place.
type traceShapes struct {
	mu   sync.Mutex
	list [][]uint64
}

// add returns a number for runs and masks, 0 if there is none left.
func (t *traceShapes) add(runs, masks []uint64) uint32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.list) == maxTraceShapes {
		return 0
	}
	t.list = append(t.list, slices.Concat(runs, masks))
	return uint32(len(t.list))
}

// all returns the shapes so far.
func (t *traceShapes) all() [][]uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.list
}

// tracer hands the traces of CTAs to whoever asked for them, one at a time and
// in the order of the CTAs, whichever worker ends first.
type tracer struct {
	mu   sync.Mutex
	give func(Trace)
	// next is the place, among the CTAs that run, of the one whose trace is due;
	// waiting are the traces of later ones, by their linear index, held words.
	next    int64
	waiting map[int64]Trace
	held    int
	spare   [][]uint64 // buffers to be used again
	shapes  traceShapes
}

func newTracer(give func(Trace)) *tracer {
	return &tracer{give: give, waiting: map[int64]Trace{}}
}

// done takes the trace of a CTA. It returns a buffer that may be used again.
func (t *tracer) done(tr Trace, l *launch) []uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if tr.CTA != l.ctaIndex(t.next) {
		t.waiting[tr.CTA] = tr
		if t.held += len(tr.Words); t.held > maxHeldWords {
			panic(&abort{fmt.Errorf("CTA %d takes so long that the traces of those that ended before it hold more than %d words, which is the limit; --jobs 1 runs one after the other", l.ctaIndex(t.next), maxHeldWords)})
		}
		return t.buffer()
	}
	t.give(tr)
	for t.next++; t.next < l.todo; t.next++ {
		later, ok := t.waiting[l.ctaIndex(t.next)]
		if !ok {
			break
		}
		delete(t.waiting, later.CTA)
		t.held -= len(later.Words)
		t.give(later)
		t.spare = append(t.spare, later.Words[:0])
	}
	return tr.Words[:0]
}

// buffer returns an empty buffer.
func (t *tracer) buffer() []uint64 {
	n := len(t.spare)
	if n == 0 {
		return nil
	}
	b := t.spare[n-1]
	t.spare = t.spare[:n-1]
	return b
}

// traceLimit says that a CTA asks for more than a trace may hold.
func traceLimit(linear int64) error {
	return fmt.Errorf("CTA %d: its memory requests take more than %d words of trace, which is the limit", linear, maxTraceWords)
}
