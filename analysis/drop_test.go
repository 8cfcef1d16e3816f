package analysis

import (
	"context"
	"strings"
	"testing"

	"hyptx/depgraph"
	"hyptx/internal/slice"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// dropEach takes each instruction in turn out of the slice of a program's only
// launch: the run must fail, or Verify must see it. Branches and what else the
// emulator walks anyway are no use to drop; neither are lines with the comment
// "idle", which says why nothing changes without them.
func dropEach(t *testing.T, p program) {
	t.Helper()
	dropEachIn(t, p, Control)
}

// dropEachIn does so with the slice of a mode.
func dropEachIn(t *testing.T, p program, mode Mode) {
	t.Helper()
	lines := strings.Split(p.ptx, "\n")
	mod := p.session(t, mode).launches[0].kernel.Module
	for pc := range mod.Instrs {
		in := &mod.Instrs[pc]
		if in.Inst.Form.Class == isa.Control || strings.Contains(lines[in.Pos.Line-1], "// idle") {
			continue
		}
		s := p.session(t, mode)
		s.Options.MaxInstructions = 100_000
		f, ok := without(s.plan(nil)[0], in.PC)
		if !ok {
			continue
		}
		lp, err := s.profileLaunch(context.Background(), s.launches[0], f, f)
		if err == nil {
			err = s.Verify(context.Background(), &Profile{Launches: []*LaunchProfile{lp}})
		}
		if err == nil {
			t.Errorf("the slice without line %d, %s, gives the same profile\n%s", in.Pos.Line, mod.FuncOf(in.PC).Text(in.PC), numbered(p.ptx))
		}
	}
}

// without returns a filtered graph with one member less; ok is false if the
// instruction is none.
func without(f *depgraph.Filtered, pc ir.PC) (g *depgraph.Filtered, ok bool) {
	if !f.Slice.Run.Has(pc) {
		return nil, false
	}
	less := *f
	part := *f.Slice
	funcs := f.Graph.Kernel.Funcs
	part.Run, part.Value = except(f.Slice.Run, funcs, pc), except(f.Slice.Value, funcs, pc)
	less.Slice = &part
	return &less, true
}

// except returns a set of some functions' instructions without one of them.
func except(of slice.Set, funcs []*ir.Func, pc ir.PC) slice.Set {
	s := slice.NewSetOf(funcs)
	for p := range of.All() {
		if p != pc {
			s.Add(p)
		}
	}
	return s
}
