package roofline

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hyptx/internal/figure"
)

// sheet is a plot of roofs and points.
type sheet struct{ *figure.Sheet }

// palette are the colours of GPUs, without yellow, which is hard to see on
// white.
var palette = []color.RGBA{figure.Blue, figure.Vermillion, figure.Green, figure.Purple, figure.Orange, figure.SkyBlue, figure.Grey}

func colourOf(i int) color.RGBA { return palette[i%len(palette)] }

// newSheet returns an empty plot on a page.
func newSheet(look figure.Look, title, x, y string) *sheet {
	return &sheet{figure.NewSheet(look, 14*vg.Centimeter, 9*vg.Centimeter, title, x, y)}
}

// boldCross is a cross that is seen among filled glyphs.
type boldCross struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (boldCross) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: s.Color, Width: vg.Points(1.4)})
	r := s.Radius
	for _, d := range []vg.Point{{X: r, Y: r}, {X: r, Y: -r}} {
		var p vg.Path
		p.Move(vg.Point{X: at.X - d.X, Y: at.Y - d.Y})
		p.Line(vg.Point{X: at.X + d.X, Y: at.Y + d.Y})
		c.Stroke(p)
	}
}
