package analysis

import (
	"context"
	"reflect"
	"testing"

	"hyptx/depgraph"
	"hyptx/emulator"
	"hyptx/internal/number"
	"hyptx/internal/slice"
	"hyptx/internal/traffic/stream"
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

// traced runs a program and gives away the requests of its CTAs.
func traced(t *testing.T, p program, mode Mode, jobs int, give func(*stream.CTA)) *Session {
	t.Helper()
	s := p.session(t, mode)
	l := s.launches[0]
	var only *slice.Slice
	f := s.plan(nil)[0]
	if mode == Memory {
		only = f.Slice
	} else if !f.Graph.Slice(depgraph.Full).ParallelSafe {
		jobs = 1 // CTAs see what others write
	}
	prog, err := s.machine.Compile(t.Context(), l.kernel, emulator.Options{Slice: only, Traffic: true})
	if err != nil {
		t.Fatal(err)
	}
	cfg := s.config(l, &part{weight: 1, workers: jobs}, nil)
	cfg.Requests = func(c *stream.CTA) error {
		give(c)
		return nil
	}
	if _, err := s.machine.Launch(context.Background(), prog, cfg); err != nil {
		t.Fatal(err)
	}
	return s
}

// request is one of a stream, read.
type request struct {
	warp  int
	kind  stream.Kind
	local bool
	cells []stream.Cell
}

// requests reads the streams of a CTA. Bytes are those of stores of parts.
func requests(c *stream.CTA) (list []request) {
	for warp, words := range c.Warps {
		for len(words) > 0 {
			n := stream.Length(words)
			head := words[0]
			r := request{warp: warp, kind: head.Kind(), local: head.Local()}
			parts := []stream.Word{head}
			if n == 2 {
				parts = c.Shapes.Shape(uint32(words[1]))
			}
			for len(parts) > 0 {
				part := head
				if n == 2 {
					part = head.Part(parts[0])
				}
				parts = parts[1:]
				var masks stream.Masks
				if r.kind == stream.StorePart {
					copy(masks[:], parts)
					parts = parts[stream.MaskWords:]
				}
				for k := range uint(stream.BlockSectors) {
					if part.Sectors()>>k&1 != 0 {
						r.cells = append(r.cells, stream.Cell{Sector: stream.BlockSectors*part.Block() + uint64(k), Bytes: masks.Sector(k)})
					}
				}
			}
			list = append(list, r)
			words = words[n:]
		}
	}
	return list
}

// TestStreamByHand reads the requests of one CTA.
func TestStreamByHand(t *testing.T) {
	const base = 0x7f0000000000 / 32 // of the manifest's first buffer
	const local = 1 << 57            // bit 55 of a block
	cells := func(first uint64, n int, bytes uint32) (list []stream.Cell) {
		for i := range n {
			list = append(list, stream.Cell{Sector: first + uint64(i), Bytes: bytes})
		}
		return list
	}
	var want []request
	for warp := range 2 {
		w := uint64(warp)
		want = append(want,
			request{warp, stream.Load, false, cells(base+8*3+4*w, 4, 0)},
			request{warp, stream.Store, true, cells(local+w<<19, 4, 0)},
			request{warp, stream.StorePart, false, cells(base+16*3+8*w, 8, 0x0f0f0f0f)}) // every other word
	}
	want = append(want, request{1, stream.Atomic, false, cells(base+4, 1, 0)})
	var got []request
	traced(t, tracedProgram, Memory, 2, func(c *stream.CTA) {
		if c.Linear == 3 {
			got = requests(c)
		}
	})
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the requests of CTA 3\n%v\nby hand\n%v", got, want)
	}
}

// TestStreamsAddUp: the streams come in the order of the CTAs, whoever runs them,
// and hold the requests and sectors that the columns count.
func TestStreamsAddUp(t *testing.T) {
	for _, prog := range []program{tracedProgram, inPlaceProgram} {
		for _, mode := range []Mode{Memory, Full} {
			for _, jobs := range []int{1, 4} {
				streamsAddUp(t, prog, mode, jobs)
			}
		}
	}
}

func streamsAddUp(t *testing.T, prog program, mode Mode, jobs int) {
	type key struct {
		kind  stream.Kind
		local bool
	}
	var ctas []int64
	count, sectors := map[key]uint64{}, map[key]uint64{}
	s := traced(t, prog, mode, jobs, func(c *stream.CTA) {
		ctas = append(ctas, c.Linear)
		list := requests(c)
		if len(list) != c.Requests {
			t.Errorf("%d requests of %d", len(list), c.Requests)
		}
		for _, r := range list {
			if r.kind == stream.StorePart {
				r.kind = stream.Store
			}
			k := key{r.kind, r.local}
			count[k]++
			sectors[k] += uint64(len(r.cells))
		}
	})
	p, err := s.Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	row := p.Rows[0]
	if !reflect.DeepEqual(ctas, []int64{0, 1, 2, 3, 4, 5}) {
		t.Errorf("mode %s, %d workers: streams of %v", mode, jobs, ctas)
	}
	for k, want := range map[key][2]number.Int{
		{stream.Load, false}: {row.GlobalLoadRequests, row.GldTransactions}, {stream.Store, false}: {row.GlobalStoreRequests, row.GstTransactions},
		{stream.Atomic, false}: {row.AtomicRequests, row.AtomicTransactions}, {stream.Store, true}: {row.LocalStoreRequests, row.LocalStoreTransactions},
	} {
		if count[k] != want[0].N || sectors[k] != want[1].N {
			t.Errorf("mode %s, %d workers, %+v: %d requests of %d sectors; the columns %d and %d", mode, jobs, k, count[k], sectors[k], want[0].N, want[1].N)
		}
	}
}
