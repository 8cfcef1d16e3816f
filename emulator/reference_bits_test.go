package emulator

import (
	"math/bits"

	"hyptx/ir/isa"
)

// bitReferences are operations on bits (PTX ISA 9.7.1.15 to .25, 9.7.9), after
// the pseudo-code of the manual.
var bitReferences = map[isa.Op]laneReference{
	isa.OpPopc: func(x *isa.Inst, in []uint64) []outcome { return is(uint64(bits.OnesCount64(in[0]))) },
	isa.OpClz: func(x *isa.Inst, in []uint64) []outcome {
		return is(uint64(bits.LeadingZeros64(in[0]) - 64 + x.Type().Bits()))
	},
	isa.OpBrev: func(x *isa.Inst, in []uint64) []outcome {
		return is(bits.Reverse64(in[0]) >> (64 - x.Type().Bits()))
	},
	isa.OpBfind: func(x *isa.Inst, in []uint64) []outcome {
		n := x.Type().Bits()
		v := in[0]
		if x.Type().IsSigned() && v>>(n-1)&1 != 0 {
			v = low(^v, n)
		}
		at := bits.Len64(v) - 1
		switch {
		case at < 0:
			return is(0xffffffff)
		case x.Has(isa.ModShiftamt):
			return is(uint64(n - 1 - at))
		}
		return is(uint64(at))
	},
	isa.OpFns:   findSet,
	isa.OpBfe:   extractField,
	isa.OpBfi:   insertField,
	isa.OpSzext: extendSign,
	isa.OpBmsk:  makeMask,
	isa.OpDp4a: func(x *isa.Inst, in []uint64) []outcome {
		sum := uint32(in[2])
		for i := range 4 {
			sum += uint32(element(x.Types[0], in[0]>>(8*i), 8) * element(x.Types[1], in[1]>>(8*i), 8))
		}
		return is(uint64(sum))
	},
	isa.OpDp2a: func(x *isa.Inst, in []uint64) []outcome {
		sum := uint32(in[2])
		b := in[1]
		if x.Mul == isa.HI_ {
			b >>= 16
		}
		for i := range 2 {
			sum += uint32(element(x.Types[0], in[0]>>(16*i), 16) * element(x.Types[1], b>>(8*i), 8))
		}
		return is(uint64(sum))
	},
	isa.OpClmad: func(x *isa.Inst, in []uint64) []outcome {
		var hi, lo uint64
		for i := range 64 {
			if in[1]>>i&1 != 0 {
				lo ^= in[0] << i
				hi ^= in[0] >> (64 - i)
			}
		}
		if x.Mul == isa.HI_ {
			lo = hi
		}
		return is(lo ^ in[2])
	},
	isa.OpAnd: func(x *isa.Inst, in []uint64) []outcome { return is(in[0] & in[1]) },
	isa.OpOr:  func(x *isa.Inst, in []uint64) []outcome { return is(in[0] | in[1]) },
	isa.OpXor: func(x *isa.Inst, in []uint64) []outcome { return is(in[0] ^ in[1]) },
	isa.OpNot: func(x *isa.Inst, in []uint64) []outcome { return is(low(^in[0], x.Type().Bits())) },
	isa.OpCnot: func(x *isa.Inst, in []uint64) []outcome {
		if in[0] == 0 {
			return is(1)
		}
		return is(0)
	},
	isa.OpLop3: func(x *isa.Inst, in []uint64) []outcome {
		var d uint64
		for i := range 32 {
			row := in[0]>>i&1<<2 | in[1]>>i&1<<1 | in[2]>>i&1
			d |= in[3] >> row & 1 << i
		}
		if x.Bool == isa.NoBool {
			return is(d)
		}
		p := joined(x.Bool, d != 0, in[4] != 0)
		return []outcome{{bits: d}, {bits: truth(p)}}
	},
	isa.OpShl: func(x *isa.Inst, in []uint64) []outcome {
		return is(low(in[0]<<min(in[1], 64), x.Type().Bits()))
	},
	isa.OpShr: func(x *isa.Inst, in []uint64) []outcome {
		n := x.Type().Bits()
		if x.Type().IsSigned() {
			return is(low(uint64(int64(in[0]<<(64-n))>>(64-n)>>min(in[1], 63)), n))
		}
		return is(in[0] >> min(in[1], 64))
	},
	isa.OpShf: func(x *isa.Inst, in []uint64) []outcome {
		n := min(in[2], 32)
		if x.Has(isa.ModWrap) {
			n = in[2] & 31
		}
		both := in[1]<<32 | in[0]
		if x.Has(isa.ModL) {
			return is(low(both<<n>>32, 32))
		}
		return is(low(both>>n, 32))
	},
	isa.OpPrmt: permute,
}

