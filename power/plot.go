package power

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	_ "gonum.org/v1/plot/vg/vgimg" // png
	_ "gonum.org/v1/plot/vg/vgpdf" // pdf
	_ "gonum.org/v1/plot/vg/vgsvg" // svg
)

// The sizes of a figure: two panels, one above the other, and a legend beside.
const (
	figureWidth  = 27 * vg.Centimeter
	figureHeight = 18 * vg.Centimeter
	legendWidth  = 5 * vg.Centimeter
	margin       = 4 * vg.Millimeter
)

// groupColours go with the groups: greys for what is drawn without any work,
// then colours (Okabe and Ito 2008, and lighter ones of the same hues).
var groupColours = [NumGroups]color.RGBA{
	GroupConst: {0x60, 0x60, 0x60, 0xff}, GroupStatic: {0x98, 0x98, 0x98, 0xff}, GroupIdleSM: {0xcc, 0xcc, 0xcc, 0xff},
	GroupRegFile: {0x00, 0x72, 0xb2, 0xff}, GroupALU: {0x56, 0xb4, 0xe9, 0xff}, GroupFPU: {0x00, 0x9e, 0x73, 0xff}, GroupSFU: {0x8f, 0xd7, 0xb8, 0xff},
	GroupTensor: {0x4b, 0x2a, 0x85, 0xff}, GroupL1Shared: {0xe6, 0x9f, 0x00, 0xff}, GroupICacheConst: {0xf0, 0xe4, 0x42, 0xff},
	GroupL2NoC: {0xcc, 0x79, 0xa7, 0xff}, GroupDRAM: {0xd5, 0x5e, 0x00, 0xff}, GroupOthers: {0x8c, 0x6d, 0x46, 0xff},
}

// groupTitles name the groups in a legend.
var groupTitles = [NumGroups]string{"constant", "static", "idle SMs", "register file", "integer", "floating point", "special functions", "tensor cores",
	"L1, shared memory", "instructions, constants", "L2, NoC", "DRAM, controller", "issue, pipeline, texture"}

// panel is an empty plot in the figures' type.
func panel(title, x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = color.White
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding, p.X.Label.Padding, p.Y.Label.Padding = 2*vg.Millimeter, vg.Millimeter, 2*vg.Millimeter
	for _, s := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		s.Font.Variant = "Sans"
	}
	p.Title.TextStyle.Font.Size, p.X.Tick.Label.Font.Size, p.Y.Tick.Label.Font.Size = font.Length(12), 9, 9
	g := plotter.NewGrid()
	g.Vertical.Width, g.Horizontal.Color = 0, color.Gray{0xe0}
	p.Add(g)
	return p
}

// render draws two panels and a legend as svg, png or pdf.
func render(top, bottom *plot.Plot, legend *plot.Legend, format string) ([]byte, error) {
	c, err := draw.NewFormattedCanvas(figureWidth, figureHeight, format)
	if err != nil {
		return nil, fmt.Errorf("plots are svg, png or pdf, not %q", format)
	}
	all := draw.Crop(draw.New(c), margin, -margin, margin, -margin)
	all.SetColor(color.White)
	all.Fill(vg.Rectangle{Max: vg.Point{X: figureWidth, Y: figureHeight}}.Path())
	tiles := draw.Tiles{Rows: 2, Cols: 1, PadY: 6 * vg.Millimeter}
	panels := plot.Align([][]*plot.Plot{{top}, {bottom}}, tiles, draw.Crop(all, 0, -legendWidth, 0, 0))
	top.Draw(panels[0][0])
	bottom.Draw(panels[1][0])
	legend.TextStyle.Font.Variant, legend.TextStyle.Font.Size = "Sans", 9
	legend.Top, legend.Left, legend.Padding, legend.ThumbnailWidth = true, true, vg.Millimeter, 6*vg.Millimeter
	legend.Draw(draw.Crop(all, figureWidth-2*margin-legendWidth+5*vg.Millimeter, 0, 0, -10*vg.Millimeter))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// box is a filled rectangle, in the legend too.
type box struct {
	x0, y0, x1, y1 float64
	colour         color.Color
}

// Plot implements plot.Plotter.
func (b box) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	c.FillPolygon(b.colour, []vg.Point{{X: x(b.x0), Y: y(b.y0)}, {X: x(b.x1), Y: y(b.y0)}, {X: x(b.x1), Y: y(b.y1)}, {X: x(b.x0), Y: y(b.y1)}})
}

// Thumbnail implements plot.Thumbnailer.
func (b box) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(b.colour, []vg.Point{{X: c.Min.X, Y: c.Min.Y}, {X: c.Max.X, Y: c.Min.Y}, {X: c.Max.X, Y: c.Max.Y}, {X: c.Min.X, Y: c.Max.Y}})
}

