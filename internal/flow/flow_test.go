package flow

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// edges is the graph in which node n's successors are succs[n].
func edges(succs [][]int) *lists {
	g := &lists{newRows(len(succs)), newRows(len(succs))}
	each := func(succ, pred func(r *rows, n, to int)) {
		for n, s := range succs {
			for _, to := range s {
				if succ(&g.succs, n, to); to != Exit {
					pred(&g.preds, to, n)
				}
			}
		}
	}
	count := func(r *rows, n, _ int) { r.count(n) }
	each(count, count)
	g.succs.fit()
	g.preds.fit()
	each((*rows).add, (*rows).add)
	return g
}

// TestNestedLoops: what loops take goes with their number, not with how deep they lie.
func TestNestedLoops(t *testing.T) {
	const n = 20000
	succs := make([][]int, n) // each node leads back to the one before it, the first to itself
	for i := range succs {
		succs[i] = []int{max(i-1, 0), i + 1}
	}
	succs[n-1][1] = Exit
	g := edges(succs)
	dom := Dominators(g)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	loops, _ := Loops(g, dom)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; len(loops) != n-1 || took > 64<<20 {
		t.Errorf("%d loops took %d bytes", len(loops), took)
	}
	succs = make([][]int, 3*fewExits) // nested loops, each node of which leaves all
	for i := range succs {
		succs[i] = []int{max(i-1, 0), min(i+1, len(succs)-1), Exit}
	}
	many := edges(succs)
	all, _ := Loops(many, Dominators(many))
	for _, l := range all {
		checkExits(t, many, l)
	}
	if l := loops[5]; len(l.Blocks()) != n-5 || l.Depth != 6 {
		t.Errorf("loop 5 has %d blocks at depth %d", len(l.Blocks()), l.Depth)
	}
}

