package sim

import (
	"slices"

	"hyptx/internal/machine"
	"hyptx/internal/traffic/stream"
	"hyptx/ir"
)

// walk is a warp on its way through the machine's blocks.
type walk struct {
	*Linker
	out   Trace
	steps stream.Trace
	// frames are the functions that the warp is in, the innermost last.
	frames []frame
	taken  []int32 // of all frames: for each access where its step is, -1 without
	words  []uint64
	behind uint64 // the first block behind all of words
	last   int    // where in out the last block begins
	at     int    // the step
	cut    bool
}

// frame is where the warp is in a function: a place of the machine, and the block that
// is open there.
type frame struct {
	fn    int16
	place machine.Place
	open  bool
	lanes int
	parts uint64 // arms of the block that is open, to which the warp has come
	taken int    // the first of its entries
	passes
}

// enter goes on to the segment that begins at pc: a block of the PTX, or what is left
// of one behind a barrier or a call.
func (w *walk) enter(pc ir.PC, lanes int) {
	fn := w.byPC[pc]
	if fn < 0 {
		return
	}
	f := w.funcs[fn]
	block := int32(w.module.Instrs[pc].Block)
	first := f.Func.Blocks[block].First == pc
	for len(w.frames) > 0 && w.top().fn != fn && (!first || block != 0) && w.within(fn) {
		w.leave() // back from a call
	}
	if len(w.frames) == 0 || w.top().fn != fn || first && block == 0 && pc == f.Func.First && !w.loops(f) {
		w.frames = append(w.frames, frame{fn: fn, place: f.Start(), taken: len(w.taken)})
		if block == 0 {
			w.begin(f.Start(), lanes)
			return
		}
	}
	if !first {
		return
	}
	if w.top().in != nil && w.top().in != f.open[block] {
		w.leaveLoop()
	}
	at, _ := f.Next(w.top().place, block)
	if o := f.open[block]; o != nil && int(block) == o.Header {
		at = w.round(o, at)
	}
	if at.Part == 0 {
		w.begin(at, lanes)
		return
	}
	if t := w.top(); t.open && at.Block != t.place.Block {
		w.begin(at, lanes) // into the midst of another block: from its beginning
		return
	}
	w.top().place = at
	w.top().parts |= 1 << f.blocks[at.Block].bit[at.Part]
}

// loops reports whether a function's first block is the header of a loop: entering it
// is no call.
func (w *walk) loops(f *linked) bool { return len(f.Func.Blocks[0].Preds()) > 0 }

// within reports whether the warp is in a call that this function has made.
func (w *walk) within(fn int16) bool {
	return slices.ContainsFunc(w.frames, func(f frame) bool { return f.fn == fn })
}

func (w *walk) top() *frame { return &w.frames[len(w.frames)-1] }

// begin opens a machine block; the one before is complete.
func (w *walk) begin(at machine.Place, lanes int) {
	w.close()
	t := w.top()
	t.place, t.open, t.lanes, t.parts = at, true, lanes, 0
	b := &w.funcs[t.fn].blocks[at.Block]
	w.taken = w.taken[:t.taken]
	for range b.count {
		w.taken = append(w.taken, -1)
	}
}

// leave closes the innermost function.
func (w *walk) leave() {
	w.close()
	w.leaveLoop()
	w.taken = w.taken[:w.top().taken]
	w.frames = w.frames[:len(w.frames)-1]
}

// note remembers the step of an access or a barrier of the block that is open.
func (w *walk) note(s stream.Step, at int) {
	if len(w.frames) == 0 || !w.top().open || w.byPC[s.PC()] != w.top().fn {
		return
	}
	t := w.top()
	b := &w.funcs[t.fn].blocks[t.place.Block]
	if k := b.find(machine.Access{PC: ir.PC(s.PC()), Part: t.place.Part}); k >= 0 && w.taken[t.taken+int(k)] < 0 {
		w.taken[t.taken+int(k)] = int32(at)
	}
}

// close writes the block that is open, with the records of its instructions.
func (w *walk) close() {
	if len(w.frames) == 0 || !w.top().open {
		return
	}
	t := w.top()
	t.open = false
	f := w.funcs[t.fn]
	b := &f.blocks[t.place.Block]
	w.last = len(w.out)
	w.out = w.out.Block(f.first+int(t.place.Block), t.lanes).Without(b.arms &^ t.parts)
	for i, accesses := range b.records {
		if b.barrier[i] {
			w.barrier(t, b, accesses[0])
			continue
		}
		w.access(t, b, accesses, b.words[i])
	}
}

// step returns the step of an access, false if it was not made.
func (w *walk) step(t *frame, b *linkedBlock, a machine.Access) (int, bool) {
	at := w.taken[t.taken+int(b.find(a))]
	return int(at), at >= 0
}

