package ir

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hyptx/ir/isa"
)

// shape returns a function whose instructions only have definitions, uses and
// guards. Each block is written as instructions "@p a b = c d" (guard, what it
// writes, what it reads) separated by ";"; registers are words. Registers
// whose name begins with p are predicates, with d doubles.
func shape(blocks []string, succs [][]int) *Func {
	f := &Func{Name: "test", CC: NoReg, Module: &Module{}}
	for b, text := range blocks {
		block := &Block{Index: b, First: PC(len(f.Module.Instrs)), Succs: succs[b]}
		for _, part := range strings.Split(text, ";") {
			if part = strings.TrimSpace(part); part == "" {
				continue
			}
			f.addShape(part, b)
		}
		block.End = PC(len(f.Module.Instrs))
		f.Blocks = append(f.Blocks, block)
	}
	f.End = PC(len(f.Module.Instrs))
	for b, s := range succs {
		for _, to := range s {
			if to != Exit {
				f.Blocks[to].Preds = append(f.Blocks[to].Preds, b)
			}
		}
	}
	f.analyse()
	return f
}

func (f *Func) addShape(text string, block int) {
	in := Instr{PC: PC(len(f.Module.Instrs)), Guard: NoReg, Block: int32(block)}
	left, right, _ := strings.Cut(text, "=")
	for _, word := range strings.Fields(right) {
		in.uses = append(in.uses, f.shapeReg(word))
	}
	for _, word := range strings.Fields(left) {
		if name, ok := strings.CutPrefix(word, "@"); ok {
			name, in.GuardNot = strings.TrimPrefix(name, "!"), strings.HasPrefix(name, "!")
			in.Guard = f.shapeReg(name)
			if !slices.Contains(in.uses, in.Guard) {
				in.uses = append(in.uses, in.Guard)
			}
			continue
		}
		in.defs = append(in.defs, f.shapeReg(word))
	}
	f.Module.Instrs = append(f.Module.Instrs, in)
}

func (f *Func) shapeReg(name string) RegID {
	for i, r := range f.Regs {
		if r.Name == name {
			return RegID(i)
		}
	}
	t := isa.B32
	switch name[0] {
	case 'p':
		t = isa.Pred
	case 'd':
		t = isa.B64
	}
	f.Regs = append(f.Regs, Reg{Name: name, Type: t})
	return RegID(len(f.Regs) - 1)
}

// text writes a value out: the instruction that writes it, phi(...) in the
// order of the predecessors, select(guard, new, old), undef; "..." where it
// comes back to itself.
func (s *SSA) text(v ValueID, open ...ValueID) string {
	if slices.Contains(open, v) {
		return "..."
	}
	if v == NoValue {
		return "none"
	}
	open = append(open, v)
	val := &s.Values[v]
	var args []string
	for _, a := range val.Args {
		args = append(args, s.text(a, open...))
	}
	switch val.Kind {
	case Phi:
		return "phi(" + strings.Join(args, ", ") + ")"
	case Select:
		if val.GuardNot {
			args[0] = "!" + args[0]
		}
		return "select(" + strings.Join(args, ", ") + ")"
	case Undef:
		return "undef"
	case Entry:
		return "entry"
	}
	return fmt.Sprint(val.PC)
}

func TestSSA(t *testing.T) {
	tests := []struct {
		name   string
		blocks []string
		succs  [][]int
		pc     PC // what it reads in x
		want   string
	}{
		{"straight line", []string{"x = ; x = x; = x"}, [][]int{{Exit}}, 2, "1"},
		{"never written", []string{"= x"}, [][]int{{Exit}}, 0, "undef"},
		{"written in both arms (HyPA's limit 2)",
			[]string{"p = ; = p", "x = ", "x = ", "= x"}, [][]int{{1, 2}, {3}, {3}, {Exit}}, 4, "phi(2, 3)"},
		{"written in one arm", []string{"x = ; p = ; = p", "x = ", "= x"}, [][]int{{2, 1}, {2}, {Exit}}, 4, "phi(0, 3)"},
		{"loop", []string{"x = ", "x = x; p = ; = p", "= x"}, [][]int{{1}, {2, 1}, {Exit}}, 1, "phi(0, 1)"},
		{"loop entered in the middle",
			[]string{"x = ", "= x", "x = x; = p", ""}, [][]int{{2}, {2}, {3, 1}, {Exit}}, 2, "phi(0, 2)"},
		{"the entry is a loop's header", []string{"x = x; = p", ""}, [][]int{{1, 0}, {Exit}}, 0, "phi(0, undef)"},
		{"guarded", []string{"x = ; p = ; @p x = ; = x"}, [][]int{{Exit}}, 3, "select(1, 2, 0)"},
		{"guarded, negated, old undefined", []string{"p = ; @!p x = ; = x"}, [][]int{{Exit}}, 2, "select(!0, 1, undef)"},
		{"both ways guarded", []string{"p = ; @p x = ; @!p x = ; = x"}, [][]int{{Exit}}, 3, "select(!0, 2, 1)"},
		{"same guard twice", []string{"p = ; @p x = ; @p x = ; = x"}, [][]int{{Exit}}, 3, "select(0, 2, undef)"},
		{"guard rewritten between", []string{"p = ; @p x = ; p = ; @!p x = ; = x"}, [][]int{{Exit}}, 4, "select(!2, 3, select(0, 1, undef))"},
		{"guarded in a loop", []string{"x = ", "p = ; @p x = ; = p", "= x"}, [][]int{{1}, {2, 1}, {Exit}}, 4, "select(1, 2, phi(0, ...))"},
		{"two definitions at once", []string{"y x = ; = x"}, [][]int{{Exit}}, 1, "0"},
		// Both headers of the loop 1-2 are entered from block 0.
		{"irreducible", []string{"x = ; = p", "x = x", "x = x; = p", ""}, [][]int{{1, 2}, {2}, {3, 1}, {Exit}}, 3, "phi(0, 2)"},
		{"from code that nothing reaches", []string{"x = ", "x = ", "= x"}, [][]int{{2}, {2}, {Exit}}, 2, "0"},
	}
	for _, test := range tests {
		f := shape(test.blocks, test.succs)
		s := f.BuildSSA()
		if err := s.sanity(); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		got := s.text(s.Use(test.pc, f.shapeReg("x")))
		if got != test.want {
			t.Errorf("%s: x = %s, want %s", test.name, got, test.want)
		}
	}
}

