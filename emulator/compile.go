package emulator

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"hyptx/emulator/internal/abort"
	"hyptx/emulator/internal/lanes"
	"hyptx/internal/observe"
	"hyptx/internal/order"
	"hyptx/internal/slice"
	"hyptx/internal/vary"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Compile goes over the kernel and what it may call several times, since each step
// needs the one before for all functions:
//
//	reachable              which functions there are, by calls and by addresses
//	layoutShared           offsets of shared variables, the dynamic segment last
//	layoutFunction         offsets of locals and parameters in a thread's stack
//	segments               blocks cut into segments, with edges between them
//	fill                   instructions, with places for registers as they come up
//	addRepeats             loops of a slice whose rounds need not be run
//
// In a slice the same steps see fewer instructions: those outside it are counted
// with their segment and have no inst. A register that only they name has no place.

// Options say what a program does beside running its kernel.
type Options struct {
	// Slice, if not nil, are the instructions that run; all are counted.
	Slice *slice.Slice
	// Origins, if not nil, are the instructions through which it is followed
	// which values are assumed or depend on the schedule; decisions on such
	// values are counted. It is the slice of all decisions, or Slice where that
	// is not nil.
	Origins *slice.Slice
	// Decides, if not nil, are those through which a decision may depend on what
	// a load reads, where Origins has more.
	Decides *slice.Slice
	// Traffic: what the accesses of memory move is counted. An access of the
	// slice whose value is not needed is not done.
	Traffic bool
	// Descriptors, if not nil, know the instruction descriptors of tcgen05's products that are
	// constants of the launch: traces tell nothing of others.
	Descriptors interface {
		Descriptor(pc ir.PC) (bits uint32, known bool)
	}
	// Writes: of the traffic, what stores move is counted, nothing else.
	Writes bool
	// Adds says which additions are watched.
	Adds Adds
	// Observe says what of the program may be observed.
	Observe observe.What
	// Check: accesses are looked at, for LaunchConfig.Check.
	Check bool
	// Variation, if not nil, is what open results follow. Slices and programs
	// that count traffic follow it only as far as the order of threads goes.
	Variation *vary.Variation
}

// Compile decodes a kernel and all that it may call. The kernel's module must
// have been loaded. It gives up when ctx ends.
func (m *Machine) Compile(ctx context.Context, kernel *ir.Func, o Options) (_ *Program, err error) {
	defer abort.Catch(&err)
	c := &compiler{
		ctx: ctx, mod: kernel.Module, data: m.modules[kernel.Module], slice: o.Slice, origins: o.Origins, decides: o.Decides,
		prog:   &Program{Module: kernel.Module, Kernel: kernel, sliced: o.Slice != nil, traffic: o.Traffic || o.Writes, onlyWrites: !o.Traffic, sharedVar: map[*ir.Var]int64{}},
		consts: map[constKey]operand{}, frames: map[frameKey]int32{}, invertedBorrow: m.InvertedBorrow, descriptors: o.Descriptors, adds: o.Adds, observing: o.Observe,
	}
	c.prog.checked = o.Check
	if c.data == nil {
		return nil, fmt.Errorf("module %s is not loaded", kernel.Module.File)
	}
	if v := o.Variation; v != nil && v.Order {
		c.prog.order = o.Origins != nil
	} else if v != nil && o.Slice == nil && !c.prog.traffic {
		c.variation, c.products = v, map[ir.PC]product{}
		c.prog.turns = turns{reverse: v.Reverse, shuffle: v.Shuffle, seed: v.Seed}
	}
	c.prog.sm70 = kernel.Module.Target.SM >= 70
	c.prog.guardCount = map[ir.PC]int32{}
	c.prog.constGuard = map[ir.PC]bool{}
	fns := c.reachable(kernel)
	if err := c.checkDefined(fns); err != nil {
		return nil, err
	}
	c.layoutShared(fns)
	c.prog.grain = grainOf(fns, func(isa.Space) bool { return true })
	c.prog.globalGrain = grainOf(fns, func(s isa.Space) bool { return s == isa.Global || s == isa.Generic })
	for _, f := range fns {
		c.prog.funcs = append(c.prog.funcs, &function{ir: f, explicit: noPred, local: map[*ir.Var]int64{}})
		c.layoutFunction(c.prog.funcs[len(c.prog.funcs)-1])
	}
	slices.SortFunc(c.prog.funcs, func(a, b *function) int { return cmp.Compare(a.ir.Index, b.ir.Index) })
	for i, f := range c.prog.funcs {
		f.index = i
	}
	for _, f := range fns {
		c.segments(c.prog.function(f))
		if c.variation != nil {
			c.findProducts(c.prog.function(f))
		}
	}
	// Counters: two for each segment first, then the others as they come.
	c.prog.counts = 2 * len(c.prog.segs)
	if o.Origins != nil {
		c.prog.decisions = c.prog.counts
		c.prog.counts += order.Reasons
	}
	c.prog.insts = make([]inst, 0, c.countDecoded(fns))
	for _, f := range fns {
		if err := c.fillFunction(c.prog.function(f)); err != nil {
			return nil, err
		}
	}
	for i := range c.prog.segs {
		s := &c.prog.segs[i]
		if s.cost = s.length; c.prog.sliced {
			s.cost = int32(max(s.work(), 1)) // a loop of nothing has to end, too
		}
	}
	c.prog.findLoopSegments()
	c.addRepeats()
	if len(c.prog.consts) == 0 {
		c.prog.consts = make([]lanes.Slot, 1)
	}
	return c.prog, nil
}

