package st2

import (
	"hyptx/analysis"
	"hyptx/internal/adder"
	"hyptx/internal/gpu"
	"hyptx/internal/number"
	"hyptx/internal/pipe"
)

// Second cycles simulated: each addition of a warp that has one takes its unit for a cycle
// more, and its result is a cycle late. Which addition it is the simulator does not know,
// since what adds in the PTX and in machine code is not the same; so all instructions of a
// unit that can add take longer by their mean, one cycle at most.

// adding are the kinds of machine instructions that add, by unit, and whose additions they
// make.
var adding = []struct {
	kinds []pipe.Kind
	of    func(adder.Kind) bool
}{
	{[]pipe.Kind{pipe.IntAdd, pipe.IntMul, pipe.IntMulWide}, adder.Kind.IsInt},
	{[]pipe.Kind{pipe.FP32, pipe.FP16}, func(k adder.Kind) bool { return !k.IsInt() && k != adder.FP64 }},
	{[]pipe.Kind{pipe.FP64}, func(k adder.Kind) bool { return k == adder.FP64 }},
}

// Slowed is the GPU with the chosen design in its adders, as the kernels of a program that
// was predicted meet it; nil if the design was not asked for or nothing was simulated.
func (s *Suite) Slowed(network string) *gpu.GPU {
	point, ok := s.chosen()
	if !ok {
		return nil
	}
	g := *s.GPU
	g.Stalls = gpu.Stalls{}
	for _, k := range s.Kernels {
		if k.Network != network || k.Failed != "" || k.simulated == 0 {
			continue
		}
		var longer [pipe.NumKinds]float64
		for _, unit := range adding {
			issued := 0.0
			for _, kind := range unit.kinds {
				issued += k.issued[kind]
			}
			c, _, _ := k.sum(point, 0, s.Model.Widths[0], unit.of)
			for _, kind := range unit.kinds {
				if issued > 0 {
					longer[kind] = min(float64(c.Stalled)/issued, 1)
				}
			}
		}
		g.Stalls[k.Symbol] = longer
	}
	if len(g.Stalls) == 0 {
		return nil
	}
	return &g
}

// countIssued adds what a launch was seen to issue, as much as all of it does.
func (k *Kernel) countIssued(lp *analysis.LaunchProfile) {
	e := lp.Simulated
	if e == nil || e.Unfit != nil || e.Simulated == 0 {
		return
	}
	all := e.Longer * e.Repetitions * lp.Facts.X(analysis.CTAs) / float64(e.Simulated)
	for _, i := range e.Intervals {
		for kind, n := range i.Issued {
			k.issued[kind] += all * float64(n)
		}
	}
	k.simulated += e.Cycles
	k.simulations++
}

// Stalled adds the cycles of the kernels' launches on the GPU that [Suite.Slowed] gave.
func (s *Suite) Stalled(p *analysis.Profile) {
	for _, lp := range p.Launches {
		k := s.kernel(lp.Network, lp.KernelName, lp.Demangled)
		if e := lp.Simulated; e != nil && e.Unfit == nil && e.Simulated > 0 {
			k.slowed += e.Cycles
			k.again++
		}
	}
}

// slowdown is how much longer the simulated launches take with second cycles, if all were simulated
// again.
func (k *Kernel) slowdown() number.Real {
	if k.simulated == 0 || k.slowed == 0 || k.again != k.simulations {
		return number.Real{}
	}
	return number.Ratio(k.slowed/k.simulated - 1)
}
