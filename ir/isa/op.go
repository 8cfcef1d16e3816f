package isa

import "strings"

// Op is an opcode: the words that name an operation, without modifiers, as
// "add" or "cp.async.commit_group". They are the first word, and more where
// the manual describes the longer name as an operation of its own with other
// operands (brx.idx, cvt.pack, bar.warp.sync). What only changes an operation
// is a modifier: add.cc is OpAdd with ModCc, shfl.sync OpShfl with modSync,
// ld.global.nc OpLd with ModNc.
type Op uint16

// opsPerFamily is how many numbers each file of the table has for its opcodes,
// so that a new one is declared beside its rows and nowhere else.
const opsPerFamily = 64

// The first opcode of each family; halfRows and mixedRows have none of their own.
const (
	firstInteger Op = 1 + opsPerFamily*iota
	firstFloat
	firstCompare
	firstLogic
	firstMove
	firstMemory
	firstConvert
	firstControl
	firstSync
	firstWarp
	firstAtomic
	firstMatrix
	firstStack
	firstVideo
	firstTexture
	firstWmma
	firstBulk
	firstMultimem
	firstFabric
	firstTensor
	firstLibrary
	numOps
	noOp Op = 0
)

// operations are the operations of all families by opcode; nil for numbers that
// are none.
var operations = func() (all [numOps]*operation) {
	for _, family := range [][]operation{
		integerOperations, floatOperations, compareOperations, logicOperations, moveOperations, memoryOperations,
		convertOperations, controlOperations, syncOperations, warpOperations, atomicOperations, matrixOperations, stackOperations,
		videoOperations, textureOperations, wmmaOperations, bulkOperations, multimemOperations, fabricOperations, tensorOperations, libraryOperations,
	} {
		for i := range family {
			o := &family[i]
			if all[o.op] != nil || len(family) > opsPerFamily {
				panic("BUG: two operations have the number of " + o.name)
			}
			if column := o.missing(); column != "" {
				panic("BUG: " + o.name + " says nothing in its column " + column)
			}
			all[o.op] = o
		}
	}
	return all
}()

// String returns the opcode's words, as in "cp.async".
func (o Op) String() string {
	if o >= numOps || operations[o] == nil {
		return ""
	}
	return operations[o].name
}

// opByName finds an Op by its words, opMaxWords says how many words an Op that
// starts with the given one has at most.
var opByName, opMaxWords = func() (map[string]Op, map[string]int) {
	byName, words := make(map[string]Op, numOps), make(map[string]int)
	for _, o := range operations {
		if o == nil {
			continue
		}
		name := o.name
		byName[name] = o.op
		first, _, _ := strings.Cut(name, ".")
		words[first] = max(words[first], strings.Count(name, ".")+1)
	}
	return byName, words
}()

// splitOp returns the Op that the words begin with, the longest one that fits,
// and how many words it takes; noOp if there is none.
func splitOp(words []string) (Op, int) {
	for n := min(opMaxWords[words[0]], len(words)); n > 0; n-- {
		if o, ok := opByName[strings.Join(words[:n], ".")]; ok {
			return o, n
		}
	}
	return noOp, 0
}
