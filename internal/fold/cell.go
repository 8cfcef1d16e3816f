package fold

import (
	"hyptx/internal/value"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// cell is what is known of a value: nothing yet (top), that it is always
// bits + the address of sym (sym may be nil), or that it varies, within an
// interval if that is known.
//
// Cells only fall, from top through a constant to varying, so propagation
// ends. Intervals come from the extents of the launch and from counters of
// loops; they are never joined around a loop, where that might go on for ever.
//
// Propagation copies cells all the time: bits are the lower bound of what
// varies within an interval, so that 32 bytes hold either.
type cell struct {
	state cellState
	ends  bool // varies, within the interval from bits to high
	sym   *ir.Var
	bits  uint64
	high  int64
}

type cellState uint8

const (
	top cellState = iota
	constant
	varying
)

func constCell(bits uint64) cell { return cell{state: constant, bits: bits} }

func boolCell(b bool) cell {
	if b {
		return constCell(1)
	}
	return constCell(0)
}

// ranged returns the cell of a value within an interval.
func ranged(i value.Interval) cell {
	if !i.Known {
		return cell{state: varying}
	}
	return cell{state: varying, ends: true, bits: uint64(i.Low), high: i.High}
}

// within returns the interval of what varies.
func (c *cell) within() value.Interval {
	return value.Interval{Low: int64(c.bits), High: c.high, Known: c.ends}
}

// bare returns the cell without its interval, for a value made of c whose
// bits are others.
func (c cell) bare() cell {
	if c.ends {
		return cell{state: varying}
	}
	return c
}

// as returns the interval of a cell read as a number of type t: unknown if it
// may wrap around there.
func (c *cell) as(t isa.Type) value.Interval {
	switch {
	case c.state != constant:
		return c.within().As(t)
	case c.sym != nil || t.IsFloat() || t.Bits() == 0 || t.Bits() > 64:
		return value.Interval{}
	}
	return value.Of(c.bits, t)
}

// meet returns what holds of a value that is one of a and b.
func meet(a, b cell) cell {
	switch {
	case a.state == top:
		return b
	case b.state == top || a == b:
		return a
	}
	return cell{state: varying}
}

// join is meet for a value of type t, with the intervals joined.
func join(a, b cell, t isa.Type) cell {
	if m := meet(a, b); m.state != varying {
		return m
	}
	return ranged(a.as(t).Hull(b.as(t)))
}
