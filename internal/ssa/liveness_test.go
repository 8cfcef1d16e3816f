package ssa

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"hyptx/ir"
)

func TestRegistersPerThread(t *testing.T) {
	// many has n 32-bit values live at once.
	many := func(n int) string {
		text, uses := "", "= "
		for i := range n {
			name := "r" + string(rune('A'+i))
			text += name + " = ; "
			uses += name + " "
		}
		return text + uses
	}
	tests := []struct {
		name   string
		blocks []string
		succs  [][]int
		want   int
	}{
		{"never below 16", []string{"x = ; = x"}, [][]int{{ir.Exit}}, 16},
		{"twenty values", []string{many(20)}, [][]int{{ir.Exit}}, 20},
		{"a double takes two", []string{"d = ;" + many(20) + " d"}, [][]int{{ir.Exit}}, 22},
		{"a predicate takes none", []string{"p = ;" + many(20) + " p"}, [][]int{{ir.Exit}}, 20},
		{"a dead definition counts while it is written", []string{many(20) + "; x = ; = rA"}, [][]int{{ir.Exit}}, 20},
		{"and on top of what lives", []string{many(20) + "; x = ;" + many(20)[len(many(20))-62:]}, [][]int{{ir.Exit}}, 21},
		// x is written before the loop and read behind it.
		{"across a loop", []string{"x = ", many(20) + "; = p", "= x"}, [][]int{{1}, {2, 1}, {ir.Exit}}, 21},
		// The guard may be false: then x lives on from the first definition.
		{"through a guarded definition", []string{"x = ; " + many(20) + "; @p x = ; = x"}, [][]int{{ir.Exit}}, 21},
		{"not through an unguarded one", []string{"x = ; = x; " + many(20) + "; x = ; = x"}, [][]int{{ir.Exit}}, 20},
	}
	for _, test := range tests {
		if got := RegistersPerThread(shape(t, test.blocks, test.succs).Func); got != test.want {
			t.Errorf("%s: %d registers, want %d", test.name, got, test.want)
		}
	}
}

func TestLiveness(t *testing.T) {
	f := shape(t, []string{"x = ; y = ; = p", "= x", "x = ", "= x"}, [][]int{{1, 2}, {3}, {3}, {ir.Exit}})
	l := liveOf(f.Func)
	l.windows(func() bool { return true })
	x, y := f.reg("x"), f.reg("y")
	for b, want := range []bool{false, true, false, true} {
		if l.liveIn(b, x) != want {
			t.Errorf("x live into block %d: %v, want %v", b, l.liveIn(b, x), want)
		}
	}
	if !l.liveOut(0, x) || l.liveOut(0, y) || l.liveOut(3, x) {
		t.Error("live-out sets are wrong")
	}
}

// liveIn reports whether r is live where block b begins.
func (l *liveness) liveIn(b int, r ir.RegID) bool {
	g := l.global[r]
	return g >= 0 && l.in.At(b).Has(g)
}

// liveOut reports whether r is live where block b ends.
func (l *liveness) liveOut(b int, r ir.RegID) bool {
	g := l.global[r]
	return g >= 0 && l.out.At(b).Has(g)
}

// TestWindows: registers that are looked at by windows are live where they are if all
// are looked at together.
func TestWindows(t *testing.T) {
	was := setBytes
	defer func() { setBytes = was }()
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		const registers = 400 // of which a window has 64
		blocks, succs := make([]string, 12), make([][]int, 12)
		for b := range blocks {
			for range 150 {
				guard := []string{"", "", "@p "}[rng.IntN(3)]
				blocks[b] += fmt.Sprintf("%sr%d = r%d; ", guard, rng.IntN(registers), rng.IntN(registers))
			}
			succs[b] = []int{(b + 1) % 12, rng.IntN(12)}
		}
		succs[11] = []int{ir.Exit}
		f := shape(t, blocks, succs).Func
		setBytes = was
		want, values := RegistersPerThread(f), Build(f).Values
		setBytes = 1
		if got := RegistersPerThread(f); got != want || want < 100 {
			t.Errorf("%d registers, in windows %d", want, got)
		}
		if !reflect.DeepEqual(Build(f).Values, values) {
			t.Error("the overlay is another one with windows")
		}
	}
}

// TestRegistersTogether: what is said of a function beside others is what is said of it alone, also
// where functions call each other.
func TestRegistersTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		n := 2 + rng.IntN(9)
		var text, bodies strings.Builder
		for i := range n {
			fmt.Fprintf(&text, ".func f%d();\n", i)
			live := rng.IntN(30)
			fmt.Fprintf(&bodies, ".func f%d() { .reg .b32 r<40>; .reg .pred p; ", i)
			for k := range live {
				fmt.Fprintf(&bodies, "mov.u32 r%d, %d; ", k, k)
			}
			for range rng.IntN(4) {
				fmt.Fprintf(&bodies, "setp.eq.u32 p, r39, 1; @p call f%d; ", rng.IntN(n))
			}
			for k := range live {
				fmt.Fprintf(&bodies, "add.u32 r39, r39, r%d; ", k)
			}
			bodies.WriteString("ret; }\n")
		}
		m := lower(t, text.String()+bodies.String())
		order := rng.Perm(n)
		var together Registers
		for _, i := range order {
			f := m.Func(fmt.Sprintf("f%d", i))
			if got, want := together.PerThread(f), RegistersPerThread(f); got != want {
				t.Fatalf("f%d of order %v: %d registers, alone %d\n%s", i, order, got, want, bodies.String())
			}
		}
	}
}
