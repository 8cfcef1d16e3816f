package scalemodel

import (
	"fmt"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/number"
)

// Weak scaling gives each size work of its own (the paper's section VII-C): as many times the
// CTAs, the footprint and the instructions as the size has SMs or chiplets. So there is a
// program for each size, which is simulated on that size alone.

// Growing simulates a program on each size, as far as that is simulated at all; run profiles the
// program of the i-th size on its GPU. Weak scaling has no cliff, so that no caches are asked.
func (m *Machines) Growing(name string, scenario Scenario, run func(i int, g *gpu.GPU) (*analysis.Profile, error)) (*Workload, error) {
	w := &Workload{Name: name, Scenario: scenario, Sizes: m.Sizes, IPC: make([]number.Real, len(m.Sizes))}
	var assumed []string
	for i, g := range m.simulated {
		p, err := run(i, g)
		if err != nil {
			return nil, err
		}
		instructions := 0.0
		for _, lp := range p.On(g).Launches {
			if s := lp.Simulated; s == nil || s.Unfit != nil {
				return nil, fmt.Errorf("launch %s was not simulated on %s: a program of weak scaling is needed whole", lp.Name(), g.Label())
			}
			instructions += lp.Facts.X(analysis.ThreadInstructionsPredOn)
		}
		cycles, err := cyclesOn(p, g, make([]string, len(p.Launches)))
		if err != nil {
			return nil, err
		}
		w.IPC[i] = number.Ratio(instructions / cycles)
		if text := AssumedInputs(p); text != "" {
			assumed = append(assumed, text)
		}
	}
	w.Assumed = strings.Join(assumed, "; ")
	return w, w.Check()
}
