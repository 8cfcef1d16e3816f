package st2

import (
	"image/color"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"hyptx/internal/adder"
	"hyptx/internal/figure"
)

// energyParts are the parts of a bar from below, the adders' units first; neighbours differ in
// grey (TestGrey).
var energyParts = []struct {
	text   string
	colour color.Color
	of     func(*EnergyRow) Joules
}{
	{"ALUs, FPUs, DPUs", figure.Blue, func(r *EnergyRow) Joules { return r.UnitsJ }},
	{"register file", figure.Purple, func(r *EnergyRow) Joules { return r.RegistersJ }},
	{"other units, issue", figure.Yellow, func(r *EnergyRow) Joules { return r.OthersJ }},
	{"L1, shared memory", figure.Orange, func(r *EnergyRow) Joules { return r.L1J }},
	{"L2, NoC", figure.Vermillion, func(r *EnergyRow) Joules { return r.L2J }},
	{"DRAM", figure.SkyBlue, func(r *EnergyRow) Joules { return r.DRAMJ }},
	{"constant, static", color.Gray{0xe0}, func(r *EnergyRow) Joules { return r.FixedJ }},
}

// plotEnergy draws each kernel's energy by part, against that without the design: the left
// bar without it, the right one with it (figure 7).
func (s *Suite) plotEnergy(look figure.Look) ([]byte, error) {
	var rows []*EnergyRow
	var names []string
	for _, r := range s.Energies() {
		if r.System.Known && r.System.X > 0 {
			rows, names = append(rows, r), append(names, r.Kernel)
		}
	}
	if len(rows) == 0 {
		return nil, figure.ErrNothing
	}
	b := newBars(look, "Energy of the system without and with "+adder.Chosen, "percent of that without", names, 14*vg.Centimeter)
	var below [2]*plotter.BarChart
	for n, part := range energyParts {
		for with := range 2 {
			values := make(plotter.Values, len(rows))
			for i, r := range rows {
				values[i] = 100 * part.of(r).X / r.System.X
				if with == 1 && n == 0 {
					values[i] *= 1 - adder.PublishedSaving
				}
			}
			text := part.text
			if with == 1 {
				text = ""
			}
			var err error
			if below[with], err = b.Stack(text, values, part.colour, with, 2, below[with]); err != nil {
				return nil, err
			}
		}
	}
	b.Y.Max = 100
	return render(b)
}
