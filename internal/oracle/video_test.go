package oracle

import (
	"strings"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// Video instructions, element by element as the manual tells them (PTX ISA 9.7.20).
// The random programs have those whose results no reading of it leaves open: without
// .min and .max of what was not clamped, and shifts.

// videoOperations are the first operations, on numbers that fit.
var videoOperations = map[string]func(a, b int64) int64{
	"vadd": func(a, b int64) int64 { return a + b },
	"vsub": func(a, b int64) int64 { return a - b },
	"vabsdiff": func(a, b int64) int64 {
		if a < b {
			return b - a
		}
		return a - b
	},
	"vmin": func(a, b int64) int64 {
		if a < b {
			return a
		}
		return b
	},
	"vavrg": func(a, b int64) int64 {
		if a+b < 0 {
			return floorHalf(a + b)
		}
		return floorHalf(a + b + 1)
	},
}

func floorHalf(n int64) int64 {
	if n%2 != 0 {
		n--
	}
	return n / 2
}

// video reports whether it knows an instruction, and what it gives.
func (t *thread) video(in *ir.Instr) (uint64, bool) {
	name := in.Inst.Op.String()
	f := videoOperations[strings.TrimRight(name, "24")]
	if f == nil {
		return 0, false
	}
	count := map[byte]int{'2': 2, '4': 4}[name[len(name)-1]]
	a, b := uint32(t.value(&in.Ops()[1])), uint32(t.value(&in.Ops()[2]))
	c := uint32(0)
	if in.Ops()[3].Kind != ir.NoOperand {
		c = uint32(t.value(&in.Ops()[3]))
	}
	if count == 0 {
		return uint64(scalarVideo(in, f, a, b, c)), true
	}
	bits := 32 / count
	from := func(n, i, otherwise int) uint32 { // the i-th element that operand n selects
		if parts, _ := in.Ops()[n].Selector.Parts(); len(parts) != 0 {
			otherwise = parts[i]
		}
		word := a
		if otherwise >= count {
			word = b
		}
		return word >> (otherwise % count * bits)
	}
	mask, _ := in.Ops()[0].Selector.Parts()
	d := c
	for i := range count {
		named := len(mask) == 0
		for _, m := range mask {
			named = named || m == i
		}
		if !named {
			continue
		}
		r := f(value(from(1, i, i), bits, in.Inst.Types[1]), value(from(2, i, count+i), bits, in.Inst.Types[2]))
		if in.Inst.Has(isa.ModSat) {
			r = limited(r, bits, in.Inst.Types[0])
		}
		if strings.HasSuffix(in.Inst.Opcode, ".add") {
			d += uint32(r)
		} else {
			d = placed(d, uint32(r), i*bits, bits)
		}
	}
	return uint64(d), true
}

func scalarVideo(in *ir.Instr, f func(a, b int64) int64, a, b, c uint32) uint32 {
	part := func(n int, v uint32) int64 {
		at, bits := 0, 32
		if parts, size := in.Ops()[n].Selector.Parts(); size != 0 {
			at, bits = parts[0]*size, size
		}
		return value(v>>at, bits, in.Inst.Types[n])
	}
	r := f(part(1, a), part(2, b))
	parts, bits := in.Ops()[0].Selector.Parts()
	at := 0
	if bits == 0 {
		bits = 32
	} else {
		at = parts[0] * bits
	}
	if in.Inst.Has(isa.ModSat) {
		r = limited(r, bits, in.Inst.Types[0])
	}
	if strings.HasSuffix(in.Inst.Opcode, ".add") {
		return uint32(r) + c
	}
	return placed(c, uint32(r), at, bits)
}

// value is the number that the low bits of a word are.
func value(v uint32, bits int, t isa.Type) int64 {
	n := int64(v) % (1 << bits)
	if t == isa.S32 && n >= 1<<(bits-1) {
		n -= 1 << bits
	}
	return n
}

// limited is the nearest number of so many bits.
func limited(n int64, bits int, t isa.Type) int64 {
	low, high := int64(0), int64(1)<<bits-1
	if t == isa.S32 {
		low, high = -(high+1)/2, high/2
	}
	if n < low {
		return low
	}
	if n > high {
		return high
	}
	return n
}

// placed puts the low bits of part into a word.
func placed(word, part uint32, at, bits int) uint32 {
	for i := range bits {
		word = word&^(1<<(at+i)) | part>>i&1<<(at+i)
	}
	return word
}

// video writes one of them.
func (w *writer) video(g string) {
	d, a, b, c := w.register(), w.register(), w.register(), w.register()
	types := "." + w.one("s32", "u32") + "." + w.one("s32", "u32") + "." + w.one("s32", "u32")
	part := func() string { return w.one("", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1") }
	scalar := w.one("vadd", "vsub", "vabsdiff", "vmin")
	packed := w.one("vadd", "vsub", "vabsdiff", "vmin", "vavrg")
	switch w.r.IntN(4) {
	case 0:
		w.line("%s%s%s%s %s, %s%s, %s%s;", g, scalar, types, w.one("", ".sat"), d, a, part(), b, part())
	case 1:
		w.line("%s%s%s%s %s.%s, %s%s, %s%s, %s;", g, scalar, types, w.one("", ".sat"), d, w.one("b0", "b1", "b2", "b3", "h0", "h1"), a, part(), b, part(), c)
	case 2:
		w.line("%s%s2%s%s %s%s, %s%s, %s%s, %s;", g, packed, types, w.one("", ".sat", ".add"), d, w.one("", ".h0", ".h1", ".h10"), a, w.one("", ".h12", ".h33"), b, w.one("", ".h30", ".h01"), c)
	default:
		w.line("%s%s4%s%s %s%s, %s%s, %s%s, %s;", g, packed, types, w.one("", ".sat", ".add"), d, w.one("", ".b0", ".b31", ".b210"), a, w.one("", ".b7012"), b, w.one("", ".b0246"), c)
	}
}
