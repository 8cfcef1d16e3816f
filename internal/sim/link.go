package sim

import (
	"context"
	"slices"

	"hyptx/internal/machine"
	"hyptx/internal/pipe"
	"hyptx/internal/traffic/stream"
	"hyptx/ir"
)

// The emulator says what a warp did in blocks of the PTX; the simulator issues blocks
// of the machine, in which loops are unrolled, short branches are predication and
// instructions stand in another order. A [Linker] walks the one beside the other: when
// a warp has entered a machine block, the accesses that it makes in all parts of the
// PTX that the block stands for are gathered, and put down in the order of the block's
// instructions.

// Linker makes traces of the simulator out of those of the emulator.
type Linker struct {
	program Program
	funcs   []*linked // by the order of the listings
	module  *ir.Module
	// byPC is the function of each instruction, -1 where there is no listing.
	byPC []int16
	// Registers are those of a thread, as estimated.
	Registers int
	// pairs: groups of lanes that have their addresses in pairs go as one.
	pairs bool
}

// linked is a function.
type linked struct {
	*machine.Listing
	first  int // of its blocks among all
	values int // its first value
	blocks []linkedBlock
	// open is the open loop that each block of the PTX is in.
	open []*machine.OpenLoop
}

// linkedBlock is what of a machine block a trace has records for.
type linkedBlock struct {
	// records are the instructions that have one: of each the accesses that it makes.
	records [][]machine.Access
	barrier []bool
	words   []int // that each lane accesses, of 4 bytes
	// count is how many accesses there are; at finds one's place among them.
	count int
	at    []sites // by part
	// bit is the number of each part among the arms: a trace tells these apart, as far as
	// there is room.
	bit []uint8
	// arms are the bits of all.
	arms uint64
}

// sites are the accesses of a part of a machine block: the place of each, plus 1, by
// instruction from first on; 0 of those that the machine does not make.
type sites struct {
	first  ir.PC
	places []int32
}

// NewLinker returns the linker of a kernel with all that it may call, for a compute
// capability; an error is why ctx ended before.
func NewLinker(ctx context.Context, m *ir.Module, listings []*machine.Listing, sm int) (*Linker, error) {
	l := &Linker{module: m, pairs: sm >= 50, byPC: slices.Repeat([]int16{-1}, len(m.Instrs))}
	for _, listing := range listings {
		l.Registers = max(l.Registers, listing.Registers)
		f := &linked{Listing: listing, first: len(l.program.Blocks), values: l.program.Values, open: openLoops(listing)}
		for pc := listing.Func.First; pc < listing.Func.End; pc++ {
			l.byPC[pc] = int16(len(l.funcs))
		}
		l.funcs = append(l.funcs, f)
		l.program.Values += listing.Slots
		for i := range listing.Blocks {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			f.blocks = append(f.blocks, newLinkedBlock(&listing.Blocks[i]))
			l.program.Blocks = append(l.program.Blocks, f.block(i))
		}
		for i := range listing.Blocks {
			f.hand(&l.program, i)
		}
	}
	return l, nil
}

// Program returns the machine code.
func (l *Linker) Program() *Program { return &l.program }

// block turns a machine block into the simulator's.
func (f *linked) block(n int) Block {
	var out Block
	b, bit := &f.Blocks[n], f.blocks[n].bit
	for i := range b.Ops {
		o := &b.Ops[i]
		in := Instr{Kind: o.Kind, MatrixType: o.Matrix, FMAs: int(o.MulAdds), BytesPerLane: int(o.Bytes), PC: int(o.PC), Part: int(bit[o.Part])}
		if o.Dst != machine.NoSlot {
			in.Dst = []int{f.values + int(o.Dst)}
		}
		for _, s := range o.Srcs[:min(len(o.Srcs), maxSources)] {
			in.Srcs = append(in.Srcs, f.values+int(s))
		}
		out.Instrs = append(out.Instrs, in)
	}
	return out
}

// hand adds the moves on the edges that leave block i.
func (f *linked) hand(p *Program, i int) {
	for _, part := range f.Blocks[i].Parts {
		for _, e := range part.Edges {
			if len(e.Moves) == 0 {
				continue
			}
			to := &p.Blocks[f.first+int(e.To.Block)]
			if to.Moves == nil {
				to.Moves = map[int][]Move{}
			}
			for _, m := range e.Moves {
				v := Move{From: f.values + int(m.Src), To: f.values + int(m.Dst)}
				if !slices.Contains(to.Moves[f.first+i], v) {
					to.Moves[f.first+i] = append(to.Moves[f.first+i], v)
				}
			}
		}
	}
}

