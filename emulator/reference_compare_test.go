package emulator

import (
	"strings"

	"hyptx/emulator/internal/softfloat"
	"hyptx/ir/isa"
)

// compareReferences are comparisons and selections (PTX ISA 9.7.7, 9.7.8).
var compareReferences = map[isa.Op]laneReference{
	isa.OpSetp: func(x *isa.Inst, in []uint64) []outcome {
		c := x.Bool != isa.NoBool && in[len(in)-1] != 0
		held := compared(x, x.Type(), in)
		if len(held) == 2 { // p of the lower halves, q of the upper
			return []outcome{{bits: truth(joined(x.Bool, held[0], c))}, {bits: truth(joined(x.Bool, held[1], c))}}
		}
		p := outcome{bits: truth(joined(x.Bool, held[0], c))}
		q := outcome{bits: truth(joined(x.Bool, !held[0], c))}
		return []outcome{p, q}
	},
	isa.OpSet: func(x *isa.Inst, in []uint64) []outcome {
		c := x.Bool != isa.NoBool && in[len(in)-1] != 0
		to, from := x.Types[0], x.Types[1]
		if from == isa.NoType { // packed: each element in its place
			from = to
		}
		held := compared(x, from, in)
		n := to.Bits() / len(held)
		var d uint64
		for k, h := range held {
			if joined(x.Bool, h, c) {
				one := low(^uint64(0), n)
				if f := formatOf(to.Elem()); f != nil {
					one = f.One()
				}
				d |= one << (k * n)
			}
		}
		return is(d)
	},
	isa.OpSelp: func(_ *isa.Inst, in []uint64) []outcome {
		if in[2] != 0 {
			return is(in[0])
		}
		return is(in[1])
	},
	isa.OpSlct: func(x *isa.Inst, in []uint64) []outcome {
		c := in[2]
		first := c>>31 == 0
		if x.Types[1] == isa.F32 {
			f := softfloat.F32
			if x.Has(isa.ModFtz) {
				c = f.Flush(c)
			}
			first = !f.IsNaN(c) && (!f.Negative(c) || f.IsZero(c))
		}
		if first {
			return is(in[0])
		}
		return is(in[1])
	},
}

// compared compares each element of a and b.
func compared(x *isa.Inst, t isa.Type, in []uint64) (held []bool) {
	elem := t.Elem()
	n := elem.Bits()
	for k := range t.Lanes() {
		a, b := low(in[0]>>(k*n), n), low(in[1]>>(k*n), n)
		f := formatOf(elem)
		if f == nil {
			held = append(held, ordered(x, number(elem, a).Cmp(number(elem, b))))
			continue
		}
		if x.Has(isa.ModFtz) {
			a, b = f.Flush(a), f.Flush(b)
		}
		if f.IsNaN(a) || f.IsNaN(b) {
			held = append(held, unordered(x))
			continue
		}
		held = append(held, ordered(x, compareValues(f, a, b)))
	}
	return held
}

// comparison is the operator's spelling.
func comparison(x *isa.Inst) string {
	for _, m := range x.Mods {
		switch s := m.String(); s {
		case "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan":
			return s
		}
	}
	return ""
}

func ordered(x *isa.Inst, order int) bool {
	switch strings.TrimSuffix(comparison(x), "u") {
	case "eq":
		return order == 0
	case "ne":
		return order != 0
	case "lt", "lo":
		return order < 0
	case "le", "ls":
		return order <= 0
	case "gt", "hi":
		return order > 0
	case "ge", "hs":
		return order >= 0
	}
	return comparison(x) == "num"
}

// unordered is the outcome where an operand is NaN.
func unordered(x *isa.Inst) bool {
	c := comparison(x)
	return c == "nan" || len(c) == 3 && c[2] == 'u'
}
