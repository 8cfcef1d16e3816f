package ir

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// flowOf returns a function that has nothing but a control-flow graph: block
// b's successors are succs[b].
func flowOf(succs [][]int) *Func {
	f := &Func{Name: "test", CC: NoReg}
	for b, s := range succs {
		f.Blocks = append(f.Blocks, &Block{Index: b, Succs: s})
	}
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

func TestIDom(t *testing.T) {
	tests := []struct {
		name      string
		succs     [][]int
		idom, pdm []int
	}{
		{"one block", [][]int{{Exit}}, []int{NoBlock}, []int{Exit}},
		{"diamond", [][]int{{1, 2}, {3}, {3}, {Exit}}, []int{NoBlock, 0, 0, 0}, []int{3, 3, 3, Exit}},
		// A guarded exit in one arm: the arms never merge.
		{"early exit", [][]int{{1, 2}, {3, Exit}, {3}, {Exit}}, []int{NoBlock, 0, 0, 0}, []int{Exit, Exit, 3, Exit}},
		{"loop", [][]int{{1}, {2, 3}, {1}, {Exit}}, []int{NoBlock, 0, 1, 1}, []int{1, 3, 1, Exit}},
		{"loop entered in the middle", [][]int{{2}, {2}, {1, 3}, {Exit}}, []int{NoBlock, 2, 0, 2}, []int{2, 2, 3, Exit}},
		{"unreachable code", [][]int{{2}, {2}, {Exit}}, []int{NoBlock, NoBlock, 0}, []int{2, 2, Exit}},
		// The endless loop 1-2-3-1 gets an edge to the exit at its latch 3, so
		// that its arms still merge there.
		{"endless loop", [][]int{{1}, {2, 3}, {3}, {1}}, []int{NoBlock, 0, 1, 1}, []int{1, 3, 3, Exit}},
		// Figure 2 of Cooper, Harvey and Kennedy (2001), blocks renumbered from
		// the entry: 5 -> 4, 3; 4 -> 1; 3 -> 2; 1 -> 2; 2 -> 1. Every block's
		// dominator is the entry.
		{"irreducible", [][]int{{1, 2}, {3}, {4}, {4}, {3, Exit}}, []int{NoBlock, 0, 0, 0, 0}, []int{4, 3, 4, 4, Exit}},
	}
	for _, test := range tests {
		f := flowOf(test.succs)
		for b := range test.succs {
			if got := f.Dominators().IDom(b); got != test.idom[b] {
				t.Errorf("%s: IDom(%d) = %d, want %d", test.name, b, got, test.idom[b])
			}
			if got := f.PostDominators().IDom(b); got != test.pdm[b] {
				t.Errorf("%s: post-dominator of %d = %d, want %d", test.name, b, got, test.pdm[b])
			}
		}
	}
}

// TestExitEdges shows which blocks of code that cannot leave get an edge to
// the exit: the source of each back edge, inner loops' too.
func TestExitEdges(t *testing.T) {
	tests := []struct {
		name  string
		succs [][]int
		want  []int
	}{
		{"leaves", [][]int{{1}, {1, 2}, {Exit}}, nil},
		{"self loop", [][]int{{0}}, []int{0}},
		{"two latches", [][]int{{1, 2}, {0}, {0}}, []int{1, 2}},
		{"nested", [][]int{{1}, {1, 2}, {0}}, []int{1, 2}},
		{"one of two loops leaves", [][]int{{1, 2}, {1, 3}, {2}, {Exit}}, []int{2}},
		{"irreducible", [][]int{{1, 2}, {2}, {1}}, []int{2}},
		{"unreachable", [][]int{{Exit}, {1}}, []int{1}},
	}
	for _, test := range tests {
		f := flowOf(test.succs)
		n := len(f.Blocks)
		g := newGraph(f)
		var got []int
		for b := range n {
			if slices.Contains(g.succs[b], n) && !slices.Contains(f.Blocks[b].Succs, Exit) {
				got = append(got, b)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: edges to the exit from %v, want %v", test.name, got, test.want)
		}
	}
}

func TestLoops(t *testing.T) {
	tests := []struct {
		name  string
		succs [][]int
		want  string
	}{
		{"none", [][]int{{1, 2}, {2}, {Exit}}, ""},
		{"self", [][]int{{1}, {1, Exit}}, "1:[1] latches [1] exits [{1 -1}] depth 1; "},
		{"two latches make one loop", [][]int{{1}, {2, 3}, {1}, {1, 4}, {Exit}}, "1:[1 2 3] latches [2 3] exits [{3 4}] depth 1; "},
		{"nested", [][]int{{1}, {2}, {2, 3}, {1, 4}, {Exit}},
			"1:[1 2 3] latches [3] exits [{3 4}] depth 1; 2:[2] latches [2] exits [{2 3}] depth 2; "},
		{"entered at the test", [][]int{{2}, {2}, {1, 3}, {Exit}}, "2:[1 2] latches [1] exits [{2 3}] depth 1; "},
		{"unreachable code jumps in", [][]int{{1}, {1, 2}, {Exit}, {1}}, "1:[1] latches [1] exits [{1 2}] depth 1; "},
		{"the inner loop shares the outer one's latch", [][]int{{1}, {2}, {3}, {2, 1, Exit}},
			"1:[1 2 3] latches [3] exits [{3 -1}] depth 1; 2:[2 3] latches [3] exits [{3 1} {3 -1}] depth 2; "},
		{"irreducible", [][]int{{1, 2}, {2}, {1, Exit}}, ""},
	}
	for _, test := range tests {
		got := ""
		for _, l := range flowOf(test.succs).Loops() {
			got += fmt.Sprintf("%d:%v latches %v exits %v depth %d; ", l.Header, l.Blocks, l.Latches, l.Exits, l.Depth)
		}
		if got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

func TestIrreducible(t *testing.T) {
	f := flowOf([][]int{{1, 2}, {2}, {1, 3}, {4}, {4, 5}, {Exit}})
	if got := fmt.Sprint(f.Irreducible()); got != "[[1 2]]" {
		t.Errorf("irreducible regions %s, want [[1 2]]", got)
	}
	if n := len(f.Loops()); n != 1 {
		t.Errorf("%d natural loops, want 1", n)
	}
}

// TestFlowAgainstDefinitions compares the analyses with their definitions,
// applied by brute force, on random graphs.
func TestFlowAgainstDefinitions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		succs := randomFlow(rng)
		f := flowOf(succs)
		o := oracle{g: newGraph(f), n: len(succs)}
		o.checkDominance(t, f)
		o.checkControl(t, f)
		o.checkFrontiers(t, f)
		if err := f.checkFlow(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Fatalf("graph %v", succs)
		}
	}
}

func randomFlow(rng *rand.Rand) [][]int {
	n := 1 + rng.IntN(9)
	succs := make([][]int, n)
	for b := range succs {
		for range 1 + rng.IntN(3) {
			s := rng.IntN(n+1) - 1 // -1 is Exit
			if !slices.Contains(succs[b], s) {
				succs[b] = append(succs[b], s)
			}
		}
	}
	return succs
}

// oracle knows dominance by its definition: a dominates b if b cannot be
// reached when a is taken away.
type oracle struct {
	g *graph
	n int
}

// reach returns what root reaches along next without passing cut.
func reach(root, cut int, next [][]int) []bool {
	seen := make([]bool, len(next))
	if root == cut {
		return seen
	}
	seen[root] = true
	work := []int{root}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range next[b] {
			if s != cut && !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	return seen
}

func (o *oracle) dominates(a, b int) bool {
	if !reach(0, -5, o.g.succs)[b] {
		return a == b
	}
	return a == b || !reach(0, a, o.g.succs)[b]
}

func (o *oracle) postDominates(a, b int) bool {
	return a == b || !reach(o.n, a, o.g.preds)[b]
}

func (o *oracle) checkDominance(t *testing.T, f *Func) {
	for a := range o.n {
		for b := range o.n {
			if got, want := f.Dominators().Dominates(a, b), o.dominates(a, b); got != want {
				t.Errorf("%d dominates %d: %v, want %v", a, b, got, want)
			}
			if got, want := f.PostDominators().Dominates(a, b), o.postDominates(a, b); got != want {
				t.Errorf("%d post-dominates %d: %v, want %v", a, b, got, want)
			}
		}
	}
}

func (o *oracle) checkControl(t *testing.T, f *Func) {
	for b := range o.n {
		var want []int
		for a := range o.n {
			depends := false
			for _, s := range f.Blocks[a].Succs {
				depends = depends || s != Exit && o.postDominates(b, s)
			}
			if len(f.Blocks[a].Succs) > 1 && depends && (a == b || !o.postDominates(b, a)) {
				want = append(want, a)
			}
		}
		if got := f.ControlDeps(b); !slices.Equal(got, want) {
			t.Errorf("%d depends on %v, want %v", b, got, want)
		}
	}
}

func (o *oracle) checkFrontiers(t *testing.T, f *Func) {
	reached := reach(0, -5, o.g.succs)
	for a, got := range f.Frontiers() {
		var want []int
		for b := range o.n {
			dominatesPred := false
			for _, p := range f.Blocks[b].Preds {
				dominatesPred = dominatesPred || reached[p] && o.dominates(a, p)
			}
			if reached[a] && reached[b] && dominatesPred && (a == b || !o.dominates(a, b)) {
				want = append(want, b)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("frontier of %d: %v, want %v", a, got, want)
		}
	}
}
