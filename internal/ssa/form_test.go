package ssa

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hyptx/ir"
)

// shaped is a function made by shape.
type shaped struct {
	*ir.Func
	number map[ir.PC]int // of each instruction among those that were asked for
	pcs    []ir.PC       // of those
}

// shape returns a function whose instructions only have definitions, uses and
// guards: calls of functions without a body. Each block is written as
// instructions "@p a b = c d" (guard, what it writes, what it reads) separated by
// ";"; registers are words. Registers whose name begins with p are predicates,
// with d doubles. Behind them stands a branch to the block's successors, decided
// by registers that nobody writes.
func shape(t testing.TB, blocks []string, succs [][]int) shaped {
	t.Helper()
	var declared, body strings.Builder
	regs := []string{"sel", "to"}
	n := 0
	for b, text := range blocks {
		fmt.Fprintf(&body, "B%d:\n", b)
		for part := range strings.SplitSeq(text, ";") {
			if part = strings.TrimSpace(part); part == "" {
				continue
			}
			left, right, _ := strings.Cut(part, "=")
			writes, reads, guard := strings.Fields(left), strings.Fields(right), ""
			if len(writes) > 0 && strings.HasPrefix(writes[0], "@") {
				guard, writes = writes[0], writes[1:]
				regs = append(regs, strings.TrimLeft(guard, "@!"))
			}
			regs = append(append(regs, writes...), reads...)
			fmt.Fprintf(&declared, ".extern .func %s F%d %s;\n", formals(writes), n, formals(reads))
			results := ""
			if len(writes) > 0 {
				results = "(" + strings.Join(writes, ", ") + "),"
			}
			fmt.Fprintf(&body, "\t%s call %s F%d, (%s);\n", guard, results, n, strings.Join(reads, ", "))
			n++
		}
		body.WriteString(branch(b, succs[b]))
	}
	slices.Sort(regs)
	regs = slices.Compact(regs)
	var head strings.Builder
	for _, r := range regs {
		fmt.Fprintf(&head, ".reg %s %s; ", typeOf(r), r)
	}
	f := lower(t, declared.String()+".entry k() {\n"+head.String()+body.String()+"E:\n}\n").Func("k")
	s := shaped{Func: f, number: map[ir.PC]int{}, pcs: f.Calls}
	for i, pc := range f.Calls {
		s.number[pc] = i
	}
	return s
}

// formals writes the parameters or results of a function that takes such
// registers.
func formals(regs []string) string {
	if len(regs) == 0 {
		return ""
	}
	var list []string
	for i, r := range regs {
		list = append(list, fmt.Sprintf(".reg %s r%d", typeOf(r), i))
	}
	return "(" + strings.Join(list, ", ") + ")"
}

func typeOf(reg string) string {
	switch reg[0] {
	case 'p', 's':
		return ".pred"
	case 'd':
		return ".b64"
	case 't':
		return ".u32"
	}
	return ".b32"
}

// branch writes what leads from block b to its successors.
func branch(b int, succs []int) string {
	label := func(to int) string {
		if to == ir.Exit {
			return "E"
		}
		return fmt.Sprintf("B%d", to)
	}
	switch {
	case len(succs) == 1:
		return "\tbra " + label(succs[0]) + ";\n"
	case slices.Contains(succs, b+1):
		return "\t@sel bra " + label(succs[0]+succs[1]-b-1) + ";\n"
	}
	return fmt.Sprintf("T%d: .branchtargets %s, %s;\n\tbrx.idx to, T%d;\n", b, label(succs[0]), label(succs[1]), b)
}

// reg returns the register of a name.
func (s *shaped) reg(name string) ir.RegID {
	return ir.RegID(slices.IndexFunc(s.Regs, func(r ir.Reg) bool { return r.Name == name }))
}

// text writes a value out: the number of the instruction that writes it, phi(...) in the
// order of the predecessors, select(guard, new, old), undef; "..." where it
// comes back to itself.
func (f *shaped) text(s *Form, v ValueID, open ...ValueID) string {
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
		args = append(args, f.text(s, a, open...))
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
	return fmt.Sprint(f.number[val.PC])
}

