package machine

import (
	"hyptx/internal/pipe"
	"hyptx/ir/isa"
)

// ProductOf returns what a matrix instruction multiplies.
func ProductOf(inst *isa.Inst) pipe.Product {
	if inst.OpaqueTensor() {
		return pipe.Product{Factors: kindType(inst)}
	}
	types := inst.Matrices()
	p := pipe.Product{Factors: matrixType(types[1])}
	p.Sync = inst.Op != isa.OpWgmmaMmaAsync && inst.Op != isa.OpWgmmaMmaAsyncSp
	p.Sum32 = types[0] == isa.F32 && (p.Factors == pipe.MatrixFP16 || p.Factors == pipe.MatrixBF16)
	return p
}

// MulAdds returns the multiply-adds of a warp's matrix instruction; of a sparse one those whose
// factor of a is there (NVIDIA A100 whitepaper, fine-grained structured sparsity).
func MulAdds(inst *isa.Inst) uint64 {
	float, integer := inst.TensorOps()
	n := (float + integer) / 2
	if inst.Op == isa.OpMmaSp || inst.Op == isa.OpMmaSpOrdered {
		n /= 2
	}
	return n
}

// kindType returns the type of the factors of a product of tcgen05, by its kind: those of 6 and 4
// bits have the rate of 8.
func kindType(inst *isa.Inst) pipe.MatrixType {
	for _, mod := range inst.Mods {
		switch mod.String() {
		case "kind::f16":
			return pipe.MatrixFP16
		case "kind::tf32":
			return pipe.MatrixTF32
		case "kind::i8", "kind::ti16":
			return pipe.MatrixInt8
		}
	}
	return pipe.MatrixFP8
}

// matrixType returns the type of a matrix instruction's factors.
func matrixType(t isa.Type) pipe.MatrixType {
	switch t {
	case isa.BF16:
		return pipe.MatrixBF16
	case isa.TF32:
		return pipe.MatrixTF32
	case isa.F64:
		return pipe.MatrixFP64
	case isa.U8, isa.S8:
		return pipe.MatrixInt8
	case isa.U4, isa.S4:
		return pipe.MatrixInt4
	case isa.E4M3, isa.E5M2:
		return pipe.MatrixFP8
	case isa.B1:
		return pipe.MatrixBinary
	}
	if t.IsFloat() && t.Bits() <= 8 { // of 6 bits or 4: no GPU's rates are known to be others
		return pipe.MatrixFP8
	}
	return pipe.MatrixFP16
}
