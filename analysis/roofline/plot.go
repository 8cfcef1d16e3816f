package roofline

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hyptx/analysis"
	"hyptx/analysis/figure"
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
	f := newSheet("Roofline: "+networks(points), "operational intensity [operations / byte of DRAM]", "performance [Gop/s]")
	f.X.Tick.Marker, f.Y.Tick.Marker = figure.LogTicks{}, figure.LogTicks{}
	figure.Grid(f.Plot, true)
	f.frame(points, devices)
	for i, d := range devices {
		f.roofs(points, d, colourOf(i))
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

// at is a point on the axes, which have decimal logarithms.
func at(intensity, gops float64) plotter.XY {
	return plotter.XY{X: math.Log10(intensity), Y: math.Log10(gops)}
}

// frame sets the axes so that all points and ridges are within, to decades.
func (f *sheet) frame(points []*Row, devices []*Device) {
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
	decade := func(x float64, round func(float64) float64) float64 { return round(math.Log10(x)) }
	f.X.Min, f.X.Max = decade(x0*0.95, math.Floor), decade(x1*1.05, math.Ceil)
	f.Y.Min, f.Y.Max = decade(y0*0.95, math.Floor), decade(y1*1.05, math.Ceil)
}

// roofs draws a GPU's roof for each type of operation among the points; one
// for types of the same peak.
func (f *sheet) roofs(points []*Row, d *Device, c color.RGBA) {
	names := map[float64]string{}
	var peaks []float64
	for _, t := range []thesis.Type{thesis.FP32, thesis.FP64, thesis.Integer} {
		peak := d.Rates.Ops(t)
		if peak <= 0 || !slices.ContainsFunc(points, func(r *Row) bool { return r.KType == string(t) && r.GPU == d.Name }) {
			continue
		}
		if names[peak] == "" {
			peaks = append(peaks, peak)
		}
		names[peak] = joined(names[peak], string(t))
	}
	low, high := math.Pow(10, f.X.Min), math.Pow(10, f.X.Max)
	for i, peak := range peaks {
		ridge := peak / d.Rates.DRAMGBps
		start := max(low, math.Pow(10, f.Y.Min)/d.Rates.DRAMGBps)
		line := &plotter.Line{XYs: plotter.XYs{at(start, start*d.Rates.DRAMGBps), at(ridge, peak), at(high, peak)}}
		line.LineStyle = draw.LineStyle{Color: c, Width: vg.Points(1.6), Dashes: [][]vg.Length{nil, {6, 3}, {2, 2}}[i]}
		f.Add(line)
		f.page.Legend.Add(fmt.Sprintf("%s: %s %s Gop/s, %s GB/s", d.Name, names[peak], figure.Plain(math.Round(peak)), figure.Plain(math.Round(d.Rates.DRAMGBps))), line)
	}
}

// shapes are the points' glyphs by what limits the launch. One that a cache
// limits stands right of the ridge, which is DRAM's.
var shapes = []struct {
	bound thesis.Bound
	cache bool
	name  string
	glyph draw.GlyphDrawer
}{{thesis.Compute, false, "compute bound", draw.CircleGlyph{}}, {thesis.Memory, false, "DRAM bound", draw.PyramidGlyph{}},
	{thesis.Memory, true, "cache bound", draw.TriangleGlyph{}}, {Latency, false, "latency bound", draw.SquareGlyph{}}}

// points draws a GPU's launches.
func (f *sheet) points(points []*Row, d *Device, c color.RGBA) {
	for _, s := range shapes {
		var xys plotter.XYs
		for _, r := range points {
			if r.GPU == d.Name && r.Bound == string(s.bound) && r.cacheBound() == s.cache {
				xys = append(xys, at(r.IntensityDRAM.X, r.GOPS.X))
			}
		}
		if xys == nil {
			continue
		}
		sc := &plotter.Scatter{XYs: xys, GlyphStyle: draw.GlyphStyle{Color: c, Radius: vg.Points(2.6), Shape: s.glyph}}
		f.Add(sc)
		f.page.Legend.Add(fmt.Sprintf("%s: %d %s", d.Name, len(xys), s.name), sc)
	}
}

// PlotQuadrant draws the quadrant-split view (chapter 3.3) of one kernel, or of
// all launches of a network as if they were one: its half-line, and of each GPU
// the point of what it can do for the kernel (T'_op, adjusted) and the one on
// the line that is expected. Of a single GPU the way from its peak is drawn,
// too. A line has one traffic: where a cache model gives it, the launches are
// those on the first GPU. format is svg, png or pdf.
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
	f := newSheet(fmt.Sprintf("Quadrant split: %s (%s)", l.name(len(launches)), k.Type), "memory bandwidth [GB/s]", "compute throughput [Gop/s]")
	f.X.Tick.Marker, f.Y.Tick.Marker = figure.LinearTicks{}, figure.LinearTicks{}
	figure.Grid(f.Plot, true)
	right, top := 0.0, 0.0
	for i, d := range devices {
		p, err := thesis.Predict(k, d.Rates, o.Integer)
		if err != nil {
			return nil, fmt.Errorf("GPU %s: %w", d.Name, err)
		}
		for _, at := range f.path(d, p, len(devices) == 1, colourOf(i)) {
			right, top = max(right, at.GBps), max(top, at.GOPS)
		}
	}
	f.X.Min, f.Y.Min, f.X.Max, f.Y.Max = 0, 0, 1.1*right, 1.1*top
	slope := k.Intensity()
	edge := min(f.X.Max, f.Y.Max/slope)
	line := &plotter.Line{XYs: plotter.XYs{{}, {X: edge, Y: slope * edge}}, LineStyle: draw.LineStyle{Color: color.Black, Width: vg.Points(1.2)}}
	f.Add(line)
	whose := ""
	if l.Traffic.Source == TrafficModel {
		whose = ", caches of " + devices[0].Name
	}
	f.page.Legend.Add(fmt.Sprintf("kernel: %.4g operations / byte%s", slope, whose), line)
	f.page.Legend.Add("above it memory bound, below it compute bound")
	return f.render(format)
}

