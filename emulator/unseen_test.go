package emulator

import (
	"slices"
	"strings"
	"testing"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// movesNothing are the instructions that the manual's tables put under data movement,
// textures, matrices and the like, or that have an address, and of which no traffic of
// memory is to be counted, with the reason; by the words that their syntax begins with.
var movesNothing = []struct{ op, why string }{
	{"mov", onRegisters}, {"shfl", onRegisters}, {"prmt", onRegisters}, {"cvt", onRegisters}, {"cvta", onRegisters}, {"isspacep", onRegisters},
	{"mapa", onRegisters}, {"getctarank", onRegisters}, {"movmatrix", onRegisters}, {"createpolicy", onRegisters}, {"istypep", onRegisters},
	{"spcompress", onRegisters}, {"spdecompress", onRegisters},
	{"mma.", onRegisters}, {"wmma.mma", onRegisters}, {"mma.sp", onRegisters},
	{"ld{.weak}.ss{.cop}{.vec}.type", "parameters are no traffic"}, {"st{.weak}.ss{.vec}.type", "parameters are no traffic"},
	{"prefetch", "a hint that the loads after it do not need: they are counted"}, {"prefetchu", "a hint that the loads after it do not need: they are counted"},
	{"cp.async.bulk.prefetch", "a hint that the copies after it do not need: they are counted"},
	{"applypriority", "nothing moves: what is in the L2 stays longer"},
	{"discard", "nothing moves: lines of the L2 are forgotten"},
	{"txq", "asks the object of a texture"}, {"suq", "asks the object of a surface"},
	{"mbarrier", onBarriers}, {"cp.async.mbarrier", onBarriers}, {"tcgen05.commit", onBarriers},
	{"cp.async.commit_group", waitsOnly}, {"cp.async.wait", waitsOnly}, {"cp.async.bulk.commit_group", waitsOnly}, {"cp.async.bulk.wait_group", waitsOnly},
	{"wgmma.mma_async", "tensor cores read shared memory by themselves: no access of a warp"},
	{"wgmma.fence", waitsOnly}, {"wgmma.commit_group", waitsOnly}, {"wgmma.wait_group", waitsOnly},
	{"tcgen05.wait", waitsOnly}, {"tcgen05.fence", waitsOnly}, {"fabric.submit", waitsOnly}, {"fabric.wait", waitsOnly},
	{"fence.proxy.tensormap", "orders what others do"},
	{"tcgen05.ld", onTensorMemory}, {"tcgen05.st", onTensorMemory}, {"tcgen05.cp", onTensorMemory}, {"tcgen05.shift", onTensorMemory}, {"tcgen05.mma", onTensorMemory},
	{"tcgen05.dealloc", "nothing moves"}, {"tcgen05.relinquish_alloc_permit", "nothing moves"},
}

const (
	onRegisters    = "registers alone"
	onBarriers     = "the objects of barriers are no traffic"
	onTensorMemory = "tensor memory, which no load or store meets, and what tensor cores read by themselves"
	waitsOnly      = "groups what has been begun, or waits for it"
)

// movers are the manual's sections of what moves memory (PTX ISA 9.4): data movement,
// the fabric, textures and surfaces, what goes on asynchronously, matrices.
var movers = []string{"9.7.10.", "9.7.11.", "9.7.12.", "9.7.13.", "9.7.16.", "9.7.17.", "9.7.18."}

// TestTrafficIsCountedOrUnknown: each form that accesses memory is counted where its
// addresses are known, or refused there, or makes the launch's traffic unknown; of all
// others of these families it is said why they move nothing. So no form passes for one
// without traffic because nobody thought of it.
func TestTrafficIsCountedOrUnknown(t *testing.T) {
	used := map[string]bool{}
	for _, f := range isa.Forms() {
		mover := slices.ContainsFunc(movers, func(s string) bool { return strings.HasPrefix(f.Section, s) })
		switch f.Class {
		case isa.ComputeLdSt, isa.Atomic, isa.Texture:
			mover = true
		}
		if !mover && len(f.Memory) == 0 && !f.Anywhere {
			if f.Unseen {
				t.Errorf("%s: its traffic is unknown, and it has none", f.Syntax)
			}
			continue
		}
		// What mode memory asks for the address of (depgraph), which ends in a count or in
		// the error that it is not executed.
		asked := f.Object >= isa.Reads || len(f.Memory) > 0 && (f.Class == isa.Atomic || slices.Contains(f.Memory, isa.Reads) || slices.Contains(f.Memory, isa.Writes))
		why := ""
		for _, m := range movesNothing {
			if strings.HasPrefix(f.Syntax, m.op) && !f.Unseen && (!asked || strings.Contains(m.why, "parameters")) {
				why, used[m.op] = m.why, true
			}
		}
		switch said := []bool{asked && why == "", f.Unseen && !asked, why != ""}; {
		case !slices.Contains(said, true):
			t.Errorf("%s (PTX ISA %s): nobody counts what it moves, nothing says that it is unknown, nor why there is nothing", f.Syntax, f.Section)
		case f.Apart && (f.Unseen || counted(f)):
			t.Errorf("%s: it is counted, and no access of a warp?", f.Syntax)
		case f.Unseen && Unsupported(f) == "" && counted(f):
			t.Errorf("%s: it is executed and counted, and its traffic is unknown?", f.Syntax)
		case f.Bulk && (f.Unseen || !asked):
			t.Errorf("%s: what it moves is found by doing it, and nobody does", f.Syntax)
		case asked && !f.Unseen && !f.Bulk && why == "" && f.Anywhere:
			t.Errorf("%s: its address is not all that it accesses", f.Syntax)
		}
	}
	for _, m := range movesNothing {
		if !used[m.op] {
			t.Errorf("%s: no form needs a reason", m.op)
		}
	}
}

// counted reports whether the accesses of a form are counted where they are done.
func counted(f *isa.Form) bool {
	return slices.ContainsFunc(f.Spellings(), func(opcode string) bool {
		x, err := isa.Decode(opcode)
		return err == nil && x.Form == f && accesses(&ir.Instr{Inst: x})
	})
}
