package oracle

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"hyptx/emulator"
	"hyptx/ir"
)

// The emulator, running whole kernels, against the oracle: what the warps did
// at each instruction, and what the threads left in memory.

// TestEmulator does so on random programs.
func TestEmulator(t *testing.T) {
	n := programs(400, 3500)
	skipped := 0
	for seed := range n {
		p := randomProgram(seed)
		err := checkEmulator(p)
		if errors.Is(err, errTooLong) {
			skipped++
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.ptx)
		}
	}
	if skipped > int(n/20) {
		t.Errorf("%d of %d programs run too long to be compared", skipped, n)
	}
}

// TestEmulatorPasses does the same with programs whose functions pass values of
// all register types.
func TestEmulatorPasses(t *testing.T) {
	n := programs(400, 1500)
	for seed := range n {
		p := passingProgram(seed)
		if err := checkEmulator(p); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.ptx)
		}
	}
}

// FuzzEmulator is TestEmulator with seeds of the fuzzer's.
func FuzzEmulator(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		p := randomProgram(seed)
		if err := checkEmulator(p); err != nil && !errors.Is(err, errTooLong) {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.ptx)
		}
	})
}

// checkEmulator runs a program's kernel both ways and compares.
func checkEmulator(p *program) error {
	m, err := p.lower()
	if err != nil {
		return err
	}
	want, mem, err := p.run(m)
	if err != nil {
		return err
	}
	r, out, err := p.emulate(m, emulator.LaunchConfig{Workers: 1})
	if err != nil {
		return err
	}
	if err := compare(m, sum(r), want); err != nil {
		return err
	}
	for i := range out {
		if got, want := out[i], mem.out[i]; got != want {
			return fmt.Errorf("memory at out+%d holds %#x, the oracle's %#x", i, got, want)
		}
	}
	return nil
}

// emulate has the emulator run a program's kernel, and returns what that left
// in memory, too.
func (p *program) emulate(m *ir.Module, cfg emulator.LaunchConfig) (r *emulator.Result, out []byte, err error) {
	mc := emulator.NewMachine(1 << 30)
	buffer, err := mc.Memory.AddBuffer("out", outBase, p.bytes(), nil, false)
	if err != nil {
		return nil, nil, err
	}
	if err := mc.Load(m); err != nil {
		return nil, nil, err
	}
	prog, err := mc.Compile(context.Background(), m.Func("k"), emulator.Options{})
	if err != nil {
		return nil, nil, err
	}
	cfg.Cluster[0] = p.cluster
	cfg.Grid, cfg.Block, cfg.Params, cfg.StackBytes, cfg.MaxInstructions = p.grid, p.block, p.params(), 4096, 1<<30
	if r, err = mc.Launch(context.Background(), prog, cfg); err != nil {
		return nil, nil, err
	}
	out = make([]byte, p.bytes())
	return r, out, buffer.Read(out, 0)
}

// sum adds up what the CTAs of a launch did.
func sum(r *emulator.Result) counts {
	c := make(counts, len(r.Program.Module.Instrs))
	for _, class := range r.Classes {
		ctas := uint64(class.CTAs)
		r.Program.EachInstr(class.Counts, func(i emulator.InstrCount) {
			c[i.PC].issues += ctas * i.Issues
			c[i.PC].lanes += ctas * i.Lanes
			c[i.PC].predOn += ctas * i.PredOn
		})
		r.Program.EachBranch(class.Counts, func(b emulator.BranchCount) {
			c[b.PC].divergent += ctas * b.Divergent
			c[b.PC].targets += ctas * b.Targets
		})
	}
	return c
}
