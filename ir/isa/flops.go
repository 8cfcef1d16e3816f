package isa

import (
	"strconv"
	"strings"
)

// Flops are the floating-point operations that an instruction performs in each
// thread that executes it, by precision: what flop_count_sp, _dp and _hp are
// made of. SP is f32, f32x2 and mixed precision; HP is f16 and bf16.
type Flops struct {
	SP, DP, HP FlopKinds
}

// FlopKinds are the operations of one precision. A fused multiply-add counts
// once in FMA and twice in a sum of operations. Special functions are counted
// apart, and for SP alone.
type FlopKinds struct {
	Add, Mul, FMA, Special uint8
}

// Flops returns the floating-point operations of the instruction in each thread;
// packed ones count each element. Minimum, maximum, sign operations,
// comparisons and conversions are none; neither are atomic additions, which
// the memory system performs, nor matrix products (TensorOps).
func (i *Inst) Flops() Flops {
	var f Flops
	var kinds *FlopKinds
	switch i.Form.Class {
	case FP32, SpecialFP32:
		kinds = &f.SP
	case FP64:
		kinds = &f.DP
	case FP16:
		kinds = &f.HP
	default:
		return f
	}
	n := uint8(i.Type().Lanes())
	switch i.Op {
	case OpAdd, OpSub:
		kinds.Add = n
	case OpMul:
		kinds.Mul = n
	case OpFma, OpMad:
		kinds.FMA = n
	default:
		if i.Form.Class == SpecialFP32 {
			kinds.Special = n
		}
	}
	return f
}

// TensorOps returns the operations of one warp's matrix instruction, 2*M*N*K,
// as floating-point or as integer ones (binary ones are integer); of a product that
// four warps execute together (wgmma) a warp's are a quarter. m8n8k4 on
// f16 computes four products, one in each quarter of the warp (PTX ISA
// 9.7.16.5.1).
func (i *Inst) TensorOps() (float, integer uint64) {
	if i.Form.Class != Tensor {
		return 0, 0
	}
	m, n, k := i.Shape()
	ops := uint64(2 * m * n * k)
	if i.Op == OpWgmmaMmaAsync || i.Op == OpWgmmaMmaAsyncSp {
		ops /= 4
	}
	if !i.Types[1].IsFloat() {
		return 0, ops
	}
	if i.Types[1] == F16 && ops == 2*8*8*4 {
		ops *= 4
	}
	return ops, 0
}

// Matrices returns the types of D, A, B and C of a matrix product. wmma.mma names
// only D's and C's where the factors are halves (PTX ISA 9.7.16.4.5).
func (i *Inst) Matrices() [4]Type {
	if i.Op == OpWmmaMma && i.Types[2] == NoType {
		return [4]Type{i.Types[0], F16, F16, i.Types[1]}
	}
	return [4]Type(i.Types[:4])
}

// Shape returns M, N and K of a matrix instruction's modifier, as .m16n8k16; 0 without.
func (i *Inst) Shape() (m, n, k int) {
	for _, mod := range i.Mods {
		if size, ok := strings.CutPrefix(mod.String(), "m"); ok {
			rows, size, _ := strings.Cut(size, "n")
			columns, depth, _ := strings.Cut(size, "k")
			m, _ = strconv.Atoi(rows)
			n, _ = strconv.Atoi(columns)
			if k, _ = strconv.Atoi(depth); m*n*k > 0 {
				return m, n, k
			}
		}
	}
	return 0, 0, 0
}

// OpaqueTensor reports whether the instruction is a matrix product whose size nobody sees
// in the text: tcgen05.mma's stands in a descriptor that it is given in a register (PTX ISA
// 9.7.18.4).
func (i *Inst) OpaqueTensor() bool {
	switch i.Op {
	case OpTcgen05Mma, OpTcgen05MmaSp, OpTcgen05MmaWs, OpTcgen05MmaWsSp:
		return true
	}
	return false
}
