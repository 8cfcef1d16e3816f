package scalemodel

import (
	"errors"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hyptx/internal/figure"
	"hyptx/internal/number"
)

// style is how a method is drawn: told apart by dashes and glyphs as well as by colour, for
// who prints in grey.
type style struct {
	title  string
	colour color.RGBA
	dashes []vg.Length
	glyph  draw.GlyphDrawer
}

var styles = map[Method]style{
	Tool:         {"scale model (tool)", figure.Vermillion, nil, draw.CircleGlyph{}},
	Equation:     {"scale model (equations)", figure.Orange, []vg.Length{vg.Points(7), vg.Points(3)}, draw.RingGlyph{}},
	PowerLaw:     {"power law", figure.Blue, []vg.Length{vg.Points(4), vg.Points(2)}, draw.SquareGlyph{}},
	Linear:       {"linear", figure.Green, []vg.Length{vg.Points(1.5), vg.Points(2)}, draw.TriangleGlyph{}},
	Proportional: {"proportional", figure.Purple, []vg.Length{vg.Points(8), vg.Points(2), vg.Points(1.5), vg.Points(2)}, draw.PlusGlyph{}},
	Logarithmic:  {"logarithmic", figure.SkyBlue, []vg.Length{vg.Points(1), vg.Points(1)}, draw.CrossGlyph{}},
}

// drawn are the methods of pictures, the paper's five and its equations.
var drawn = []Method{Tool, Equation, PowerLaw, Linear, Proportional, Logarithmic}

// sizeTicks label sizes on an axis of binary logarithms.
type sizeTicks []int

// Ticks implements plot.Ticker.
func (s sizeTicks) Ticks(_, _ float64) (ticks []plot.Tick) {
	for _, n := range s {
		ticks = append(ticks, plot.Tick{Value: math.Log2(float64(n)), Label: strconv.Itoa(n)})
	}
	return ticks
}

// unitOf is what sizes count.
func unitOf(s Scenario) string {
	if s == MCM {
		return "chiplets"
	}
	return "SMs"
}

// PlotPrediction draws a workload's IPC over the sizes, as measured and by all methods,
// and below it its MPKI with the cliff, where the curve is known.
func PlotPrediction(w *Workload, d Detector, look figure.Look) ([]byte, error) {
	top := figure.NewSheet(look, 11*vg.Centimeter, 5*vg.Centimeter, w.Name+": performance by size", unitOf(w.Scenario), "IPC [thread instructions/cycle]")
	top.X.Tick.Marker, top.Y.Tick.Marker = sizeTicks(w.Sizes), figure.LinearTicks{}
	figure.Grid(top.Plot, true)
	top.Y.Min = 0
	cliff := NoCliff
	for _, m := range drawn {
		p, err := w.Predict(m, d)
		if err != nil {
			return nil, err
		}
		cliff = max(cliff, p.Cliff)
		if err := addLine(top, p); err != nil {
			return nil, err
		}
	}
	addMeasured(top, w)
	plots := []*plot.Plot{top.Plot}
	if w.MPKI != nil {
		top.Height = 19 * vg.Centimeter
		var at plotter.XYs
		for i, n := range w.Sizes {
			at = append(at, plotter.XY{X: math.Log2(float64(n)), Y: w.MPKI[i]})
		}
		below, err := curve(top.Page, at, cliff, unitOf(w.Scenario)+" (last-level cache in proportion)")
		if err != nil {
			return nil, err
		}
		below.X.Tick.Marker = sizeTicks(w.Sizes)
		plots = append(plots, below.Plot)
	}
	return top.Render(plots...)
}

// addLine draws what a method predicts, as far as it is known.
func addLine(p *figure.Sheet, of *Prediction) error {
	var at plotter.XYs
	for _, x := range of.Points {
		if x.IPC.Known {
			at = append(at, plotter.XY{X: math.Log2(float64(x.Size)), Y: x.IPC.X})
		}
	}
	line, points, err := plotter.NewLinePoints(at)
	if err != nil {
		return err
	}
	s := styles[of.Method]
	line.Color, line.Width, line.Dashes = s.colour, vg.Points(1.4), s.dashes
	points.Color, points.Shape, points.Radius = s.colour, s.glyph, vg.Points(3)
	p.Add(line, points)
	p.Key(s.title, line, points)
	return nil
}

// addMeasured draws what is known of the sizes.
func addMeasured(p *figure.Sheet, w *Workload) {
	var at plotter.XYs
	for i, n := range w.Sizes {
		if w.IPC[i].Known {
			at = append(at, plotter.XY{X: math.Log2(float64(n)), Y: w.IPC[i].X})
		}
	}
	p.Marks("measured or simulated", at, draw.GlyphStyle{Color: color.Black, Shape: draw.PyramidGlyph{}, Radius: vg.Points(4)})
}

