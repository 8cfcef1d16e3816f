package main

import (
	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/scalemodel"
)

// hyptx scalemodel predict with several programs: weak scaling, a program for each size, since
// what grows with a GPU is the program's own affair.

// strongOnly are the flags of one program on all sizes.
var strongOnly = []string{"sweep", "plot-sweep", "f-mem", "f-mem-rule", "cliff", "scenario", "fail-fast", "smallest"}

// predictGrowing predicts of programs that grow with the sizes.
func (a *app) predictGrowing(c *cobra.Command, args []string, f *scalePredictFlags) error {
	s := &f.simulation
	for _, name := range strongOnly {
		if c.Flags().Changed(name) {
			return usagef("--%s is for one program on all sizes: a program for each size scales weakly, and has no cliff", name)
		}
	}
	if err := s.checkChips(c); err != nil {
		return err
	}
	if err := a.checkOutputs(append(gpuFiles(s.gpu), args...), a.predictOutputs(f, nil, nil, nil)...); err != nil {
		return err
	}
	machines, err := a.machines(s)
	if err != nil {
		return err
	}
	if len(args) != len(machines.Sizes) {
		return usagef("%s for %s: one program is simulated on all sizes, or there is one for each size, in their order (weak scaling)", plural(len(args), "program"), plural(len(machines.Sizes), "size"))
	}
	scenario := scalemodel.Weak
	if s.chips.chiplets != nil {
		scenario = scalemodel.MCM
	}
	var inputs []analysis.Input
	name := ""
	w, err := machines.Growing("", scenario, func(i int, g *gpu.GPU) (*analysis.Profile, error) {
		o := a.options(analysis.Control, &programFlags{kernel: s.kernel})
		o.SimulatedInstructions, o.Simulate = s.simulated, []*gpu.GPU{g}
		session, err := a.openOne(args[i], s.bare, o)
		if err != nil {
			return nil, err
		}
		if inputs = append(inputs, session.Inputs...); i == 0 {
			name = session.Manifest.Name
		}
		p, err := session.Profile(c.Context())
		a.noteAssumed(session)
		return p, err
	})
	if err != nil {
		return err
	}
	w.Name = name
	return a.writePredictions([]*scalemodel.Workload{w}, f, inputs, "")
}
