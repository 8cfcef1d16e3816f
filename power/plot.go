package power

import (
	"errors"
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hyptx/internal/figure"
)

// impossible points out what the hardware cannot do.
var impossible = draw.GlyphStyle{Color: color.Black, Radius: vg.Points(4), Shape: draw.PyramidGlyph{}}

// groupColours go with the groups: greys for what is drawn without any work,
// then colours (Okabe and Ito 2008, and lighter ones of the same hues).
var groupColours = [numGroups]color.RGBA{
	groupConst: figure.Grey, groupStatic: {0x98, 0x98, 0x98, 0xff}, groupIdleSM: {0xcc, 0xcc, 0xcc, 0xff},
	groupRegFile: figure.Blue, groupALU: figure.SkyBlue, groupFPU: figure.Green, groupSFU: {0x8f, 0xd7, 0xb8, 0xff},
	groupTensor: {0x4b, 0x2a, 0x85, 0xff}, groupL1Shared: figure.Orange, groupICacheConst: figure.Yellow,
	groupL2NoC: figure.Purple, groupDRAM: figure.Vermillion, groupOthers: {0x8c, 0x6d, 0x46, 0xff},
}

// groupTitles name the groups in a legend.
var groupTitles = [numGroups]string{"constant", "static", "idle SMs", "register file", "integer", "floating point", "special functions", "tensor cores",
	"L1, shared memory", "instructions, constants", "L2, NoC", "DRAM, controller", "issue, pipeline, texture"}

// Legend is how pictures show the reporting groups, in the order of [GroupPower].
func Legend() (titles []string, colours []color.RGBA) { return groupTitles[:], groupColours[:] }

// panel is an empty plot of a page, with lines at its values.
func panel(page *figure.Page, title, x, y string) *figure.Sheet {
	p := &figure.Sheet{Plot: figure.New(title, x, y), Page: page}
	p.X.Tick.Marker, p.Y.Tick.Marker = figure.LinearTicks{}, figure.LinearTicks{}
	figure.Grid(p.Plot, false)
	return p
}

// areas are those of the groups, one upon the other.
type areas [numGroups]figure.Area

// draw draws them.
func (a *areas) draw(p *figure.Sheet) {
	for g := range a {
		a[g].Colour = groupColours[g]
		p.Add(a[g])
	}
}

// key puts those that are seen in the legend, from the top down.
func (a *areas) key(page *figure.Page) {
	for g := numGroups; g > 0; g-- {
		if !a[g-1].Empty() {
			page.Key(groupTitles[g-1], a[g-1])
		}
	}
}

// PlotComponents draws a network on one GPU: power over time, in which areas are
// energies, and the energy of each launch, both by reporting group. limitW is
// what the board may draw, 0 if unknown.
func PlotComponents(rows []*Row, limitW float64, look figure.Look) ([]byte, error) {
	var shown []*Row
	totalUs := 0.0
	for _, r := range rows {
		if r.Launch != total && r.EnergyUJ.Known && r.TimeUs.X > 0 {
			shown = append(shown, r)
			totalUs += r.TimeUs.X
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
	timeUnit, timeName := unitOf(totalUs, leastOnAxis)
	energyUnit, energyName := unitOf(maxOf(shown, func(r *Row) float64 { return r.EnergyUJ.X }), leastOnAxis)
	page := figure.NewPage(look, 18*vg.Centimeter, 3*vg.Centimeter)
	top := panel(page, title(shown[0], rows), "time ["+timeName+"s]", "power [W]")
	bottom := panel(page, "", "launch", "energy ["+energyName+"J]")
	var power, energy areas
	end, last, half := 0.0, 0.0, barWidth(len(shown))/2
	for i, r := range shown {
		start := end // rows may be sorted by energy, the time goes on as it does
		if r.StartUs.Known {
			start = r.StartUs.X / timeUnit
		}
		end = start + r.TimeUs.X/timeUnit
		y0, e0 := 0.0, 0.0
		for g, e := range r.GroupEnergy.all() {
			w := e.X / r.TimeUs.X // uJ/us = W
			power[g].Add(start, end, y0, y0+w)
			energy[g].Add(float64(i)-half, float64(i)+half, e0, e0+e.X/energyUnit)
			y0, e0 = y0+w, e0+e.X/energyUnit
		}
		last = max(last, end)
	}
	power.draw(top)
	energy.draw(bottom)
	energy.key(page)
	top.X.Min, top.X.Max, top.Y.Min = 0, last, 0
	top.Y.Max = 1.05 * maxOf(shown, func(r *Row) float64 { return r.PowerW.X })
	addLimit(top, limitW)
	bottom.X.Min, bottom.X.Max, bottom.Y.Min = -0.6, float64(len(shown))-0.4, 0
	bottom.Y.Max = 1.07 * maxOf(shown, func(r *Row) float64 { return r.EnergyUJ.X }) / energyUnit
	bottom.X.Tick.Marker = launchTicks(shown)
	addImplausible(bottom, shown, energyUnit)
	return page.Render(top.Plot, bottom.Plot)
}

// addImplausible puts a mark on the bars of launches that are implausible.
func addImplausible(p *figure.Sheet, rows []*Row, energyUnit float64) {
	var xys plotter.XYs
	for i, r := range rows {
		if r.Implausible != "" {
			xys = append(xys, plotter.XY{X: float64(i), Y: r.EnergyUJ.X/energyUnit + 0.025*p.Y.Max})
		}
	}
	p.Marks("launch is implausible", xys, impossible)
}

// title says what the picture is of and, if it is whole, what it comes to.
func title(first *Row, rows []*Row) string {
	text := fmt.Sprintf("%s on %s (%s, model)", first.Network, first.GPU, first.EnergyBasis)
	if last := rows[len(rows)-1]; last.Launch == total && last.EnergyUJ.Known {
		text += fmt.Sprintf(": %s in %s", quantity(last.EnergyUJ.X, "J"), quantity(last.TimeUs.X, "s"))
	}
	return text
}

// addLimit draws the board's limit where the picture comes near it.
func addLimit(p *figure.Sheet, limitW float64) {
	if limitW <= 0 || p.Y.Max < 0.8*limitW {
		return
	}
	p.Y.Max = max(p.Y.Max, 1.05*limitW)
	p.Line(fmt.Sprintf("limit, %g W", limitW), plotter.XYs{{X: p.X.Min, Y: limitW}, {X: p.X.Max, Y: limitW}},
		draw.LineStyle{Color: color.Black, Width: vg.Points(1), Dashes: []vg.Length{vg.Points(4), vg.Points(3)}})
}

func maxOf(rows []*Row, f func(*Row) float64) (m float64) {
	for _, r := range rows {
		m = max(m, f(r))
	}
	return m
}

// barWidth is how wide the bars are of n launches, which are 1 apart: gaps are
// seen between some hundred.
func barWidth(n int) float64 {
	if n > 150 {
		return 1
	}
	return 0.84
}

// launchTicks label launches at equal distances, some thirty at most, and as few
// as their labels leave place for.
func launchTicks(rows []*Row) plot.ConstantTicks {
	longest := 0
	for _, r := range rows {
		longest = max(longest, len(r.Launch))
	}
	const axis, digit, gap = 540, 5, 5 // points, of type of 9
	most := min(30, axis/(longest*digit+gap))
	step := 1
	for i := 0; (len(rows)-1)/step+1 > most; i++ {
		step = step * []int{2, 5, 10}[i%3] / []int{1, 2, 5}[i%3]
	}
	var ticks plot.ConstantTicks
	for i := 0; i < len(rows); i += step {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: rows[i].Launch})
	}
	return ticks
}
