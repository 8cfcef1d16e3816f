package emulator

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// tensorProgram is one: image is copied to shared memory, cells are the words of columns
// of all lanes, lane after lane; op is what is done, by all threads, with t the thread's
// number, base the address of the first column and out where a thread may write words. A pair
// of CTAs has an image each, as long as the first, and 256 lanes; thread 0 of the second or
// of the first is the one that is named.
type tensorProgram struct {
	image   []byte
	second  []byte
	pair    bool
	issuer  int
	columns int
	cells   []uint32
	words   int // that a thread writes itself
	declare string
	op      string
	ptx     int
	target  string
}

// run returns the words of tensor memory afterwards, and of each thread its own.
func (p *tensorProgram) run(t *testing.T) (cells, words []uint32) {
	t.Helper()
	size := (max(len(p.image), len(p.second), 1) + 511) &^ 511
	image := append(append([]byte(nil), p.image...), make([]byte, size-len(p.image))...)
	group, cluster, threads := "cta_group::1", "bar.sync 0;", 128
	if p.pair {
		image = append(append(image, p.second...), make([]byte, size-len(p.second))...)
		group, cluster, threads = "cta_group::2", "barrier.cluster.arrive; barrier.cluster.wait;", 256
	}
	var s strings.Builder
	line := func(format string, args ...any) {
		text := strings.NewReplacer("cta_group::1", group, "bar.sync 0;", cluster).Replace(format)
		fmt.Fprintf(&s, text+"\n", args...)
	}
	line(".version %d.%d\n.target %s\n.address_size 64", p.ptx/100, p.ptx%100, p.target)
	line(".entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n{\n.shared .align 1024 .b8 shared[%d];\n.shared .align 8 .b32 where;", size)
	line(".reg .b64 image, in, out, at64; .reg .b32 rank, all, t, at, s, w, base, mine, c, warp; .reg .pred more, first, one, none; %s", p.declare)
	line("ld.param.u64 image, [p0]; ld.param.u64 in, [p1]; ld.param.u64 out, [p2];")
	line("mov.u32 t, %%tid.x; mul.lo.u32 at, t, 4; mov.u32 s, shared; setp.lt.u32 first, t, 32; setp.ne.u32 none, t, t;")
	line("mov.u32 rank, %%cluster_ctarank; mad.lo.u32 all, rank, 128, t; setp.eq.u32 one, all, %d; mad.wide.u32 image, rank, %d, image;", 128*p.issuer, size)
	line("COPY: cvt.u64.u32 at64, at; add.u64 at64, at64, image; ld.global.b32 w, [at64]; { .reg .b32 to; add.u32 to, s, at; st.shared.b32 [to], w; }")
	line("add.u32 at, at, 512; setp.lt.u32 more, at, %d; @more bra COPY;", size)
	line("mov.u32 w, where; @!first bra ALLOCATED;\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [w], 512;\ntcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\nALLOCATED: bar.sync 0;")
	line("ld.shared.b32 base, [w]; shr.u32 warp, t, 5; shl.b32 mine, warp, 21; add.u32 mine, mine, base;")
	line("mad.wide.u32 in, all, %d, in; mov.u32 c, 0;", 4*p.columns)
	line("FILL: ld.global.b32 w, [in]; add.u64 in, in, 4; { .reg .b32 a; add.u32 a, mine, c; tcgen05.st.sync.aligned.32x32b.x1.b32 [a], {w}; }")
	line("add.u32 c, c, 1; setp.lt.u32 more, c, %d; @more bra FILL;", p.columns)
	line("tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync; fence.proxy.async; bar.sync 0; tcgen05.fence::after_thread_sync;")
	line("mad.wide.u32 out, all, %d, out;", 4*(p.columns+p.words))
	s.WriteString(p.op + "\n")
	line("tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync; mov.u32 c, 0; add.u64 out, out, %d;", 4*p.words)
	line("DUMP: { .reg .b32 a; add.u32 a, mine, c; tcgen05.ld.sync.aligned.32x32b.x1.b32 {w}, [a]; tcgen05.wait::ld.sync.aligned; } st.global.b32 [out], w; add.u64 out, out, 4;")
	line("add.u32 c, c, 1; setp.lt.u32 more, c, %d; @more bra DUMP;", p.columns)
	line("bar.sync 0; @!first bra END; tcgen05.dealloc.cta_group::1.sync.aligned.b32 base, 512;\nEND: ret;\n}")
	var in []byte
	for _, w := range p.cells {
		in = binary.LittleEndian.AppendUint32(in, w)
	}
	each := p.words + p.columns
	out := runGroup(t, s.String(), image, in, 4*threads*each)
	for thread := range threads {
		for i := range each {
			w := binary.LittleEndian.Uint32(out[4*(thread*each+i):])
			if i < p.words {
				words = append(words, w)
			} else {
				cells = append(cells, w)
			}
		}
	}
	return cells, words
}