func TestSSA(t *testing.T) {
	tests := []struct {
		name   string
		blocks []string
		succs  [][]int
		pc     int // the instruction whose x it is
		want   string
	}{
		{"straight line", []string{"x = ; x = x; = x"}, [][]int{{ir.Exit}}, 2, "1"},
		{"never written", []string{"= x"}, [][]int{{ir.Exit}}, 0, "undef"},
		{"written in both arms (HyPA's limit 2)",
			[]string{"p = ; = p", "x = ", "x = ", "= x"}, [][]int{{1, 2}, {3}, {3}, {ir.Exit}}, 4, "phi(2, 3)"},
		{"written in one arm", []string{"x = ; p = ; = p", "x = ", "= x"}, [][]int{{2, 1}, {2}, {ir.Exit}}, 4, "phi(0, 3)"},
		{"loop", []string{"x = ", "x = x; p = ; = p", "= x"}, [][]int{{1}, {2, 1}, {ir.Exit}}, 1, "phi(0, 1)"},
		{"loop entered in the middle",
			[]string{"x = ", "= x", "x = x; = p", ""}, [][]int{{2}, {2}, {3, 1}, {ir.Exit}}, 2, "phi(0, 2)"},
		{"the entry is a loop's header", []string{"x = x; = p", ""}, [][]int{{1, 0}, {ir.Exit}}, 0, "phi(0, undef)"},
		{"guarded", []string{"x = ; p = ; @p x = ; = x"}, [][]int{{ir.Exit}}, 3, "select(1, 2, 0)"},
		{"guarded, negated, old undefined", []string{"p = ; @!p x = ; = x"}, [][]int{{ir.Exit}}, 2, "select(!0, 1, undef)"},
		{"both ways guarded", []string{"p = ; @p x = ; @!p x = ; = x"}, [][]int{{ir.Exit}}, 3, "select(!0, 2, 1)"},
		{"same guard twice", []string{"p = ; @p x = ; @p x = ; = x"}, [][]int{{ir.Exit}}, 3, "select(0, 2, undef)"},
		{"guard rewritten between", []string{"p = ; @p x = ; p = ; @!p x = ; = x"}, [][]int{{ir.Exit}}, 4, "select(!2, 3, select(0, 1, undef))"},
		{"guarded in a loop", []string{"x = ", "p = ; @p x = ; = p", "= x"}, [][]int{{1}, {2, 1}, {ir.Exit}}, 4, "select(1, 2, phi(0, ...))"},
		{"two definitions at once", []string{"y x = ; = x"}, [][]int{{ir.Exit}}, 1, "0"},
		// Both headers of the loop 1-2 are entered from block 0.
		{"irreducible", []string{"x = ; = p", "x = x", "x = x; = p", ""}, [][]int{{1, 2}, {2}, {3, 1}, {ir.Exit}}, 3, "phi(0, 2)"},
		{"from code that nothing reaches", []string{"x = ", "x = ", "= x"}, [][]int{{2}, {2}, {ir.Exit}}, 2, "0"},
	}
	for _, test := range tests {
		f := shape(t, test.blocks, test.succs)
		s := Build(f.Func)
		if err := s.sanity(); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		got := f.text(s, s.Use(f.pcs[test.pc], f.reg("x")))
		if got != test.want {
			t.Errorf("%s: x = %s, want %s", test.name, got, test.want)
		}
	}
}

// TestSSAPruned: where a register is dead no phi stands.
func TestSSAPruned(t *testing.T) {
	f := shape(t, []string{"p = ; = p", "x = ", "x = ", "x = ; = x"}, [][]int{{1, 2}, {3}, {3}, {ir.Exit}})
	if n := len(Build(f.Func).Phis(3)); n != 0 {
		t.Errorf("%d phis for a register that is written before it is read", n)
	}
}

// TestSSAPaths runs random programs of random shape thread by thread, each
// instruction writing its own step's number, and checks that every use reads
// what its value, followed along the path taken, says.
func TestSSAPaths(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		f := randomShape(t, r)
		s := Build(f.Func)
		if err := s.sanity(); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			walkSSA(t, r, f, s)
		}
	}
}

func randomShape(t testing.TB, r *rand.Rand) shaped {
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
	return shape(t, blocks, succs)
}

// walkSSA takes one random path. now holds for each register the instruction
// and step that wrote it; of holds for each value what it stood for when it
// was last made.
func walkSSA(t *testing.T, r *rand.Rand, f shaped, s *Form) {
	now := make([]int, len(f.Regs)) // step of the last write, 0: never
	of := make([]int, s.Len())
	block, from, step := 0, -1, 0
	for range 40 {
		var phis []int
		for _, id := range s.Phis(block) {
			phis = append(phis, of[phiArg(f.Func, s, id, block, from)])
		}
		for i, id := range s.Phis(block) {
			of[id] = phis[i]
		}
		for pc := f.Blocks[block].First; pc < f.Blocks[block].End; pc++ {
			step++
			in := &f.Module.Instrs[pc]
			for i, u := range in.Uses() {
				if got := of[s.Uses(pc)[i]]; got != now[u] {
					t.Fatalf("instruction %d reads %s written in step %d, its value %s says %d", pc, f.Regs[u].Name, now[u], f.text(s, s.Uses(pc)[i]), got)
				}
			}
			holds := in.Guard == ir.NoReg || now[in.Guard]%2 == 0 != in.GuardNot
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
		next := f.Blocks[block].Succs()[r.IntN(len(f.Blocks[block].Succs()))]
		if next == ir.Exit {
			return
		}
		block, from = next, block
	}
}

func phiArg(f *ir.Func, s *Form, id ValueID, block, from int) ValueID {
	args := s.Values[id].Args
	if from < 0 {
		return args[len(args)-1]
	}
	return args[slices.Index(f.Blocks[block].Preds(), from)]
}
