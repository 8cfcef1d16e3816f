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
	"hyptx/internal/figure"
	"hyptx/internal/number"
	"hyptx/internal/roofline/thesis"
)

// The quadrant split (chapter 3.3) turns the roofline round: there one GPU is a roof and
// programs are points; here one program is a line from the origin, y = O_krn x, and GPUs
// are points (bandwidth, throughput). A GPU above the line has more throughput than its
// bandwidth can feed: the program is memory bound there, and the point falls straight
// down to the line; one below is compute bound and goes left to it.

// PlotQuadrant draws the quadrant-split view (chapter 3.3) of one kernel, or of
// all launches of a network as if they were one: its half-line, and of each GPU
// the point of what it can do for the kernel (T'_op, adjusted) and the one on
// the line that is expected. Of a single GPU the way from its peak is drawn,
// too. Where GPUs have different traffic, as their caches make it, each has a
// half-line of its own. launches gives those on a GPU.
//
// It is the thesis' model, whichever model o names: the title says so.
func PlotQuadrant(launches func(*Device) []*Launch, devices []*Device, o Options, look figure.Look) ([]byte, error) {
	if len(devices) > mostGPUs {
		return nil, errTooMany
	}
	all, err := quadrants(launches, devices, o)
	if err != nil {
		return nil, err
	}
	f := newSheet(look, fmt.Sprintf("Quadrant split: %s (%s)", nameOf(launches(devices[0])), all[0].Type), "memory bandwidth [GB/s]", "compute throughput [Gop/s]")
	if o.Model != Thesis {
		f.Title.Text += "\nthesis' model, without launch, latency and caches: not the time of the table"
	}
	f.X.Tick.Marker, f.Y.Tick.Marker = figure.LinearTicks{}, figure.LinearTicks{}
	figure.Grid(f.Plot, true)
	right, top := 0.0, 0.0
	for i, d := range devices {
		for _, at := range f.path(d, all[i].Prediction, len(devices) == 1, colourOf(i)) {
			right, top = max(right, at.GBps), max(top, at.GOPS)
		}
	}
	f.X.Min, f.Y.Min, f.X.Max, f.Y.Max = 0, 0, 1.1*right, 1.1*top
	f.kernelLines(all, devices)
	return f.Picture()
}

// quadrant is a kernel on one GPU.
type quadrant struct {
	thesis.Kernel
	thesis.Prediction
	source string // of its traffic
}

// quadrants predicts the launches on each GPU as one kernel.
func quadrants(launches func(*Device) []*Launch, devices []*Device, o Options) ([]quadrant, error) {
	var all []quadrant
	for _, d := range devices {
		list := launches(d)
		if len(list) == 0 {
			return nil, fmt.Errorf("no launch is complete on %s", d.Name)
		}
		l := merge(list)
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
		p, err := thesis.Predict(k, d.Rates, o.Integer)
		if err != nil {
			return nil, fmt.Errorf("GPU %s: %w", d.Name, err)
		}
		all = append(all, quadrant{k, p, l.Traffic.Source})
	}
	return all, nil
}

// kernelLines draws the half-lines of the kernel: one if all GPUs have the same
// traffic. One that lies upon another is dashed.
func (f *sheet) kernelLines(all []quadrant, devices []*Device) {
	same := func(a, b quadrant) bool { return math.Abs(a.Intensity()-b.Intensity()) <= 1e-9*a.Intensity() }
	single := !slices.ContainsFunc(all, func(q quadrant) bool { return !same(q, all[0]) })
	for i, q := range all {
		slope, name, style := q.Intensity(), devices[i].Name+": kernel", draw.LineStyle{Color: colourOf(i), Width: vg.Points(1.2)}
		if single {
			name, style.Color = "kernel", color.Black
		} else if slices.ContainsFunc(all[:i], func(o quadrant) bool { return same(o, q) }) {
			style.Dashes = []vg.Length{vg.Points(4), vg.Points(4)}
		}
		edge := min(f.X.Max, f.Y.Max/slope)
		f.Line(fmt.Sprintf("%s, %.4g op/byte (%s)", name, slope, q.source), plotter.XYs{{}, {X: edge, Y: slope * edge}}, style)
		if single {
			break
		}
	}
	whose := "its line"
	if single {
		whose = "the line"
	}
	f.Key("above " + whose + " memory bound, below it compute bound")
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
	f.Line("", way, draw.LineStyle{Color: c, Width: vg.Points(0.8), Dashes: []vg.Length{vg.Points(3), vg.Points(2)}})
	for i, g := range glyphs {
		f.Marks(fmt.Sprintf("%s: %s, %s Gop/s", d.Name, g.what, figure.Plain(significant(g.at.GOPS))), way[i:i+1],
			draw.GlyphStyle{Color: c, Radius: vg.Points(3.4), Shape: g.shape})
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
	sum.Traffic.DRAMRead, sum.Traffic.DRAMWrite = number.Real{}, number.Real{}
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

func nameOf(launches []*Launch) string {
	l := launches[0]
	switch {
	case len(launches) > 1:
		return fmt.Sprintf("%s, %d launches as if they were one", l.Network, len(launches))
	case l.Label != "":
		return l.Network + ", " + l.Label
	}
	return l.Network + ", " + analysis.ShortKernel(l.Kernel)
}
