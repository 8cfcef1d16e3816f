// Package oracle is a second, slow answer to the question what a kernel's
// warps do. It consists of tests alone: the emulator, and the slices that a
// profile runs instead of whole kernels, are held against it on random
// programs.
//
// The oracle knows no masks. It runs every thread of a launch by itself, writes
// down the instructions that it issues, and derives from these traces, and from
// post-dominators of its own, what the warps did, by the definition of the
// profile (docs/design.md, The order of threads). So it shares no code with
// the emulator and none of its ideas: a mistake has to be made twice, in two
// ways that give the same numbers, to pass unseen.
//
// Where threads communicate, it lets them take turns at random, one thread at a
// time: each run is another legal order of them, and what is called exact must come
// out the same in all.
//
// It is not complete: it knows the instructions of the programs that are
// written here.
//
// Start with run, in this file. Of the oracle itself, thread_test.go runs a
// thread, compute_test.go has the arithmetic, memory_test.go the memory, crowd_test.go
// lets threads take turns, meeting_test.go and object_test.go have what they
// communicate by, cluster_test.go what CTAs do, warp_test.go makes warps of threads and postdom_test.go says where
// they merge. random_test.go, statement_test.go and parameter_test.go write programs
// whose threads are alone, sharing*_test.go those whose threads are not.
// emulator_test.go, return_test.go, workers_test.go, slice_test.go, order_test.go and
// found_test.go hold others against it.
package oracle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"hyptx/ir"
	"hyptx/parser"
)

// launch is what to run.
type launch struct {
	kernel      *ir.Func
	grid, block [3]uint32
	cluster     uint32 // of CTAs along x
	params      []byte // the parameter block
	// outBytes is the size of the memory at outBase, addresses are where variables
	// lie, varBytes and sharedBytes the sizes of them all.
	outBytes              int64
	addresses             map[*ir.Var]uint64
	varBytes, sharedBytes int64
	// longest is how many instructions a thread has issued so far, at most.
	longest int
}

// counts are what the warps of a launch did, by PC.
type counts []count

// count is what warps did with one instruction: those that issued it, their
// active lanes, and those of them whose guard held. Of a branch, divergent are
// the executions whose lanes had different next PCs, and targets the next PCs
// of these.
type count struct{ issues, lanes, predOn, divergent, targets uint64 }

// maxSteps bounds the instructions of a thread, and errTooLong says that one has
// not ended within them: of 4000 random programs, fewer than 1 in 20.
const maxSteps = 4000

var errTooLong = errors.New("a thread runs too long")

// outBase is where the memory of the programs lies.
const outBase = 0x7f0000000000

// run runs all threads of a launch and counts what their warps did. The threads
// of these programs touch memory of their own only, so that the order in which
// points names CTAs and threads cannot matter.
func run(l *launch) (counts, *memory, error) {
	mem := newMemory(l)
	w := newWarp(l)
	for cta := range points(l.grid) {
		var traces [][]step
		for id := range points(l.block) {
			trace, err := runThread(l, mem, id, cta)
			if err != nil {
				return nil, nil, err
			}
			traces = append(traces, trace)
		}
		w.runCTA(traces)
	}
	return w.c, mem, nil
}

// points names the points of a grid or a block, x fastest.
func points(size [3]uint32) iter.Seq[[3]uint32] {
	return func(yield func([3]uint32) bool) {
		for z := range size[2] {
			for y := range size[1] {
				for x := range size[0] {
					if !yield([3]uint32{x, y, z}) {
						return
					}
				}
			}
		}
	}
}

// lower reads a program's PTX.
func (p *program) lower() (*ir.Module, error) {
	tree, err := parser.Parse("program.ptx", []byte(p.ptx))
	if err != nil {
		return nil, err
	}
	return ir.Lower(tree)
}

// params returns the parameter block of kernel k(out, n).
func (p *program) params() []byte {
	b := binary.LittleEndian.AppendUint64(nil, outBase)
	return binary.LittleEndian.AppendUint32(b, p.n)
}

// launch returns the launch of a program's kernel.
func (p *program) launch(m *ir.Module) *launch {
	l := &launch{kernel: m.Func("k"), grid: p.grid, block: p.block, cluster: max(p.cluster, 1), params: p.params(), outBytes: p.bytes()}
	l.placeVariables()
	return l
}

// run has the oracle run a program's kernel.
func (p *program) run(m *ir.Module) (counts, *memory, error) { return run(p.launch(m)) }

// compare holds the counts of every instruction and branch of a module against
// the oracle's.
func compare(m *ir.Module, got, want counts) error {
	for pc := range want {
		if got[pc] != want[pc] {
			return fmt.Errorf("line %d, %s: issues, lanes, lanes with a true guard, divergent, targets are %v, the oracle has %v",
				m.Instrs[pc].Pos.Line, m.FuncOf(ir.PC(pc)).Text(ir.PC(pc)), got[pc], want[pc])
		}
	}
	return nil
}
