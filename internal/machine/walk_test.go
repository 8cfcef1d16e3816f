package machine

import (
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
	"hyptx/parser"
)

// eachFunction calls do with every function of the PTX below a folder.
func eachFunction(t *testing.T, root string, do func(f *ir.Func)) (files int) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".ptx") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		src, err := parser.Parse(path, text)
		if err != nil {
			return err
		}
		m, err := ir.Lower(src)
		if err != nil {
			return err
		}
		files++
		for _, f := range m.Funcs {
			if f.Defined && f.AliasOf == nil {
				do(f)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// walker takes a warp at random through a function, by the rounds that counted
// loops have.
type walker struct {
	f     *ir.Func
	trips map[*ir.Loop]*trips
	l     *Listing
	rng   *rand.Rand
	tests map[*ir.Loop]int
	// blocks are the blocks of the PTX that were entered, copies those of the
	// machine, issued the instructions by class.
	blocks []int
	copies map[Place]int
	issued [isa.NumClasses]float64
	stuck  int
}

// walk ends after so many blocks, or at the function's end.
func (w *walker) walk(limit int) (ended bool) {
	at, b := w.l.Start(), 0
	for range limit {
		w.blocks[b]++
		w.copies[at]++
		if at.Part == 0 {
			for i := range w.l.Blocks[at.Block].Ops {
				w.issued[w.l.Blocks[at.Block].Ops[i].Class]++
			}
		}
		next := w.choose(b, at)
		if next == ir.Exit {
			return true
		}
		var e *Edge
		if at, e = w.l.Next(at, int32(next)); e == nil {
			w.stuck++
		}
		b = next
	}
	return false
}

// choose returns the block after b: the tests of counted loops end them after
// their number, conditions that are constants are not drawn.
func (w *walker) choose(b int, at Place) int {
	succs := w.f.Blocks[b].Succs()
	for l, t := range w.trips {
		if t.exit != b {
			continue
		}
		if w.tests[l]++; w.tests[l] == t.tests {
			w.tests[l] = 0
			return t.leaves
		}
		if i := slices.IndexFunc(succs, func(s int) bool { return s != t.leaves }); i >= 0 {
			return succs[i]
		}
	}
	edges := w.l.Blocks[at.Block].Parts[at.Part].Edges
	var can []int
	for _, s := range succs {
		if s == ir.Exit || slices.ContainsFunc(edges, func(e Edge) bool { return int(e.PTX) == s }) {
			can = append(can, s)
		}
	}
	if len(can) == 0 {
		return ir.Exit
	}
	return can[w.rng.IntN(len(can))]
}

// charges returns what a function's charges make of the blocks that were walked.
func (w *walker) charges(c *Code) (sum [isa.NumClasses]float64) {
	for _, ch := range c.Charges {
		if ch.Left { // where nobody walks here
			continue
		}
		n := w.blocks[w.f.Module.Instrs[ch.Issue].Block]
		sum[ch.Class] += float64(ch.Num) / float64(ch.IssueDen) * float64(n)
	}
	return sum
}

// even reports whether the copies of each block were entered equally often: then
// charges, which share a block's executions among its copies, are exact.
func (w *walker) even() bool {
	for b, places := range w.l.places {
		places = slices.DeleteFunc(slices.Clone(places), w.left)
		for _, p := range places {
			if w.copies[p]*len(places) != w.blocks[b] {
				return false
			}
		}
	}
	return true
}

// left reports whether a place is of rounds left over: those come after unrolled ones, which
// the walk takes without end.
func (w *walker) left(p Place) bool {
	return slices.ContainsFunc(w.l.Open, func(o OpenLoop) bool { return slices.Contains(o.Blocks, p.Block) })
}

// TestWalk takes warps through every function of the samples, of the shared
// networks and of the measured kernels. The machine's blocks follow wherever the PTX goes, and the
// instructions that are issued are those that are charged for.
func TestWalk(t *testing.T) {
	exact, all := 0, 0
	try := func(f *ir.Func) {
		s := ssa.Build(f)
		l, c := listingOf(s, nil, f.Module.Target.SM), codeOf(s, nil, f.Module.Target.SM)
		checkListing(t, l)
		for seed := range uint64(3) {
			w := &walker{f: f, trips: countLoops(nil, s), l: l, rng: rand.New(rand.NewPCG(1, seed)), tests: map[*ir.Loop]int{},
				blocks: make([]int, len(f.Blocks)), copies: map[Place]int{}}
			ended := w.walk(20_000)
			all++
			if w.stuck > 0 {
				t.Errorf("%s %s: %d blocks were not where an edge leads", f.Module.File, f.Name, w.stuck)
			}
			if !ended || !w.even() {
				continue
			}
			exact++
			for class, want := range w.charges(c) {
				if math.Abs(w.issued[class]-want) > 1e-6*(1+want) {
					t.Errorf("%s %s: %v instructions of class %v were issued, %v are charged for", f.Module.File, f.Name, w.issued[class], isa.Class(class), want)
				}
			}
		}
	}
	files := eachFunction(t, filepath.Join("..", "..", "ptx-samples"), try)
	for _, folder := range []string{"cnn", filepath.Join("silicon", "kernels")} {
		if shared := filepath.Join("..", "..", "..", "shared", folder); !testing.Short() && exists(shared) {
			files += eachFunction(t, shared, try)
		}
	}
	t.Logf("%d files, %d walks, %d of them to the end with even copies", files, all, exact)
	if files < 100 || exact < all/2 {
		t.Errorf("too few walks could be compared")
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// checkListing holds that a listing is whole: slots and places exist, and what
// is computed in a block is computed before it is read there.
func checkListing(t *testing.T, l *Listing) {
	t.Helper()
	name := l.Func.Module.File + " " + l.Func.Name
	if l.broken > 0 {
		t.Errorf("%s: %d instructions wait for one another", name, l.broken)
	}
	headers := map[Slot]bool{}
	for n := range l.Blocks {
		for _, p := range l.Blocks[n].Parts {
			for _, e := range p.Edges {
				if int(e.To.Part) >= len(l.Blocks[e.To.Block].Parts) || l.Blocks[e.To.Block].Parts[e.To.Part].PTX != e.PTX {
					t.Fatalf("%s: block %d has an edge to another copy than that of block %d", name, n, e.PTX)
				}
				for _, m := range e.Moves {
					headers[m.Dst] = true
				}
			}
		}
	}
	for n := range l.Blocks {
		written := map[Slot]bool{}
		for i := range l.Blocks[n].Ops {
			if o := &l.Blocks[n].Ops[i]; o.Dst != NoSlot {
				written[o.Dst] = true
			}
		}
		seen := map[Slot]bool{}
		for i := range l.Blocks[n].Ops {
			o := &l.Blocks[n].Ops[i]
			for _, s := range o.Srcs {
				if s < 0 || int(s) >= l.Slots || written[s] && !seen[s] && !headers[s] {
					t.Fatalf("%s: %s in block %d reads slot %d before it is written", name, l.Func.Text(o.PC), n, s)
				}
			}
			if o.Dst != NoSlot {
				seen[o.Dst] = true
			}
		}
	}

}
