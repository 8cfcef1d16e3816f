package accelwattch

import (
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hyptx/internal/figure"
	"hyptx/power"
)

// bars is a figure of lines of components, one behind the other, a line for each name.
type bars struct {
	*figure.Sheet
	names []plot.Tick
	areas []figure.Area
}

func newBars(look figure.Look, title, x string, lines int) *bars {
	b := &bars{Sheet: figure.NewSheet(look, (4+0.5*vg.Length(lines))*vg.Centimeter, 5*vg.Centimeter, title, x, "")}
	b.X.Tick.Marker, b.X.Min = figure.LinearTicks{}, 0
	figure.Grid(b.Plot, true)
	_, colours := power.Legend()
	for _, c := range colours {
		b.areas = append(b.areas, figure.Area{Colour: c})
	}
	return b
}

// add adds a line of the components' values; it returns where that is.
func (b *bars) add(name string, values []float64) (y float64) {
	y = -float64(len(b.names))
	b.names = append(b.names, plot.Tick{Value: y, Label: figure.Text(name)})
	x := 0.0
	for i, v := range values {
		b.areas[i].Add(x, x+v, y-0.38, y+0.38)
		x += v
	}
	b.X.Max = max(b.X.Max, 1.03*x)
	return y
}

// render returns the figure; marks come above the lines.
func (b *bars) render(marks ...plot.Plotter) ([]byte, error) {
	titles, _ := power.Legend()
	for i, a := range b.areas {
		if b.Plot.Add(a); !a.Empty() {
			b.Key(titles[i], a)
		}
	}
	b.Plot.Add(marks...)
	b.Y.Tick.Marker, b.Y.Min, b.Y.Max = plot.ConstantTicks(b.names), 0.5-float64(len(b.names)), 0.5
	return b.Picture()
}

// stack draws the components of a sheet's kernels beside what was measured (figures 9, 11).
func stack(sheet string) func(figure.Look) ([]byte, error) {
	return func(look figure.Look) ([]byte, error) {
		rows := of(sheet)
		b := newBars(look, "Power by component: "+sheet, "W", len(rows))
		var measured plotter.XYs
		for _, r := range rows {
			var watts []float64
			for _, w := range r.Values() {
				watts = append(watts, w.X)
			}
			measured = append(measured, plotter.XY{X: r.MeasuredW.X, Y: b.add(r.Kernel, watts)})
		}
		marks := &plotter.Scatter{XYs: measured, GlyphStyle: draw.GlyphStyle{Color: color.Black, Radius: 3.5, Shape: draw.CrossGlyph{}}}
		b.Key("measured", marks)
		return b.render(marks)
	}
}

// plotShares draws the mean share of each component in all sheets (figure 8).
func plotShares(look figure.Look) ([]byte, error) {
	sheets := power.Published()
	b := newBars(look, "Shares of components in power, mean over kernels", "%", len(sheets))
	for _, sheet := range sheets {
		titles, _ := power.Legend()
		shares := make([]float64, len(titles))
		for i := range sheet.Kernels {
			g := sheet.Kernels[i].Groups()
			for c, w := range g.Values() {
				shares[c] += 100 * w.X / sheet.Kernels[i].TotalW / float64(len(sheet.Kernels))
			}
		}
		b.add(sheet.Title, shares)
	}
	b.X.Max = 100
	return b.render()
}

// series is how the variants of a GPU look.
var series = []struct {
	colour color.Color
	shape  draw.GlyphDrawer
}{{figure.Blue, draw.CircleGlyph{}}, {figure.Vermillion, draw.PyramidGlyph{}}, {figure.Green, draw.BoxGlyph{}}, {figure.Purple, draw.CrossGlyph{}}}

// correlation draws modelled against measured power of a GPU's sheets (figures 7 and 10).
func correlation(name string) func(figure.Look) ([]byte, error) {
	return func(look figure.Look) ([]byte, error) {
		p := figure.NewSheet(look, 17*vg.Centimeter, 6*vg.Centimeter, "Modelled against measured power, "+name, "measured [W]", "modelled [W]")
		p.X.Tick.Marker, p.Y.Tick.Marker = figure.LinearTicks{}, figure.LinearTicks{}
		figure.Grid(p.Plot, true)
		most, n := 0.0, 0
		for _, sheet := range power.Published() {
			if !strings.HasPrefix(sheet.Title, name) || strings.Contains(sheet.Title, "GPUWattch") {
				continue
			}
			var at plotter.XYs
			off := 0.0
			for _, k := range sheet.Kernels {
				at = append(at, plotter.XY{X: k.MeasuredW, Y: k.TotalW})
				off += 100 * max(k.TotalW/k.MeasuredW-1, 1-k.TotalW/k.MeasuredW) / float64(len(sheet.Kernels))
				most = max(most, k.MeasuredW, k.TotalW)
			}
			p.Marks(fmt.Sprintf("%s: %.1f %% off", strings.TrimPrefix(sheet.Title, name+" "), off), at,
				draw.GlyphStyle{Color: series[n].colour, Radius: 3.5, Shape: series[n].shape})
			n++
		}
		p.Line("as measured", plotter.XYs{{}, {X: 1.05 * most, Y: 1.05 * most}}, draw.LineStyle{Color: color.Black, Width: 1})
		p.X.Min, p.Y.Min, p.X.Max, p.Y.Max = 0, 0, 1.05*most, 1.05*most
		return p.Picture()
	}
}