func (w *walk) barrier(t *frame, b *linkedBlock, a machine.Access) {
	at, ok := w.step(t, b, a)
	if !ok || w.steps[at].Part() {
		w.out = w.out.Pass()
		return
	}
	s := w.steps[at]
	if s.Cluster() {
		w.out = w.out.ClusterBarrier(s.Arrives(), s.Ordered())
		return
	}
	w.out = w.out.Barrier(s.Barrier(), s.Threads(), s.Arrives())
}

// access writes the record of one instruction that makes several accesses: their
// blocks together, and as many passes as the worst of them, or as its lanes have groups.
func (w *walk) access(t *frame, b *linkedBlock, accesses []machine.Access, words int) {
	space, passes, pairs := Nowhere, 0, true
	w.words, w.behind = w.words[:0], 0
	for _, a := range accesses {
		at, ok := w.step(t, b, a)
		if !ok {
			continue
		}
		s := w.steps[at]
		if s.Kind() == stream.SendStep {
			space, passes = Peer, max(passes, 1)
			w.reach(at)
			continue
		}
		if space = spaces[s.Space()]; space >= BulkLoad {
			w.unordered(space, s, at)
			return
		}
		passes, pairs = max(passes, s.Passes()), pairs && s.Pairs()
		if w.sentBehind(s, at) {
			space = Peer
			w.reach(at + 1 + s.Touches())
			continue
		}
		for _, touched := range w.steps[at+1 : at+1+s.Touches()] {
			w.touch(Sectors(touched.Touched()))
		}
	}
	if space == Nowhere {
		w.out = w.out.None()
		return
	}
	w.out = w.out.Access(space, max(passes, groups(words, space == Shared && pairs && w.pairs)), w.words...)
}

// unordered writes the record of what goes on by itself, or waits for that.
func (w *walk) unordered(space Space, s stream.Step, at int) {
	of := s.Passes()
	if w.sentBehind(s, at) {
		w.reach(at + 1 + s.Touches())
		space, of = Cast, len(w.words)
	}
	for _, word := range w.steps[at+1 : at+1+s.Touches()] {
		w.words = append(w.words, uint64(word))
	}
	switch {
	case space == Object && of == 0:
		space = Tensor
		w.words[0] >>= 8
	case space == Object && len(w.words) > 0:
		if w.words[0] >>= 8; s.Read() {
			w.words[0] |= readBit
		}
	}
	w.out = w.out.Access(space, of, w.words...)
}

// sentBehind reports whether the step of an access is followed by one of its own that says
// which CTAs of the cluster it reaches.
func (w *walk) sentBehind(s stream.Step, at int) bool {
	next := at + 1 + s.Touches()
	return next < len(w.steps) && w.steps[next].Kind() == stream.SendStep && w.steps[next].PC() == s.PC()
}

// reach adds the words of such a step to those of the record: of what no object hears the
// bytes of a CTA together.
func (w *walk) reach(at int) {
	for _, sent := range w.steps[at+1 : at+1+w.steps[at].Follows()] {
		rank, data, object, bytes := sent.Sent()
		word := Reach(data, bytes, rank, object)
		k := slices.IndexFunc(w.words, func(have uint64) bool { return object == 0 && have<<(64-reachBytesShift) == word<<(64-reachBytesShift) })
		if k < 0 {
			w.words = append(w.words, word)
			continue
		}
		w.words[k] += bytes << reachBytesShift
	}
}

// groups returns in how many groups the lanes of an instruction go that access so many
// words each: two with 8 bytes a lane, four with 16. Neighbouring groups of accesses of
// shared memory go as one where lanes have their addresses in pairs: from Maxwell on,
// as a GTX 1080 Ti counts 2 transactions for a load of one address with 16 bytes a lane
// (shared_load_transactions of matrixMulShared, nv-dvfs).
func groups(words int, pairs bool) int {
	if pairs {
		return (words + 1) / 2
	}
	return words
}

var spaces = [...]Space{stream.SharedStep: Shared, stream.GlobalStep: Global, stream.PastStep: Past, stream.LocalStep: Local, stream.ConstStep: Constant,
	stream.BulkLoadStep: BulkLoad, stream.BulkStoreStep: BulkStore, stream.ObjectStep: Object}

// touch adds the word of a block to those of the record. Most come in ascending order: one that
// lies behind all others is new.
func (w *walk) touch(word uint64) {
	if word>>8 < w.behind {
		for i, have := range w.words {
			if have>>8 == word>>8 {
				w.words[i] = have | word
				return
			}
		}
	}
	w.behind = max(w.behind, word>>8+1)
	if len(w.words) < maxBlocks {
		w.words = append(w.words, word)
	}
}
