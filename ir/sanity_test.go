package ir

import (
	"slices"
	"strings"
	"testing"

	"hyptx/internal/flow"
)

// adjacent is a graph as lists.
type adjacent struct{ succs, preds [][]int }

func (g adjacent) Len() int          { return len(g.succs) }
func (g adjacent) Succs(n int) []int { return g.succs[n] }
func (g adjacent) Preds(n int) []int { return g.preds[n] }

// edges is a graph of blocks with the given successors.
func edges(succs ...[]int) adjacent {
	g := adjacent{succs, make([][]int, len(succs))}
	for b, s := range succs {
		for _, to := range s {
			if to != Exit {
				g.preds[to] = append(g.preds[to], b)
			}
		}
	}
	return g
}

// TestSanity breaks one invariant at a time and sees it found.
func TestSanity(t *testing.T) {
	tests := map[string]struct {
		damage func(m *Module, f *Func)
		want   string
	}{
		"PC":        {func(m *Module, f *Func) { m.Instrs[1].PC = 7 }, "its PC is 7"},
		"function":  {func(m *Module, f *Func) { f.Index++ }, "wrong index"},
		"bounds":    {func(m *Module, f *Func) { f.End-- }, "the blocks end"},
		"operands":  {func(m *Module, f *Func) { m.Instrs[1].setOps(m.Instrs[1].Ops()[:1]) }, "operands"},
		"register":  {func(m *Module, f *Func) { m.Instrs[1].Ops()[0].Reg = 999 }, "register 999"},
		"use twice": {func(m *Module, f *Func) { m.Instrs[1].setRegisters([]RegID{0, 0}, 0) }, "twice"},
		"target":    {func(m *Module, f *Func) { m.Instrs[3].Target = f.End + 1 }, "outside"},
		"call":      {func(m *Module, f *Func) { f.Calls = []PC{1} }, "Calls says"},
		"block":     {func(m *Module, f *Func) { m.Instrs[1].Block = 0 }, "in block 0"},
		"successor": {func(m *Module, f *Func) { f.Blocks[0].Succs()[0] = 2 }, "bad successor"},
		"predecessor": {func(m *Module, f *Func) {
			l := *f.Blocks[2].links
			l.preds, l.blocks = []int{0, 1, 0, 1}, slices.Clone(l.blocks)
			l.blocks[3].preds = 4
			f.Blocks[2].links = &l
		}, "bad predecessor"},
		"dominator": {func(m *Module, f *Func) {
			f.Dominators()
			f.flow.dom = flow.Dominators(edges([]int{2}, []int{Exit}, []int{1}))
		}, "does not dominate its predecessor"},
		"post": {func(m *Module, f *Func) {
			f.PostDominators()
			f.flow.post = flow.PostDominators(edges([]int{Exit}, []int{0}, []int{Exit}))
		}, "does not post-dominate"},
		"loop":        {func(m *Module, f *Func) { f.Loops(); f.flow.loopOf[1] = nil }, "said to lie elsewhere"},
		"variable":    {func(m *Module, f *Func) { f.Vars[0].Index = 99 }, "number 99"},
		"scope":       {func(m *Module, f *Func) { f.Vars[0].Func = nil }, "another scope"},
		"initialised": {func(m *Module, f *Func) { f.Vars[0].Init = make([]byte, 17) }, "17 initialised"},
	}
	for name, test := range tests {
		m := lowerText(t, `.entry k (.param .u64 p) { .reg .pred %p; .reg .b32 %r; .shared .b8 s[16];
mov.u32 %r, 0; L: add.u32 %r, %r, 1; setp.lt.u32 %p, %r, 9; @%p bra L; ret; }`)
		test.damage(m, m.Func("k"))
		if err := m.sanity(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want an error about %q", name, err, test.want)
		}
	}
}
