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
// notes it, and the load with which free begins to look at one forgets it again.

// watchHeap makes an instruction of the library note blocks, if it is one of those two.
func (c *compiler) watchHeap(in *ir.Instr, i *inst) {
	if i.mem == nil || in.Inst.Space != isa.Global {
		return
	}
	exec := i.exec
	switch {
	case c.fn.ir.Name == "malloc" && in.Inst.IsStore() && in.Ops[1].Kind == ir.OperandImm && in.Ops[1].Imm == ^uint64(0):
		i.exec = func(w *warp, in *inst, m uint32) {
			exec(w, in, m)
			w.noteGiven(in, m)
		}
	case c.fn.ir.Name == "free" && in.Inst.IsLoad() && i.mem.off == 0 && !c.prog.frees:
		c.prog.frees = true
		i.exec = func(w *warp, in *inst, m uint32) {
			for rest := m; rest != 0; rest &= rest - 1 {
				delete(w.worker.launch.Check.Heap.Blocks, w.addresses(in)[bits.TrailingZeros32(rest)])
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
	}
}
