package st2

import (
	"math"

	"gonum.org/v1/plot/vg"

	"hyptx/internal/figure"
)

// Figure is one of the paper's figures.
type Figure struct {
	Name string // of a file, without its ending
	Draw func(*Suite, figure.Look) ([]byte, error)
}

// Figures are the paper's 1 to 3 and 5 to 7; 4 is a drawing of the circuit.
func Figures() []Figure {
	return []Figure{
		{"st2_fig1_mix", (*Suite).plotMix}, {"st2_fig2_values", (*Suite).plotValues}, {"st2_fig3_match", (*Suite).plotMatch},
		{"st2_fig5_designs", (*Suite).plotDesigns}, {"st2_fig6_rates", (*Suite).plotRates}, {"st2_fig7_energy", (*Suite).plotEnergy},
	}
}

// newBars returns an empty plot whose bars' places have these names.
func newBars(look figure.Look, title, y string, names []string, height vg.Length) *figure.Bars {
	labels := make([]string, len(names))
	for i, n := range names {
		labels[i] = figure.Text(n)
	}
	const room = 19 * vg.Centimeter
	b := figure.NewBars(figure.NewSheet(look, height, 3*vg.Centimeter, title, "", y), labels, room/vg.Length(len(names)+1))
	if len(names) > 4 {
		b.X.Tick.Label.Rotation = math.Pi / 3
		b.X.Tick.Label.XAlign, b.X.Tick.Label.YAlign = -1, -0.5
	}
	return b
}

// render draws the page.
func render(b *figure.Bars) ([]byte, error) {
	if b.Y.Max != 100 {
		b.Y.Max *= 1.05 // so that no bar ends at the edge
	}
	return b.Picture()
}

// titles are the kernels' names, with their programs where a name is of several.
func (s *Suite) titles() (names []string) {
	count := map[string]int{}
	for _, k := range s.Kernels {
		count[k.Name]++
	}
	for _, k := range s.Kernels {
		if count[k.Name] > 1 {
			names = append(names, k.Network+" "+k.Name)
		} else {
			names = append(names, k.Name)
		}
	}
	return names
}
