package power

import (
	"errors"
	"fmt"

	"gonum.org/v1/plot/vg"

	"hyptx/internal/figure"
)

// PlotOverTime draws power over time by reporting group, in which areas are energies.
// limitW is what the board may draw, 0 if unknown.
func PlotOverTime(rows []*OverTimeRow, limitW float64, look figure.Look) ([]byte, error) {
	if len(rows) == 0 {
		return nil, errors.New("no launch has a figure: there is nothing to draw")
	}
	last := rows[len(rows)-1]
	if last.GPU != rows[0].GPU || last.Network != rows[0].Network {
		return nil, errors.New("the picture is of one network on one GPU; name one")
	}
	unit, name := unitOf(last.EndUs.X, leastOnAxis)
	page := figure.NewPage(look, 14*vg.Centimeter, 3*vg.Centimeter)
	p := panel(page, fmt.Sprintf("%s on %s (model)", rows[0].Network, rows[0].GPU), "time ["+name+"s]", "power [W]")
	var of areas
	for _, r := range rows {
		y, most := 0.0, r.PowerW.X
		for g, w := range r.GroupPower.Values() {
			of[g].Add(r.BeginUs.X/unit, r.EndUs.X/unit, y, y+w.X)
			y += w.X
		}
		p.Y.Max = max(p.Y.Max, 1.05*most)
	}
	of.draw(p)
	of.key(page)
	p.X.Min, p.X.Max, p.Y.Min = 0, last.EndUs.X/unit, 0
	addLimit(p, limitW)
	return p.Picture()
}
