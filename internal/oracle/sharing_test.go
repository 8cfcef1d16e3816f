package oracle

import (
	"fmt"
	"math/rand/v2"
)

// Programs whose threads share memory and exchange registers. A careful one is in
// order by construction: every access is either the thread's own or follows the sync
// that it needs, so that all orders of threads give the same. The others leave out
// some of these syncs, and then it depends.
//
// There are three arrays, with a word for each thread of a CTA. An array is in one of
// four states, which all threads know: each thread has one word, that of the thread
// whose number differs from its own in some bits, or one byte; or all threads may read
// all words; or all may add to any word, in one way. Going from one state to the next takes a sync of
// the threads that have to do with a word before and after.

// sharer writes one such program.
type sharer struct {
	*writer
	careful bool
	// masks: what lanes happen to be together is asked for (activemask).
	masks bool
	// raceless: no two threads store to a word in any order, not even one number.
	raceless bool
	// threads is the size of a CTA, a power of two for careful programs; words that of
	// an array.
	threads, words int
	// clusters: a cluster has two CTAs.
	clusters bool
	// apart is how many branches and loops enclose what is written now that lanes may
	// take by themselves; whole is the number of lanes' mask, if all threads of a warp
	// are here or those of a known mask.
	apart  int
	mask   string
	exited bool
	arrays [3]array
	// phase is the number of phases that the mbarrier object has gone through, -1 if
	// there is none.
	phase int
	loops int
}

// array is the state of an array.
type array struct {
	space, base string
	// far: it is the other CTA's of the cluster that the threads access. name is its own.
	far  bool
	name string
	mode sharing
	by   int    // the bits in which the owner of a word differs
	op   string // of reductions
	// synced is how far threads have synchronised since the array was last touched.
	synced level
}

type sharing int

const (
	owned sharing = iota
	read
	reduced
	bytewise // as owned, of bytes
)

// level is how many threads a sync puts in order.
type level int

const (
	nobody    level = iota
	tileLevel       // of a warp's 8
	warpLevel
	pairLevel // of warps
	ctaLevel
	clusterLevel
)

// sharingProgram writes a program. The same seed gives the same program.
func sharingProgram(seed uint64, careful, masks bool) *program {
	return sharingProgramWith(seed, careful, masks, func(*sharer) {})
}

// sharingProgramWith writes one with something more before each of its items.
func sharingProgramWith(seed uint64, careful, masks bool, more func(*sharer)) *program {
	s := &sharer{writer: &writer{r: rand.New(rand.NewPCG(seed, 0xbf58476d1ce4e5b9)), stays: true}, careful: careful, masks: masks, phase: -1}
	p := &program{n: s.constant(), careful: careful, grid: [3]uint32{uint32(1 + s.r.IntN(2)), 1, 1}}
	s.threads = []int{32, 32, 64, 64, 128}[s.r.IntN(5)]
	if s.words = s.threads; !careful && s.r.IntN(4) == 0 {
		s.threads -= 1 + s.r.IntN(20)
	}
	p.block = [3]uint32{uint32(s.threads), 1, 1}
	if s.clusters = seed%8 >= 6; s.clusters {
		p.grid[0], p.cluster = 2*p.grid[0], 2
	}
	s.line(".version 8.3\n.target sm_90\n.address_size 64\n.global .align 16 .b8 gv[2048];")
	s.functions = s.r.IntN(2)
	for i := range s.functions {
		s.function(i)
	}
	for i := range giving {
		s.giver(i)
	}
	s.begin()
	for range 6 + s.r.IntN(14) {
		more(s)
		s.item()
	}
	if s.clusters && careful { // the shared memory that others read is there no longer than its CTA
		s.line("barrier.cluster.arrive;\nbarrier.cluster.wait;")
	}
	for i := range 4 {
		s.line("st.global.b32 [%%out+%d], %%r%d;", 4*i, i)
	}
	if s.clusters && s.careful {
		s.clusterBarrier() // nobody exits whose memory others may access
	}
	s.line("}")
	p.ptx = s.text.String()
	return p
}

