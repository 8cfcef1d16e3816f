package ssa

import (
	"hyptx/internal/bitset"
	"hyptx/ir"
)

// minRegisters is the least that registers_per_thread says: the machine
// allocates no fewer.
const minRegisters = 16

// RegistersPerThread estimates what the machine allocates to a thread of f, in
// 32-bit registers: the slots at the point of highest pressure (a predicate
// takes none, up to 32 bits one, 64 bits two, 128 bits four), along the chain
// of calls that needs most, and at least 16. A function that is called again
// by one that it calls counts once.
func RegistersPerThread(f *ir.Func) int {
	p := &pressure{need: make(map[*ir.Func]int)}
	return max(p.of(f), minRegisters)
}

// pressure computes the need of functions; need holds -1 while one is open.
type pressure struct{ need map[*ir.Func]int }

// of returns the need of f and of what it calls.
func (p *pressure) of(f *ir.Func) int {
	if n, ok := p.need[f]; ok {
		return max(n, 0)
	}
	p.need[f] = -1
	most := 0
	live := liveOf(f)
	for b := range f.Blocks {
		most = max(most, p.block(live, b))
	}
	p.need[f] = most
	return most
}

// block walks block b backwards with the set of live registers in hand: what an
// instruction writes ends there, what it reads begins. A result that nobody
// reads takes a register all the same while it is written, and a call needs
// room for what the callee uses beside what lives across it.
func (p *pressure) block(l *liveness, b int) int {
	f := l.f
	live := bitset.New[ir.RegID](len(f.Regs))
	slots := 0
	add := func(r ir.RegID) {
		if r != f.CC && !live.Has(r) {
			live.Add(r)
			slots += f.Regs[r].Type.Slots()
		}
	}
	remove := func(r ir.RegID) {
		if live.Has(r) {
			live.Remove(r)
			slots -= f.Regs[r].Type.Slots()
		}
	}
	for g := range l.out[b].All {
		add(l.regs[g])
	}
	if returns(f.Blocks[b]) {
		for _, r := range returnRegs(f) {
			add(r)
		}
	}
	most := slots
	var dead []ir.RegID
	for pc := f.Blocks[b].End - 1; pc >= f.Blocks[b].First; pc-- {
		in := &f.Module.Instrs[pc]
		dead := dead[:0]
		for _, r := range in.Defs() {
			if !live.Has(r) {
				dead = append(dead, r) // takes a register all the same
				add(r)
			}
		}
		most = max(most, slots)
		ended := in.Defs()
		if in.Guard != ir.NoReg {
			ended = dead // where the guard is false the old value stays
		}
		for _, r := range ended {
			remove(r)
		}
		if in.Call != nil {
			most = max(most, slots+p.callees(f, in.Call))
		}
		for _, r := range in.Uses() {
			add(r)
		}
		most = max(most, slots)
	}
	return most
}

// callees returns the largest need of the functions that c may call.
func (p *pressure) callees(f *ir.Func, c *ir.Call) int {
	most := 0
	for _, g := range c.Callees(f.Module) {
		if g.Defined {
			most = max(most, p.of(g))
		}
	}
	return most
}
