package emulator

import (
	"testing"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// Guards in proofs: a lane whose guard is false keeps what was in its registers and in its memory,
// and is counted as active all the same.

// guard is a predicate and whether "!" stands before it.
type guard struct {
	name string
	not  bool
}

func (g guard) text() string {
	switch {
	case g.name == "":
		return ""
	case g.not:
		return "@!" + g.name + " "
	}
	return "@" + g.name + " "
}

// drawGuard gives an instruction a guard, half of the time that it can have one: lanes of others have
// to be there together, and what a carry is if nothing is added is another matter.
func (p *proof) drawGuard(c *spelled) {
	x := c.inst
	if !p.guards || x.CrossLane() || x.SyncsWarp() || x.IsBarrier() || x.ReadsCC() || x.WritesCC() || p.r.IntN(2) == 0 {
		return
	}
	c.guard = guard{"r_pred_41", p.r.IntN(2) == 0}
	load := func(typ isa.Type, bits int, names ...string) {
		o := proofOperand{spec: &isa.OperandSpec{}, typ: typ, bits: bits, names: names}
		p.load(&o)
		c.old = append(c.old, o)
	}
	load(isa.Pred, 1, c.guard.name)
	for i := range c.ops {
		o := &c.ops[i]
		if !o.spec.Write {
			continue
		}
		load(o.typ, o.bits, o.names...)
		if o.pair != "" {
			load(isa.Pred, 1, o.pair)
		}
	}
}

// oldValues is how many values a guard and what is written took.
func (c *spelled) oldValues() (n int) {
	for i := range c.old {
		n += len(c.old[i].names) * c.old[i].words()
	}
	return n
}

// keepOld replaces what is wanted of a warp's lanes whose guard is false, and of their memory. Its
// values are those from the first on.
func (c *spelled) keepOld(p *proof, warp, first int, want [][]outcome, mem [][]byte) {
	if c.guard.name == "" {
		return
	}
	values := c.oldValues()
	as := c.area.before(p, warp)
	for lane := range want {
		value := func(i int) uint64 { return p.in[(first+i)*p.threads()+32*warp+lane] }
		if value(0)&1 != 0 != c.guard.not {
			continue
		}
		mem[lane], want[lane] = as[lane], nil
		for i := 1; i < values; i++ {
			want[lane] = append(want[lane], outcome{bits: value(i)})
		}
	}
}

// checkCounts: each warp issues each instruction once, with all lanes, of which those whose guard
// holds execute it.
func (p *proof) checkCounts(t testing.TB, r *Result) {
	t.Helper()
	threads := uint64(p.threads())
	var guarded []uint64
	value := 0
	for _, c := range p.cases {
		_, values := p.sources(c, 0, 0, nil)
		if value += values; c.guard.name != "" {
			holds := uint64(0)
			for _, v := range p.in[value*p.threads():][:threads] {
				if v&1 != 0 != c.guard.not {
					holds++
				}
			}
			guarded = append(guarded, holds)
		}
		value += c.oldValues()
	}
	p.countsAre(t, r, guarded)
}

// countsAre holds the counts against how many threads' guards hold, of the instructions that have
// one, in order.
func (p *proof) countsAre(t testing.TB, r *Result, guarded []uint64) {
	t.Helper()
	threads := uint64(p.threads())
	want := make([]InstrCount, len(r.Program.Module.Instrs))
	for pc := range want {
		in := &r.Program.Module.Instrs[pc]
		want[pc].Issues, want[pc].Lanes, want[pc].PredOn = uint64(p.warps), threads, threads
		if in.Guard != ir.NoReg {
			want[pc].PredOn, guarded = guarded[0], guarded[1:]
		}
	}
	for _, class := range r.Classes {
		r.Program.EachInstr(class.Counts, func(i InstrCount) {
			n := uint64(class.CTAs)
			want[i.PC].Issues -= n * i.Issues
			want[i.PC].Lanes -= n * i.Lanes
			want[i.PC].PredOn -= n * i.PredOn
		})
	}
	for pc := range want {
		if w := &want[pc]; w.Issues != 0 || w.Lanes != 0 || w.PredOn != 0 {
			t.Fatalf("%s: issues, lanes and lanes with a true guard are %d, %d and %d fewer than there are", r.Program.Module.FuncOf(ir.PC(pc)).Text(ir.PC(pc)),
				int64(w.Issues), int64(w.Lanes), int64(w.PredOn))
		}
	}
}
