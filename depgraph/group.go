package depgraph

import (
	"encoding/binary"

	"hyptx/internal/fold"
	"hyptx/internal/ssa"
	"hyptx/ir"
)

// The CTAs of a launch do not all see the same graph. A guard that reads only
// %ctaid, as those do by which a convolution treats the border of an image, is
// decided for a CTA before anything runs: once its outcome is given, constants
// fold further, and blocks, dependences and members go. So CTAs are grouped by
// the outcomes of these guards; each group has a graph of its own, specialised
// by the outcomes, and a filtered graph cut from it. Often nothing is left in
// that of a group by which its CTAs differ: then one of them stands for all.

// maxGraphs caps the number of specialised graphs that are told apart;
// maxSliced that of groups which get filtered graphs of their own.
const (
	maxGraphs = 1000
	maxSliced = 64
)

// Groups are the CTAs of a launch by what their %ctaid decides. They are not
// safe for concurrent use.
type Groups struct {
	whole *Filtered
	// decided are the guards and indices that %ctaid decides, by the value
	// that is read.
	decided []ssa.ValueID
	eval    *fold.CTA
	// Axes are those of the grid along which CTAs may be of different groups.
	Axes [3]bool
	// byOutcome finds the group of the outcomes of decided; Graphs are those of
	// the groups that were asked for. signs tell graphs apart: by what can be reached, and
	// the guards that are decided; groups with equal graphs have equal Classes.
	byOutcome map[string]int
	Graphs    []*Graph
	Classes   []int
	signs     map[string]int
	// listed: all groups of the grid are known, because Count has seen all
	// CTAs.
	listed bool
	key    []byte
}

// Groups returns the groups of the launch's CTAs. A copy of a filtered graph,
// from which something was taken, has groups of its own.
func (f *Filtered) Groups() *Groups {
	if f.groups == nil || f.groups.whole != f {
		f.groups = f.newGroups()
	}
	return f.groups
}

func (f *Filtered) newGroups() *Groups {
	g := f.Graph
	c := &Groups{whole: f, byOutcome: make(map[string]int), signs: make(map[string]int)}
	o := &ctaOrder{g: g, state: make(map[ssa.ValueID]bool)}
	k := g.Kernel
	seen := make(map[ssa.ValueID]bool)
	for pc := k.Func.First; pc < k.Func.End; pc++ {
		s := site{0, pc}
		in := &k.Module.Instrs[pc]
		if !g.reached(s) {
			continue
		}
		for _, r := range deciders(in) {
			v := k.use(s, r)
			if _, known := g.folding(0).Const(v); !known && !seen[v] && o.follow(v) {
				seen[v] = true
				c.decided = append(c.decided, v)
			}
		}
	}
	c.Axes = o.axes
	c.eval = g.fold.PerCTA(o.order)
	return c
}

// deciders returns the registers that decide where an instruction leads or for
// which threads it runs.
func deciders(in *ir.Instr) []ir.RegID {
	var regs []ir.RegID
	if in.Guard != ir.NoReg {
		regs = append(regs, in.Guard)
	}
	if in.Inst.IsSwitch() && in.Ops()[0].Kind == ir.OperandReg {
		regs = append(regs, in.Ops()[0].Reg)
	}
	return regs
}

// ctaOrder collects the instructions that compute with %ctaid and constants
// only, each after those whose results it reads.
type ctaOrder struct {
	g     *Graph
	state map[ssa.ValueID]bool // false while open, and for what is no such value
	order []ir.PC
	axes  [3]bool
}

// follow reports whether v is such a value and puts in order what computes it.
func (o *ctaOrder) follow(v ssa.ValueID) bool {
	k := o.g.Kernel
	if _, known := o.g.folding(0).Const(v); known {
		return true
	}
	if ok, seen := o.state[v]; seen {
		return ok
	}
	o.state[v] = false
	val := &k.SSA[0].Values[v]
	if val.Kind != ssa.Def {
		return false
	}
	in := &k.Module.Instrs[val.PC]
	s := site{0, val.PC}
	if in.Guard != ir.NoReg || in.Call != nil || len(k.accessesOf(s)) > 0 || in.Inst.CrossLane() {
		return false
	}
	axes := o.axes
	for i := range in.Ops() {
		op := &in.Ops()[i]
		if op.Kind != ir.OperandSReg {
			continue
		}
		switch src := o.g.operandSource(op); {
		case src&^ctaIDs != 0:
			return false
		case src != 0:
			axes[op.SReg.Axis()] = true
		}
	}
	for _, u := range k.SSA[0].Uses(val.PC) {
		if !o.follow(u) {
			return false
		}
	}
	for i := range axes {
		o.axes[i] = o.axes[i] || axes[i]
	}
	for i := range in.Defs() {
		o.state[k.SSA[0].Written(val.PC, i)] = true
	}
	o.order = append(o.order, val.PC)
	return true
}

