package machine

import (
	"cmp"
	"context"
	"slices"

	"hyptx/internal/pipe"
	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Charge says that machine instructions run when PTX instructions do.
type Charge struct {
	// Issue is the instruction whose warp and thread counts say how often the
	// machine instructions are issued; Exec the one whose threads execute them:
	// another one where a branch has become predication.
	Issue, Exec ir.PC
	// Guarded: of Exec's threads only those whose guard holds execute them.
	Guarded bool
	Class   isa.Class
	// Num machine instructions run in IssueDen executions of Issue, and in
	// ExecDen executions of Exec; these are more than 1 where a loop has been
	// unrolled.
	Num, IssueDen, ExecDen int64
	// FMA of the Num are floating-point multiply-adds.
	FMA int64
	// Flops are the floating-point operations of the Num, by each thread: a
	// multiply-add is two.
	Flops int64
	// Kind is which unit takes them; those of the uniform datapath run once for a warp.
	Kind pipe.Kind
	Rounds
}

// Code is the estimate for one function.
type Code struct {
	Func *ir.Func
	// Charges are in the order of Issue, then Exec; each combination once.
	Charges []Charge
	// Branches are the branches that are left.
	Branches []Branch
	// Registers is how many registers a thread is expected to have.
	Registers int
}

// Branch says that Num branches of the machine run in Den executions of a branch
// of the PTX, or of the last instruction of a block that goes on elsewhere.
type Branch struct {
	PC       ir.PC
	Num, Den int64
	Rounds
}

// Launch is what is known of a launch: the extents of block and grid, zero
// where they are not. They bound indices and so prove that a sum does not wrap
// around, which lets its constant move through a widening to 64 bits into the
// offset of an access. Nothing else follows from them: no comparison is decided
// by what ptxas does not know.
//
// ptxas itself cannot prove it where a grid's extent counts. Front ends that
// know their source's overflow to be undefined have done that step before (nvcc,
// clang), so that their code changes little; what other generators leave to do
// is counted here as if they had.
type Launch struct {
	NTID, NCTAID [3]uint32
}

// New estimates the machine code of the function that s is the overlay of, on
// GPUs of compute capability sm, such as 86; an error is why ctx ended before.
// launch may be nil: then nothing is used but what ptxas knows.
func New(ctx context.Context, s *ssa.Form, launch *Launch, sm int) (*Code, error) {
	return within(ctx, func(q *quit) *Code {
		c := best(q, s, launch, sm)
		code := c.code()
		code.Registers = c.listing().Registers
		return code
	})
}

// best estimates a function as it stands, and again with the loops unrolled that
// are then known to be small enough.
func best(q *quit, s *ssa.Form, launch *Launch, sm int) *control {
	loops := countLoops(q, s)
	open := openLoops(q, s, loops)
	c := estimate(expand(q, s.Func, sm, loops, open, nil), s, launch)
	if u := choose(q, s.Func, loops, open, c.sizes()); len(u) > 0 {
		c = estimate(expand(q, s.Func, sm, loops, open, u), s, launch)
	}
	return c
}

// estimate goes through the steps for one choice of unrolled loops.
func estimate(x *expansion, s *ssa.Form, launch *Launch) *control {
	b := build(x, s, launch)
	x.reachable(b)
	b.need()
	b.fuse()
	b.merge()
	b.uniforms()
	p := &bill{builder: b, held: map[id][]int{}, total: make([]int, len(x.blocks))}
	if s.Func.Kernel {
		p.move(0, 1, 0) // the stack pointer: MOV R1, c[0x0][0x28]
	}
	p.price()
	c := newControl(p)
	c.leave()
	c.predicate()
	c.branches()
	return c
}

// sizes returns the number of machine instructions of each block.
func (c *control) sizes() []int {
	sizes := make([]int, len(c.s.Func.Blocks))
	for k, n := range c.total {
		sizes[c.x.blocks[k].orig] += n
	}
	return sizes
}

// code sums the bill up.
func (c *control) code() *Code {
	code := &Code{Func: c.s.Func, Charges: c.charges()}
	for k, n := range c.branched {
		code.Branches = append(code.Branches, Branch{k.pc, n, k.copies, k.Rounds})
	}
	slices.SortFunc(code.Branches, func(a, b Branch) int {
		return cmp.Or(cmp.Compare(a.PC, b.PC), compareBools(a.Left, b.Left))
	})
	slices.SortFunc(code.Charges, func(a, b Charge) int {
		c.x.look()
		if a.Issue != b.Issue {
			return cmp.Compare(a.Issue, b.Issue)
		}
		return cmp.Or(cmp.Compare(a.Exec, b.Exec), cmp.Compare(a.Class, b.Class),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.IssueDen, b.IssueDen), cmp.Compare(a.ExecDen, b.ExecDen), cmp.Compare(a.Num, b.Num), compareBools(a.Guarded, b.Guarded), compareBools(a.Left, b.Left))
	})
	return code
}

