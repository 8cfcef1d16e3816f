package isa

import (
	"fmt"
	"math"
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
	{op: OpCpAsync, name: "size", list: []int64{4, 8, 16}},                // 9.7.10.28.3.1; .cg 16 alone
	{op: OpApplypriority, name: "size", list: []int64{128}},               // 9.7.10.17
	{op: OpDiscard, name: "size", list: []int64{128}},                     // 9.7.10.20
	{op: OpStBulk, name: "value", list: []int64{0}},                       // 9.7.10.14
	{op: OpFence, name: "size", list: []int64{128}},                       // 9.7.15.4
	{op: OpTensormapCpFenceproxy, name: "size", list: []int64{128}},       // 9.7.15.17
	{op: OpMmaSp, name: "f", last: 3, step: 1},                            // 9.7.16.6.1
	{op: OpMmaSpOrdered, name: "f", last: 3, step: 1},                     // 9.7.16.6.1
	{op: OpSetmaxnreg, name: "n", first: 24, last: 256, step: 8},          // 9.7.21.5
	{op: OpLop3, name: "immLut", last: 255, step: 1},                      // 9.7.9.6
	{op: OpPmevent, name: "a", last: 1<<16 - 1, step: 1},                  // 9.7.21.3: a mask of 16 events; alone a number
	{op: OpCpAsyncWaitGroup, name: "n", last: math.MaxInt32, step: 1},     // 9.7.10.28.3.3
	{op: OpCpAsyncBulkWaitGroup, name: "n", last: math.MaxInt32, step: 1}, // 9.7.10.28.6.2
	{op: OpWgmmaWaitGroup, name: "n", last: math.MaxInt32, step: 1},       // 9.7.17.7.3
	{op: OpWgmmaMmaAsync, name: "scaleA", list: []int64{-1, 1}},           // 9.7.17.5.2, as the next three
	{op: OpWgmmaMmaAsync, name: "scaleB", list: []int64{-1, 1}},
	{op: OpWgmmaMmaAsync, name: "transA", last: 1, step: 1},
	{op: OpWgmmaMmaAsync, name: "transB", last: 1, step: 1},
	{op: OpWgmmaMmaAsyncSp, name: "scaleA", list: []int64{-1, 1}}, // 9.7.17.6.3, as the next three
	{op: OpWgmmaMmaAsyncSp, name: "scaleB", list: []int64{-1, 1}},
	{op: OpWgmmaMmaAsyncSp, name: "transA", last: 1, step: 1},
	{op: OpWgmmaMmaAsyncSp, name: "transB", last: 1, step: 1},
	{op: OpBar, name: "a", last: 15, step: 1}, // 9.7.15.1, as the next three; b are whole warps
	{op: OpBar, name: "b", first: 32, last: math.MaxUint32 - 31, step: 32},
	{op: OpBarrier, name: "a", last: 15, step: 1},
	{op: OpBarrier, name: "b", first: 32, last: math.MaxUint32 - 31, step: 32},
	{op: OpCpAsyncBulk, name: "size", last: math.MaxUint32, step: 16},               // 9.7.10.28.4.1
	{op: OpCpReduceAsyncBulk, name: "size", last: math.MaxUint32, step: 16},         // 9.7.10.28.4.2
	{op: OpCpAsyncBulkPrefetch, name: "size", last: math.MaxUint32, step: 16},       // 9.7.10.28.4.3
	{op: OpMultimemCpAsyncBulk, name: "size", last: math.MaxUint32, step: 16},       // 9.7.10.28.4.4
	{op: OpMultimemCpReduceAsyncBulk, name: "size", last: math.MaxUint32, step: 16}, // 9.7.10.28.4.5
	{op: OpTcgen05Alloc, name: "columns", list: []int64{32, 64, 128, 256, 512}},     // 9.7.18.7.1, but of exclusive allocations
	{op: OpTcgen05Dealloc, name: "columns", list: []int64{32, 64, 128, 256, 512}},
}

// event is the number of an event.
var event = constants{last: 15, step: 1}

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
	if i.Op == OpPmevent && !strings.HasPrefix(i.Form.Syntax, "pmevent.mask") {
		return &event
	}
	if (i.Op == OpTcgen05Alloc || i.Op == OpTcgen05Dealloc) && strings.Contains(i.Opcode, ".exclusive") {
		return nil // any multiple of 32 up to a limit of the GPU's, which the emulator knows
	}
	at := slices.IndexFunc(allowedConstants, func(c constants) bool { return c.op == i.Op && c.name == s.Name })
	if at < 0 {
		return nil
	}
	return &allowedConstants[at]
}
