package figure

import (
	"errors"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hyptx/internal/number"
)

// Dots is a figure of things, one a line, with a mark for each value that is known of one:
// ours beside what others have. Marks differ in shape, too, for print in grey.
type Dots struct {
	Title, X string
	Log      bool
	Names    []string
	Series   []DotSeries
	// Spans are values that hold for all things, with their line of the legend.
	Spans []Span
}

// DotSeries is a value of each thing; unknown ones are left out.
type DotSeries struct {
	Text   string
	Values []number.Real
	// Within is half of each value's confidence interval, where it has one; nil for none.
	Within []number.Real
	Colour color.Color
	Shape  draw.GlyphDrawer
}

// Span is a line across a figure of dots; those with equal texts have one line of the legend.
type Span struct {
	Text   string
	Value  float64
	Colour color.Color
}

// ErrNothing says that a figure has nothing to show.
var ErrNothing = errors.New("nothing to draw")

// Draw draws the figure.
func (d *Dots) Draw(look Look) ([]byte, error) {
	p := NewSheet(look, (4+0.5*vg.Length(len(d.Names)))*vg.Centimeter, 6*vg.Centimeter, d.Title, d.X, "")
	Grid(p.Plot, true)
	names := make([]plot.Tick, len(d.Names))
	for i, n := range d.Names {
		names[i] = plot.Tick{Value: float64(-i), Label: Text(n)}
	}
	p.Y.Tick.Marker, p.Y.Min, p.Y.Max = plot.ConstantTicks(names), 0.5-float64(len(names)), 0.5
	p.X.Tick.Marker = LinearTicks{}
	if d.Log {
		p.X.Tick.Marker = LogTicks{}
	}
	drawn := false
	for _, s := range d.Series {
		drawn = d.add(p, s) || drawn
	}
	if !drawn {
		return nil, ErrNothing
	}
	d.spans(p)
	return p.Picture()
}

// scale is where a value stands on the axis.
func (d *Dots) scale(x float64) float64 {
	if d.Log {
		return math.Log10(x)
	}
	return x
}

// shown reports whether a value has a place on the axis.
func (d *Dots) shown(x number.Real) bool { return x.Known && (!d.Log || x.X > 0) }

// add draws a series, if any of it is known.
func (d *Dots) add(p *Sheet, s DotSeries) bool {
	var points plotter.XYs
	for i, x := range s.Values {
		if !d.shown(x) {
			continue
		}
		points = append(points, plotter.XY{X: d.scale(x.X), Y: float64(-i)})
		if s.Within == nil || !s.Within[i].Known {
			continue
		}
		low, high := x.X-s.Within[i].X, x.X+s.Within[i].X
		if d.Log && low <= 0 {
			low = x.X // an interval that reaches below zero has no end on this axis
		}
		p.Line("", plotter.XYs{{X: d.scale(low), Y: float64(-i)}, {X: d.scale(high), Y: float64(-i)}}, draw.LineStyle{Color: s.Colour, Width: 2})
	}
	p.Marks(s.Text, points, draw.GlyphStyle{Color: s.Colour, Radius: 3, Shape: s.Shape})
	return len(points) > 0
}

// spans draws the lines across.
func (d *Dots) spans(p *Sheet) {
	said := map[string]bool{}
	for _, s := range d.Spans {
		text := s.Text
		if said[text] {
			text = ""
		}
		said[s.Text] = true
		p.Line(text, plotter.XYs{{X: d.scale(s.Value), Y: p.Y.Min}, {X: d.scale(s.Value), Y: p.Y.Max}},
			draw.LineStyle{Color: s.Colour, Width: 1, Dashes: []vg.Length{4, 3}})
	}
}