// Of returns the number of a CTA's group, from 0 in the order of first asking.
func (c *Groups) Of(ctaid [3]uint32) int {
	c.eval.At(ctaid)
	c.key = c.key[:0]
	for _, v := range c.decided {
		bits, ok := c.eval.Const(v)
		if !ok {
			bits = ^uint64(0)
		}
		c.key = binary.LittleEndian.AppendUint64(c.key, bits)
	}
	if n, ok := c.byOutcome[string(c.key)]; ok {
		return n
	}
	n := len(c.Graphs)
	c.byOutcome[string(c.key)] = n
	g := c.specialised()
	c.Graphs = append(c.Graphs, g)
	sign := g.sign()
	if _, known := c.signs[sign]; !known {
		c.signs[sign] = len(c.signs)
	}
	c.Classes = append(c.Classes, c.signs[sign])
	return n
}

// specialised returns the graph in which what the CTA last evaluated decides is
// decided. It holds for all CTAs of the group: nothing else that they differ in
// is folded.
func (c *Groups) specialised() *Graph {
	if len(c.decided) == 0 {
		return c.whole.Graph // as it is
	}
	l := Launch{Kernel: c.whole.Graph.Kernel.Func}
	if c.whole.Graph.launch != nil {
		l = *c.whole.Graph.launch
	}
	l.Consts.Decided = make(map[ssa.ValueID]uint64, len(c.decided))
	for _, v := range c.decided {
		if bits, ok := c.eval.Const(v); ok {
			l.Consts.Decided[v] = bits
		}
	}
	return c.whole.Graph.Kernel.Specialise(&l)
}

// Count returns the number of different graphs in the whole grid:
// dependency_graphs. It stops counting at 1000.
func (c *Groups) Count() int {
	extent := [3]uint32{1, 1, 1}
	for i, matters := range c.Axes {
		if matters && c.whole.Graph.launch != nil {
			extent[i] = max(c.whole.Graph.launch.Consts.NCTAID[i], 1)
		}
	}
	for z := range extent[2] {
		for y := range extent[1] {
			for x := range extent[0] {
				if c.listed {
					return len(c.signs)
				}
				c.Of([3]uint32{x, y, z})
				if len(c.signs) >= maxGraphs || len(c.byOutcome) >= 4*maxGraphs {
					return min(len(c.signs), maxGraphs)
				}
			}
		}
	}
	c.listed = true
	return len(c.signs)
}

// Filters returns the filtered graph that each group is to run, by its number:
// its own where that is smaller than the whole launch's, else that. It is nil
// where all groups run the launch's.
//
// What the launch's slice does without, a group can do without, too. The slice
// must not store what others read: stores are not looked for again.
func (c *Groups) Filters() []*Filtered {
	if c.Count(); !c.listed || len(c.Graphs) < 2 || len(c.Graphs) > maxSliced {
		return nil
	}
	filters := make([]*Filtered, len(c.Graphs))
	smaller := false
	for i, g := range c.Graphs {
		filters[i] = c.whole
		f := g.slice(c.whole.mode, nil)
		f.Slice.Run.Keep(c.whole.Slice.Run)
		f.Slice.Value.Keep(c.whole.Slice.Value)
		if f.Len() < c.whole.Len() {
			filters[i], smaller = f, true
		}
	}
	if !smaller {
		return nil
	}
	return filters
}

// sign returns what tells the graph from others of the same launch: which
// blocks can be reached and which guards are decided, how.
func (g *Graph) sign() string {
	var bits signature
	for fn, f := range g.Kernel.Funcs {
		for i := range f.Blocks {
			bits.add(g.folding(int32(fn)).Reached(i))
		}
	}
	for s := range g.Kernel.ordered() {
		if g.Kernel.Module.Instrs[s.pc].Guard != ir.NoReg && g.reached(s) {
			holds, known := g.guard(s)
			bits.add(known)
			bits.add(known && holds)
		}
	}
	return string(bits.bytes)
}

// signature is a sequence of bits.
type signature struct {
	bytes []byte
	n     int
}

func (s *signature) add(bit bool) {
	if s.n%8 == 0 {
		s.bytes = append(s.bytes, 0)
	}
	if bit {
		s.bytes[s.n/8] |= 1 << (s.n % 8)
	}
	s.n++
}
