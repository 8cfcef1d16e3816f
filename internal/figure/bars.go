package figure

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Bars is a plot of bars beside or on each other, a place for each name.
type Bars struct {
	*Sheet
	width vg.Length // of a place
}

// NewBars makes an empty plot one whose bars' places have these labels, each as wide as
// there is room for, up to a bound.
func NewBars(s *Sheet, labels []string, width vg.Length) *Bars {
	Grid(s.Plot, false)
	ticks := make(plot.ConstantTicks, len(labels))
	for i, text := range labels {
		ticks[i] = plot.Tick{Value: float64(i), Label: text}
	}
	s.X.Tick.Marker, s.Y.Tick.Marker = ticks, LinearTicks{}
	s.X.Tick.LineStyle.Width = 0 // their length keeps names off the line
	s.X.Min, s.X.Max, s.Y.Min = -0.6, float64(len(labels))-0.4, 0
	return &Bars{s, min(width, 2.4*vg.Centimeter)}
}

// Stack draws values; part of parts says which bar of a place they are. They stand on the
// bars below, if there are any. text is their line of the legend, "" for none.
func (b *Bars) Stack(text string, values plotter.Values, c color.Color, part, parts int, below *plotter.BarChart) (*plotter.BarChart, error) {
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
	b.show(text, len(values), chart)
	return chart, nil
}
