package depgraph

import (
	"iter"
	"slices"
	"sync"

	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Kernel is what every launch of a kernel shares: the kernel and the functions
// that it may call, their values, and what their instructions do to memory.
// Make one with [newKernel] and use it for all launches; it is safe for
// concurrent use.
type Kernel struct {
	Func   *ir.Func
	Module *ir.Module
	// Funcs is the kernel's closure over calls; Funcs[0] is the kernel.
	Funcs []*ir.Func
	// SSA are the overlays of Funcs.
	SSA []*ssa.Form

	// valueAt and instrAt are where each function's values and instructions
	// begin in numberings that go through all of Funcs.
	valueAt []int32
	instrAt []int32
	// index is the place in Funcs of a function; none if the
	// kernel cannot reach it.
	index map[*ir.Func]int32
	// callers are the call sites of each of Funcs.
	callers [][]site
	// accesses are all accesses of memory; accessAt[i] is the first of
	// instruction i.
	accesses []access
	accessAt []int32
	// writes are the numbers of the accesses that write.
	writes []int32
	// sync are the instructions that order the accesses of threads: barriers,
	// fences, waits.
	sync []site
	// waits are the instructions at which a thread waits for others: barriers
	// and warp operations that synchronise.
	waits []site
	// paired: CTAs work on each other's tensor memory, in pairs.
	paired bool

	// byPC are the functions in the order of their text (see ordered).
	byPC []int32

	// The nodes of G are numbered through kind by kind, beginning at firstNode;
	// blockAt is where each function's blocks begin among those, variables are
	// those of the .param space and variableNumber their places there. See
	// node.go.
	nodes          []node
	firstNode      [variableNode + 1]int32
	blockAt        []int32
	variables      []variable
	variableNumber map[*ir.Var]int32

	once     sync.Once
	pointers *pointers
}

// site is an instruction of one of Kernel.Funcs.
type site struct {
	fn int32
	pc ir.PC
}

// value is a value of one of Kernel.Funcs.
type value struct {
	fn int32
	id ssa.ValueID
}

// newKernel analyses kernel f.
func newKernel(f *ir.Func) *Kernel {
	k := &Kernel{Func: f, Module: f.Module, Funcs: f.Closure()}
	k.index = make(map[*ir.Func]int32, len(k.Funcs))
	k.valueAt = make([]int32, len(k.Funcs)+1)
	k.instrAt = make([]int32, len(k.Funcs)+1)
	k.callers = make([][]site, len(k.Funcs))
	for i, g := range k.Funcs {
		s := ssa.Build(g)
		k.SSA = append(k.SSA, s)
		k.index[g] = int32(i)
		k.valueAt[i+1] = k.valueAt[i] + int32(s.Len())
		k.instrAt[i+1] = k.instrAt[i] + int32(len(g.Instrs()))
	}
	for i, g := range k.Funcs {
		for _, pc := range g.Calls {
			for _, callee := range k.callees(pc) {
				k.callers[callee] = append(k.callers[callee], site{int32(i), pc})
			}
		}
	}
	for i := range k.Funcs {
		k.byPC = append(k.byPC, int32(i))
	}
	slices.SortFunc(k.byPC, func(a, b int32) int { return int(k.Funcs[a].First - k.Funcs[b].First) })
	k.findAccesses()
	k.numberNodes()
	return k
}

// instr returns the number of an instruction among all of the kernel's.
func (k *Kernel) instr(s site) int32 { return k.instrAt[s.fn] + int32(s.pc-k.Funcs[s.fn].First) }

// valueIndex returns the number of a value among all of the kernel's.
func (k *Kernel) valueIndex(v value) int32 { return k.valueAt[v.fn] + int32(v.id) }

// instructions returns the number of instructions of the kernel and what it
// calls: static_instructions.
func (k *Kernel) instructions() int { return int(k.instrAt[len(k.Funcs)]) }

// accessesOf returns the accesses of an instruction.
func (k *Kernel) accessesOf(s site) []access {
	i := k.instr(s)
	return k.accesses[k.accessAt[i]:k.accessAt[i+1]]
}

// use returns the value that instruction s reads in register r.
func (k *Kernel) use(s site, r ir.RegID) ssa.ValueID { return k.SSA[s.fn].Use(s.pc, r) }

// isParam reports whether v lies in the kernel's parameter block, which nobody
// writes.
func isParam(v *ir.Var) bool { return v != nil && v.Space == isa.ParamEntry }

// site returns the place of instruction pc, which must belong to the kernel's
// closure.
func (k *Kernel) site(pc ir.PC) (site, bool) {
	for i, f := range k.Funcs {
		if pc >= f.First && pc < f.End {
			return site{int32(i), pc}, true
		}
	}
	return site{}, false
}

// ordered goes through all instructions by PC.
func (k *Kernel) ordered() iter.Seq[site] {
	return func(yield func(site) bool) {
		for _, fn := range k.byPC {
			for pc := k.Funcs[fn].First; pc < k.Funcs[fn].End; pc++ {
				if !yield(site{fn, pc}) {
					return
				}
			}
		}
	}
}
