package analysis

import (
	"cmp"
	"slices"

	"hyptx/emulator"
	"hyptx/ir"
)

// instrCounts are the counts of a kernel's instructions and of those that it may call: a
// module may have thousands of kernels, and each of them costs no more than its own.
type instrCounts struct {
	funcs []*ir.Func // in the order of the text
	at    []int      // where the counts of each begin
	list  []emulator.InstrCount
}

// newInstrCounts makes room for a kernel's counts, each with its PC.
func newInstrCounts(kernel *ir.Func) *instrCounts {
	c := &instrCounts{funcs: kernel.Closure()}
	c.funcs = slices.DeleteFunc(c.funcs, func(f *ir.Func) bool { return f.First == f.End }) // {}, where another one begins
	slices.SortFunc(c.funcs, func(a, b *ir.Func) int { return cmp.Compare(a.First, b.First) })
	n := 0
	for _, f := range c.funcs {
		n += int(f.End - f.First)
	}
	c.list = make([]emulator.InstrCount, 0, n)
	for _, f := range c.funcs {
		c.at = append(c.at, len(c.list))
		for pc := f.First; pc < f.End; pc++ {
			c.list = append(c.list, emulator.InstrCount{PC: pc})
		}
	}
	return c
}

// of returns the count of an instruction, which must be one of the kernel's.
func (c *instrCounts) of(pc ir.PC) *emulator.InstrCount {
	i, _ := slices.BinarySearchFunc(c.funcs, pc, func(f *ir.Func, pc ir.PC) int {
		if f.End <= pc {
			return -1
		}
		return 1
	})
	return &c.list[c.at[i]+int(pc-c.funcs[i].First)]
}
