package depgraph_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/iterator"

	"hyptx/analysis"
	"hyptx/depgraph"
	"hyptx/internal/source"
)

// lacking is a graph without edges of a kind.
type lacking struct {
	graph.Directed
	kind depgraph.EdgeKind
}

func (l lacking) To(id int64) graph.Nodes {
	var kept []graph.Node
	for it := l.Directed.To(id); it.Next(); {
		if n := it.Node(); depgraph.KindOf(l.Edge(n.ID(), id))&l.kind == 0 {
			kept = append(kept, n)
		}
	}
	return iterator.NewOrderedNodes(kept)
}

// broken is a graph that nobody may ask for neighbours.
type broken struct{ graph.Directed }

func (broken) To(int64) graph.Nodes   { panic("broken: To") }
func (broken) From(int64) graph.Nodes { panic("broken: From") }

// breakable are kernels, one thread after the other of which goes its own way
// by what an edge of each kind leads to.
var breakable = map[depgraph.EdgeKind]string{
	depgraph.EdgeData: `
mov.u32 %r1, %tid.x;
add.u32 %r2, %r1, 3;`,
	depgraph.EdgeMem: `
.local .align 4 .b8 slot[16];
mov.u32 %r1, %tid.x;
st.local.u32 [slot+4], %r1;
ld.local.u32 %r2, [slot+4];`,
	depgraph.EdgeSync: `
.shared .align 4 .b8 sh[256];
mov.u32 %r1, %tid.x;
mov.u32 %r2, sh;
shl.b32 %r3, %r1, 2;
add.u32 %r2, %r2, %r3;
st.shared.u32 [%r2], %r1;
bar.sync 0;
ld.shared.u32 %r2, [sh+200];`,
	depgraph.EdgeArgument: `
mov.u32 %r1, %tid.x;
add.u32 %r1, %r1, 3;
call.uni (%r2), same, (%r1);`,
	depgraph.EdgeReturned: `
mov.u32 %r1, %tid.x;
call.uni (%r2), same, (%r1);`,
}

const breakableManifest = `{"version": 1, "launches": [{"module": "k.ptx", "kernel": "k", "grid": [2], "block": [64], "args": []}]}`

// profileOf profiles a kernel and verifies the result.
func profileOf(t *testing.T, body string, undo func()) error {
	t.Helper()
	dir := t.TempDir()
	src := `.version 8.3
.target sm_90
.address_size 64
.func (.reg .b32 out) same(.reg .b32 in)
{
add.u32 out, in, 0;
ret;
}
.visible .entry k()
{
.reg .pred %p<3>;
.reg .b32 %r<9>;
` + body + `
setp.gt.u32 %p1, %r2, 9;
@%p1 bra END;
add.u32 %r4, %r1, 1;
END: ret;
}
`
	if err := os.WriteFile(filepath.Join(dir, "k.ptx"), []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := analysis.OpenManifest(source.File{Name: filepath.Join(dir, "m.json"), Text: []byte(breakableManifest)}, analysis.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	prof, err := s.Profile(t.Context())
	if undo(); err != nil {
		return err
	}
	return s.Verify(t.Context(), prof)
}

// TestBrokenGraph: a profile stands on the graph that gonum sees. Without the
// edges of one kind its counts are wrong, or it fails; and with a graph that
// panics when asked for neighbours there is none.
func TestBrokenGraph(t *testing.T) {
	for kind, body := range breakable {
		if err := profileOf(t, body, func() {}); err != nil {
			t.Fatalf("%v: %v", kind, err)
		}
		undo := depgraph.Traverse(func(g *depgraph.Graph) graph.Directed { return lacking{g, kind} })
		if err := profileOf(t, body, undo); err == nil {
			t.Errorf("without its %v edges the graph gives the same profile", kind)
		}
	}
	undo := depgraph.Traverse(func(g *depgraph.Graph) graph.Directed { return broken{g} })
	defer undo()
	defer func() {
		if why, _ := recover().(string); !strings.HasPrefix(why, "broken: ") {
			t.Errorf("profiled without the graph: %v", why)
		}
	}()
	_ = profileOf(t, breakable[depgraph.EdgeData], undo)
}
