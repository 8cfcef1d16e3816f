package emulator_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"hyptx/emulator"
	"hyptx/internal/oracle"
	"hyptx/ir"
	"hyptx/parser"
)

// outBase is where the tests' memory lies.
const outBase = 0x7f0000000000

// randomPrograms is how many programs TestOracle runs; maxSteps bounds a
// thread of theirs.
const (
	randomPrograms = 4000
	maxSteps       = 4000
)

// TestOracle holds the emulator's counts and memory against the oracle's on
// random programs.
func TestOracle(t *testing.T) {
	n := uint64(randomPrograms)
	if testing.Short() {
		n /= 10
	}
	skipped := 0
	for seed := range n {
		err := checkSeed(seed)
		if errors.Is(err, oracle.ErrTooLong) {
			skipped++
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, oracle.Random(seed).PTX)
		}
	}
	if skipped > int(n/20) {
		t.Errorf("%d of %d programs run too long to be compared", skipped, n)
	}
}

// TestParameters does the same with programs whose functions pass values of
// all register types.
func TestParameters(t *testing.T) {
	n := uint64(2000)
	if testing.Short() {
		n /= 5
	}
	for seed := range n {
		p := oracle.RandomParameters(seed)
		if err := checkProgram(p); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.PTX)
		}
	}
}

// FuzzOracle is TestOracle with seeds of the fuzzer's.
func FuzzOracle(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		if err := checkSeed(seed); err != nil && !errors.Is(err, oracle.ErrTooLong) {
			t.Fatalf("seed %d: %v\n%s", seed, err, oracle.Random(seed).PTX)
		}
	})
}

func checkSeed(seed uint64) error {
	p := oracle.Random(seed)
	return checkProgram(p)
}

// checkProgram runs a program's kernel k(out, n) both ways and compares.
func checkProgram(p *oracle.Program) error {
	m, err := lower(p.PTX)
	if err != nil {
		return err
	}
	k := m.Func("k")
	params := make([]byte, 12)
	binary.LittleEndian.PutUint64(params, outBase)
	binary.LittleEndian.PutUint32(params[8:], p.N)
	mem := oracle.Memory{}
	want, err := oracle.Run(&oracle.Launch{Kernel: k, Grid: p.Grid, Block: p.Block, Params: params, MaxSteps: maxSteps}, mem)
	if err != nil {
		return err
	}
	mc := emulator.NewMachine(1 << 30)
	out, err := mc.Memory.AddBuffer("out", outBase, p.Bytes(), nil, false)
	if err != nil {
		return err
	}
	if err := mc.Load(m); err != nil {
		return err
	}
	prog, err := mc.Compile(k, emulator.Options{})
	if err != nil {
		return err
	}
	r, err := mc.Launch(context.Background(), prog, emulator.LaunchConfig{
		Grid: p.Grid, Block: p.Block, Params: params, StackBytes: 4096, Workers: 1, MaxInstructions: 1 << 30,
	})
	if err != nil {
		return err
	}
	if err := compareCounts(r, want, m); err != nil {
		return err
	}
	return compareMemory(out, mem)
}

func lower(ptx string) (*ir.Module, error) {
	tree, err := parser.Parse("test.ptx", []byte(ptx))
	if err != nil {
		return nil, err
	}
	return ir.Lower(tree)
}

// compareCounts holds a launch's counts of every instruction and branch
// against the oracle's.
func compareCounts(r *emulator.Result, want *oracle.Counts, m *ir.Module) error {
	got := sum(r, len(m.Instrs))
	for pc := range m.Instrs {
		a := [5]uint64{got.Issues[pc], got.Lanes[pc], got.PredOn[pc], got.Divergent[pc], got.Targets[pc]}
		b := [5]uint64{want.Issues[pc], want.Lanes[pc], want.PredOn[pc], want.Divergent[pc], want.Targets[pc]}
		if a != b {
			return fmt.Errorf("line %d, %s: issues, lanes, lanes with a true guard, divergent, targets are %v, the oracle has %v",
				m.Instrs[pc].Pos.Line, m.FuncOf(ir.PC(pc)).Text(ir.PC(pc)), a, b)
		}
	}
	return nil
}

// sum adds up what the CTAs of a launch did.
func sum(r *emulator.Result, n int) *oracle.Counts {
	c := &oracle.Counts{
		Issues: make([]uint64, n), Lanes: make([]uint64, n), PredOn: make([]uint64, n),
		Divergent: make([]uint64, n), Targets: make([]uint64, n),
	}
	for _, class := range r.Classes {
		ctas := uint64(class.CTAs)
		r.Program.EachInstr(class.Counts, func(i emulator.InstrCount) {
			c.Issues[i.PC] += ctas * i.Issues
			c.Lanes[i.PC] += ctas * i.Lanes
			c.PredOn[i.PC] += ctas * i.PredOn
		})
		r.Program.EachBranch(class.Counts, func(b emulator.BranchCount) {
			c.Divergent[b.PC] += ctas * b.Divergent
			c.Targets[b.PC] += ctas * b.Targets
		})
	}
	return c
}

func compareMemory(b *emulator.Buffer, want oracle.Memory) error {
	data := make([]byte, b.Bytes)
	if err := b.Read(data, 0); err != nil {
		return err
	}
	for i := 0; i < len(data); i += 4 {
		at := b.Base + uint64(i)
		if got := binary.LittleEndian.Uint32(data[i:]); got != want[at] {
			return fmt.Errorf("memory at out+%d holds %#x, the oracle's %#x", i, got, want[at])
		}
	}
	return nil
}
