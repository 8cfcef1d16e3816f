package depgraph

import "hyptx/ir"

// Graph is the dependency graph G of a kernel with what it calls, specialised
// for a launch: constants are folded and what cannot be reached is pruned.
// Nodes are instructions. A Graph is not safe for concurrent use.
type Graph struct {
	Kernel *Kernel
	// Launch is nil for the graph that holds for all launches.
	Launch *Launch
	fold   *ir.Folding
	refs   []*ref
	// adjacency, made on first use as a gonum graph.
	edges *adjacency
}

// Specialise returns the graph of a launch; l may be nil.
func (k *Kernel) Specialise(l *Launch) *Graph {
	g := &Graph{Kernel: k, Launch: l}
	consts := &ir.Consts{}
	if l != nil {
		consts = &l.Consts
	}
	g.fold = ir.Fold(k.Func, k.SSA, consts)
	return g
}

// folding returns the constants of a function.
func (g *Graph) folding(fn int32) *ir.FuncFolding { return g.fold.Funcs[fn] }

// reached reports whether the launch can issue instruction s.
func (g *Graph) reached(s site) bool {
	return g.folding(s.fn).Reached(int(g.Kernel.Module.Instrs[s.pc].Block))
}

// executes reports whether the launch can execute instruction s: issue it, for
// a thread for which its guard holds.
func (g *Graph) executes(s site) bool {
	if !g.reached(s) {
		return false
	}
	holds, known := g.guard(s)
	return !known || holds
}

// guard returns the guard's outcome if it is a constant of the launch; without
// a guard it holds.
func (g *Graph) guard(s site) (holds, known bool) {
	in := &g.Kernel.Module.Instrs[s.pc]
	if in.Guard == ir.NoReg {
		return true, true
	}
	bits, ok := g.folding(s.fn).Const(g.Kernel.use(s, in.Guard))
	return (bits != 0) != in.GuardNot, ok
}

// EdgeKind is a set of reasons why one instruction depends on another.
type EdgeKind uint8

// The reasons. Data: it reads a register that the other wrote, through phis
// and selects. Branch: whether it runs, or which value a phi takes, depends
// on the other, which ends a block. Mem: it may read memory that the other
// writes. Argument and Return: the value comes through the call that is the
// other. Sync: the other orders a store and a load of different threads.
const (
	Data EdgeKind = 1 << iota
	Branch
	Mem
	Argument
	Return
	Sync
)

// Edge is a dependence: To depends on From.
type Edge struct {
	From, To ir.PC
	Kind     EdgeKind
}
