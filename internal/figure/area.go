package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Area is filled steps of one colour, in the legend too. They are filled at
// once: filled singly, what is narrower than a pixel would be mixed with white.
type Area struct {
	Colour color.Color
	steps  []step
}

// step is a rectangle.
type step struct{ x0, x1, y0, y1 float64 }

// Add adds a step that has a height.
func (a *Area) Add(x0, x1, y0, y1 float64) {
	if y1 > y0 {
		a.steps = append(a.steps, step{x0, x1, y0, y1})
	}
}

// Empty reports whether nothing has a height.
func (a Area) Empty() bool { return len(a.steps) == 0 }

// Plot implements plot.Plotter.
func (a Area) Plot(c draw.Canvas, p *plot.Plot) {
	if a.Empty() {
		return
	}
	x, y := p.Transforms(&c)
	var path vg.Path
	for rest := a.steps; len(rest) > 0; {
		n := touching(rest)
		for i, s := range rest[:n] {
			if from := (vg.Point{X: x(s.x0), Y: y(s.y1)}); i == 0 {
				path.Move(from)
			} else {
				path.Line(from)
			}
			path.Line(vg.Point{X: x(s.x1), Y: y(s.y1)})
		}
		for i := n - 1; i >= 0; i-- {
			path.Line(vg.Point{X: x(rest[i].x1), Y: y(rest[i].y0)})
			path.Line(vg.Point{X: x(rest[i].x0), Y: y(rest[i].y0)})
		}
		path.Close()
		rest = rest[n:]
	}
	c.SetColor(a.Colour)
	c.Fill(path)
}

// touching returns how many of the first steps follow each other without a gap.
func touching(steps []step) int {
	for i := 1; i < len(steps); i++ {
		if gap := steps[i].x0 - steps[i-1].x1; math.Abs(gap) > 1e-6*(steps[i].x1-steps[i].x0) {
			return i
		}
	}
	return len(steps)
}

// Thumbnail implements plot.Thumbnailer.
func (a Area) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(a.Colour, []vg.Point{{X: c.Min.X, Y: c.Min.Y}, {X: c.Max.X, Y: c.Min.Y}, {X: c.Max.X, Y: c.Max.Y}, {X: c.Min.X, Y: c.Max.Y}})
}
