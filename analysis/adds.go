package analysis

import (
	"context"
	"strings"

	"hyptx/emulator"
	"hyptx/internal/adder"
	"hyptx/internal/gpu"
	"hyptx/internal/machine"
	"hyptx/internal/pipe"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Watching says how the additions of a program that is run (Session.Run) are watched:
// what is modelled of them, for a GPU whose SMs hold what fits, and who hears of each
// launch what it came to, or why it failed.
type Watching struct {
	Model *adder.Model
	Rules emulator.Adds
	GPU   *gpu.GPU
	// Machine: the additions are those of the machine code that is estimated for the GPU.
	Machine bool
	Heard   func(Launch, *ir.Func, *adder.Result)
	// Failed may be nil if Options.FailFast is set.
	Failed func(Launch, *ir.Func, error)
}

// watchAdds begins watching a launch, nil where nobody asked.
func (s *Session) watchAdds(ctx context.Context, l *launchPlan, prog *emulator.Program) (*adder.Launch, error) {
	w := s.Options.Watching
	if w == nil {
		return nil, nil
	}
	registers, err := s.registers(ctx, l, w.GPU)
	if err != nil {
		return nil, err
	}
	o, err := w.GPU.Occupy(gpu.CTA{
		Threads: int(l.threads()), RegistersPerThread: registers,
		SharedBytes: int(prog.StaticSharedBytes() + l.launch.DynamicSharedBytes),
	})
	if err != nil {
		return nil, err
	}
	return w.Model.Launch(int64(l.ctas()), int(l.threads()), o.CTAsPerSM), nil
}

// addRules says which additions of a launch are watched.
func (s *Session) addRules(ctx context.Context, l *launchPlan) (rules emulator.Adds, err error) {
	w := s.Options.Watching
	if w == nil {
		return rules, nil
	}
	if rules = w.Rules; w.Machine {
		rules.Code, err = s.addCode(ctx, l, w.GPU)
	}
	return rules, err
}

// addCode returns what machine code makes of the additions of a launch's kernel, made once
// for launches of the same shape. Operands are known of the PTX's additions alone, so that
// these are chosen from: an instruction adds if some of the machine's comes from it, and
// less often than it is executed where copies of its block share one.
func (s *Session) addCode(ctx context.Context, l *launchPlan, g *gpu.GPU) (*adder.Code, error) {
	key := codeKey{l.kernel, l.cta, l.grid, machineOf(g, l.kernel.Module.Target)}
	if code := s.addCodes[key]; code != nil {
		return code, nil
	}
	n := len(l.kernel.Module.Instrs)
	code := &adder.Code{Number: make([]uint32, n), Every: make([]uint32, n)}
	for first, overlay := range s.planner.Kernel(l.kernel).SSA {
		listing, err := machine.List(ctx, overlay, &machine.Launch{NTID: l.cta, NCTAID: l.grid}, key.sm)
		if err != nil {
			return nil, err
		}
		addsOf(listing, uint32(first)<<20, code)
	}
	if s.addCodes == nil {
		s.addCodes = map[codeKey]*adder.Code{}
	}
	s.addCodes[key] = code
	return code, nil
}

// addsOf sets what the machine code of a function makes of its instructions. Its own are
// numbered from first on.
func addsOf(l *machine.Listing, first uint32, code *adder.Code) {
	copies := make([]uint32, len(l.Func.Blocks))
	made := make([]uint32, l.Func.End-l.Func.First)
	for i := range l.Blocks {
		b := &l.Blocks[i]
		for _, p := range b.Parts {
			copies[p.PTX]++
		}
		for k := range b.Ops {
			op := &b.Ops[k]
			if made[op.PC-l.Func.First]++; code.Number[op.PC] == 0 {
				code.Number[op.PC] = first
			}
			if first++; op.Class != isa.Integer || op.Kind == pipe.Uniform {
				made[op.PC-l.Func.First]--
			}
		}
	}
	for at, n := range made {
		pc := l.Func.First + ir.PC(at)
		if n > 0 {
			in := &l.Func.Module.Instrs[pc]
			if in.Inst.Mul != isa.WIDE && in.Inst.Type().Bits() == 64 {
				n = (n + 1) / 2 // the halves
			}
			code.Every[pc] = max(copies[in.Block]/n, 1)
		}
		if code.Number[pc] == 0 && at > 0 { // it is part of another
			code.Number[pc] = code.Number[pc-1]
		}
	}
}

// heardAdds tells what a launch came to.
func (s *Session) heardAdds(l *launchPlan, adds *adder.Launch) {
	if adds == nil {
		return
	}
	s.Options.Watching.Heard(s.watched(l), l.kernel, adds.Result())
}

// watched says which launch it is.
func (s *Session) watched(l *launchPlan) Launch {
	k := l.kernel
	return Launch{
		Network: s.Manifest.Name, KernelName: k.Name, Demangled: Demangle(k.Name), Label: l.launch.Label,
		Number: l.number, Target: k.Module.Target, Grid: l.grid, Block: l.cta, AssumedInputs: strings.Join(s.Assumed, "; "),
	}
}