// PlotComponents draws a network on one GPU: power over time, in which areas are
// energies, and the energy of each launch, both by reporting group. format is
// svg, png or pdf.
func PlotComponents(rows []*Row, format string) ([]byte, error) {
	var shown []*Row
	for _, r := range rows {
		if r.Launch != Total && r.EnergyUJ.Known && r.TimeUs.X > 0 {
			shown = append(shown, r)
		}
	}
	if len(shown) == 0 {
		return nil, errors.New("no launch has a figure: there is nothing to draw")
	}
	for _, r := range shown {
		if r.GPU != shown[0].GPU || r.Network != shown[0].Network {
			return nil, errors.New("the picture is of one network on one GPU; name one")
		}
	}
	timeUnit, timeName := unitOf(sumOf(shown, func(r *Row) float64 { return r.TimeUs.X }))
	energyUnit, energyName := unitOf(maxOf(shown, func(r *Row) float64 { return r.EnergyUJ.X }))
	top := panel(fmt.Sprintf("%s on %s (%s, model)", shown[0].Network, shown[0].GPU, shown[0].EnergyBasis), "time ["+timeName+"s]", "power [W]")
	bottom := panel("", "launch", "energy ["+energyName+"J]")
	legend := plot.NewLegend()
	start := 0.0
	used := [NumGroups]bool{}
	for i, r := range shown {
		end := start + r.TimeUs.X/timeUnit
		y0, e0 := 0.0, 0.0
		for g, e := range r.GroupEnergy.all() {
			w := e.X / r.TimeUs.X // uJ/us = W
			top.Add(box{start, y0, end, y0 + w, groupColours[g]})
			bottom.Add(box{float64(i) - 0.42, e0, float64(i) + 0.42, e0 + e.X/energyUnit, groupColours[g]})
			y0, e0, used[g] = y0+w, e0+e.X/energyUnit, used[g] || e.X > 0
		}
		start = end
	}
	for g := NumGroups; g > 0; g-- { // from the top of the bars down
		if used[g-1] {
			legend.Add(groupTitles[g-1], box{colour: groupColours[g-1]})
		}
	}
	top.X.Min, top.X.Max, top.Y.Min = 0, start, 0
	top.Y.Max = 1.05 * maxOf(shown, func(r *Row) float64 { return r.PowerW.X })
	bottom.X.Min, bottom.X.Max, bottom.Y.Min = -0.6, float64(len(shown))-0.4, 0
	bottom.Y.Max = 1.05 * maxOf(shown, func(r *Row) float64 { return r.EnergyUJ.X }) / energyUnit
	bottom.X.Tick.Marker = launchTicks(shown)
	return render(top, bottom, &legend, format)
}

func sumOf(rows []*Row, f func(*Row) float64) (s float64) {
	for _, r := range rows {
		s += f(r)
	}
	return s
}

func maxOf(rows []*Row, f func(*Row) float64) (m float64) {
	for _, r := range rows {
		m = max(m, f(r))
	}
	return m
}

// unitOf returns the unit for micro-somethings of a size: how many of them one
// is, and its prefix.
func unitOf(x float64) (float64, string) {
	switch {
	case x >= 2e6:
		return 1e6, ""
	case x >= 2e3:
		return 1e3, "m"
	}
	return 1, "u"
}

// launchTicks label some thirty launches at most.
func launchTicks(rows []*Row) plot.ConstantTicks {
	step := int(math.Ceil(float64(len(rows)) / 30))
	var ticks plot.ConstantTicks
	for i := 0; i < len(rows); i += step {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: rows[i].Launch})
	}
	return ticks
}

// PlotSweep draws energy, energy-delay product and time against the clock.
func PlotSweep(rows []*SweepRow, format string) ([]byte, error) {
	var energy, edp, time, power plotter.XYs
	var least *SweepRow
	for _, r := range rows {
		if r.EnergyUJ.Known {
			energy = append(energy, plotter.XY{X: r.ClockMHz.X, Y: r.EnergyUJ.X})
			edp = append(edp, plotter.XY{X: r.ClockMHz.X, Y: r.EDPpJs.X})
			time = append(time, plotter.XY{X: r.ClockMHz.X, Y: r.TimeUs.X})
			power = append(power, plotter.XY{X: r.ClockMHz.X, Y: r.PowerW.X})
			if least == nil || r.EnergyUJ.X < least.EnergyUJ.X {
				least = r
			}
		}
		if r.GPU != rows[0].GPU || r.Network != rows[0].Network {
			return nil, errors.New("the picture is of one network on one GPU; name one")
		}
	}
	if least == nil {
		return nil, errors.New("no clock has a figure: there is nothing to draw")
	}
	top := panel(fmt.Sprintf("%s on %s (%s, model): least energy at %g MHz", rows[0].Network, rows[0].GPU, rows[0].EnergyBasis, least.ClockMHz.X), "clock [MHz]", "relative to the least")
	bottom := panel("", "clock [MHz]", "power [W]")
	legend := plot.NewLegend()
	for i, s := range []struct {
		name string
		xys  plotter.XYs
		g    Group
	}{{"energy", energy, GroupDRAM}, {"energy x time", edp, GroupRegFile}, {"time", time, GroupFPU}, {"power", power, GroupConst}} {
		line := &plotter.Line{XYs: s.xys, LineStyle: draw.LineStyle{Color: groupColours[s.g], Width: vg.Points(2)}}
		if i == 3 {
			bottom.Add(line)
			bottom.Y.Min = 0
			bottom.Y.Max *= 1.05
		} else {
			relative(line.XYs)
			top.Add(line)
		}
		legend.Add(s.name, line)
	}
	mark := &plotter.Scatter{XYs: plotter.XYs{{X: least.ClockMHz.X, Y: 1}}, GlyphStyle: draw.GlyphStyle{Color: groupColours[GroupDRAM], Radius: vg.Points(5), Shape: draw.CircleGlyph{}}}
	top.Add(mark)
	legend.Add("least energy", mark)
	top.X.Min, top.X.Max = rows[0].ClockMHz.X, rows[len(rows)-1].ClockMHz.X
	bottom.X.Min, bottom.X.Max = top.X.Min, top.X.Max
	return render(top, bottom, &legend, format)
}

// relative divides by the least value.
func relative(xys plotter.XYs) {
	least := math.Inf(1)
	for _, p := range xys {
		least = min(least, p.Y)
	}
	for i := range xys {
		xys[i].Y /= least
	}
}