func TestIDom(t *testing.T) {
	tests := []struct {
		name      string
		succs     [][]int
		idom, pdm []int
	}{
		{"one block", [][]int{{Exit}}, []int{None}, []int{Exit}},
		{"diamond", [][]int{{1, 2}, {3}, {3}, {Exit}}, []int{None, 0, 0, 0}, []int{3, 3, 3, Exit}},
		// A guarded exit in one arm: the arms never merge.
		{"early exit", [][]int{{1, 2}, {3, Exit}, {3}, {Exit}}, []int{None, 0, 0, 0}, []int{Exit, Exit, 3, Exit}},
		{"loop", [][]int{{1}, {2, 3}, {1}, {Exit}}, []int{None, 0, 1, 1}, []int{1, 3, 1, Exit}},
		{"loop entered in the middle", [][]int{{2}, {2}, {1, 3}, {Exit}}, []int{None, 2, 0, 2}, []int{2, 2, 3, Exit}},
		{"unreachable code", [][]int{{2}, {2}, {Exit}}, []int{None, None, 0}, []int{2, 2, Exit}},
		// The endless loop 1-2-3-1 gets an edge to the exit at its latch 3, so
		// that its arms still merge there.
		{"endless loop", [][]int{{1}, {2, 3}, {3}, {1}}, []int{None, 0, 1, 1}, []int{1, 3, 3, Exit}},
		// Figure 2 of Cooper, Harvey and Kennedy (2001), blocks renumbered from
		// the entry: 5 -> 4, 3; 4 -> 1; 3 -> 2; 1 -> 2; 2 -> 1. Every block's
		// dominator is the entry.
		{"irreducible", [][]int{{1, 2}, {3}, {4}, {4}, {3, Exit}}, []int{None, 0, 0, 0, 0}, []int{4, 3, 4, 4, Exit}},
	}
	for _, test := range tests {
		g := edges(test.succs)
		dom, post := Dominators(g), PostDominators(g)
		for b := range test.succs {
			if got := dom.IDom(b); got != test.idom[b] {
				t.Errorf("%s: IDom(%d) = %d, want %d", test.name, b, got, test.idom[b])
			}
			if got := post.IDom(b); got != test.pdm[b] {
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
		n := len(test.succs)
		var got []int
		for _, b := range reversed(edges(test.succs)).Succs(n) {
			if !slices.Contains(test.succs[b], Exit) {
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
		g := edges(test.succs)
		loops, _ := Loops(g, Dominators(g))
		for _, l := range loops {
			got += fmt.Sprintf("%d:%v latches %v exits %v depth %d; ", l.Header, l.Blocks(), l.Latches, slices.Collect(l.Exits()), l.Depth)
		}
		if got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

// TestFlowAgainstDefinitions compares the analyses with their definitions,
// applied by brute force, on random graphs; of frontiers with lists and without.
func TestFlowAgainstDefinitions(t *testing.T) {
	was := perNode
	defer func() { perNode = was }()
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		perNode = i % 2 * was
		g := edges(randomFlow(rng))
		r := reversed(g)
		o := oracle{g: g, n: g.Len(), reversed: r}
		o.checkDominance(t)
		o.checkOrder(t)
		o.checkControl(t)
		o.checkFrontiers(t)
		o.checkLoops(t)
		if t.Failed() {
			t.Fatalf("graph %v", table(g.succs))
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
	g        *lists
	n        int
	reversed *lists // with the edges of endless code
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
			if s != Exit && s != cut && !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	return seen
}

func (o *oracle) dominates(a, b int) bool {
	if !reach(0, -5, table(o.g.succs))[b] {
		return a == b
	}
	return a == b || !reach(0, a, table(o.g.succs))[b]
}

func (o *oracle) postDominates(a, b int) bool {
	return a == b || !reach(o.n, a, table(o.reversed.succs))[b]
}

func (o *oracle) checkDominance(t *testing.T) {
	dom, post := Dominators(o.g), PostDominators(o.g)
	for a := range o.n {
		for b := range o.n {
			if got, want := dom.Dominates(a, b), o.dominates(a, b); got != want {
				t.Errorf("%d dominates %d: %v, want %v", a, b, got, want)
			}
			if got, want := post.Dominates(a, b), o.postDominates(a, b); got != want {
				t.Errorf("%d post-dominates %d: %v, want %v", a, b, got, want)
			}
		}
	}
}

// checkOrder holds that the walk down the dominator tree comes to a node after
// its dominators, and to siblings after all that leads to them but in a cycle.
func (o *oracle) checkOrder(t *testing.T) {
	dom := Dominators(o.g)
	at := map[int]int{}
	for i, n := range dom.Preorder() {
		at[n] = i
		if up := dom.IDom(n); i > 0 && (up == None || at[up] >= i) {
			t.Errorf("%d comes before its dominator %d", n, up)
		}
	}
	for n, ok := range reach(0, -5, table(o.g.succs)) {
		if _, has := at[n]; has != ok {
			t.Errorf("node %d in the tree: %v, reached: %v", n, has, ok)
		}
		for _, p := range o.g.Preds(n) {
			if ok && at[p] > at[n] && !reach(n, -5, table(o.g.succs))[p] && reach(0, -5, table(o.g.succs))[p] {
				t.Errorf("%d comes before its predecessor %d", n, p)
			}
		}
	}
}

func (o *oracle) checkControl(t *testing.T) {
	control := Control(o.g, PostDominators(o.g))
	for b := range o.n {
		var want []int
		for a := range o.n {
			depends := false
			for _, s := range o.g.Succs(a) {
				depends = depends || s != Exit && o.postDominates(b, s)
			}
			if len(o.g.Succs(a)) > 1 && depends && (a == b || !o.postDominates(b, a)) {
				want = append(want, a)
			}
		}
		if got := control.Of(b); !slices.Equal(got, want) {
			t.Errorf("%d depends on %v, want %v", b, got, want)
		}
	}
}

func (o *oracle) checkFrontiers(t *testing.T) {
	reached := reach(0, -5, table(o.g.succs))
	frontiers := Frontiers(o.g, Dominators(o.g))
	for a := range o.n {
		got := frontiers.Of(a)
		var want []int
		for b := range o.n {
			dominatesPred := false
			for _, p := range o.g.Preds(b) {
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

// checkLoops holds that a loop of header h is what reaches h through an edge
// from a node that h dominates, without passing h, and that a node's innermost
// loop is the smallest that holds it.
func (o *oracle) checkLoops(t *testing.T) {
	loops, of := Loops(o.g, Dominators(o.g))
	reached := reach(0, -5, table(o.g.succs))
	for n := range o.n {
		smallest := o.n + 1
		for h := range o.n {
			in := false
			for _, latch := range o.g.Preds(h) {
				in = in || reached[latch] && reached[n] && o.dominates(h, latch) && (n == h || latch != h && reach(latch, h, table(o.g.preds))[n])
			}
			i := slices.IndexFunc(loops, func(l *Loop) bool { return l.Header == h })
			if got := i >= 0 && loops[i].Has(n); got != in {
				t.Errorf("%d in the loop of %d: %v, want %v", n, h, got, in)
			}
			if in {
				smallest = min(smallest, len(loops[i].Blocks()))
			}
		}
		if l := of[n]; (l == nil) != (smallest > o.n) || l != nil && len(l.Blocks()) != smallest {
			t.Errorf("the innermost loop of %d is not the smallest", n)
		}
	}
	for _, l := range loops {
		checkExits(t, o.g, l)
	}
}

// checkExits holds the edges that leave a loop against all edges of its nodes.
func checkExits(t *testing.T, g Graph, l *Loop) {
	t.Helper()
	var want []Edge
	for _, n := range l.Blocks() {
		for _, s := range g.Succs(n) {
			if s == Exit || !l.Has(s) {
				want = append(want, Edge{n, s})
			}
		}
	}
	if got := slices.Collect(l.Exits()); !slices.Equal(got, want) {
		t.Errorf("loop %d is left by %v, want %v", l.Header, got, want)
	}
	if e, ok := l.Exit(); ok != (len(want) == 1) || ok && e != want[0] {
		t.Errorf("loop %d of %d exits is left by %v alone: %v", l.Header, len(want), e, ok)
	}
}

// ladder is a chain of n nodes in which each leads a few on as well, the last
// ones back to the first: where walking up a tree for each edge takes n^2 steps.
func ladder(n int) *lists {
	succs := make([][]int, n)
	for b := range succs {
		succs[b] = []int{(b + 7) % n, b + 1}
	}
	succs[n-1][1] = Exit
	return edges(succs)
}

func BenchmarkLadder(b *testing.B) {
	g := ladder(100_000)
	for b.Loop() {
		Dominators(g)
		PostDominators(g)
	}
}

// A graph larger than the random ones, with long ways up the tree, is held against
// the definitions, too.
func TestLadder(t *testing.T) {
	g := ladder(300)
	o := oracle{g: g, n: g.Len(), reversed: reversed(g)}
	o.checkDominance(t)
}

// table returns rows as lists.
func table(r rows) [][]int {
	t := make([][]int, r.len())
	for n := range t {
		t[n] = r.of(n)
	}
	return t
}