// element is a signed or unsigned number of n bits, by the type's sign.
func element(t isa.Type, v uint64, n int) int64 {
	if t.IsSigned() {
		return int64(v<<(64-n)) >> (64 - n)
	}
	return int64(low(v, n))
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func joined(op isa.BoolOp, a, b bool) bool {
	switch op {
	case isa.AND:
		return a && b
	case isa.OR:
		return a || b
	case isa.XOR:
		return a != b
	}
	return a
}

// findSet is fns (9.7.1.18).
func findSet(_ *isa.Inst, in []uint64) []outcome {
	mask, base, offset := in[0], in[1], int64(int32(in[2]))
	if base > 31 {
		return anything
	}
	step, count := int64(1), offset-1
	if offset < 0 {
		step, count = -1, -offset-1
	}
	if offset == 0 {
		if mask>>base&1 != 0 {
			return is(base)
		}
		return is(0xffffffff)
	}
	for pos := int64(base); pos >= 0 && pos < 32; pos += step {
		if mask>>pos&1 == 0 {
			continue
		}
		if count == 0 {
			return is(uint64(pos))
		}
		count--
	}
	return is(0xffffffff)
}

// extractField is bfe (9.7.1.20).
func extractField(x *isa.Inst, in []uint64) []outcome {
	msb := uint64(x.Type().Bits() - 1)
	pos, length := in[1]&0xff, in[2]&0xff
	var sign uint64
	if x.Type().IsSigned() && length != 0 {
		sign = in[0] >> min(pos+length-1, msb) & 1
	}
	var d uint64
	for i := range msb + 1 {
		b := sign
		if i < length && pos+i <= msb {
			b = in[0] >> (pos + i) & 1
		}
		d |= b << i
	}
	return is(d)
}

// insertField is bfi (9.7.1.21).
func insertField(x *isa.Inst, in []uint64) []outcome {
	msb := uint64(x.Type().Bits() - 1)
	pos, length := in[2]&0xff, in[3]&0xff
	d := in[1]
	for i := uint64(0); i < length && pos+i <= msb; i++ {
		d = d&^(1<<(pos+i)) | in[0]>>i&1<<(pos+i)
	}
	return is(d)
}

// extendSign is szext (9.7.1.22): a is a number of b bits.
func extendSign(x *isa.Inst, in []uint64) []outcome {
	n := in[1] & 31
	if in[1] >= 32 && !x.Has(isa.ModWrap) {
		return is(in[0])
	}
	d := low(in[0], int(n))
	if x.Type().IsSigned() && n > 0 && in[0]>>(n-1)&1 != 0 {
		d |= low(^uint64(0)<<n, 32)
	}
	return is(d)
}

// makeMask is bmsk (9.7.1.23): b ones from bit a on.
func makeMask(x *isa.Inst, in []uint64) []outcome {
	a, b := in[0], in[1]
	if x.Has(isa.ModWrap) {
		a, b = a&31, b&31
	}
	var d uint64
	for i := a; i < min(a+b, 32); i++ {
		d |= 1 << i
	}
	return is(d)
}

// permute is prmt (9.7.10.7).
func permute(x *isa.Inst, in []uint64) []outcome {
	bytes := in[1]<<32 | in[0]
	var d uint64
	c := in[2]
	for i := range uint64(4) {
		var from uint64
		switch x.Sub.String() {
		case "":
			from = c >> (4 * i) & 0xf
		case "f4e":
			from = (c&3 + i) & 7
		case "b4e":
			from = (c&3 - i) & 7
		case "rc8":
			from = c & 3
		case "ecl":
			from = max(i, c&3)
		case "ecr":
			from = min(i, c&3)
		case "rc16":
			from = c&1*2 + i&1
		}
		b := bytes >> (8 * (from & 7)) & 0xff
		if from&8 != 0 { // its sign, eight times
			b = b >> 7 * 0xff
		}
		d |= b << (8 * i)
	}
	return is(d)
}
