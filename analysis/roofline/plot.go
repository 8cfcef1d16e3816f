package roofline

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hyptx/analysis"
	"hyptx/analysis/roofline/thesis"
)

// mostGPUs is how many GPUs a plot can tell apart.
const mostGPUs = 7

var errTooMany = fmt.Errorf("a plot can tell %d GPUs apart; choose fewer with --gpu", mostGPUs)

// PlotRoofline draws the classic roofline (2.3) on logarithmic axes: the roof
// of each GPU for the kernels' types of operation, and each launch whose
// intensity and time are known as a point. format is svg, png or pdf.
func PlotRoofline(rows []*Row, devices []*Device, format string) ([]byte, error) {
	if len(devices) > mostGPUs {
		return nil, errTooMany
	}
	var points []*Row
	for _, r := range rows {
		if r.Launch != Total && r.IntensityDRAM.X > 0 && r.GOPS.X > 0 {
			points = append(points, r)
		}
	}
	if len(points) == 0 {
		return nil, errors.New("no launch has both a time and a traffic: there is no point to draw")
	}
	f := newFigure("Roofline: "+networks(points), "operational intensity [operations / byte of DRAM]", "performance [Gop/s]")
	f.X.Scale, f.Y.Scale = plot.LogScale{}, plot.LogScale{}
	f.X.Tick.Marker, f.Y.Tick.Marker = logTicks{}, logTicks{}
	grid(f)
	low, high := f.frame(points, devices)
	for i, d := range devices {
		f.roofs(points, d, colourOf(i), low, high)
	}
	for i, d := range devices {
		f.points(points, d, colourOf(i))
	}
	return f.render(format)
}

func networks(rows []*Row) string {
	name := ""
	for _, r := range rows {
		name = joined(name, r.Network)
	}
	return name
}

// grid draws faint lines at the labelled ticks.
func grid(f *figure) {
	g := plotter.NewGrid()
	g.Horizontal.Color, g.Vertical.Color = color.Gray{0xe0}, color.Gray{0xe0}
	f.Add(g)
}

// frame sets the axes so that all points and ridges are within, to decades.
func (f *figure) frame(points []*Row, devices []*Device) (low, high float64) {
	x0, x1, y0, y1 := math.Inf(1), 0.0, math.Inf(1), 0.0
	take := func(x, y float64) {
		x0, x1, y0, y1 = min(x0, x), max(x1, x), min(y0, y), max(y1, y)
	}
	for _, r := range points {
		take(r.IntensityDRAM.X, r.GOPS.X)
		for _, d := range devices {
			if peak := d.Rates.Ops(thesis.Type(r.KType)); peak > 0 {
				take(peak/d.Rates.DRAMGBps, peak)
			}
		}
	}
	decade := func(x float64, round func(float64) float64) float64 { return math.Pow(10, round(math.Log10(x))) }
	f.X.Min, f.X.Max = decade(x0*0.8, math.Floor), decade(x1*1.2, math.Ceil)
	f.Y.Min, f.Y.Max = decade(y0*0.8, math.Floor), decade(y1*1.2, math.Ceil)
	return f.X.Min, f.X.Max
}

// roofs draws a GPU's roof for each type of operation among the points.
func (f *figure) roofs(points []*Row, d *Device, c color.RGBA, low, high float64) {
	for i, t := range []thesis.Type{thesis.FP32, thesis.FP64, thesis.Integer} {
		peak := d.Rates.Ops(t)
		if peak <= 0 || !slices.ContainsFunc(points, func(r *Row) bool { return r.KType == string(t) && r.GPU == d.Name }) {
			continue
		}
		ridge := peak / d.Rates.DRAMGBps
		start := max(low, f.Y.Min/d.Rates.DRAMGBps)
		line := &plotter.Line{XYs: plotter.XYs{{X: start, Y: start * d.Rates.DRAMGBps}, {X: ridge, Y: peak}, {X: max(high, ridge), Y: peak}}}
		line.LineStyle = draw.LineStyle{Color: c, Width: vg.Points(1.6), Dashes: [][]vg.Length{nil, {6, 3}, {2, 2}}[i]}
		f.Add(line)
		f.legend.Add(fmt.Sprintf("%s: %s %s Gop/s, %s GB/s", d.Name, t, plain(math.Round(peak)), plain(math.Round(d.Rates.DRAMGBps))), line)
	}
}

// shapes are the points' glyphs by what limits the launch.
var shapes = []struct {
	bound thesis.Bound
	name  string
	glyph draw.GlyphDrawer
}{{thesis.Compute, "compute bound", draw.CircleGlyph{}}, {thesis.Memory, "memory bound", draw.PyramidGlyph{}}, {Latency, "latency bound", draw.CrossGlyph{}}}

// points draws a GPU's launches.
func (f *figure) points(points []*Row, d *Device, c color.RGBA) {
	for _, s := range shapes {
		var at plotter.XYs
		for _, r := range points {
			if r.GPU == d.Name && r.Bound == string(s.bound) {
				at = append(at, plotter.XY{X: r.IntensityDRAM.X, Y: r.GOPS.X})
			}
		}
		if at == nil {
			continue
		}
		sc := &plotter.Scatter{XYs: at, GlyphStyle: draw.GlyphStyle{Color: c, Radius: vg.Points(2.6), Shape: s.glyph}}
		f.Add(sc)
		f.legend.Add(fmt.Sprintf("%s: %d %s", d.Name, len(at), s.name), sc)
	}
}

