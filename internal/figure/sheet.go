package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sheet is a plot with the page that has its legend.
type Sheet struct {
	*plot.Plot
	*Page
}

// NewSheet returns an empty plot on a page of its own.
func NewSheet(look Look, height, legendWidth vg.Length, title, x, y string) *Sheet {
	return &Sheet{New(title, x, y), NewPage(look, height, legendWidth)}
}

// Line draws a line, if it has points, with its text in the legend, "" for none.
func (s *Sheet) Line(text string, at plotter.XYs, style draw.LineStyle) {
	s.show(text, len(at), &plotter.Line{XYs: at, LineStyle: style})
}

// Marks draws marks, as Line does.
func (s *Sheet) Marks(text string, at plotter.XYs, style draw.GlyphStyle) {
	s.show(text, len(at), &plotter.Scatter{XYs: at, GlyphStyle: style})
}

// show draws what has points.
func (s *Sheet) show(text string, points int, what interface {
	plot.Plotter
	plot.Thumbnailer
}) {
	if points == 0 {
		return
	}
	s.Add(what)
	if text != "" {
		s.Key(text, what)
	}
}

// Picture draws a page of this plot alone.
func (s *Sheet) Picture() ([]byte, error) { return s.Render(s.Plot) }
