package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/words"
	"hyptx/internal/check"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Who has what of the device's heap. Its malloc and free are PTX themselves (package
// devicelib); of a program that is checked, the store that marks a block as given away
// notes it, and the load with which free begins to look at one forgets it again. Accesses of others to the heap
// have to lie in such a block.

// watchHeap makes an instruction of the library note blocks, if it is one of those two.
func (c *compiler) watchHeap(in *ir.Instr, i *inst) {
	if i.mem == nil || in.Inst.Space != isa.Global {
		return
	}
	exec := i.exec
	switch {
	case c.fn.ir.Name == "malloc" && in.Inst.IsStore() && in.Ops()[1].Kind == ir.OperandImm && in.Ops()[1].Imm == ^uint64(0):
		i.exec = func(w *warp, in *inst, m uint32) {
			exec(w, in, m)
			w.noteGiven(in, m)
		}
	case c.fn.ir.Name == "free" && in.Inst.IsLoad() && i.mem.off == 0 && !c.prog.frees:
		c.prog.frees = true
		i.exec = func(w *warp, in *inst, m uint32) {
			for rest := m; rest != 0; rest &= rest - 1 {
				w.noteTaken(in, bits.TrailingZeros32(rest), w.addresses(in)[bits.TrailingZeros32(rest)])
			}
			exec(w, in, m)
		}
	}
}

// headerBytes is what a block has before what malloc gives.
const headerBytes = 16

// noteGiven notes blocks that lanes get; their headers end with the word that is stored.
func (w *warp) noteGiven(in *inst, m uint32) {
	call, log := w.calledBy(), w.worker.launch.Check
	if call == nil || log.Heap == nil {
		return
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		at := w.addresses(in)[lane] - 8
		bytes := words.Get(w.bytesAt(in, lane, isa.Global, at, 8, false)) - headerBytes
		by := check.Party{PC: uint32(call.pc), CTA: w.cta.id, Thread: w.thread(lane)}
		log.Heap.Give(at, check.Block{By: by, Bytes: bytes, Launch: log.Launch})
		w.setLive(in, at+headerBytes, bytes, true)
	}
}

// noteTaken notes that a lane frees the block at an address, if that is one.
func (w *warp) noteTaken(in *inst, lane int, at uint64) {
	call, log := w.calledBy(), w.worker.launch.Check
	if call == nil || log.Heap == nil {
		return
	}
	by := check.Party{PC: uint32(call.pc), CTA: w.cta.id, Thread: w.thread(lane)}
	if b, ok := log.Heap.Take(at, by, log.Launch); ok {
		w.setLive(in, at+headerBytes, b.Bytes, false)
	}
}

// liveUnit is the logarithm of the bytes that a bit of bufferCheck.live stands for: blocks are
// multiples of 16 bytes.
const liveUnit = 4

// setLive notes that bytes of the heap are somebody's, or nobody's any more.
func (w *warp) setLive(in *inst, addr, bytes uint64, yes bool) {
	b := w.bufferFor(in, addr)
	if b == nil || addr-b.Base+bytes > uint64(b.Bytes) {
		return
	}
	if b.check.live == nil {
		n := (b.Bytes>>liveUnit + 63) / 64
		b.mem.account(8 * n)
		b.check.live = make([]uint64, n)
	}
	for unit := (addr - b.Base) >> liveUnit; unit < (addr-b.Base+bytes)>>liveUnit; unit++ {
		if b.check.live[unit>>6] &^= 1 << (unit & 63); yes {
			b.check.live[unit>>6] |= 1 << (unit & 63)
		}
	}
}

// lookHeap looks at a lane's access of the heap: whether the memory is somebody's.
func (w *warp) lookHeap(in *inst, lane int, b *Buffer, addr, n uint64) {
	live := true
	for unit := (addr - b.Base) >> liveUnit; unit <= (addr-b.Base+n-1)>>liveUnit; unit++ {
		live = live && b.check.live[unit>>6]>>(unit&63)&1 != 0
	}
	if live {
		return
	}
	for at, freed := range w.worker.launch.Check.Heap.Freed {
		if addr >= at+headerBytes && addr-at-headerBytes < freed.Bytes {
			if f := w.note(check.UseAfterFree, in.pc, lane); f != nil {
				f.Space, f.Address, f.Bytes = spaceName(isa.Global), addr, int(n)
				f.Offset, f.ObjectBytes = int64(addr-at-headerBytes), int64(freed.Bytes)
				if freed.Launch == w.worker.launch.Check.Launch {
					f.Other = &freed.By
				}
			}
			return
		}
	}
	if f := w.note(check.OutOfBounds, in.pc, lane); f != nil {
		f.Space, f.Address, f.Bytes = spaceName(isa.Global), addr, int(n)
		f.Said = "the address lies in the heap of malloc, and in no block that malloc has given"
	}
}
