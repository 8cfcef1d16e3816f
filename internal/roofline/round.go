package roofline

import (
	"cmp"
	"slices"

	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// A round of a loop in the steady state: the first rounds wait for nothing that was
// loaded before, later ones do, and after a few of them each takes as long as the one
// before. If a loop loads x[i], 400 cycles, adds it to a sum, 4 cycles, and steps i, 5
// cycles, then only the sum and i wait for the round before: a round takes 5 cycles,
// not 404, since the next load is on its way while this one's value is awaited.

// groups is how many groups of rounds are looked at; the second half of them is
// taken for a loop's steady state.
const groups = 8

// timer issues the instructions of a region.
type timer struct {
	*walk
	cycles [numKinds]float64
	issue  float64
	ready  []float64 // when each value is there, by ValueID
	// begin is when the group of rounds began, slots the time that issuing its
	// instructions took so far, issued when the last of them was, done when all
	// results are there.
	begin, slots, issued, done float64
	// stores are those of global memory so far, or of the round before.
	stores []store
	round  int
}

// store is where and when one is issued.
type store struct {
	at    float64
	round int
	to    ir.Operand
}

// total returns the cycles of all regions of a function, each as often as it
// is gone through.
func (w *walk) total(cycles [numKinds]float64, issue float64) float64 {
	sum := 0.0
	for _, l := range append([]*ir.Loop{nil}, w.fn.Loops()...) {
		rounds := w.rounds[l]
		if rounds == 0 || w.whole[l] {
			continue
		}
		t := &timer{walk: w, cycles: cycles, issue: issue, ready: make([]float64, len(w.ssa.Values))}
		sum += rounds * t.region(l)
	}
	return sum
}

// region returns the time of a round of a loop, or of a function.
func (t *timer) region(l *ir.Loop) float64 {
	if l == nil {
		t.body(nil, 1)
		return max(t.issued, t.begin+t.slots, t.done)
	}
	each, half := t.part[l], 0.0
	for g := range groups {
		if g == groups/2 {
			half = t.begin
		}
		for range each {
			t.body(l, 1)
			t.carry(l)
		}
		t.next()
	}
	return (t.begin - half) / float64(each*(groups-groups/2))
}

// next begins another group of rounds.
func (t *timer) next() {
	t.begin = max(t.issued, t.begin+t.slots)
	t.slots = 0
}

// wait waits for all results.
func (t *timer) wait() {
	t.issued = max(t.issued, t.done)
	t.next()
}

// body issues a round of a loop; share is that of the region's rounds in which
// it is.
func (t *timer) body(l *ir.Loop, share float64) {
	for _, it := range t.items[l] {
		switch {
		case it.loop == nil && t.issues[it.block] > 0:
			t.block(it.block, l, share*min(t.issues[it.block]/t.rounds[l], 1))
		case it.loop == nil || t.rounds[it.loop] == 0:
		case t.whole[it.loop]:
			inner := share * min(t.entries[it.loop]/t.rounds[l], 1)
			for range int(t.trips(it.loop)) {
				t.body(it.loop, inner)
				t.carry(it.loop)
			}
		default:
			t.wait()
		}
	}
}

// block issues a block's instructions, no earlier than the branches that
// decide it are.
func (t *timer) block(b int, l *ir.Loop, share float64) {
	block := t.fn.Blocks[b]
	if l == nil || b != l.Header {
		for _, v := range t.ssa.Phis(b) {
			at := 0.0
			for _, a := range t.ssa.Values[v].Args {
				at = max(at, t.ready[a])
			}
			t.ready[v] = at
		}
	}
	decided := t.begin
	for _, c := range t.fn.ControlDeps(b) {
		if t.fn.LoopOf(c) == t.fn.LoopOf(b) && t.fn.Dominators().Dominates(c, b) && c != b {
			for _, v := range t.ssa.Uses(t.fn.Blocks[c].End - 1) {
				decided = max(decided, t.ready[v])
			}
		}
	}
	unrolled := l != nil && (t.whole[l] || t.part[l] > 1)
	for pc := block.First; pc < block.End; pc++ {
		t.instr(pc, decided, share, unrolled)
	}
}

func (t *timer) instr(pc ir.PC, decided, share float64, unrolled bool) {
	in := &t.fn.Module.Instrs[pc]
	if in.Call != nil || in.Inst.IsBarrier() {
		t.wait()
	}
	start := max(decided, t.begin)
	for _, v := range t.ssa.Uses(pc) {
		start = max(start, t.ready[v])
	}
	start = t.inOrder(in, start)
	t.slots += share * t.issue
	t.issued = max(t.issued, start+share*t.issue)
	end := start + share*t.cycles[kindOf(in)]
	if unrolled && steps(in) {
		end = start
	}
	for i, v := range t.ssa.Defs(pc) {
		at := end
		if w := t.ssa.Written(pc, i); w != v { // a select: the old value, too
			t.ready[w] = end
			at = max(at, t.ready[t.ssa.Values[v].Args[ssa.SelectOld]])
		}
		if v != ssa.NoValue {
			t.ready[v] = at
			t.done = max(t.done, at)
		}
	}
}

// inOrder returns when an access is issued that could be at start: a load no earlier than the
// stores before it that may be of the same bytes, pointers of a kernel being what nobody knows. Words
// of one register in one round are apart.
func (t *timer) inOrder(in *ir.Instr, start float64) float64 {
	isStore := in.Inst.IsStore() && (in.Inst.Space == isa.Global || in.Inst.Space == isa.Generic)
	if !isStore && (kindOf(in) != memory || in.Inst.Has(isa.ModNc)) {
		return start
	}
	at := slices.IndexFunc(in.Ops(), func(o ir.Operand) bool { return o.Kind == ir.OperandAddr })
	if at < 0 {
		return start
	}
	to := in.Ops()[at]
	if isStore {
		t.stores = append(t.stores, store{start, t.round, to})
		return start
	}
	for _, s := range t.stores {
		if s.round != t.round || s.to.Reg != to.Reg || s.to.Var != to.Var || s.to.Imm == to.Imm {
			start = max(start, s.at)
		}
	}
	return start
}

// carry gives the phis of a loop what the round left for them.
func (t *timer) carry(l *ir.Loop) {
	preds := t.fn.Blocks[l.Header].Preds()
	phis := t.ssa.Phis(l.Header)
	next := make([]float64, len(phis))
	for i, v := range phis {
		for k, a := range t.ssa.Values[v].Args {
			if k < len(preds) && slices.Contains(l.Latches, preds[k]) {
				next[i] = max(next[i], t.ready[a])
			}
		}
	}
	for i, v := range phis {
		t.ready[v] = next[i]
	}
	t.nextRound()
}

// nextRound leaves of the stores the last one: whoever waits for that waits for all.
func (t *timer) nextRound() {
	t.round++
	if len(t.stores) == 0 {
		return
	}
	last := slices.MaxFunc(t.stores, func(a, b store) int { return cmp.Compare(a.at, b.at) })
	t.stores = append(t.stores[:0], last)
}

// steps reports whether an instruction adds a constant to an integer: where a
// loop is unrolled, that is an offset in an address.
func steps(in *ir.Instr) bool {
	return in.Inst.Op == isa.OpAdd && in.Inst.Form.Class == isa.Integer &&
		slices.ContainsFunc(in.Ops(), func(o ir.Operand) bool { return o.Kind == ir.OperandImm })
}
