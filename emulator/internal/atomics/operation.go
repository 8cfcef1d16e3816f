package atomics

import (
	"math"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir/isa"
)

// Operation gives the new value of a word from the old one and the operands; c
// is that of cas alone.
type Operation func(old, b, c uint64) uint64

// plain are the operations that are the same for all types.
var plain = map[string]Operation{
	"exch": func(_, b, _ uint64) uint64 { return b },
	"and":  func(old, b, _ uint64) uint64 { return old & b },
	"or":   func(old, b, _ uint64) uint64 { return old | b },
	"xor":  func(old, b, _ uint64) uint64 { return old ^ b },
	"cas": func(old, b, c uint64) uint64 {
		if old == b {
			return c
		}
		return old
	},
	"inc": func(old, b, _ uint64) uint64 {
		if old >= b {
			return 0
		}
		return old + 1
	},
	"dec": func(old, b, _ uint64) uint64 {
		if old == 0 || old > b {
			return b
		}
		return old - 1
	},
}

// Of returns the operation that a modifier such as add names on a type, nil if
// there is none. flush: a sum of .f32 turns subnormals to zeros of their sign,
// as it does on global memory without .noftz; on shared memory it does not.
func Of(name string, t isa.Type, flush bool) Operation {
	switch name {
	case "add":
		return add(t, flush)
	case "min", "max":
		return extremum(t, name == "max")
	}
	return plain[name]
}

func add(t isa.Type, flush bool) Operation {
	switch t {
	case isa.F32:
		if !flush {
			return func(old, b, _ uint64) uint64 { return addF32(uint32(old), uint32(b)) }
		}
		return func(old, b, _ uint64) uint64 {
			return uint64(flushed(uint32(addF32(flushed(uint32(old)), flushed(uint32(b))))))
		}
	case isa.F64:
		return func(old, b, _ uint64) uint64 {
			return math.Float64bits(math.Float64frombits(old) + math.Float64frombits(b))
		}
	case isa.F16, isa.BF16, isa.F16x2, isa.BF16x2:
		return OnOneLane(lanes.Add(lanes.Variant{Type: t, Rnd: isa.RN}))
	}
	if t.IsFloat() {
		return nil
	}
	if t.Bits() == 64 {
		return func(old, b, _ uint64) uint64 { return old + b }
	}
	return func(old, b, _ uint64) uint64 { return uint64(uint32(old + b)) }
}

// addF32 adds two .f32; every NaN is the canonical one (PTX ISA 9.7.3).
func addF32(a, b uint32) uint64 {
	s := math.Float32frombits(a) + math.Float32frombits(b)
	if s != s {
		return 0x7fffffff
	}
	return uint64(math.Float32bits(s))
}

// flushed replaces a subnormal by the zero of its sign.
func flushed(x uint32) uint32 {
	if x&0x7f800000 == 0 {
		return x & 0x80000000
	}
	return x
}

// OnOneLane makes a lane function of up to 32 bits an operation on a word.
// Those of halves, which have .noftz, keep subnormals.
func OnOneLane(f lanes.Fn) Operation {
	return func(old, b, _ uint64) uint64 {
		var d, x, y lanes.Slot
		x[0], y[0] = uint32(old), uint32(b)
		f(&d, &x, &y, nil)
		return uint64(d[0])
	}
}

// extremum returns min or max; a NaN gives way to a number.
func extremum(t isa.Type, largest bool) Operation {
	switch {
	case t.IsFloat() && largest:
		return OnOneLane(lanes.Max(lanes.Variant{Type: t}))
	case t.IsFloat():
		return OnOneLane(lanes.Min(lanes.Variant{Type: t}))
	}
	less := func(a, b uint64) bool { return a < b }
	switch t {
	case isa.S32:
		less = func(a, b uint64) bool { return int32(a) < int32(b) }
	case isa.S64:
		less = func(a, b uint64) bool { return int64(a) < int64(b) }
	}
	return func(old, b, _ uint64) uint64 {
		if less(b, old) != largest {
			return b
		}
		return old
	}
}