// curve is a miss-rate curve with its cliff.
func curve(page *figure.Page, at plotter.XYs, cliff int, x string) (*figure.Sheet, error) {
	p := &figure.Sheet{Plot: figure.New("", x, "misses per 1,000 instructions"), Page: page}
	p.Y.Tick.Marker = figure.LinearTicks{}
	figure.Grid(p.Plot, true)
	p.Y.Min = 0
	line, points, err := plotter.NewLinePoints(at)
	if err != nil {
		return nil, err
	}
	line.Width, points.Shape, points.Radius = vg.Points(1.4), draw.CircleGlyph{}, vg.Points(3)
	p.Add(line, points)
	p.Key("misses", line, points)
	for _, x := range at {
		p.Y.Max = max(p.Y.Max, 1.1*x.Y)
	}
	if cliff > 0 && cliff < len(at) {
		x := (at[cliff-1].X + at[cliff].X) / 2
		p.Line("cliff", plotter.XYs{{X: x}, {X: x, Y: p.Y.Max}},
			draw.LineStyle{Color: figure.Vermillion, Width: vg.Points(1.4), Dashes: []vg.Length{vg.Points(4), vg.Points(3)}})
	}
	return p, nil
}

// errNothing is why there is no picture.
var errNothing = errors.New("there is nothing to draw: no target has both a prediction and a measurement")

// PlotErrors draws the errors of all workloads on a target as bars, method by method.
func PlotErrors(all []*Workload, scenario Scenario, target int, d Detector, look figure.Look) ([]byte, error) {
	var names []string
	values := map[Method]plotter.Values{}
	for _, w := range all {
		at := slices.Index(w.Sizes, target)
		if w.Scenario != scenario || at < models || !w.IPC[at].Known {
			continue
		}
		names = append(names, w.Name)
		for _, m := range drawn {
			p, err := w.Predict(m, d)
			if err != nil {
				return nil, err
			}
			percent := number.Real{}
			if p.Points[at].IPC.Known {
				percent = number.Ratio(math.Abs(Error(p.Points[at].IPC.X, w.IPC[at].X)))
			}
			values[m] = append(values[m], percent.X)
		}
	}
	if names == nil {
		return nil, errNothing
	}
	title := "Error on " + strconv.Itoa(target) + " " + unitOf(scenario) + " (" + string(scenario) + " scaling)"
	var groups []group
	for _, m := range drawn {
		groups = append(groups, group{styles[m].title, styles[m].colour, values[m]})
	}
	return bars(title, "error [%]", names, groups, look)
}

// PlotSpeedups draws how much sooner scale models are simulated, a group for each target.
func PlotSpeedups(rows []*SpeedupRow, scenario Scenario, look figure.Look) ([]byte, error) {
	var names []string
	var targets []int
	values := map[int]plotter.Values{}
	for _, r := range rows {
		if r.Scenario != scenario {
			continue
		}
		if slices.Index(targets, r.Target) < 0 {
			targets = append(targets, r.Target)
		}
		if r.Target == targets[0] {
			names = append(names, r.Bench)
		}
		values[r.Target] = append(values[r.Target], r.Speedup)
	}
	if names == nil {
		return nil, errNothing
	}
	colours := []color.RGBA{figure.SkyBlue, figure.Blue, figure.Vermillion, figure.Orange, figure.Green, figure.Grey}
	var groups []group
	for i, n := range targets {
		groups = append(groups, group{"target of " + strconv.Itoa(n) + " " + unitOf(scenario), colours[i%len(colours)], values[n]})
	}
	return bars("Simulating two scale models instead of the target ("+string(scenario)+")", "times as fast", names, groups, look)
}

// group are bars of one colour, one for each name.
type group struct {
	title  string
	colour color.RGBA
	values plotter.Values
}

// bars draws groups of bars side by side. They are as wide as fits: names stand for one
// another's groups only if no group comes into the next one's place.
func bars(title, y string, names []string, groups []group, look figure.Look) ([]byte, error) {
	page := figure.NewPage(look, 12*vg.Centimeter, 5*vg.Centimeter)
	p := figure.New(title, "", y)
	p.Y.Tick.Marker = figure.LinearTicks{}
	figure.Grid(p, false)
	width := min(vg.Length(17)*vg.Centimeter/vg.Length(len(names)*(len(groups)+1)), 8*vg.Millimeter)
	for i, g := range groups {
		chart, err := plotter.NewBarChart(g.values, width)
		if err != nil {
			return nil, err
		}
		chart.Color, chart.LineStyle.Width = g.colour, vg.Points(0.3)
		chart.Offset = width * (vg.Length(i) - vg.Length(len(groups)-1)/2)
		p.Add(chart)
		page.Key(g.title, chart)
	}
	for i := range names {
		names[i] = figure.Text(names[i])
	}
	p.NominalX(names...)
	p.Y.Min = 0
	return page.Render(p)
}
