package st2

import (
	"cmp"

	"hyptx/analysis"
	"hyptx/internal/adder"
	"hyptx/internal/gpu"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
	"hyptx/ir"
	"hyptx/power"
)

// Suite are the kernels of some programs.
type Suite struct {
	Model   *adder.Model
	GPU     *gpu.GPU
	Kernels []*Kernel // in the order of their first launches
	// Code and IntWidth say in rows whose additions were watched, and by which adders.
	Code, IntWidth string
}

// Heard adds a launch whose additions were watched.
func (s *Suite) Heard(l analysis.Launch, f *ir.Func, r *adder.Result) {
	k := s.kernel(l.Network, l.KernelName, l.Demangled)
	k.Func = f
	k.assume(l.AssumedInputs)
	k.heard++
	k.Adds.Plus(r)
}

// Failed notes that a launch failed: its additions are in no row of its kernel.
func (s *Suite) Failed(l analysis.Launch, f *ir.Func, err error) {
	k := s.kernel(l.Network, l.KernelName, l.Demangled)
	k.assume(l.AssumedInputs)
	k.Func, k.Failed = f, cmp.Or(k.Failed, err.Error())
}

// kernel returns a kernel of a program, a new one if it was not heard of.
func (s *Suite) kernel(network, symbol, demangled string) *Kernel {
	for _, k := range s.Kernels {
		if k.Network == network && k.Symbol == symbol {
			return k
		}
	}
	k := &Kernel{Network: network, Symbol: symbol, Name: analysis.ShortKernel(demangled), Adds: s.Model.NewResult()}
	s.Kernels = append(s.Kernels, k)
	return k
}

// Predicted adds what is predicted of a program whose launches were heard of: counts,
// times and energies by launch. What could not be predicted stays unknown, and so does all of it
// without a prediction.
func (s *Suite) Predicted(network string, p *predict.Prediction) {
	for _, k := range s.Kernels {
		k.predicted = k.predicted || k.Network == network
	}
	if p == nil {
		return
	}
	on := p.GPUs[0]
	times, powers := map[string]*roofline.Row{}, map[string]*power.Row{}
	for _, r := range on.Time {
		times[r.Network+"\x00"+r.Launch] = r
	}
	for _, r := range on.Power {
		powers[r.Network+"\x00"+r.Launch] = r
	}
	for _, lp := range on.Profile.Launches {
		k := s.kernel(lp.Network, lp.KernelName, lp.Demangled)
		name := lp.Network + "\x00" + lp.Name()
		k.launches++
		k.assume(lp.AssumedInputs)
		k.count(&lp.Facts)
		k.countIssued(lp)
		if r := times[name]; r != nil && r.TimeUs.Known {
			k.timeUs += r.TimeUs.X
			k.timed++
		} else if r != nil {
			k.Missing = cmp.Or(k.Missing, r.Missing)
		}
		if r := powers[name]; r != nil && r.EnergyUJ.Known {
			k.energy.add(r)
			k.clockMHz = r.ClockMHz.X
			k.powered++
		} else if r != nil {
			k.Missing = cmp.Or(k.Missing, r.Missing)
		}
	}
	if on.PowerErr != nil {
		for _, k := range s.Kernels {
			k.Missing = cmp.Or(k.Missing, on.PowerErr.Error())
		}
	}
}

// chosen returns the point of the design that the paper chooses, as it is before
// writes collide; nil where it was not asked for. The width is the first one.
func (s *Suite) chosen() (at int, ok bool) {
	for i, p := range s.Model.Points {
		if p.Design.Name == adder.Chosen && p.Update == adder.OnMiss && p.Arbitration == adder.Ideal && p.Width == s.Model.Widths[0] {
			return i, true
		}
	}
	return 0, false
}
