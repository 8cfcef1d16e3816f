package depgraph

import (
	"iter"
	"slices"
	"strings"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// access is one way in which an instruction touches memory.
type access struct {
	s site
	// op is the address' place among the operands, -1 if the instruction
	// names none (descriptors of matrices): then it may touch everything in space.
	// object: there stands a texture or surface, of whose memory any part may be
	// touched.
	op     int8
	object bool
	space  isa.Space
	// bytes is the size of the access from its address on, 0 if unknown.
	bytes       int32
	read, write bool
	// mbarrier: there stands an mbarrier object; tensorMap: a tensor map, which says where
	// a bulk copy goes.
	mbarrier, tensorMap bool
}

// everyAccess counts all accesses.
func everyAccess(*access) bool { return true }

// A bulk copy does three things at different prices: it tells an mbarrier object how many
// bytes there are, which follows from a size or a tensor map; it accesses memory somewhere,
// which takes coordinates and pointers as well; and it moves bytes, which somebody has to
// have computed. Its address node is the first of these alone, the second is asked for
// where traffic is counted (mode memory), its result node is all of it.

// leads reports whether the access is one of those by which a bulk copy finds its way, and
// tells of it, whatever the bytes are that it copies.
func (a *access) leads() bool { return a.mbarrier || a.tensorMap }

// tells reports whether a bulk copy tells an mbarrier object no more than how many bytes
// there are. With a report it looks at them.
func tells(in *ir.Instr) bool {
	return in.Inst.Form.Bulk && !slices.ContainsFunc(in.Inst.Mods, func(m isa.Mod) bool {
		return strings.HasPrefix(m.String(), "mbarrier::report::validity")
	})
}

// findAccesses fills accesses, accessAt, writes and sync.
func (k *Kernel) findAccesses() {
	k.accessAt = make([]int32, k.instructions()+1)
	for i, f := range k.Funcs {
		for pc := f.First; pc < f.End; pc++ {
			s := site{int32(i), pc}
			in := &k.Module.Instrs[pc]
			k.accessAt[k.instr(s)] = int32(len(k.accesses))
			k.addAccesses(s, in)
			if in.Inst.Orders() {
				k.sync = append(k.sync, s)
			}
			if waits(in) {
				k.waits = append(k.waits, s)
			}
		}
	}
	k.accessAt[k.instructions()] = int32(len(k.accesses))
	for i := range k.accesses {
		if k.accesses[i].write {
			k.writes = append(k.writes, int32(i))
		}
	}
}

func (k *Kernel) addAccesses(s site, in *ir.Instr) {
	if in.Call != nil {
		return
	}
	n := 0 // addresses so far
	for i := range in.Ops() {
		if in.Ops()[i].Kind != ir.OperandAddr {
			continue
		}
		what, space := in.Inst.Form.Memory[n], in.Inst.AddressSpace(n)
		n++
		if what == isa.Touches {
			continue
		}
		if v := in.Ops()[i].Var; v != nil && in.Inst.Space == isa.Generic {
			space = v.Space
		}
		if in.Inst.Form.Bulk && in.Inst.Form.Operands[i].Name == "src" {
			what = isa.Reads
		}
		k.accesses = append(k.accesses, access{
			s: s, op: int8(i), space: space, bytes: sizeOf(in),
			read: what == isa.Reads || what == isa.Updates, write: what != isa.Reads,
			mbarrier: in.Inst.Form.Bulk && in.Inst.Form.Operands[i].Name == "mbar" || onObject(in.Inst.Form.Sync),
		})
	}
	if slices.ContainsFunc(in.Inst.Mods, func(m isa.Mod) bool { return m.String() == "cta_group::2" }) {
		k.paired = true
	}
	if t := in.Inst.Form.Tensor; t != 0 {
		k.accesses = append(k.accesses, access{s: s, op: -1, space: isa.TensorMemory, read: t != isa.Writes, write: t != isa.Reads})
	}
	if in.Inst.Form.Matrices {
		k.accesses = append(k.accesses, access{s: s, op: -1, space: isa.Shared, read: true})
	}
	if what := in.Inst.Form.Object; what >= isa.Reads {
		k.accesses = append(k.accesses, access{
			s: s, op: objectOperand(in), object: true, space: isa.Global, read: what != isa.Writes, write: what != isa.Reads,
		})
	}
	switch in.Inst.Op {
	case isa.OpStacksave, isa.OpStackrestore, isa.OpAlloca: // the stack pointer decides where
		k.accesses = append(k.accesses, access{s: s, op: -1, space: isa.Local, read: true, write: in.Inst.Op != isa.OpStacksave})
	}
	switch f := in.Inst.Form; {
	case f.Anywhere && f.Bulk:
		loads, updates := f.Operands[0].Name == "dst", in.Inst.Op == isa.OpCpReduceAsyncBulkTensor
		k.accesses = append(k.accesses,
			access{s: s, op: objectOperand(in), object: true, space: isa.Generic, read: true, tensorMap: true},
			access{s: s, op: -1, space: isa.Global, read: loads || updates, write: !loads})
	case f.Anywhere:
		k.accesses = append(k.accesses, access{s: s, op: -1, space: isa.Generic, read: true, write: true})
	}
}

// onObject reports whether what an instruction accesses is an mbarrier object.
func onObject(s isa.Sync) bool { return s == isa.SyncObject || s == isa.SyncPhase }

// objectOperand returns where an instruction names a texture, a surface or a tensor map.
func objectOperand(in *ir.Instr) int8 {
	return int8(slices.IndexFunc(in.Ops(), func(op ir.Operand) bool { return op.Kind == ir.OperandBrackets }))
}

// reads goes through what instruction s reads from memory, and what the launch
// makes of each address.
func (g *Graph) reads(s site) iter.Seq2[*access, *ref] {
	return func(yield func(*access, *ref) bool) {
		i := g.Kernel.instr(s)
		for a := g.Kernel.accessAt[i]; a < g.Kernel.accessAt[i+1]; a++ {
			if g.Kernel.accesses[a].read && !yield(&g.Kernel.accesses[a], g.ref(a)) {
				return
			}
		}
	}
}

// sizeOf returns how many bytes an access touches, 0 if that is not the
// type's size alone.
func sizeOf(in *ir.Instr) int32 {
	if !in.Inst.PlainAccess() {
		return 0
	}
	return int32(in.Inst.Type().Bytes() * max(int(in.Inst.Vec), 1))
}

// waits reports whether a thread waits at in for others: at a barrier, or at a
// warp operation that synchronises, or for what a warpgroup has begun.
func waits(in *ir.Instr) bool {
	return in.Inst.IsBarrier() || in.Inst.SyncsWarp() || in.Inst.Form.Sync == isa.SyncWarpgroup
}