// TestSSAPruned: where a register is dead no phi stands.
func TestSSAPruned(t *testing.T) {
	f := shape([]string{"p = ; = p", "x = ", "x = ", "x = ; = x"}, [][]int{{1, 2}, {3}, {3}, {Exit}})
	if n := len(f.BuildSSA().Phis(3)); n != 0 {
		t.Errorf("%d phis for a register that is written before it is read", n)
	}
}

// TestSSAPaths runs random programs of random shape thread by thread, each
// instruction writing its own step's number, and checks that every use reads
// what its value, followed along the path taken, says.
func TestSSAPaths(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		f := randomShape(r)
		s := f.BuildSSA()
		if err := s.sanity(); err != nil {
			t.Fatalf("%v\n%v", err, f.Module.Instrs)
		}
		for range 5 {
			walkSSA(t, r, f, s)
		}
	}
}

func randomShape(r *rand.Rand) *Func {
	n := 2 + r.IntN(7)
	names := []string{"x", "y", "p", "q"}
	blocks, succs := make([]string, n), make([][]int, n)
	for b := range n {
		for range r.IntN(4) {
			if r.IntN(3) == 0 {
				blocks[b] += "@p "
			}
			blocks[b] += names[r.IntN(4)] + " = " + names[r.IntN(4)] + ";"
		}
		succs[b] = []int{r.IntN(n+1) - 1}
		if to := r.IntN(n+1) - 1; to != succs[b][0] {
			succs[b] = append(succs[b], to)
		}
	}
	return shape(blocks, succs)
}

// walkSSA takes one random path. now holds for each register the instruction
// and step that wrote it; of holds for each value what it stood for when it
// was last made.
func walkSSA(t *testing.T, r *rand.Rand, f *Func, s *SSA) {
	now := make([]int, len(f.Regs)) // step of the last write, 0: never
	of := make([]int, s.Len())
	block, from, step := 0, -1, 0
	for range 40 {
		var phis []int
		for _, id := range s.Phis(block) {
			phis = append(phis, of[phiArg(f, s, id, block, from)])
		}
		for i, id := range s.Phis(block) {
			of[id] = phis[i]
		}
		for pc := f.Blocks[block].First; pc < f.Blocks[block].End; pc++ {
			step++
			in := &f.Module.Instrs[pc]
			for i, u := range in.Uses() {
				if got := of[s.Uses(pc)[i]]; got != now[u] {
					t.Fatalf("instruction %d reads %s written in step %d, its value %s says %d", pc, f.Regs[u].Name, now[u], s.text(s.Uses(pc)[i]), got)
				}
			}
			holds := in.Guard == NoReg || now[in.Guard]%2 == 0 != in.GuardNot
			for i, d := range in.Defs() {
				id := s.Defs(pc)[i]
				if v := &s.Values[id]; v.Kind == Select {
					of[id] = of[v.Args[SelectOld]]
				}
				if holds {
					of[id], now[d] = step, step
					of[s.Written(pc, i)] = step
				}
			}
		}
		next := f.Blocks[block].Succs[r.IntN(len(f.Blocks[block].Succs))]
		if next == Exit {
			return
		}
		block, from = next, block
	}
}

func phiArg(f *Func, s *SSA, id ValueID, block, from int) ValueID {
	args := s.Values[id].Args
	if from < 0 {
		return args[len(args)-1]
	}
	return args[slices.Index(f.Blocks[block].Preds, from)]
}
