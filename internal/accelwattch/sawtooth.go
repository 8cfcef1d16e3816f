package accelwattch

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hyptx/internal/figure"
)

// lines is a figure of lines.
type lines struct {
	*figure.Sheet
	n int
}

func newLines(look figure.Look, title, x string) *lines {
	l := &lines{Sheet: figure.NewSheet(look, 13*vg.Centimeter, 7*vg.Centimeter, title, x, "W")}
	l.X.Tick.Marker, l.Y.Tick.Marker = figure.LinearTicks{}, figure.LinearTicks{}
	figure.Grid(l.Plot, true)
	return l
}

// dashes tell lines apart in grey.
var dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}}

func (l *lines) next(text string, at plotter.XYs) {
	l.Line(text, at, draw.LineStyle{Color: series[l.n%len(series)].colour, Width: 1.6, Dashes: dashes[l.n%len(dashes)]})
	l.n++
}

// plotLanes draws static power by active lanes (figure 4).
func plotLanes(look figure.Look) ([]byte, error) {
	l := newLines(look, "Static power of all SMs of a GV100 by active lanes of a warp", "active lanes")
	for _, m := range mixes {
		var at plotter.XYs
		for _, r := range Lanes() {
			if r.Mix == m.category.String() && r.IdleSMW.X == 0 {
				at = append(at, plotter.XY{X: float64(r.Lanes), Y: r.StaticW.X})
			}
		}
		l.next(fmt.Sprintf("%s, equation: %s", m.category, m.equation), at)
	}
	l.Y.Min = 0
	return l.Picture()
}

// plotSMs draws power by active SMs (figures 3 and 5): the model's sum, and static power
// spread evenly or gated.
func plotSMs(look figure.Look) ([]byte, error) {
	mix := mixes[0].category.String()
	l := newLines(look, "Power of a GV100 by active SMs, without dynamic power: "+mix, "active SMs")
	for _, curve := range []struct {
		text  string
		watts func(*LaneRow) float64
	}{
		{"constant, idle SMs and static", func(r *LaneRow) float64 { return r.PowerW.X }},
		{"static, spread evenly (equation 9)", func(r *LaneRow) float64 { return r.StaticW.X }},
		{"static, the first SM 47 times", func(r *LaneRow) float64 { return r.GatedW.X }},
		{"idle SMs", func(r *LaneRow) float64 { return r.IdleSMW.X }},
	} {
		var at plotter.XYs
		for _, r := range Lanes() {
			if r.Mix == mix && r.Lanes == 32 {
				at = append(at, plotter.XY{X: float64(r.SMs), Y: curve.watts(r)})
			}
		}
		slices.SortFunc(at, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
		l.next(curve.text, at)
	}
	l.Y.Min = 0
	return l.Picture()
}
