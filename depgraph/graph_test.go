package depgraph

import (
	"testing"

	"gonum.org/v1/gonum/graph"
)

// edgesOf makes a map of the edges that a node has.
func edgesOf(it graph.Nodes) map[int64]bool {
	ids := make(map[int64]bool)
	for it.Next() {
		ids[it.Node().ID()] = true
	}
	return ids
}

// sampleGraph is the graph of a kernel with each kind of edge but those of
// calls.
func sampleGraph(t *testing.T) *Graph {
	m := lower(t, kernel(`.shared .align 4 .b8 sh[256];
mov.u32 %r1, %tid.x;
mov.u32 %r2, sh;
setp.lt.u32 %p1, %r1, 7;
@%p1 bra L;
st.shared.u32 [%r2], %r1;
L: bar.sync 0;
ld.shared.u32 %r3, [%r2];
st.shared.u32 [%r2], %r3;
ret;`))
	return newKernel(m.Kernels()[0]).Specialise(grid(m))
}

// TestEdges: each kind of edge of G between instructions, as the picture has
// them.
func TestEdges(t *testing.T) {
	g := sampleGraph(t)
	edges := 0
	kinds := make(map[[2]int32]edgeKind)
	for to := range int32(9) {
		for from, kind := range g.instructions(to) {
			kinds[[2]int32{from, to}] = kind
			edges++
		}
	}
	for _, want := range []struct {
		from, to int32
		kind     edgeKind
	}{
		{0, 2, edgeData}, {2, 3, edgeData}, {0, 4, edgeData}, {3, 4, edgeBranch}, {1, 4, edgeData},
		{4, 6, edgeMem}, {7, 6, edgeMem}, {5, 6, edgeSync}, {6, 7, edgeData},
	} {
		if got := kinds[[2]int32{want.from, want.to}]; got != want.kind {
			t.Errorf("edge from %d to %d: %v, want %v", want.from, want.to, got, want.kind)
		}
	}
	if edges != 11 { // those and the addresses of 6 and 7
		t.Errorf("%d edges, want 11", edges)
	}
	if _, err := g.DOT().Marshal("k"); err != nil {
		t.Error(err)
	}
	if _, err := CFG(g.Kernel.Func); err != nil {
		t.Error(err)
	}
}

// TestDirected holds the graphs of our kernels and of the networks against
// what gonum expects of a graph.Directed: From, To, Edge and HasEdge say the
// same, of nodes that exist, and iterators count and begin again.
func TestDirected(t *testing.T) {
	graphs := []*Graph{sampleGraph(t)}
	for _, path := range networks(t)[:1] {
		for _, l := range readNetwork(t, path) {
			graphs = append(graphs, newKernel(l.Kernel).Specialise(l))
		}
	}
	for _, g := range graphs {
		checkDirected(t, g)
	}
}

func checkDirected(t *testing.T, g graph.Directed) {
	t.Helper()
	forward, backward := 0, 0
	for _, n := range graph.NodesOf(g.Nodes()) {
		if g.Node(n.ID()) != n {
			t.Fatalf("node %d is not found by its number", n.ID())
		}
		it := g.To(n.ID())
		size := it.Len()
		on := edgesOf(it)
		if it.Len() != 0 || len(on) != size {
			t.Errorf("node %d depends on %d nodes, its iterator says %d and then %d", n.ID(), len(on), size, it.Len())
		}
		if it.Reset(); it.Len() != size {
			t.Errorf("the iterator begins again with %d of %d nodes", it.Len(), size)
		}
		for u := range on {
			e := g.Edge(u, n.ID())
			if g.Node(u) == nil || e == nil || e.From().ID() != u || e.To().ID() != n.ID() || e.ReversedEdge().From() != n ||
				!g.HasEdgeFromTo(u, n.ID()) || !g.HasEdgeBetween(n.ID(), u) || !edgesOf(g.From(u))[n.ID()] {
				t.Fatalf("the edge from %d to %d is not an edge in every way", u, n.ID())
			}
		}
		backward += len(on)
		forward += len(edgesOf(g.From(n.ID())))
	}
	if forward != backward || forward == 0 {
		t.Errorf("%d edges by From, %d by To", forward, backward)
	}
	if g.Node(-1) != nil || g.Node(1<<40) != nil || g.Edge(0, 0) != nil {
		t.Error("there are nodes or edges out of nowhere")
	}
}