// PlotQuadrant draws the quadrant-split view (chapter 3.3) of one kernel, or of
// all launches of a network as if they were one: its half-line, and of each GPU
// the way from the measured or theoretical peak down to what it can do for the
// kernel, and from there to the line.
func PlotQuadrant(launches []*Launch, devices []*Device, o Options, format string) ([]byte, error) {
	if len(devices) > mostGPUs {
		return nil, errTooMany
	}
	l := merge(launches)
	if !l.Traffic.DRAM().Known {
		return nil, errors.New("the DRAM traffic is unknown: the quadrant plot's line is operations by byte of it")
	}
	k, err := l.kernel(o.Rule)
	if err != nil {
		return nil, err
	}
	if k.Ops == 0 || k.TrafficBytes == 0 {
		return nil, fmt.Errorf("%.0f operations and %.0f bytes make no line", k.Ops, k.TrafficBytes)
	}
	f := newFigure(fmt.Sprintf("Quadrant split: %s (%s)", l.name(len(launches)), k.Type), "memory bandwidth [GB/s]", "compute throughput [Gop/s]")
	f.X.Tick.Marker, f.Y.Tick.Marker = linearTicks{}, linearTicks{}
	grid(f)
	right, top := 0.0, 0.0
	for i, d := range devices {
		p, err := thesis.Predict(k, d.Rates, o.Integer)
		if err != nil {
			return nil, fmt.Errorf("GPU %s: %w", d.Name, err)
		}
		q := p.Path(d.Rates.DRAMGBps)
		f.path(d, p, q, colourOf(i))
		right, top = max(right, q.Peak.GBps), max(top, q.Mix.GOPS, q.Peak.GOPS)
	}
	f.X.Min, f.Y.Min, f.X.Max, f.Y.Max = 0, 0, 1.12*right, 1.08*top
	slope := k.Intensity()
	edge := min(f.X.Max, f.Y.Max/slope)
	line := &plotter.Line{XYs: plotter.XYs{{}, {X: edge, Y: slope * edge}}, LineStyle: draw.LineStyle{Color: color.Black, Width: vg.Points(1.2)}}
	f.Add(line)
	f.legend.Add(fmt.Sprintf("kernel: %.4g operations / byte", slope), line)
	f.legend.Add("above: memory bound, below: compute bound")
	return f.render(format)
}

// path draws a GPU's points and the ways between them.
func (f *figure) path(d *Device, p thesis.Prediction, q thesis.Path, c color.RGBA) {
	at := func(p thesis.Point) plotter.XY { return plotter.XY{X: p.GBps, Y: p.GOPS} }
	way := &plotter.Line{XYs: plotter.XYs{at(q.Peak), at(q.Mix), at(q.Adjusted), at(q.OnLine)},
		LineStyle: draw.LineStyle{Color: c, Width: vg.Points(0.8), Dashes: []vg.Length{3, 2}}}
	f.Add(way)
	for _, g := range []struct {
		at    []thesis.Point
		shape draw.GlyphDrawer
		what  string
	}{
		{[]thesis.Point{q.Peak, q.Mix}, draw.RingGlyph{}, "peak; by its mix"},
		{[]thesis.Point{q.Adjusted}, draw.CircleGlyph{}, fmt.Sprintf("adjusted, %s bound", map[thesis.Bound]string{thesis.Compute: "compute", thesis.Memory: "memory"}[p.Bound])},
		{[]thesis.Point{q.OnLine}, draw.CrossGlyph{}, fmt.Sprintf("expected: %.4g Gop/s, %.4g GB/s", q.OnLine.GOPS, q.OnLine.GBps)},
	} {
		var xys plotter.XYs
		for _, p := range g.at {
			xys = append(xys, at(p))
		}
		s := &plotter.Scatter{XYs: xys, GlyphStyle: draw.GlyphStyle{Color: c, Radius: vg.Points(3.2), Shape: g.shape}}
		f.Add(s)
		f.legend.Add(d.Name+" "+g.what, s)
	}
}

// merge adds up launches as if they were one kernel.
func merge(launches []*Launch) *Launch {
	if len(launches) == 1 {
		return launches[0]
	}
	sum := &Launch{Network: launches[0].Network, Traffic: launches[0].Traffic}
	sum.Traffic.DRAMRead, sum.Traffic.DRAMWrite = analysis.Real{}, analysis.Real{}
	for _, l := range launches {
		if !l.Traffic.DRAM().Known || l.Parameters != nil {
			sum.Traffic = Traffic{}
			break
		}
		sum.Traffic.DRAMRead.X += l.Traffic.DRAMRead.X
		sum.Traffic.DRAMWrite.X += l.Traffic.DRAMWrite.X
		sum.Metrics = sum.Metrics.Plus(l.Metrics)
	}
	return sum
}

func (l *Launch) name(launches int) string {
	if launches > 1 {
		return fmt.Sprintf("%s, %d launches", l.Network, launches)
	}
	if l.Label != "" {
		return l.Network + ", " + l.Label
	}
	return l.Network + ", " + analysis.ShortKernel(l.Kernel)
}
