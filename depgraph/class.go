package depgraph

import (
	"hyptx/ir"
)

// maxClasses caps the number of specialised graphs that are told apart.
const maxClasses = 1000

// Classes are the CTAs of a launch by the graphs that their %ctaid specialises
// the launch's graph to. A graph is told by what the CTA can reach and by the
// guards that it decides; CTAs with equal graphs share one. Graphs are made
// when asked for. Classes are not safe for concurrent use.
type Classes struct {
	g *Graph
	// decided are the guards and indices that %ctaid decides, by the value
	// that is read.
	decided []ir.ValueID
	eval    *ir.CTAFolding
	// axes are the axes of %ctaid that matter.
	axes [3]bool
	// byOutcome finds the class of the outcomes of decided, bySign that of a
	// graph.
	byOutcome, bySign map[string]int
	graphs            []*Graph
	key               []byte
}

// Classes returns the classes of the launch's CTAs.
func (g *Graph) Classes() *Classes {
	c := &Classes{g: g, byOutcome: make(map[string]int), bySign: make(map[string]int)}
	o := &ctaOrder{g: g, state: make(map[ir.ValueID]bool)}
	k := g.Kernel
	seen := make(map[ir.ValueID]bool)
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
	c.axes = o.axes
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
	if in.Inst.IsSwitch() && in.Ops[0].Kind == ir.OperandReg {
		regs = append(regs, in.Ops[0].Reg)
	}
	return regs
}

// ctaOrder collects the instructions that compute with %ctaid and constants
// only, each after those whose results it reads.
type ctaOrder struct {
	g     *Graph
	state map[ir.ValueID]bool // false while open, and for what is no such value
	order []ir.PC
	axes  [3]bool
}

// follow reports whether v is such a value and puts in order what computes it.
func (o *ctaOrder) follow(v ir.ValueID) bool {
	k := o.g.Kernel
	if _, known := o.g.folding(0).Const(v); known {
		return true
	}
	if ok, seen := o.state[v]; seen {
		return ok
	}
	o.state[v] = false
	val := &k.SSA[0].Values[v]
	if val.Kind != ir.Def {
		return false
	}
	in := &k.Module.Instrs[val.PC]
	s := site{0, val.PC}
	if in.Guard != ir.NoReg || in.Call != nil || len(k.accessesOf(s)) > 0 || in.Inst.CrossLane() {
		return false
	}
	axes := o.axes
	for i := range in.Ops {
		op := &in.Ops[i]
		if op.Kind != ir.OperandSReg {
			continue
		}
		switch src := o.g.operandSource(op); {
		case src&^CTAIDs != 0:
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

// Of returns the number of a CTA's class, from 0 in the order of first asking.
func (c *Classes) Of(ctaid [3]uint32) int {
	c.eval.At(ctaid)
	c.key = c.key[:0]
	for _, v := range c.decided {
		bits, ok := c.eval.Const(v)
		if !ok {
			bits = ^uint64(0)
		}
		c.key = append(c.key, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
	}
	if n, ok := c.byOutcome[string(c.key)]; ok {
		return n
	}
	g := c.g.atCTA(ctaid)
	sign := g.sign()
	n, ok := c.bySign[sign]
	if !ok {
		n = len(c.graphs)
		c.bySign[sign] = n
		c.graphs = append(c.graphs, g)
	}
	c.byOutcome[string(c.key)] = n
	return n
}

// Graph returns the specialised graph of a CTA. CTAs of a class share it; its
// constants are those of the first that was asked for.
func (c *Classes) Graph(ctaid [3]uint32) *Graph { return c.graphs[c.Of(ctaid)] }

// Count returns the number of classes of the whole grid: dependency_graphs. It
// stops counting at 1000.
func (c *Classes) Count() int {
	extent := [3]uint32{1, 1, 1}
	for i, matters := range c.axes {
		if matters && c.g.launch != nil {
			extent[i] = max(c.g.launch.Consts.NCTAID[i], 1)
		}
	}
	for z := range extent[2] {
		for y := range extent[1] {
			for x := range extent[0] {
				c.Of([3]uint32{x, y, z})
				if len(c.graphs) >= maxClasses || len(c.byOutcome) >= 4*maxClasses {
					return min(len(c.graphs), maxClasses)
				}
			}
		}
	}
	return len(c.graphs)
}

// atCTA returns the graph specialised for one CTA.
func (g *Graph) atCTA(ctaid [3]uint32) *Graph {
	l := Launch{Kernel: g.Kernel.Func}
	if g.launch != nil {
		l = *g.launch
	}
	l.Consts.CTAID = &ctaid
	return g.Kernel.Specialise(&l)
}

// sign returns what tells the graph from others of the same launch: which
// blocks can be reached and which guards are decided, how.
func (g *Graph) sign() string {
	var b []byte
	for fn, f := range g.Kernel.Funcs {
		for i := range f.Blocks {
			if g.folding(int32(fn)).Reached(i) {
				b = append(b, 1)
			} else {
				b = append(b, 0)
			}
		}
	}
	for _, s := range g.Kernel.ordered {
		if g.Kernel.Module.Instrs[s.pc].Guard == ir.NoReg || !g.reached(s) {
			continue
		}
		switch holds, known := g.guard(s); {
		case !known:
			b = append(b, 2)
		case holds:
			b = append(b, 1)
		default:
			b = append(b, 0)
		}
	}
	return string(b)
}
