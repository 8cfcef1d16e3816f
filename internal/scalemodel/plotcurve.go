package scalemodel

import (
	"errors"
	"hyptx/internal/figure"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// capacityTicks label capacities in MB on an axis of binary logarithms.
type capacityTicks []*CurveRow

// Ticks implements plot.Ticker.
func (c capacityTicks) Ticks(_, _ float64) (ticks []plot.Tick) {
	for _, r := range c {
		ticks = append(ticks, plot.Tick{Value: math.Log2(float64(r.LLCBytes)), Label: strconv.FormatFloat(float64(r.LLCBytes)/(1<<20), 'g', 3, 64)})
	}
	return ticks
}

// CurveCliff is the first row past the cliff of a curve, or [NoCliff]; also where
// capacities do not double, since a cliff is only defined where they do.
func CurveCliff(rows []*CurveRow, d Detector) int {
	var mpki []float64
	for i, r := range rows {
		if i > 0 && math.Abs(float64(r.LLCBytes)/float64(rows[i-1].LLCBytes)-2) > nearDouble {
			return NoCliff
		}
		mpki = append(mpki, r.MPKI)
	}
	return d.Cliff(mpki)
}

// nearDouble is how far from 2 the quotient of two capacities may be that were rounded
// to whole sets.
const nearDouble = 0.01

// PlotCurve draws the misses of a program over the capacity of the last-level cache.
func PlotCurve(rows []*CurveRow, d Detector, look figure.Look) ([]byte, error) {
	if len(rows) < models {
		return nil, errors.New("a curve of one capacity is nothing to draw")
	}
	page := figure.NewPage(look, 11*vg.Centimeter, 5*vg.Centimeter)
	var at plotter.XYs
	for _, r := range rows {
		at = append(at, plotter.XY{X: math.Log2(float64(r.LLCBytes)), Y: r.MPKI})
	}
	p, err := curve(page, at, CurveCliff(rows, d), "last-level cache [MiB]")
	if err != nil {
		return nil, err
	}
	p.Title.Text = rows[0].Bench + ": misses by capacity (" + rows[0].Method + ")"
	p.X.Tick.Marker = capacityTicks(rows)
	return p.Picture()
}
