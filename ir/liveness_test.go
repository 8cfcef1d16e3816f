package ir

import "testing"

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
		{"never below 16", []string{"x = ; = x"}, [][]int{{Exit}}, 16},
		{"twenty values", []string{many(20)}, [][]int{{Exit}}, 20},
		{"a double takes two", []string{"d = ;" + many(20) + " d"}, [][]int{{Exit}}, 22},
		{"a predicate takes none", []string{"p = ;" + many(20) + " p"}, [][]int{{Exit}}, 20},
		{"a dead definition counts while it is written", []string{many(20) + "; x = ; = rA"}, [][]int{{Exit}}, 20},
		{"and on top of what lives", []string{many(20) + "; x = ;" + many(20)[len(many(20))-62:]}, [][]int{{Exit}}, 21},
		// x is written before the loop and read behind it.
		{"across a loop", []string{"x = ", many(20) + "; = p", "= x"}, [][]int{{1}, {2, 1}, {Exit}}, 21},
		// The guard may be false: then x lives on from the first definition.
		{"through a guarded definition", []string{"x = ; " + many(20) + "; @p x = ; = x"}, [][]int{{Exit}}, 21},
		{"not through an unguarded one", []string{"x = ; = x; " + many(20) + "; x = ; = x"}, [][]int{{Exit}}, 20},
	}
	for _, test := range tests {
		if got := shape(test.blocks, test.succs).RegistersPerThread(); got != test.want {
			t.Errorf("%s: %d registers, want %d", test.name, got, test.want)
		}
	}
}

func TestLiveness(t *testing.T) {
	f := shape([]string{"x = ; y = ; = p", "= x", "x = ", "= x"}, [][]int{{1, 2}, {3}, {3}, {Exit}})
	l := f.liveness()
	x, y := f.shapeReg("x"), f.shapeReg("y")
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
func (l *liveness) liveIn(b int, r RegID) bool {
	g := l.global[r]
	return g >= 0 && l.in[b].has(int(g))
}

// liveOut reports whether r is live where block b ends.
func (l *liveness) liveOut(b int, r RegID) bool {
	g := l.global[r]
	return g >= 0 && l.out[b].has(int(g))
}
