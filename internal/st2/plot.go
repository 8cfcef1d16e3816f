package st2

import (
	"errors"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
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

// errNothing says that a figure has nothing to show.
var errNothing = errors.New("nothing to draw")

// bars is a plot of bars beside or on each other, a place for each name.
type bars struct {
	plot  *plot.Plot
	page  *figure.Page
	width vg.Length // of a place
}

// newBars returns an empty plot whose bars' places have these names.
func newBars(look figure.Look, title, y string, names []string, height vg.Length) *bars {
	b := &bars{plot: figure.New(title, "", y), page: figure.NewPage(look, height, 3*vg.Centimeter)}
	figure.Grid(b.plot, false)
	b.plot.Y.Tick.Marker = figure.LinearTicks{}
	const room = 19 * vg.Centimeter
	b.width = min(room/vg.Length(len(names)+1), 2.4*vg.Centimeter)
	b.plot.X.Min, b.plot.X.Max, b.plot.Y.Min = -0.6, float64(len(names))-0.4, 0
	ticks := make([]plot.Tick, len(names))
	for i, n := range names {
		ticks[i] = plot.Tick{Value: float64(i), Label: figure.Text(n)}
	}
	b.plot.X.Tick.Marker = plot.ConstantTicks(ticks)
	b.plot.X.Tick.LineStyle.Width = 0 // their length keeps names off the line
	if len(names) > 4 {
		b.plot.X.Tick.Label.Rotation = math.Pi / 3
		b.plot.X.Tick.Label.XAlign, b.plot.X.Tick.Label.YAlign = -1, -0.5
	}
	return b
}

// add draws values; part of parts says which bar of a place they are. They stand on the
// bars below, if there are any. text is their line of the legend, "" for none.
func (b *bars) add(text string, values plotter.Values, c color.Color, part, parts int, below *plotter.BarChart) (*plotter.BarChart, error) {
	each := b.width * 0.8 / vg.Length(parts)
	chart, err := plotter.NewBarChart(values, each)
	if err != nil {
		return nil, err
	}
	chart.Color, chart.LineStyle.Color, chart.LineStyle.Width = c, color.Black, 0.3
	chart.Offset = each * (vg.Length(part) - vg.Length(parts-1)/2)
	if below != nil {
		chart.StackOn(below)
	}
	b.plot.Add(chart)
	if text != "" {
		b.page.Key(text, chart)
	}
	return chart, nil
}

// render draws the page.
func (b *bars) render() ([]byte, error) {
	if b.plot.Y.Max != 100 {
		b.plot.Y.Max *= 1.05 // so that no bar ends at the edge
	}
	return b.page.Render(b.plot)
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