// path draws a GPU's points and the way between them, and returns them.
func (f *sheet) path(d *Device, p thesis.Prediction, whole bool, c color.RGBA) []thesis.Point {
	q := p.Path(d.Rates.DRAMGBps)
	bound := map[thesis.Bound]string{thesis.Compute: "compute bound", thesis.Memory: "memory bound"}[p.Bound]
	glyphs := []struct {
		at    thesis.Point
		shape draw.GlyphDrawer
		what  string
	}{
		{q.Peak, draw.RingGlyph{}, "peak"}, {q.Mix, draw.SquareGlyph{}, "peak for its mix"},
		{q.Adjusted, draw.CircleGlyph{}, "adjusted, " + bound}, {q.OnLine, boldCross{}, "expected"},
	}
	if !whole {
		glyphs = glyphs[2:]
	}
	var way plotter.XYs
	var points []thesis.Point
	for _, g := range glyphs {
		way, points = append(way, plotter.XY{X: g.at.GBps, Y: g.at.GOPS}), append(points, g.at)
	}
	f.Add(&plotter.Line{XYs: way, LineStyle: draw.LineStyle{Color: c, Width: vg.Points(0.8), Dashes: []vg.Length{vg.Points(3), vg.Points(2)}}})
	for i, g := range glyphs {
		s := &plotter.Scatter{XYs: way[i : i+1], GlyphStyle: draw.GlyphStyle{Color: c, Radius: vg.Points(3.4), Shape: g.shape}}
		f.Add(s)
		f.page.Legend.Add(fmt.Sprintf("%s: %s, %s Gop/s", d.Name, g.what, figure.Plain(significant(g.at.GOPS))), s)
	}
	return points
}

// significant rounds to four digits.
func significant(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	return y
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
