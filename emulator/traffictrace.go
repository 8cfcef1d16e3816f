package emulator

import (
	"fmt"
	"sync"

	"hyptx/ir"
)

// Trace is what the warps of one CTA asked of the caches, in the order in
// which the schedule ran them: request after request, each a header word and
// the runs of 32-byte sectors that it touches, in ascending order and each
// sector once.
//
//	header  bits 63-32  the instruction's PC
//	        bits 31-24  the warp's number in the CTA
//	        bits 23-16  the TraceKind
//	        bit  15     a sector is touched only in part
//	        bits 14-0   how many run words follow
//	run     bits 63-5   the first sector: byte address / 32
//	        bits 4-0    the sectors that follow it without a gap (0 to 31)
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
	Words []uint64
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
)

// maxTraceWords bounds the trace of one CTA: 512 MiB.
const maxTraceWords = 64 << 20

// TraceRequest is an unpacked header of a trace.
type TraceRequest struct {
	PC   ir.PC
	Warp int
	Kind TraceKind
	// Partial: not all bytes of all its sectors are touched.
	Partial bool
}

// tracePart is the header's bit of that.
const tracePart = 1 << 15

// header packs a header word.
func (r TraceRequest) header(runs int) uint64 {
	h := uint64(uint32(r.PC))<<32 | uint64(r.Warp&0xff)<<24 | uint64(r.Kind)<<16 | uint64(runs)
	if r.Partial {
		h |= tracePart
	}
	return h
}

// Each calls f for every request with its runs of sectors.
func (t Trace) Each(f func(r TraceRequest, runs []uint64)) {
	for words := t.Words; len(words) > 0; {
		h := words[0]
		n := 1 + int(h&(tracePart-1))
		f(TraceRequest{PC: ir.PC(h >> 32), Warp: int(h >> 24 & 0xff), Kind: TraceKind(h >> 16), Partial: h&tracePart != 0}, words[1:n])
		words = words[n:]
	}
}

// tracer hands the traces of CTAs to whoever asked for them, one at a time and
// in the order of the CTAs, whichever worker ends first.
type tracer struct {
	mu   sync.Mutex
	give func(Trace)
	// next is the place, among the CTAs that run, of the one whose trace is due;
	// waiting are the traces of later ones, by their linear index.
	next    int64
	waiting map[int64]Trace
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
		return nil
	}
	t.give(tr)
	for t.next++; t.next < l.todo; t.next++ {
		later, ok := t.waiting[l.ctaIndex(t.next)]
		if !ok {
			break
		}
		delete(t.waiting, later.CTA)
		t.give(later)
	}
	return tr.Words[:0]
}

// traceLimit says that a CTA asks for more than a trace may hold.
func traceLimit(linear int64) error {
	return fmt.Errorf("CTA %d: its memory requests take more than %d words of trace, which is the limit", linear, maxTraceWords)
}
