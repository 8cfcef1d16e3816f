package oracle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/source"
	"hyptx/ir"
)

// The control profile, which runs slices of kernels and lets alike CTAs stand
// for each other, against threads run singly.

// TestSlices does so on random programs.
func TestSlices(t *testing.T) { checkSlices(t, programs(200, 1500), randomProgram) }

// TestSlicesPass does the same with programs whose branches depend on what
// functions take and give in registers of every type, predicates among them.
func TestSlicesPass(t *testing.T) { checkSlices(t, programs(100, 700), passingProgram) }

func checkSlices(t *testing.T, n uint64, program func(seed uint64) *program) {
	dir := t.TempDir()
	for seed := range n {
		seed += 1 << 32 // other programs than those of the emulator's tests
		p := program(seed)
		if err := checkSlice(dir, p); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.ptx)
		}
	}
}

// FuzzSlices is TestSlices with the fuzzer's seeds.
func FuzzSlices(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		p := randomProgram(seed)
		if err := checkSlice(t.TempDir(), p); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.ptx)
		}
	})
}

// checkSlice compares the profile of a program with the oracle's counts.
// Programs that run too long are taken for good.
func checkSlice(dir string, p *program) error {
	m, err := p.lower()
	if err != nil {
		return err
	}
	want, _, err := p.run(m)
	if errors.Is(err, errTooLong) {
		return nil
	}
	if err != nil {
		return err
	}
	prof, err := p.profile(dir)
	if err != nil {
		return err
	}
	if err := compareProfile(m, prof, want); err != nil {
		return err
	}
	if e := prof.Rows[0].Exactness; e != "exact" {
		return fmt.Errorf("exactness %s: every input is given and no thread sees another's stores", e)
	}
	return nil
}

// profile profiles a program by its control slice, from files in dir.
func (p *program) profile(dir string) (*analysis.Profile, error) {
	return p.profileIn(dir, analysis.Control)
}

func (p *program) profileIn(dir string, mode analysis.Mode) (*analysis.Profile, error) {
	opts := analysis.DefaultOptions()
	opts.Mode = mode
	s, err := p.open(dir, opts)
	if err != nil {
		return nil, err
	}
	return s.Profile(context.Background())
}

// open opens a program from files in dir.
func (p *program) open(dir string, opts analysis.Options) (*analysis.Session, error) {
	if err := os.WriteFile(filepath.Join(dir, "k.ptx"), []byte(p.ptx), 0o666); err != nil {
		return nil, err
	}
	text := fmt.Sprintf(`{"version": 1, "buffers": {"out": {"bytes": %d, "type": "u32", "init": "zero"}}, "launches": [
		{"module": "k.ptx", "kernel": "k", "grid": [%d, %d, %d], "block": [%d, %d, %d], "cluster": [%d], "args": [{"buffer": "out"}, {"value": %d}]}],
		"limits": {"stackBytes": 4096}, "outputs": ["out"]}`,
		p.bytes(), p.grid[0], p.grid[1], p.grid[2], p.block[0], p.block[1], p.block[2], max(p.cluster, 1), p.n)
	return analysis.OpenManifest(source.File{Name: filepath.Join(dir, "m.json"), Text: []byte(text)}, opts)
}

// compareProfile holds the rows of --per-instruction against the oracle's
// counts. Those of the kernel's functions are all there; the targets that
// branches reached stand in no row, so their sum over the launch is compared:
// one for each execution that did not diverge, and those of the others.
func compareProfile(m *ir.Module, prof *analysis.Profile, want counts) error {
	got := make(counts, len(want))
	for _, r := range prof.PerInstruction() {
		got[r.PC] = count{r.WarpExecutions, r.ThreadExecutions, r.PredOnExecutions, r.DivergentExecutions.N, want[r.PC].targets}
	}
	if err := compare(m, got, want); err != nil {
		return err
	}
	var targets uint64
	for pc, c := range want {
		if op := m.Instrs[pc].Inst; op.IsBranch() {
			targets += c.issues - c.divergent + c.targets
		}
	}
	if n := prof.Launches[0].Facts.Of(analysis.BranchTargets); n.N != targets {
		return fmt.Errorf("the branches reach %d targets, the oracle's %d", n.N, targets)
	}
	return nil
}
