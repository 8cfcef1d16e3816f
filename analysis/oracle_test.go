package analysis

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"hyptx/internal/oracle"
	"hyptx/ir"
)

// TestOracle holds the control profile of random programs, got from their
// slices, against threads run singly.
func TestOracle(t *testing.T) {
	n := uint64(2000)
	if testing.Short() {
		n /= 10
	}
	dir := t.TempDir()
	for seed := range n {
		// Other programs than those of package emulator.
		p := oracle.Random(1<<32 + seed)
		if err := checkSlice(t, dir, p); err != nil {
			t.Fatalf("seed %d: %v\n%s", 1<<32+seed, err, numbered(p.PTX))
		}
	}
}

// TestOracleParameters does the same with programs whose branches depend on
// what functions take and give in registers of every type, predicates among
// them.
func TestOracleParameters(t *testing.T) {
	n := uint64(1000)
	if testing.Short() {
		n /= 10
	}
	dir := t.TempDir()
	for seed := range n {
		p := oracle.RandomParameters(1<<32 + seed)
		if err := checkSlice(t, dir, p); err != nil {
			t.Fatalf("seed %d: %v\n%s", 1<<32+seed, err, numbered(p.PTX))
		}
	}
}

// FuzzOracle is TestOracle with the fuzzer's seeds.
func FuzzOracle(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		p := oracle.Random(seed)
		if err := checkSlice(t, t.TempDir(), p); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, numbered(p.PTX))
		}
	})
}

// checkSlice compares the profile of a program with the oracle's
// counts. Programs that run too long are taken for good.
func checkSlice(t testing.TB, dir string, p *oracle.Program) error {
	prog := program{p.PTX, fmt.Sprintf(`{"version": 1, "buffers": {"out": {"bytes": %d, "init": "zero"}}, "launches": [
		{"module": "k.ptx", "kernel": "k", "grid": [%d, %d, %d], "block": [%d, %d, %d], "args": [{"buffer": "out"}, {"value": %d}]}],
		"limits": {"stackBytes": 4096}}`,
		p.Bytes(), p.Grid[0], p.Grid[1], p.Grid[2], p.Block[0], p.Block[1], p.Block[2], p.N)}
	s, err := OpenManifest(prog.source(t, dir), DefaultOptions())
	if err != nil {
		return err
	}
	k := s.launches[0].kernel
	want, err := oracle.Run(&oracle.Launch{Kernel: k, Grid: p.Grid, Block: p.Block, Params: s.launches[0].block.Data, MaxSteps: 3000}, oracle.Memory{})
	if errors.Is(err, oracle.ErrTooLong) {
		return nil
	}
	if err != nil {
		return err
	}
	prof, err := s.Profile(context.Background())
	if err != nil {
		return err
	}
	if err := compareOracle(prof.Launches[0], want); err != nil {
		return err
	}
	if e := prof.Rows[0].Exactness; e != "exact" {
		return fmt.Errorf("exactness %s: every input is given and no thread sees another's stores", e)
	}
	return nil
}

// compareOracle holds the counts of every instruction and branch against the
// oracle's.
func compareOracle(lp *LaunchProfile, want *oracle.Counts) error {
	m := lp.Kernel.Module
	n := len(m.Instrs)
	divergent, targets := make([]uint64, n), make([]uint64, n)
	for _, b := range lp.branchCounts() {
		divergent[b.PC], targets[b.PC] = b.Divergent, b.Targets
	}
	for pc, c := range lp.instructionCounts() {
		a := [5]uint64{c.Issues, c.Lanes, c.PredOn, divergent[pc], targets[pc]}
		b := [5]uint64{want.Issues[pc], want.Lanes[pc], want.PredOn[pc], want.Divergent[pc], want.Targets[pc]}
		if a != b {
			return fmt.Errorf("line %d, %s: issues, lanes, lanes with a true guard, divergent, targets are %v, the oracle has %v",
				m.Instrs[pc].Pos.Line, m.FuncOf(ir.PC(pc)).Text(ir.PC(pc)), a, b)
		}
	}
	return nil
}
