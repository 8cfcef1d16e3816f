package analysis

import (
	"context"
	"hyptx/emulator"
	"hyptx/internal/adder"
	"hyptx/internal/gpu"
	"hyptx/ir"
)

// Watching says how the additions of a program that is run (Session.Run) are watched:
// what is modelled of them, for a GPU whose SMs hold what fits, and who hears of each
// launch what it came to, or why it failed.
type Watching struct {
	Model *adder.Model
	Rules emulator.Adds
	GPU   *gpu.GPU
	Heard func(Launch, *ir.Func, *adder.Result)
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
		Number: l.number, Target: k.Module.Target, Grid: l.grid, Block: l.cta,
	}
}