// begin writes the kernel's head. It gives all words of the arrays a value.
func (s *sharer) begin() {
	s.self, s.calls = s.functions, 0
	s.line(".visible .entry k(.param .u64 out, .param .u32 n)\n{")
	s.declare()
	s.line(".reg .b64 %%out, %%at, %%d<4>, %%sa, %%sb, %%gc, %%state;\n.reg .b32 %%id, %%pair, %%m, %%g, %%c<8>, %%x;\n.reg .b16 %%h;\n.reg .pred %%first;")
	s.line(".shared .align 16 .b8 sa[512];\n.shared .align 16 .b8 sb[512];\n.shared .align 8 .b64 mb;")
	s.line("ld.param.u64 %%out, [out];\nld.param.u32 %%r0, [n];\nmov.u32 %%id, %%tid.x;\nmov.u32 %%t1, %%ntid.x;\nmov.u32 %%t2, %%ctaid.x;")
	s.line("mad.lo.u32 %%r2, %%t1, %%t2, %%id;\nmov.b32 %%r1, %%id;\nmul.wide.u32 %%at, %%r2, %d;\nadd.u64 %%out, %%out, %%at;", 4*slotWords)
	s.line("mov.u32 %%r3, %%laneid;\nmov.b32 %%depth, %d;\nshr.u32 %%pair, %%id, 6;\nadd.u32 %%pair, %%pair, 1;", s.r.IntN(3))
	s.line("mov.u64 %%sa, sa;\nmov.u64 %%sb, sb;\nmov.u64 %%gc, gv;\nmul.wide.u32 %%at, %%t2, 512;\nadd.u64 %%gc, %%gc, %%at;\nsetp.eq.u32 %%first, %%id, 0;")
	s.start(3 + s.r.IntN(5))
	s.arrays = [3]array{{space: "shared", base: "%sa", name: "a"}, {space: "shared", base: "%sb", name: "b"}, {space: "global", base: "%gc"}}
	if s.clusters {
		s.line(".reg .b64 %%fa, %%fb;\n.reg .b32 %%rank;\nmov.u32 %%rank, %%cluster_ctarank;\nxor.b32 %%x, %%rank, 1;")
		s.line("mapa.shared::cluster.u64 %%fa, %%sa, %%x;\nmapa.shared::cluster.u64 %%fb, %%sb, %%x;")
	}
	for i := range s.arrays {
		a := &s.arrays[i]
		s.address(a, "%id")
		s.line("st.%s.b32 [%%d0], %s;", a.space, s.one("%r1", "%r4", "%r5", "7"))
		if s.words > s.threads {
			s.line("add.u32 %%x, %%id, %d;\nand.b32 %%x, %%x, %d;", s.threads, s.words-1)
			s.address(a, "%x")
			s.line("st.%s.b32 [%%d0], 7;", a.space)
		}
	}
	if s.words > s.threads {
		s.sync(ctaLevel)
	}
	s.mask = "-1"
}

// address leaves in %d0 the address of a word of an array, whose number is in a register.
func (s *sharer) address(a *array, word string) {
	s.line("mul.wide.u32 %%d0, %s, 4;\nadd.u64 %%d0, %s, %%d0;", word, a.base)
}

// sync writes a sync of at least some level.
func (s *sharer) sync(least level) {
	most := ctaLevel
	if s.clusters {
		most = clusterLevel
	}
	l := least + level(s.r.IntN(int(most-least)+1))
	if l == pairLevel && s.threads%64 != 0 {
		l = ctaLevel
	}
	switch {
	case l == tileLevel:
		s.tileSync()
	case l == warpLevel:
		s.line("bar.warp.sync %s;", s.one("-1", "0xffffffff"))
	case l == pairLevel:
		bar := "%pair"
		if !s.careful && s.r.IntN(3) == 0 {
			bar = "4" // all pairs come to one barrier
		}
		s.line("%s %s, 64;", s.one("bar.sync", "barrier.sync"), bar)
	case l == clusterLevel:
		s.clusterBarrier()
	default:
		s.barrier()
	}
	for i := range s.arrays {
		s.arrays[i].synced = max(s.arrays[i].synced, l)
	}
}

// widest is how many threads have to do with an array in its states: in programs that
// are not careful, those of a CTA.
func (s *sharer) widest() level {
	if s.clusters && s.careful {
		return clusterLevel
	}
	return ctaLevel
}

