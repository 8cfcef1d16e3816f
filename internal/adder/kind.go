package adder

// Kind is what an adder adds: integers or the significands of floating-point
// numbers.
type Kind uint8

// The kinds. Those of 16 bits are not in the paper.
const (
	Int16 Kind = iota
	Int32
	Int64
	FP16
	FP32
	FP64
	Kinds // how many there are
)

var kinds = [Kinds]struct {
	name string
	// bits are those of the adder: a register's, or of a significand with its
	// hidden bit.
	bits int
	wide bool // its operands have more than 32 bits
}{
	Int16: {"int16", 16, false}, Int32: {"int32", 32, false}, Int64: {"int64", 64, true},
	FP16: {"fp16", 11, false}, FP32: {"fp32", 24, false}, FP64: {"fp64", 53, true},
}

// String returns its name in rows.
func (k Kind) String() string { return kinds[k].name }

// Bits returns the width of its adder.
func (k Kind) Bits() int { return kinds[k].bits }

// Slices returns how many slices of w bits its adder has.
func (k Kind) Slices(w int) int { return (kinds[k].bits + w - 1) / w }

// IsInt reports whether it is added by ALUs; the others by FPUs and DPUs.
func (k Kind) IsInt() bool { return k <= Int64 }
