package isa

import (
	"fmt"
	"slices"
	"strings"
)

// Some operands are constants of which only a few are allowed. What else stands there no
// GPU does, so that it is refused where it is read, before anything runs.

// constants are the values that an operand may have: list, or from first to last in steps.
type constants struct {
	op   Op
	name string // of the operand
	list []int64
	// Where list is empty:
	first, last, step int64
}

// allowedConstants have a line for each operand that takes some numbers only, with the
// section of the manual that says so. Of matrices in shared and tensor memory the emulator
// says it, since there it depends on the types.
var allowedConstants = []constants{
	{op: OpCpAsync, name: "size", list: []int64{4, 8, 16}},          // 9.7.10.28.3.1; .cg 16 alone
	{op: OpApplypriority, name: "size", list: []int64{128}},         // 9.7.10.17
	{op: OpDiscard, name: "size", list: []int64{128}},               // 9.7.10.20
	{op: OpStBulk, name: "value", list: []int64{0}},                 // 9.7.10.14
	{op: OpFence, name: "size", list: []int64{128}},                 // 9.7.15.4
	{op: OpTensormapCpFenceproxy, name: "size", list: []int64{128}}, // 9.7.15.17
	{op: OpMmaSp, name: "f", last: 3, step: 1},                      // 9.7.16.6.1
	{op: OpMmaSpOrdered, name: "f", last: 3, step: 1},               // 9.7.16.6.1
	{op: OpSetmaxnreg, name: "n", first: 24, last: 256, step: 8},    // 9.7.21.5
}

// onlyLargest are the bytes that cp.async.cg copies.
var onlyLargest = constants{list: []int64{16}}

// CheckConstant says which constants operand s of an instruction may be, if v is none.
func (i *Inst) CheckConstant(s *OperandSpec, v int64) error {
	c := i.allowed(s)
	switch {
	case c == nil:
		return nil
	case c.list == nil && (v < c.first || v > c.last || (v-c.first)%c.step != 0):
		of := ""
		if c.step > 1 {
			of = fmt.Sprintf(" and a multiple of %d", c.step)
		}
		return fmt.Errorf("%d must be from %d to %d%s", v, c.first, c.last, of)
	case c.list != nil && !slices.Contains(c.list, v):
		return fmt.Errorf("%d must be %s", v, strings.ReplaceAll(strings.Trim(fmt.Sprint(c.list), "[]"), " ", " or "))
	}
	return nil
}

// allowed returns what operand s may be, nil if every number.
func (i *Inst) allowed(s *OperandSpec) *constants {
	if i.Op == OpCpAsync && s.Name == "size" && strings.HasPrefix(i.Form.Syntax, "cp.async.cg") {
		return &onlyLargest
	}
	at := slices.IndexFunc(allowedConstants, func(c constants) bool { return c.op == i.Op && c.name == s.Name })
	if at < 0 {
		return nil
	}
	return &allowedConstants[at]
}
