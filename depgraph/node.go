package depgraph

import (
	"slices"

	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// nodeKind says what a node of G stands for. An instruction has up to three
// nodes, because one may need to know less of it than all: whether it executes
// at all, which memory it touches, or what comes of it. Between the
// instructions stand nodes for what joins several of them, so that an edge is a
// direct dependence and finding a node's edges never means walking through
// others.
type nodeKind uint8

const (
	// resultNode is what an instruction computes, loads or stores. Its number
	// is the instruction's: in a module of one kernel, the PC.
	resultNode nodeKind = iota
	// addressNode is where an instruction touches memory and, of a warp
	// operation that only waits, for which lanes.
	addressNode
	// guardNode is for which threads a guarded instruction executes.
	guardNode
	// valueNode is a value that no single instruction gives: a phi, a select, a
	// formal parameter, what a call returns, or what was never written.
	valueNode
	// blockNode is whether, and how often, a block runs.
	blockNode
	// variableNode is what a variable in the .param space of a call holds.
	variableNode
)

// node is a node of G as gonum knows it, by number. A kernel makes all of its
// nodes once, so that handing one out allocates nothing.
type node int32

// ID returns the number.
func (n *node) ID() int64 { return int64(*n) }

// variable is a variable in the .param space and the function that it is in.
type variable struct {
	fn int32
	v  *ir.Var
}

// numberNodes lays out the numbers of nodes: three for each instruction, kind by
// kind, then the values, the blocks and the variables.
func (k *Kernel) numberNodes() {
	k.blockAt = make([]int32, len(k.Funcs)+1)
	k.variableNumber = make(map[*ir.Var]int32)
	for i, f := range k.Funcs {
		k.blockAt[i+1] = k.blockAt[i] + int32(len(f.Blocks))
		for _, v := range f.Vars {
			k.numberVariable(int32(i), v)
		}
		for _, p := range slices.Concat(f.Params, f.Returns) {
			k.numberVariable(int32(i), p.Var)
		}
	}
	n := int32(k.instructions())
	k.firstNode = [...]int32{
		addressNode:  n,
		guardNode:    2 * n,
		valueNode:    3 * n,
		blockNode:    3*n + k.valueAt[len(k.Funcs)],
		variableNode: 3*n + k.valueAt[len(k.Funcs)] + k.blockAt[len(k.Funcs)],
	}
	k.nodes = make([]node, k.firstNode[variableNode]+int32(len(k.variables)))
	for i := range k.nodes {
		k.nodes[i] = node(i)
	}
}

func (k *Kernel) numberVariable(fn int32, v *ir.Var) {
	if v == nil || normal(v.Space) != isa.Param {
		return
	}
	if _, known := k.variableNumber[v]; !known {
		k.variableNumber[v] = int32(len(k.variables))
		k.variables = append(k.variables, variable{fn, v})
	}
}

// instrNode returns the number of one of an instruction's nodes.
func (k *Kernel) instrNode(kind nodeKind, s site) int32 { return k.firstNode[kind] + k.instr(s) }

func (k *Kernel) valueNode(v value) int32 { return k.firstNode[valueNode] + k.valueIndex(v) }

func (k *Kernel) blockNode(fn int32, b int) int32 {
	return k.firstNode[blockNode] + k.blockAt[fn] + int32(b)
}

// kindOf returns the kind of node n.
func (k *Kernel) kindOf(n int32) nodeKind {
	kind := variableNode
	for n < k.firstNode[kind] {
		kind--
	}
	return kind
}

// siteOf returns the instruction that node n is one of.
func (k *Kernel) siteOf(n int32) site {
	fn, i := within(k.instrAt, n-k.firstNode[k.kindOf(n)])
	return site{fn, k.Funcs[fn].First + ir.PC(i)}
}

// valueOf returns the value that node n is.
func (k *Kernel) valueOf(n int32) value {
	fn, i := within(k.valueAt, n-k.firstNode[valueNode])
	return value{fn, ssa.ValueID(i)}
}

// blockOf returns the block that node n is.
func (k *Kernel) blockOf(n int32) (fn, b int32) { return within(k.blockAt, n-k.firstNode[blockNode]) }

// within finds number i in a numbering that goes through all functions: the
// function, and the place in it. starts says where each function begins.
func within(starts []int32, i int32) (fn, at int32) {
	for starts[fn+1] <= i {
		fn++
	}
	return fn, i - starts[fn]
}
