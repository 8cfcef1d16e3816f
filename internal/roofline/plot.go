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
	"hyptx/internal/table"
)

// mostGPUs is how many GPUs a plot can tell apart.
const mostGPUs = 7

var errTooMany = fmt.Errorf("a plot can tell %d GPUs apart; choose fewer with option gpu", mostGPUs)

// PlotRoofline draws the roofline (2.3) on logarithmic axes: the roofs of each GPU for
// the kernels' types of operation, of one GPU also those of its caches, and each launch
// whose intensity and time are known as a point as large as its share of the time.
func PlotRoofline(rows []*Row, devices []*Device, look figure.Look) ([]byte, error) {
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
	alone := len(devices) == 1
	bytes := "byte of DRAM"
	if alone {
		bytes = "byte of a level of the memory"
	}
	f := newSheet(look, "Roofline: "+networks(points), "operational intensity [operations / "+bytes+"]", "performance [Gop/s]")
	f.X.Tick.Marker, f.Y.Tick.Marker = figure.LogTicks{}, figure.LogTicks{}
	figure.Grid(f.Plot, true)
	f.frame(points, devices)
	for i, d := range devices {
		tops, list := ceilingsOf(points, d), levels(d, alone)
		fastest, highest := list[len(list)-1].gbps, 0.0
		for _, t := range tops {
			highest = max(highest, t.gops)
		}
		f.slopes(d, list, highest, colourOf(i))
		f.ceilings(d, tops, fastest, colourOf(i))
		f.caches(points, d, list, colourOf(i))
	}
	size := radii(points)
	for i, d := range devices {
		f.points(points, size, d, colourOf(i))
	}
	if !equalTimes(size) {
		f.Key("area: the launch's share of the time")
	}
	f.Add(newPointNames(points, size, f.X.Tick.Label))
	for _, line := range notShown(rows) {
		f.Key(line)
	}
	return f.Picture()
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
		case r.ops() == 0:
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
	names := table.Distinct(rows, func(r *Row) string { return r.Network })
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
	for _, d := range devices {
		list := levels(d, len(devices) == 1)
		for _, c := range ceilingsOf(points, d) {
			for _, l := range list {
				take(c.gops/l.gbps, c.gops)
			}
		}
		for _, r := range points {
			for _, l := range list {
				if x := l.intensity(r); x.X > 0 && r.GPU == d.Name {
					take(x.X, r.GOPS.X)
				}
			}
		}
	}
	decade := func(x float64, round func(float64) float64) float64 { return round(math.Log10(x)) }
	f.X.Min, f.X.Max = decade(x0*0.95, math.Floor), decade(x1*1.05, math.Ceil)
	f.Y.Min, f.Y.Max = decade(y0*0.95, math.Floor), decade(y1*1.05, math.Ceil)
}

// ceilingsOf returns the level roofs of a GPU for each type of operation among the
// points; one for types of the same peak.
func ceilingsOf(points []*Row, d *Device) (list []ceiling) {
	add := func(name string, gops float64) {
		i := slices.IndexFunc(list, func(c ceiling) bool { return c.gops == gops })
		switch {
		case gops <= 0:
		case i >= 0:
			list[i].name = joined(list[i].name, name)
		default:
			list = append(list, ceiling{name, gops})
		}
	}
	on := func(has func(*Row) bool) bool {
		return slices.ContainsFunc(points, func(r *Row) bool { return r.GPU == d.Name && has(r) })
	}
	for _, t := range []thesis.Type{thesis.FP32, thesis.FP64, thesis.Integer} {
		if on(func(r *Row) bool { return r.KType == string(t) }) {
			add(string(t), d.Rates.Ops(t))
		}
	}
	if d.Spec != nil && on(func(r *Row) bool { return r.TensorOps.N > 0 }) {
		if rate, err := d.Spec.DataSheetGOPS("units.tensor_per_clock", d.Spec.Units.TensorPerClock); err == nil {
			add("tensor (16 bits)", 2*rate)
		}
	}
	return list
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

// points draws a GPU's launches, glyphs of the given sizes.
func (f *sheet) points(points []*Row, size []vg.Length, d *Device, c color.RGBA) {
	for _, s := range shapes {
		var xys plotter.XYs
		var sizes []vg.Length
		for i, r := range points {
			if r.GPU == d.Name && r.Bound == string(s.bound) && r.cacheBound() == s.cache {
				xys, sizes = append(xys, at(r.IntensityDRAM.X, r.GOPS.X)), append(sizes, size[i])
			}
		}
		if xys == nil {
			continue
		}
		style := draw.GlyphStyle{Color: c, Radius: 2.6, Shape: s.glyph}
		sc := &plotter.Scatter{XYs: xys, GlyphStyle: style, GlyphStyleFunc: func(i int) draw.GlyphStyle {
			style.Radius = sizes[i]
			return style
		}}
		f.Add(sc)
		key := *sc
		key.GlyphStyleFunc = nil
		f.Key(fmt.Sprintf("%s: %d %s", d.Name, len(xys), s.name), &key)
	}
}
