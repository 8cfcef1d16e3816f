package analysis

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"hyptx/depgraph"
	"hyptx/emulator"
	"hyptx/ir"
)

// tracedProgram has the requests of two warps in each of six CTAs: a load of
// neighbouring words, one of a word of local memory, a store of every other
// word, an atomic of one lane.
var tracedProgram = program{entry(".param .u64 a", `.local .align 4 .b8 l[8];
	ld.param.u64 %d1, [a];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, 64, %r4;
	mul.wide.s32 %d5, %r5, 4;
	add.s64 %d4, %d1, %d5;
	ld.global.u32 %r6, [%d4];
	st.local.u32 [l], %r4;
	add.s64 %d6, %d4, %d5;
	st.global.u32 [%d6], %r4;
	setp.eq.u32 %p1, %r4, 33;
	@%p1 red.global.add.u32 [%d1+128], 1;
	ret;`), launch(6, 64, buffer32("a", 8*6*64), `{"buffer": "a"}`)}

// inPlaceProgram loads every other word and stores it where it was, several
// times: the load and the store have one pattern, but only the store has masks.
var inPlaceProgram = program{entry(".param .u64 a", `ld.param.u64 %d1, [a];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, 64, %r4;
	mul.wide.s32 %d5, %r5, 8;
	add.s64 %d4, %d1, %d5;
	mov.u32 %r7, 0;
L:	ld.global.u32 %r6, [%d4];
	st.global.u32 [%d4], %r6;
	add.u32 %r7, %r7, 1;
	setp.lt.u32 %p1, %r7, 4;
	@%p1 bra L;
	ret;`), launch(6, 64, buffer32("a", 8*6*64), `{"buffer": "a"}`)}

// traced runs a program and gives away the traces of its CTAs.
func traced(t *testing.T, p program, mode Mode, jobs int, give func(emulator.Trace)) *Session {
	t.Helper()
	s := p.session(t, mode)
	l := s.launches[0]
	var slice *ir.Slice
	f := s.plan(nil)[0]
	if mode == Memory {
		slice = f.Slice
	} else if !f.Graph.Slice(depgraph.Full).ParallelSafe() {
		jobs = 1 // CTAs see what others write
	}
	prog, err := s.machine.Compile(l.kernel, emulator.Options{Slice: slice, Traffic: true})
	if err != nil {
		t.Fatal(err)
	}
	cfg := s.config(l, part{weight: 1}, jobs, nil)
	cfg.Trace = give
	if _, err := s.machine.Launch(context.Background(), prog, cfg); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTraceByHand reads the trace of one CTA.
func TestTraceByHand(t *testing.T) {
	const base = 0x7f0000000000 / 32 // of the manifest's first buffer
	const local = 1 << 58
	type request struct {
		r    emulator.TraceRequest
		runs []uint64
	}
	run := func(first uint64, n int) uint64 { return first<<5 | uint64(n-1) }
	r := func(pc int, warp int, kind emulator.TraceKind, partial bool) emulator.TraceRequest {
		return emulator.TraceRequest{PC: int32(pc), Warp: warp, Kind: kind, Partial: partial}
	}
	stored := func(r emulator.TraceRequest) emulator.TraceRequest { // every other word of 8 sectors
		r.Masks = slices.Repeat([]uint64{0x0f0f0f0f_0f0f0f0f}, 4)
		return r
	}
	var want []request
	for warp := range 2 {
		w := uint64(warp)
		want = append(want,
			request{r(6, warp, emulator.TraceLoad, false), []uint64{run(base+8*3+4*w, 4)}},
			request{r(7, warp, emulator.TraceLocalStore, false), []uint64{run(local+(2*3+w)<<19, 4)}},
			request{stored(r(9, warp, emulator.TraceStore, true)), []uint64{run(base+16*3+8*w, 8)}})
	}
	want = append(want, request{r(11, 1, emulator.TraceAtomic, true), []uint64{run(base+4, 1)}})
	var got []request
	traced(t, tracedProgram, Memory, 2, func(tr emulator.Trace) {
		if tr.CTA == 3 {
			tr.Each(func(r emulator.TraceRequest, runs []uint64) {
				all := slices.Clone(runs)
				for i := range all {
					all[i] += r.First << 5
				}
				r.First, r.Shape, r.Masks = 0, 0, slices.Clone(r.Masks)
				got = append(got, request{r, all})
			})
		}
	})
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the trace of CTA 3\n%v\nby hand\n%v", got, want)
	}
}

// TestTraceAddsUp: the traces come in the order of the CTAs, whoever runs them,
// and hold the requests and sectors that the columns count.
func TestTraceAddsUp(t *testing.T) {
	for _, prog := range []program{tracedProgram, inPlaceProgram} {
		for _, mode := range []Mode{Memory, Full} {
			for _, jobs := range []int{1, 4} {
				traceAddsUp(t, prog, mode, jobs)
			}
		}
	}
}

func traceAddsUp(t *testing.T, prog program, mode Mode, jobs int) {
	var ctas []int64
	requests, sectors := map[emulator.TraceKind]uint64{}, map[emulator.TraceKind]uint64{}
	s := traced(t, prog, mode, jobs, func(tr emulator.Trace) {
		ctas = append(ctas, tr.CTA)
		tr.Each(func(r emulator.TraceRequest, runs []uint64) {
			requests[r.Kind]++
			for _, run := range runs {
				sectors[r.Kind] += run&31 + 1
			}
		})
	})
	p, err := s.Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	row := p.Rows[0]
	if !reflect.DeepEqual(ctas, []int64{0, 1, 2, 3, 4, 5}) {
		t.Errorf("mode %s, %d workers: traces of %v", mode, jobs, ctas)
	}
	for kind, want := range map[emulator.TraceKind][2]Int{
		emulator.TraceLoad: {row.GlobalLoadRequests, row.GldTransactions}, emulator.TraceStore: {row.GlobalStoreRequests, row.GstTransactions},
		emulator.TraceAtomic: {row.AtomicRequests, row.AtomicTransactions}, emulator.TraceLocalStore: {row.LocalStoreRequests, row.LocalStoreTransactions},
	} {
		if requests[kind] != want[0].N || sectors[kind] != want[1].N {
			t.Errorf("mode %s, %d workers, kind %d: %d requests of %d sectors; the columns %d and %d", mode, jobs, kind, requests[kind], sectors[kind], want[0].N, want[1].N)
		}
	}
}