// clusterBarrier writes a barrier of all threads of the cluster, and between its halves
// perhaps what they need not wait with.
func (s *sharer) clusterBarrier() {
	aligned := ""
	if s.careful || s.threads%32 == 0 && s.r.IntN(2) == 0 {
		aligned = s.one("", ".aligned")
	}
	arrive := s.one("", ".release")
	if !s.careful && s.r.IntN(4) == 0 {
		arrive = ".relaxed"
	}
	s.line("barrier.cluster.arrive%s%s;", arrive, aligned)
	for range s.r.IntN(3) {
		s.statement()
	}
	s.line("barrier.cluster.wait%s%s;", s.one("", ".acquire"), aligned)
}

// barrier writes a barrier of all threads.
func (s *sharer) barrier() {
	all := (s.threads + 31) &^ 31
	switch s.r.IntN(7) {
	case 0:
		s.line("bar.red.popc.u32 %s, 0, %%p%d;", s.register(), s.r.IntN(predicates))
	case 1:
		s.line("bar.red.%s.pred %%p%d, 0, %%p%d;", s.one("and", "or"), s.r.IntN(predicates), s.r.IntN(predicates))
	case 2:
		s.line("barrier.sync %d, %d;", 8+s.r.IntN(4), all)
	case 3:
		s.line("mov.b32 %%x, %d;\nbar.sync %%x;", 12+s.r.IntN(4))
	default:
		s.line("bar.sync 0;")
	}
}

// together reports whether all threads of the CTA come here, so that they may wait for
// each other.
func (s *sharer) together() bool { return s.apart == 0 && !s.exited }

// item writes a statement of any kind.
func (s *sharer) item() {
	switch s.r.IntN(17) {
	case 0, 1, 2, 3:
		s.access()
	case 4, 5:
		s.collective()
	case 6:
		s.branch()
	case 7:
		s.loop()
	case 8:
		s.giverCall()
	case 9:
		s.probe()
	case 10:
		s.choices()
	case 11:
		s.constants()
	case 12:
		s.special()
	case 13:
		s.tiles()
	default:
		s.statement()
	}
}

// special writes what comes less often.
func (s *sharer) special() {
	switch s.r.IntN(10) {
	case 9:
		s.alike()
	case 8:
		s.message()
	case 7:
		s.contest()
	case 0:
		s.pipeline()
	case 1:
		s.object()
	case 2:
		s.handOver()
	case 3:
		s.members()
	case 4:
		s.line("%s;", s.one("fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.sc.gpu", "membar.cta", "membar.gl"))
	case 5:
		if s.together() {
			s.sync(warpLevel)
		}
	case 6:
		if !s.careful && s.apart == 0 && s.r.IntN(2) == 0 {
			s.line("@%s exit;", s.predicate())
			s.exited = true
		}
	}
}

// block writes a few statements that some lanes may execute without the others.
func (s *sharer) block() {
	mask := s.mask
	s.apart++
	s.mask = ""
	for range 1 + s.r.IntN(4) {
		s.item()
	}
	s.apart--
	s.mask = mask
}

// branch is an if, perhaps with an else.
func (s *sharer) branch() {
	if s.apart > 2 {
		return
	}
	s.serial++
	n := s.serial
	s.line("@%s bra X%d;", s.predicate(), n)
	s.block()
	if s.r.IntN(2) == 0 {
		s.line("X%d:", n)
		return
	}
	s.line("bra Y%d;\nX%d:", n, n)
	s.block()
	s.line("Y%d:", n)
}

// loop goes round a few times: all threads as often, or each as often as it likes.
func (s *sharer) loop() {
	if s.loops > 1 || s.apart > 2 {
		return
	}
	s.serial++
	n, counter := s.serial, fmt.Sprintf("%%c%d", s.loops)
	s.loops++
	if s.r.IntN(2) == 0 {
		s.line("mov.b32 %s, %d;\nZ%d:", counter, s.r.IntN(3), n)
		for range 1 + s.r.IntN(4) {
			s.item()
		}
		if s.together() {
			s.sync(s.widest()) // its first accesses come after its last
		}
	} else {
		s.line("and.b32 %s, %s, 3;\nZ%d:", counter, s.register(), n)
		s.block()
	}
	s.loops--
	s.line("sub.s32 %s, %s, 1;\nsetp.ge.s32 %%q, %s, 0;\n@%%q bra Z%d;", counter, counter, counter, n)
}
