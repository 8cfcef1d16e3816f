package roofline

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hyptx/analysis"
	"hyptx/internal/figure"
)

// Names of points. A roofline of a network is a cloud of a hundred points, and
// one of five kernels is five points that the reader wants to know apart. So each
// point is named where its name fits: beside, above or below it, inside the axes,
// and over no other point and no other name. Names are tried in the order of the
// rows, so that the first launch of several alike has the name; one that fits
// nowhere is left out, and nothing moves to make room for it.

// mostLetters is how long a name beside a point is.
const mostLetters = 22

// pointNames draws the names of points.
type pointNames struct {
	at    plotter.XYs // of all points
	names []string
	radii []vg.Length // of the points' glyphs
	style text.Style
}

// newPointNames are the names of rows' launches: their labels, else kernels.
func newPointNames(rows []*Row, radii []vg.Length, style text.Style) *pointNames {
	p := &pointNames{radii: radii, style: style}
	p.style.Font.Size, p.style.Color = 7, figure.Grey
	p.style.XAlign, p.style.YAlign = text.XLeft, text.YBottom // a place is a box from its lower left corner
	for _, r := range rows {
		name := []rune(figure.Text(cmp.Or(r.Label, analysis.ShortKernel(r.Kernel))))
		if len(name) > mostLetters {
			name = append(name[:mostLetters-3], '.', '.', '.')
		}
		p.at, p.names = append(p.at, at(r.IntensityDRAM.X, r.GOPS.X)), append(p.names, string(name))
	}
	return p
}

// Plot implements plot.Plotter.
func (p *pointNames) Plot(c draw.Canvas, plt *plot.Plot) {
	x, y := plt.Transforms(&c)
	points := make([]vg.Point, len(p.at))
	var taken []vg.Rectangle
	for i, xy := range p.at {
		points[i] = vg.Point{X: x(xy.X), Y: y(xy.Y)}
		r := vg.Point{X: p.radii[i], Y: p.radii[i]}
		taken = append(taken, vg.Rectangle{Min: points[i].Sub(r), Max: points[i].Add(r)})
	}
	for i, name := range p.names {
		for _, box := range p.places(points[i], p.radii[i], name) {
			if inside(box, c.Rectangle) && !slices.ContainsFunc(taken, func(t vg.Rectangle) bool { return overlap(box, t) }) {
				c.FillText(p.style, box.Min, name)
				taken = append(taken, box)
				break
			}
		}
	}
}

// places are where a name may stand, the best first: right of its point, left
// of it, above and below.
func (p *pointNames) places(at vg.Point, radius vg.Length, name string) []vg.Rectangle {
	size := p.style.Rectangle(name).Size()
	far := radius + vg.Points(1.5)
	var boxes []vg.Rectangle
	for _, low := range []vg.Point{{X: far, Y: -size.Y / 2}, {X: -far - size.X, Y: -size.Y / 2}, {X: -size.X / 2, Y: far}, {X: -size.X / 2, Y: -far - size.Y}} {
		low = at.Add(low)
		boxes = append(boxes, vg.Rectangle{Min: low, Max: low.Add(size)})
	}
	return boxes
}

// inside reports whether a box lies within another.
func inside(box, frame vg.Rectangle) bool {
	return box.Min.X >= frame.Min.X && box.Min.Y >= frame.Min.Y && box.Max.X <= frame.Max.X && box.Max.Y <= frame.Max.Y
}

// overlap reports whether two boxes have a point in common.
func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}
