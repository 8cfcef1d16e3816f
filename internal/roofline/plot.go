package roofline

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hyptx/internal/figure"
	"hyptx/internal/roofline/thesis"
)

// mostGPUs is how many GPUs a plot can tell apart.
const mostGPUs = 7

var errTooMany = fmt.Errorf("a plot can tell %d GPUs apart; choose fewer with option gpu", mostGPUs)

// PlotRoofline draws the classic roofline (2.3) on logarithmic axes: the roof
// of each GPU for the kernels' types of operation, and each launch whose
// intensity and time are known as a point. format is svg, png or pdf.
func PlotRoofline(rows []*Row, devices []*Device, format string) ([]byte, error) {
	if len(devices) > mostGPUs {
		return nil, errTooMany
	}
	var points []*Row
	for _, r := range rows {
		if !r.sums() && r.IntensityDRAM.X > 0 && r.GOPS.X > 0 {
			points = append(points, r)
		}
	}
	if len(points) == 0 {
		return nil, fmt.Errorf("there is no point to draw: %s", cmp.Or(strings.Join(notShown(rows), ", "), "no launch is complete"))
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
	f.Add(newPointNames(points, f.X.Tick.Label, pointRadius))
	for _, line := range notShown(rows) {
		f.page.Key(line)
	}
	return f.render(format)
}

// notShown says how many launches of each GPU are no points, and why: a line for
// each reason and GPU. A launch may be a point on one GPU and not on another,
// whose time model lacks a number.
func notShown(rows []*Row) []string {
	reasons := []string{"without a time", "without operations", "without DRAM traffic"}
	type kind struct {
		gpu    string
		reason int
	}
	var kinds []kind
	launches := map[kind]int{}
	for _, r := range rows {
		k := kind{gpu: r.GPU}
		switch {
		case r.sums() || r.IntensityDRAM.X > 0 && r.GOPS.X > 0:
			continue
		case !r.TimeUs.Known:
		case r.WComp.N == 0:
			k.reason = 1
		default:
			k.reason = 2
		}
		if launches[k]++; launches[k] == 1 {
			kinds = append(kinds, k)
		}
	}
	slices.SortStableFunc(kinds, func(a, b kind) int { return cmp.Or(cmp.Compare(a.gpu, b.gpu), a.reason-b.reason) })
	var lines []string
	for _, k := range kinds {
		many := fmt.Sprintf("%d launches %s are", launches[k], reasons[k.reason])
		if launches[k] == 1 {
			many = "1 launch " + reasons[k.reason] + " is"
		}
		lines = append(lines, fmt.Sprintf("%s: %s not shown", k.gpu, many))
	}
	return lines
}

// mostNames is how many programs a title has room for.
const mostNames = 3

func networks(rows []*Row) string {
	var names []string
	for _, r := range rows {
		if !slices.Contains(names, r.Network) {
			names = append(names, r.Network)
		}
	}
	if len(names) > mostNames {
		return fmt.Sprintf("%d programs", len(names))
	}
	return strings.Join(names, ", ")
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
		f.page.Key(fmt.Sprintf("%s: %s %s Gop/s, %s GB/s", d.Name, names[peak], figure.Plain(math.Round(peak)), figure.Plain(math.Round(d.Rates.DRAMGBps))), line)
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
	{thesis.Memory, true, "cache bound", draw.TriangleGlyph{}}, {Latency, false, "latency bound", draw.SquareGlyph{}},
	{Overhead, false, "launch bound", draw.RingGlyph{}}}

// pointRadius is that of launches' glyphs.
var pointRadius = vg.Points(2.6)

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
		sc := &plotter.Scatter{XYs: xys, GlyphStyle: draw.GlyphStyle{Color: c, Radius: pointRadius, Shape: s.glyph}}
		f.Add(sc)
		f.page.Key(fmt.Sprintf("%s: %d %s", d.Name, len(xys), s.name), sc)
	}
}
