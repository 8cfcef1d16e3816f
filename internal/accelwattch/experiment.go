package accelwattch

import "hyptx/internal/figure"

// Experiment is a part of what the paper shows: a table and its figures.
type Experiment struct {
	Name, About string
	// Table is the file of its rows, without an ending.
	Table   string
	Rows    func() any
	Figures []Figure
	summary func() []Line
}

// Figure is a figure of an experiment.
type Figure struct {
	// Name is a file's, without its ending.
	Name string
	Draw func(look figure.Look) ([]byte, error)
}

// Experiments are all of them.
var Experiments = []Experiment{
	{"kernels", "power of each kernel of the validation, by component, beside what was measured", "accelwattch_kernels",
		func() any { return Kernels() }, []Figure{
			{"accelwattch_fig7_10_correlation_volta", correlation("Volta")}, {"accelwattch_fig7_10_correlation_pascal", correlation("Pascal")},
			{"accelwattch_fig7_10_correlation_turing", correlation("Turing")}, {"accelwattch_fig8_shares", plotShares},
			{"accelwattch_fig9_stack_volta", stack("Volta SASS SIM")}, {"accelwattch_fig11_stack_pascal", stack("Pascal SASS SIM")},
			{"accelwattch_fig11_stack_turing", stack("Turing SASS SIM")}, {"accelwattch_gpuwattch", stack("Volta GPUWattch, counts of SASS SIM")},
		}, sheetLines},
	{"relative", "power of a kernel on one GPU over that on another, modelled and measured", "accelwattch_relative",
		func() any { return Relative() }, []Figure{{"accelwattch_fig12_relative", plotRelative}}, relativeLines},
	{"lanes", "power that a GV100 draws without any events, by active lanes and SMs", "accelwattch_lanes",
		func() any { return Lanes() }, []Figure{{"accelwattch_fig4_lanes", plotLanes}, {"accelwattch_fig3_5_sms", plotSMs}}, laneLines},
}