// function returns what a function was decoded to; nil if the kernel cannot reach it.
func (p *Program) function(f *ir.Func) *function {
	i, found := slices.BinarySearchFunc(p.funcs, f.Index, func(f *function, index int) int { return cmp.Compare(f.ir.Index, index) })
	if !found {
		return nil
	}
	return p.funcs[i]
}

// countDecoded returns how many instructions of functions are decoded, or some more: what a
// list that grows leaves behind of millions is twice the list.
func (c *compiler) countDecoded(fns []*ir.Func) (n int) {
	for _, f := range fns {
		for pc := f.First; pc < f.End; pc++ {
			guarded := c.mod.Instrs[pc].Guard != ir.NoReg
			if guarded || c.runs(pc) {
				n++
			}
			if guarded && c.origins != nil {
				n++ // its decision
			}
		}
	}
	return n
}

// look gives up if the context has ended. Decoding a large kernel takes seconds, and
// none of the functions that it goes through but this one has to know.
func (c *compiler) look() {
	if c.ctx.Err() != nil {
		abort.Throw(context.Cause(c.ctx))
	}
}

// reachable returns the kernel and all functions that it may call, kernel
// first.
func (c *compiler) reachable(kernel *ir.Func) []*ir.Func {
	seen := map[*ir.Func]bool{kernel: true}
	list := []*ir.Func{kernel}
	add := func(f *ir.Func) {
		if f != nil && f.Defined && !seen[f] {
			seen[f] = true
			list = append(list, f)
		}
	}
	for i := 0; i < len(list); i++ {
		for _, pc := range list[i].Calls {
			call := c.mod.Instrs[pc].Call
			add(call.Callee)
			if call.Callee == nil {
				for _, f := range indirectCandidates(c.mod, call) {
					add(f)
				}
			}
		}
	}
	return list
}

// layoutShared places the static shared variables, the module's that the
// functions name and their own, then the dynamic segment.
func (c *compiler) layoutShared(fns []*ir.Func) {
	var at int64
	align := int64(16)
	place := func(v *ir.Var) {
		if v.Space != isa.Shared {
			return
		}
		if v.Extern {
			align = max(align, int64(v.Align))
			return
		}
		at = alignUp(at, int64(max(v.Align, 1)))
		c.prog.sharedVar[v] = at
		at += v.Bytes
	}
	named := c.namedVars(fns)
	for _, v := range c.mod.Vars {
		if named[v] {
			place(v)
		}
	}
	for _, f := range fns {
		for _, v := range f.Vars {
			place(v)
		}
	}
	c.prog.sharedLen = at
	c.prog.dynShared = at
	for _, v := range c.mod.Vars {
		if v.Space == isa.Shared && v.Extern {
			c.prog.dynShared = alignUp(at, align)
			c.prog.sharedVar[v] = c.prog.dynShared
		}
	}
	for _, at := range c.prog.sharedVar {
		c.prog.sharedAt = append(c.prog.sharedAt, uint64(at))
	}
	slices.Sort(c.prog.sharedAt)
	c.prog.sharedAt = slices.Compact(c.prog.sharedAt)
}

