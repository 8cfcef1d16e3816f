package analysis

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"hyptx/internal/check"
	"hyptx/internal/observe"
	"hyptx/internal/order"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// From what the engines have noted, numbers of instructions and threads, to findings that
// a person can act on: the line, the text, and a sentence that says what is missing.

// partyOf makes one side of a finding.
func (s *Session) partyOf(l *launchPlan, p check.Party) check.Access {
	m := l.kernel.Module
	in := &m.Instrs[p.PC]
	return check.Access{
		Does: doing(in), PC: p.PC, File: m.FileOf(in.PC), Line: int(in.Pos.Line), Col: int(in.Pos.Col),
		Text: m.FuncOf(in.PC).Text(in.PC), Source: sourceOf(m, in), CTA: p.CTA, Thread: p.Thread, Known: true,
	}
}

// sourceOf is the place in the source that the PTX names for an instruction; a line 0
// stands for code that is nobody's.
func sourceOf(m *ir.Module, in *ir.Instr) check.Source {
	file, line := m.Source(in.PC)
	if line <= 0 {
		return check.Source{}
	}
	return check.Source{File: relative(file), Line: line}
}

// workingFolder is the folder that the process began in, "" if nobody knows.
var workingFolder = sync.OnceValue(func() string {
	here, _ := os.Getwd()
	return here
})

// relative is the name of a file from here, if it lies here or below: compilers write whole
// paths, CI services want those of the repository.
func relative(file string) string {
	if workingFolder() == "" || !filepath.IsAbs(file) {
		return file
	}
	if rel, err := filepath.Rel(workingFolder(), file); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return file
}

// doing says in a word what an instruction does.
func doing(in *ir.Instr) string {
	x := in.Inst
	switch {
	case x == nil || in.Call != nil:
		return "call"
	case x.Form.Async:
		return "copy"
	case x.Op == isa.OpTcgen05Alloc:
		return "store"
	case x.Form.Tensor != 0, x.Op == isa.OpWgmmaMmaAsync, x.Op == isa.OpWgmmaMmaAsyncSp:
		return lateWorkOf(x).noun
	case x.IsAtomic():
		return "atomic"
	case x.IsStore():
		return "store"
	case x.IsLoad():
		return "load"
	case x.Op == isa.OpBar || x.Op == isa.OpBarrier:
		return "barrier"
	case x.Op == isa.OpShfl:
		return "shuffle"
	case x.Form.Sync != 0:
		return "synchronisation"
	}
	return "instruction"
}

// addFinding adds what a launch has noted to the list.
func (s *Session) addFinding(l *launchPlan, n *check.Fact) {
	if !s.checking.Asks(n.Kind) {
		return
	}
	f := check.Finding{
		Kind: n.Kind, Kernel: l.kernel.Name, Launch: l.number, Name: l.launch.Label, At: s.partyOf(l, n.At),
		Space: n.Space, Object: observe.VariableName(n.Object), Offset: n.Offset, Address: n.Address, Bytes: n.Bytes, Count: n.Count,
	}
	if n.Other != nil {
		other := s.partyOf(l, *n.Other)
		f.Other = &other
	}
	f.Why = whyNoted(&f, n)
	s.checking.List.Add(f)
}

// addLeak adds a block of the heap that nobody has freed.
func (s *Session) addLeak(b check.Block) {
	for _, l := range s.launches {
		if l.number == b.Launch && s.checking.Asks(check.Leak) {
			s.checking.List.Add(check.Finding{
				Kind: check.Leak, Kernel: l.kernel.Name, Launch: l.number, Name: l.launch.Label, At: s.partyOf(l, b.By), Space: "global",
				Bytes: int(b.Bytes), Count: 1, Why: fmt.Sprintf("nobody has freed these %d bytes by the end of the program: a free is missing", b.Bytes),
			})
			return
		}
	}
}

// raceFindings are the kinds of facts that the detector alone knows of.
var raceFindings = map[order.Kind]check.Kind{
	order.RaceRead: check.Race, order.RaceWrite: check.Race, order.RaceOvertake: check.Race,
	order.RaceArrive: check.MixedBar, order.RaceMix: check.MixedBar,
	order.Unfinished: check.Unfinished, order.Stray: check.AbsentCTA, order.Private: check.LocalOfAnother, order.Unfenced: check.ProxyRace, order.Stale: check.ProxyRace,
}

// addOrderFindings adds what the detector has found in a launch.
func (s *Session) addOrderFindings(l *launchPlan, log *order.Log) {
	if log == nil {
		return
	}
	for i := range log.Facts {
		n := &log.Facts[i]
		if _, tells := raceFindings[n.Kind]; !tells || n.Count == 0 || s.libraryRaces(l, n) {
			continue
		}
		at, other := n.A, n.B
		if n.IsRace() {
			at, other = n.B, n.A
		}
		if raceFindings[n.Kind] == check.Race && at.PC < other.PC { // as the text has them: whichever came first
			at, other = other, at
		}
		f := check.Finding{Kernel: l.kernel.Name, Launch: l.number, Name: l.launch.Label, At: s.sideOf(l, at), Count: n.Count}
		if n.IsRace() {
			o := s.sideOf(l, other)
			f.Other = &o
			s.placeFinding(&f, n)
			f.Far, f.Updates = distanceOf(n), s.updates(l, n)
		} else {
			f.At.Known = false
		}
		if f.Kind = s.kindOf(l, &f, n, log); f.Kind == "" || !s.checking.Asks(f.Kind) {
			continue
		}
		f.Why = s.whyOrder(l, &f, n, log)
		s.checking.List.Add(f)
	}
}

