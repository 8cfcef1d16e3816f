package emulator

import (
	"encoding/binary"
	"math"
	"math/bits"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// atomicFunc is the operation of atom and red on one element: the new value
// from the old one and the operands (PTX ISA 9.7.15.5).
type atomicFunc func(old, b, c uint64) uint64

// buildAtomic decodes atom (d, [a], b {, c}) and red ([a], b).
func buildAtomic(c *compiler, in *ir.Instr, i *inst) error {
	t := in.Inst.Type()
	sub := in.Inst.Sub.String()
	n := 0
	a := &atomicUpdate{op: atomicOp(sub, t, !in.Inst.Has(isa.ModNoftz)), shared: atomicOp(sub, t, false)}
	if a.op == nil {
		return c.unsupported(in, "this operation on this type")
	}
	if !in.Inst.IsReduction() {
		a.dests = c.destinations(&in.Ops[0])
		n = 1
	}
	e := &access{regBits: t.Bits(), atomic: a}
	c.access(in, i, e, &in.Ops[n])
	e.elems = c.elements(in, &in.Ops[n+1])
	if n+2 < len(in.Ops) && in.Ops[n+2].Kind != ir.NoOperand && sub == "cas" {
		a.third, a.hasThird = c.place(in, &in.Ops[n+2]), true
	}
	i.width, i.vec = uint8(t.Bytes()), uint8(len(e.elems))
	i.mem, i.exec = e, execAtomic
	if t.Bits() == 128 {
		i.exec = execAtomic128
	}
	return nil
}

// execAtomic does a read-modify-write for each lane of m, in the order of the
// lanes.
func execAtomic(w *warp, in *inst, m uint32) {
	addr := w.addresses(in)
	e, a := in.mem, in.mem.atomic
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		w.checkVector(in, lane, addr)
		for v, src := range e.elems {
			b := w.bytesAt(in, lane, e.space, addr[lane]+uint64(v)*uint64(in.width), int(in.width), true)
			old := loadBytes(b)
			third := uint64(0)
			if a.hasThird {
				third = w.laneValue(a.third, lane, len(b))
			}
			op := a.op
			if space, _ := resolve(e.space, addr[lane]); space == isa.Shared {
				op = a.shared
			}
			value := op(old, w.laneValue(src, lane, len(b)), third)
			if value != old {
				storeBytes(b, value)
				w.worker.stores++
			}
			if v < len(a.dests) && a.dests[v].off >= 0 {
				setReg(e.regBits, false, w.slot(a.dests[v]), lane, old)
			}
		}
	}
}

// execAtomic128 is exch and cas of 128 bits.
func execAtomic128(w *warp, in *inst, m uint32) {
	addr := w.addresses(in)
	e, a := in.mem, in.mem.atomic
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		mem := w.bytesAt(in, lane, e.space, addr[lane], 16, true)
		old := [2]uint64{loadBytes(mem[:8]), loadBytes(mem[8:])}
		value := quad(w.slot(e.elems[0]))[lane]
		if a.hasThird {
			compare := value
			if value = old; compare == old {
				value = quad(w.slot(a.third))[lane]
			}
		}
		if value != old {
			storeBytes(mem[:8], value[0])
			storeBytes(mem[8:], value[1])
			w.worker.stores++
		}
		if len(a.dests) > 0 && a.dests[0].off >= 0 {
			quad(w.slot(a.dests[0]))[lane] = old
		}
	}
}

// laneValue reads n bytes of one lane of a register.
func (w *warp) laneValue(o operand, lane, n int) uint64 {
	if n == 8 {
		return wide(w.slot(o))[lane]
	}
	v := uint64(w.slot(o)[lane])
	return v & (1<<(8*n) - 1)
}

func loadBytes(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func storeBytes(b []byte, v uint64) {
	switch len(b) {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// atomicOp returns the operation of atom and red, nil if there is none.
func atomicOp(sub string, t isa.Type, flush bool) atomicFunc {
	switch sub {
	case "exch":
		return func(_, b, _ uint64) uint64 { return b }
	case "cas":
		return func(old, b, c uint64) uint64 {
			if old == b {
				return c
			}
			return old
		}
	case "and":
		return func(old, b, _ uint64) uint64 { return old & b }
	case "or":
		return func(old, b, _ uint64) uint64 { return old | b }
	case "xor":
		return func(old, b, _ uint64) uint64 { return old ^ b }
	case "inc":
		return func(old, b, _ uint64) uint64 {
			if old >= b {
				return 0
			}
			return old + 1
		}
	case "dec":
		return func(old, b, _ uint64) uint64 {
			if old == 0 || old > b {
				return b
			}
			return old - 1
		}
	case "add":
		return atomicAdd(t, flush)
	case "min", "max":
		return atomicMinMax(t, sub == "max")
	}
	return nil
}

// atomicAdd returns addition. On global memory .f32 without .noftz flushes
// subnormals to zeros of their sign, on shared memory it does not (PTX ISA
// 9.7.15.5).
func atomicAdd(t isa.Type, flush bool) atomicFunc {
	switch t {
	case isa.F32:
		if !flush {
			return func(old, b, _ uint64) uint64 { return addF32(uint32(old), uint32(b)) }
		}
		return func(old, b, _ uint64) uint64 {
			return uint64(flush32(uint32(addF32(flush32(uint32(old)), flush32(uint32(b))))))
		}
	case isa.F64:
		return func(old, b, _ uint64) uint64 {
			return math.Float64bits(math.Float64frombits(old) + math.Float64frombits(b))
		}
	case isa.F16, isa.BF16, isa.F16x2, isa.BF16x2:
		return onOneLane(lanes.Add(lanes.Variant{Type: t, Rnd: isa.RN}))
	}
	if t.IsFloat() {
		return nil
	}
	if t.Bits() == 64 {
		return func(old, b, _ uint64) uint64 { return old + b }
	}
	return func(old, b, _ uint64) uint64 { return uint64(uint32(old + b)) }
}

func addF32(a, b uint32) uint64 {
	s := math.Float32frombits(a) + math.Float32frombits(b)
	if s != s {
		return 0x7fffffff
	}
	return uint64(math.Float32bits(s))
}

// onOneLane makes a lane function of up to 32 bits an atomic operation. Those
// of halves, which have .noftz, keep subnormals.
func onOneLane(f lanes.Fn) atomicFunc {
	return func(old, b, _ uint64) uint64 {
		var d, x, y lanes.Slot
		x[0], y[0] = uint32(old), uint32(b)
		f(&d, &x, &y, nil)
		return uint64(d[0])
	}
}

// flush32 replaces a subnormal by the zero of its sign.
func flush32(x uint32) uint32 {
	if x&0x7f800000 == 0 {
		return x & 0x80000000
	}
	return x
}

// atomicMinMax returns min or max; a NaN gives way to a number.
func atomicMinMax(t isa.Type, largest bool) atomicFunc {
	switch {
	case t.IsFloat() && largest:
		return onOneLane(lanes.Max(lanes.Variant{Type: t}))
	case t.IsFloat():
		return onOneLane(lanes.Min(lanes.Variant{Type: t}))
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