// charges sums the items that are issued and executed alike.
func (c *control) charges() []Charge {
	f := c.s.Func
	// An effect counts as often as the PTX says: copies of it that cannot be
	// executed, because their guard never holds, have left the others their part.
	effects, left := make([]int64, f.End-f.First), make([]int64, f.End-f.First)
	for i := range c.items {
		if it := &c.items[i]; it.effect {
			n := effects
			if c.x.blocks[it.block].rest {
				n = left
			}
			n[it.pc-f.First]++
			for _, e := range c.merged[it.of] {
				n[c.nodes[e].in.PC-f.First]++
			}
		}
	}
	sums := make([][]Charge, f.End-f.First) // by Exec: few of each
	for i := range c.items {
		c.x.look()
		it := &c.items[i]
		k := Charge{Issue: it.pc, Exec: it.pc, Guarded: it.guarded, Class: it.class, Kind: it.kind,
			IssueDen: c.copiesOf(it.block), ExecDen: c.copiesOf(it.block), Rounds: c.roundsOf(it.block)}
		if it.effect {
			k.ExecDen = effects[it.pc-f.First]
			if k.Left {
				k.ExecDen = left[it.pc-f.First]
			}
		}
		if root := c.rootOf(it.block); root != it.block {
			k.Issue, k.IssueDen = c.last(root).PC, c.copiesOf(root)
		}
		list := &sums[it.pc-f.First]
		at := slices.IndexFunc(*list, func(s Charge) bool {
			return s.Issue == k.Issue && s.Guarded == k.Guarded && s.Class == k.Class && s.Kind == k.Kind && s.IssueDen == k.IssueDen && s.ExecDen == k.ExecDen && s.Rounds == k.Rounds
		})
		if at < 0 {
			at = len(*list)
			*list = append(*list, k)
		}
		s := &(*list)[at]
		s.Num, s.FMA, s.Flops = s.Num+int64(it.n), s.FMA+int64(it.fma), s.Flops+c.flops(it)
	}
	return slices.Concat(sums...)
}

// flops returns the floating-point operations of an item, of each element of
// packed types.
func (c *control) flops(it *item) int64 {
	d := &c.nodes[it.of]
	if it.kind != pipe.FP32 && it.kind != pipe.FP64 && it.kind != pipe.FP16 || d.in == nil || compares(d.in.Inst.Op) {
		return 0
	}
	switch d.in.Inst.Op {
	case isa.OpAbs, isa.OpNeg:
		return 0
	}
	return int64(it.n+it.fma) * int64(max(d.in.Inst.Type().Lanes(), 1))
}

func (c *control) copiesOf(block int) int64 { return c.x.counted(block)[c.x.blocks[block].orig] }

// under makes the branch of copy a what k is predicated by.
func (c *control) under(k, a int) { c.root[k], c.near[k] = a, a }

// rootOf returns the copy that issues a predicated one. Each time the way there is
// halved, as arms without instructions may stand in each other by the thousands.
func (c *control) rootOf(block int) int {
	for c.near[block] != block {
		c.near[block] = c.near[c.near[block]]
		block = c.near[block]
	}
	return block
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