// namedVars returns the variables that instructions of the functions name.
func (c *compiler) namedVars(fns []*ir.Func) map[*ir.Var]bool {
	named := map[*ir.Var]bool{}
	var note func(ops []ir.Operand)
	note = func(ops []ir.Operand) {
		for i := range ops {
			if ops[i].Var != nil {
				named[ops[i].Var] = true
			}
			note(ops[i].Elems())
		}
	}
	for _, f := range fns {
		for i := range f.Instrs() {
			in := &f.Instrs()[i]
			note(in.Ops())
			if in.Call != nil {
				note(in.Call.Args)
				note(in.Call.Returns)
			}
		}
	}
	return named
}

// layoutFunction gives places to the registers that its executed instructions
// name, to its local variables and parameters.
func (c *compiler) layoutFunction(fn *function) {
	f := fn.ir
	fn.reg = make([]int32, len(f.Regs))
	for i := range fn.reg {
		fn.reg[i] = -1
	}
	var at int64
	for _, v := range f.Vars {
		if v.Space == isa.Local {
			at = c.layoutLocal(fn, v, at)
		}
	}
	fn.declared = alignUp(at, 16)
	for _, v := range f.Vars {
		if v.Space == isa.ParamFunc {
			at = c.layoutLocal(fn, v, at)
		}
	}
	if !f.Kernel {
		for _, list := range [][]ir.Formal{f.Params, f.Returns} {
			for _, fo := range list {
				if fo.Var != nil {
					at = c.layoutLocal(fn, fo.Var, at)
				}
			}
		}
	}
	fn.localBytes = alignUp(at, 16)
	for _, fo := range f.Params {
		fn.params = append(fn.params, c.formal(fn, fo))
	}
	for _, fo := range f.Returns {
		fn.returns = append(fn.returns, c.formal(fn, fo))
	}
}

func (c *compiler) layoutLocal(fn *function, v *ir.Var, at int64) int64 {
	if _, ok := fn.local[v]; ok {
		return at
	}
	at = alignUp(at, int64(max(v.Align, 1)))
	fn.local[v] = at
	return at + v.Bytes
}

// DeclaredBytes returns the static shared memory of a CTA and the local memory
// of a thread that a kernel declares, in bytes. The kernel need not be one that
// can be executed.
func DeclaredBytes(kernel *ir.Func) (shared, local int64) {
	c := &compiler{mod: kernel.Module, prog: &Program{Module: kernel.Module, Kernel: kernel, sharedVar: map[*ir.Var]int64{}}}
	c.layoutShared(c.reachable(kernel))
	fn := &function{ir: kernel, explicit: noPred, local: map[*ir.Var]int64{}}
	c.layoutFunction(fn)
	return c.prog.sharedLen, fn.declared
}

// grainOf returns the logarithm of the least bytes that instructions of functions access
// at a time, up to a word.
func grainOf(fns []*ir.Func, in func(isa.Space) bool) (grain uint8) {
	for grain = 2; grain > 0; {
		if !slices.ContainsFunc(fns, func(f *ir.Func) bool { return accessesAtMost(f, 8<<grain/2, in) }) {
			return grain
		}
		grain--
	}
	return grain
}

// accessesAtMost reports whether an instruction of a function accesses so many bits of memory,
// or fewer, of the spaces of which a function says so.
func accessesAtMost(f *ir.Func, most int, in func(isa.Space) bool) bool {
	instrs := f.Instrs()
	return slices.ContainsFunc(instrs, func(i ir.Instr) bool {
		x := i.Inst
		if x.Form.Object != 0 {
			return true // elements of a texture may be bytes
		}
		return (x.IsLoad() || x.IsStore() || x.IsAtomic()) && x.Type() != 0 && x.Type().Bits() <= most && in(x.Space)
	})
}
