package power

import (
	"errors"
	"fmt"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hyptx/internal/figure"
)

// sweepCurves are the values of a sweep that have figures, by clock.
type sweepCurves struct {
	energy, edp, time, power, implausible plotter.XYs
	least, leastEDP                       *SweepRow
}

func curvesOf(rows []*SweepRow) (c sweepCurves, err error) {
	for _, r := range rows {
		if r.GPU != rows[0].GPU || r.Network != rows[0].Network {
			return c, errors.New("the picture is of one network on one GPU; name one")
		}
		if !r.EnergyUJ.Known {
			continue
		}
		at := func(y float64) plotter.XY { return plotter.XY{X: r.ClockMHz.X, Y: y} }
		c.energy, c.edp = append(c.energy, at(r.EnergyUJ.X)), append(c.edp, at(r.EDPpJs.X))
		c.time, c.power = append(c.time, at(r.TimeUs.X)), append(c.power, at(r.PowerW.X))
		if r.Implausible != "" {
			c.implausible = append(c.implausible, at(r.PowerW.X))
		}
		if c.least == nil || r.EnergyUJ.X < c.least.EnergyUJ.X {
			c.least = r
		}
		if c.leastEDP == nil || r.EDPpJs.X < c.leastEDP.EDPpJs.X {
			c.leastEDP = r
		}
	}
	if c.least == nil {
		return c, errors.New("no clock has a figure: there is nothing to draw")
	}
	return c, nil
}

// PlotSweep draws energy, energy-delay product and time against the clock, all
// relative to their least, then time and power as they are. limitW is what the
// board may draw, 0 if unknown.
func PlotSweep(rows []*SweepRow, limitW float64, look figure.Look) ([]byte, error) {
	c, err := curvesOf(rows)
	if err != nil {
		return nil, err
	}
	page := figure.NewPage(look, 24*vg.Centimeter, 3*vg.Centimeter)
	top := panel(page, fmt.Sprintf("%s on %s (%s, model): least energy at %g MHz, least energy x time at %g MHz", rows[0].Network, rows[0].GPU, rows[0].EnergyBasis, c.least.ClockMHz.X, c.leastEDP.ClockMHz.X), "clock [MHz]", "over the least")
	_, _, _, slowest := plotter.XYRange(c.time)
	timeUnit, timeName := unitOf(slowest, leastOnAxis)
	middle, bottom := panel(page, "", "clock [MHz]", "time ["+timeName+"s]"), panel(page, "", "clock [MHz]", "power [W]")
	for _, s := range []struct {
		name string
		xys  plotter.XYs
		g    group
	}{{"energy, least " + quantity(c.least.EnergyUJ.X, "J"), c.energy, groupDRAM}, {"energy x time", c.edp, groupRegFile}, {"time", c.time, groupFPU}} {
		_, _, least, _ := plotter.XYRange(s.xys)
		curve(top, s.name, over(s.xys, least), s.g)
	}
	curve(middle, "", over(c.time, timeUnit), groupFPU)
	curve(bottom, "power", c.power, groupConst)
	for _, m := range []struct {
		name string
		at   *SweepRow
		g    group
	}{{"least energy", c.least, groupDRAM}, {"least energy x time", c.leastEDP, groupRegFile}} {
		top.Marks(m.name, plotter.XYs{{X: m.at.ClockMHz.X, Y: 1}}, spot(m.g))
	}
	for _, p := range []*figure.Sheet{top, middle, bottom} {
		p.X.Min, p.X.Max = rows[0].ClockMHz.X, rows[len(rows)-1].ClockMHz.X
		if p != top {
			p.Y.Min = 0
			p.Y.Max *= 1.05
		}
	}
	addLimit(bottom, limitW)
	bottom.Marks("implausible launches", c.implausible, impossible)
	return page.Render(top.Plot, middle.Plot, bottom.Plot)
}

// curve adds a line to a panel; of one point, which would not be seen, a point.
func curve(p *figure.Sheet, text string, xys plotter.XYs, g group) {
	p.Line(text, xys, draw.LineStyle{Color: groupColours[g], Width: vg.Points(2), Dashes: groupDashes[g]})
	if len(xys) == 1 {
		p.Marks("", xys, spot(g))
	}
}

// groupDashes tell lines of one panel apart in grey, too.
var groupDashes = map[group][]vg.Length{
	groupRegFile: {vg.Points(6), vg.Points(3)},
	groupFPU:     {vg.Points(1.5), vg.Points(2.5)},
}

// spot is how a point is drawn.
func spot(g group) draw.GlyphStyle {
	return draw.GlyphStyle{Color: groupColours[g], Radius: vg.Points(5), Shape: draw.CircleGlyph{}}
}

// over divides values.
func over(xys plotter.XYs, by float64) plotter.XYs {
	out := make(plotter.XYs, len(xys))
	for i, p := range xys {
		out[i] = plotter.XY{X: p.X, Y: p.Y / by}
	}
	return out
}