// libraryRaces reports whether a fact is of a function of the library, which does what the
// device's does.
func (s *Session) libraryRaces(l *launchPlan, n *order.Fact) bool {
	of := func(pc uint32) bool { return l.kernel.Module.FuncOf(ir.PC(pc)).Library }
	return of(n.A.PC) || n.IsRace() && of(n.B.PC)
}

// kindOf is what a fact of the detector is as a finding, "" if it is none.
func (s *Session) kindOf(l *launchPlan, f *check.Finding, n *order.Fact, log *order.Log) check.Kind {
	kind := raceFindings[n.Kind]
	switch {
	case n.Synchronised && s.volatileFault(l, f, n, log) != noVolatileFault:
		return check.Volatile
	case n.Synchronised || kind == check.Race && l.together(n):
		return ""
	case kind == check.Race && (n.A.Async || n.B.Async):
		return check.Unfinished
	case kind == check.Race && (n.SameValue || s.guessed(l, n)):
		return check.BenignRace
	}
	return kind
}

// together reports whether two threads of a warp do what all of it does as one: the same
// .aligned instruction, or any two that move tensor memory to or from registers, whose instructions are the
// warp's and not the thread's (PTX ISA, tcgen05: .sync.aligned). Nor is it told what one thread begins
// on tensor memory without having waited for the last.
func (l *launchPlan) together(n *order.Fact) bool {
	a, b := l.kernel.Module.Instrs[n.A.PC].Inst, l.kernel.Module.Instrs[n.B.PC].Inst
	if n.At.Space == 0 {
		return n.SameWarp && a.Has(isa.ModAligned) == b.Has(isa.ModAligned)
	}
	return n.SameWarp && a.Has(isa.ModAligned) && n.A.PC == n.B.PC && n.SameValue
}

// sideOf makes one side of a finding of what the detector knows of it.
func (s *Session) sideOf(l *launchPlan, a order.Access) check.Access {
	of := s.partyOf(l, check.Party{PC: a.PC, CTA: l.place(int64(a.CTA)), Thread: l.threadAt(uint32(a.Warp)*32 + uint32(a.Lane))})
	of.Known = !a.Anonymous
	return of
}

// place returns %ctaid of a CTA by its linear index.
func (l *launchPlan) place(cta int64) [3]uint32 {
	x, y := int64(max(l.grid[0], 1)), int64(max(l.grid[1], 1))
	return [3]uint32{uint32(cta % x), uint32(cta / x % y), uint32(cta / x / y)}
}

// threadAt returns %tid of a thread by its linear index.
func (l *launchPlan) threadAt(t uint32) [3]uint32 {
	x, y := max(l.cta[0], 1), max(l.cta[1], 1)
	return [3]uint32{t % x, t / x % y, t / x / y}
}

// placeFinding says which memory a race is about.
func (s *Session) placeFinding(f *check.Finding, n *order.Fact) {
	f.Address, f.Offset, f.Bytes = n.At.Addr, int64(n.At.Addr), int(n.At.Bytes)
	if f.Space = "tensor"; n.At.Space == 0 {
		return
	}
	switch f.Space = isa.Space(n.At.Space).String()[1:]; isa.Space(n.At.Space) {
	case isa.Shared:
		f.Object, f.Offset, _ = s.checking.log.SharedAt(n.At.Addr)
		f.Object = observe.VariableName(f.Object)
		return
	case isa.Global:
	default:
		return
	}
	for _, b := range s.Manifest.Buffers {
		if n.At.Addr >= b.Base && n.At.Addr-b.Base < uint64(b.Bytes) {
			f.Object, f.Offset = b.Name, int64(n.At.Addr-b.Base)
		}
	}
}

// distanceOf is how far apart the threads of a race are.
func distanceOf(n *order.Fact) check.Distance {
	switch {
	case n.SameWarp:
		return check.SameWarp
	case n.A.CTA == n.B.CTA && !n.A.Anonymous && !n.B.Anonymous:
		return check.SameCTA
	}
	return check.Apart
}

// updates reports whether a race is of a load and then a store of one address, by which
// each thread seems to change what it has loaded.
func (s *Session) updates(l *launchPlan, n *order.Fact) bool {
	a, b := &l.kernel.Module.Instrs[n.A.PC], &l.kernel.Module.Instrs[n.B.PC]
	if a.PC > b.PC {
		a, b = b, a
	}
	if !b.Inst.IsStore() || a.Inst.IsAtomic() || b.Inst.IsAtomic() || a.Inst.IsStore() == b.Inst.IsStore() || l.kernel.Module.FuncOf(a.PC) != l.kernel.Module.FuncOf(b.PC) {
		return false
	}
	x, y := addressOf(a), addressOf(b)
	return x != nil && y != nil && x.Reg == y.Reg && x.Var == y.Var && x.Imm == y.Imm
}

// addressOf returns the address operand of an access.
func addressOf(in *ir.Instr) *ir.Operand {
	for i := range in.Ops() {
		if in.Ops()[i].Kind == ir.OperandAddr {
			return &in.Ops()[i]
		}
	}
	return nil
}