func newLinkedBlock(b *machine.CodeBlock) linkedBlock {
	of := linkedBlock{at: make([]sites, len(b.Parts)), bit: slices.Repeat([]uint8{maxParts}, len(b.Parts))}
	for i, arms := 0, uint8(0); i < len(b.Parts) && arms < maxParts; i++ {
		if b.Parts[i].Arm {
			of.bit[i] = arms
			of.arms |= 1 << arms
			arms++
		}
	}
	for i := range b.Ops {
		o := &b.Ops[i]
		if !o.Kind.Memory() && o.Kind != pipe.Barrier {
			continue
		}
		accesses := append([]machine.Access{{PC: o.PC, Part: o.Part}}, o.Merged...)
		of.records = append(of.records, accesses)
		of.barrier = append(of.barrier, o.Kind == pipe.Barrier)
		of.words = append(of.words, (int(o.Bytes)+3)/4)
		for _, a := range accesses {
			if of.find(a) < 0 {
				of.count++
				of.at[a.Part].put(a.PC, int32(of.count))
			}
		}
	}
	return of
}

// find returns the place of an access, -1 if the machine does not make it.
func (b *linkedBlock) find(a machine.Access) int32 {
	s := &b.at[a.Part]
	if i := uint(a.PC - s.first); i < uint(len(s.places)) {
		return s.places[i] - 1
	}
	return -1
}

// put gives an instruction a place.
func (s *sites) put(pc ir.PC, place int32) {
	if s.places == nil {
		s.first = pc
	}
	if pc < s.first {
		s.places = append(make([]int32, s.first-pc), s.places...)
		s.first = pc
	}
	for s.first+ir.PC(len(s.places)) <= pc {
		s.places = append(s.places, 0)
	}
	s.places[pc-s.first] = place
}

// walk is a warp on its way through the machine's blocks.
type walk struct {
	*Linker
	out   Trace
	steps stream.Trace
	// frames are the functions that the warp is in, the innermost last.
	frames []frame
	taken  []int32 // of all frames: for each access where its step is, -1 without
	words  []uint64
	last   int // where in out the last block begins
	at     int // the step
	cut    bool
}

// frame is where the warp is in a function: a place of the machine, and the block that
// is open there.
type frame struct {
	fn    int16
	place machine.Place
	open  bool
	begin int32 // where in the trace it was entered
	lanes int
	parts uint64 // arms of the block that is open, to which the warp has come
	taken int    // the first of its entries
	passes
}

// Link appends what a warp did to out. Of a trace that was cut the last block is left out
// where others come before it: it stands for more of the PTX than the trace goes on for,
// and what it does in memory would be missing.
func (l *Linker) Link(out Trace, steps stream.Trace, cut bool) Trace {
	w := walk{Linker: l, out: out, steps: steps, cut: cut}
	for i := 0; i < len(steps); i++ {
		s := steps[i]
		switch w.at = i; s.Kind() {
		case stream.EnterStep:
			w.enter(ir.PC(s.PC()), s.Lanes())
		case stream.AccessStep:
			w.note(s, i)
			i += s.Touches()
		case stream.BarrierStep:
			w.note(s, i)
		}
	}
	for len(w.frames) > 0 {
		w.leave()
	}
	if cut && w.last > 0 {
		return w.out[:w.last]
	}
	return w.out
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
func (w *walk) loops(f *linked) bool { return len(f.Func.Blocks[0].Preds) > 0 }

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
	w.out = w.out.Barrier(s.Barrier(), s.Threads(), s.Arrives())
}

// access writes the record of one instruction that makes several accesses: their
// blocks together, and as many passes as the worst of them, or as its lanes have groups.
func (w *walk) access(t *frame, b *linkedBlock, accesses []machine.Access, words int) {
	space, passes, pairs := Nowhere, 0, true
	w.words = w.words[:0]
	for _, a := range accesses {
		at, ok := w.step(t, b, a)
		if !ok {
			continue
		}
		s := w.steps[at]
		space = spaces[s.Space()]
		passes, pairs = max(passes, s.Passes()), pairs && s.Pairs()
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

var spaces = [...]Space{stream.SharedStep: Shared, stream.GlobalStep: Global, stream.PastStep: Past, stream.LocalStep: Local, stream.ConstStep: Constant}

// touch adds the word of a block to those of the record.
func (w *walk) touch(word uint64) {
	for i, have := range w.words {
		if have>>8 == word>>8 {
			w.words[i] = have | word
			return
		}
	}
	if len(w.words) < maxBlocks {
		w.words = append(w.words, word)
	}
}
