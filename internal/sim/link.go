package sim

import (
	"context"
	"slices"

	"hyptx/internal/machine"
	"hyptx/internal/pipe"
	"hyptx/internal/traffic/stream"
	"hyptx/ir"
	"hyptx/ir/isa"
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
	first int // of its blocks among all
	// value is the number of each slot's value: what one instruction writes is one.
	value  []int
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
	// waits are, of all instructions, those that wait for groups of bulk copies.
	waits []bool
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
		f := &linked{Listing: listing, first: len(l.program.Blocks), open: openLoops(listing)}
		l.program.Values += f.number(l.program.Values)
		for pc := listing.Func.First; pc < listing.Func.End; pc++ {
			l.byPC[pc] = int16(len(l.funcs))
		}
		l.funcs = append(l.funcs, f)
		for i := range listing.Blocks {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			f.blocks = append(f.blocks, newLinkedBlock(m, &listing.Blocks[i]))
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

// number numbers the function's values, the first one by first, and returns how many there are.
func (f *linked) number(first int) (n int) {
	with := make([]machine.Slot, f.Slots) // what an instruction writes beside each
	for i := range with {
		with[i] = machine.Slot(i)
	}
	for i := range f.Blocks {
		for k := range f.Blocks[i].Ops {
			o := &f.Blocks[i].Ops[k]
			for _, s := range o.More {
				with[s] = o.Dst
			}
		}
	}
	f.value = make([]int, f.Slots)
	for i, s := range with {
		if int(s) == i {
			f.value[i] = first + n
			n++
		}
	}
	for i, s := range with {
		f.value[i] = f.value[s]
	}
	return n
}

// block turns a machine block into the simulator's.
func (f *linked) block(n int) Block {
	var out Block
	b, bit := &f.Blocks[n], f.blocks[n].bit
	for i := range b.Ops {
		o := &b.Ops[i]
		inst := f.Func.Module.Instrs[o.PC].Inst
		in := Instr{Kind: o.Kind, Product: o.Product, FMAs: int(o.MulAdds), BytesPerLane: int(o.Bytes), PC: int(o.PC), Part: int(bit[o.Part]), Waits: f.blocks[n].waits[i], Commits: inst.Op == isa.OpTcgen05Commit, GoesOn: inst.OpaqueTensor()}
		if o.Dst != machine.NoSlot {
			in.Dst = []int{f.value[o.Dst]}
		}
		for _, s := range o.Srcs {
			if v := f.value[s]; len(in.Srcs) < maxSources && !slices.Contains(in.Srcs, v) {
				in.Srcs = append(in.Srcs, v)
			}
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
				v := Move{From: f.value[m.Src], To: f.value[m.Dst]}
				if !slices.Contains(to.Moves[f.first+i], v) {
					to.Moves[f.first+i] = append(to.Moves[f.first+i], v)
				}
			}
		}
	}
}

func newLinkedBlock(m *ir.Module, b *machine.CodeBlock) linkedBlock {
	of := linkedBlock{at: make([]sites, len(b.Parts)), waits: make([]bool, len(b.Ops)), bit: slices.Repeat([]uint8{maxParts}, len(b.Parts))}
	for i, arms := 0, uint8(0); i < len(b.Parts) && arms < maxParts; i++ {
		if b.Parts[i].Arm {
			of.bit[i] = arms
			of.arms |= 1 << arms
			arms++
		}
	}
	for i := range b.Ops {
		o := &b.Ops[i]
		of.waits[i] = o.Kind == pipe.Fence && m.Instrs[o.PC].Inst.Op == isa.OpCpAsyncBulkWaitGroup
		if !o.Kind.Memory() && o.Kind != pipe.Barrier && !of.waits[i] {
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
		case stream.AccessStep, stream.SendStep:
			w.note(s, i)
			i += s.Follows()
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
