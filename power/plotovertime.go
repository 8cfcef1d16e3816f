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
	p := panel(fmt.Sprintf("%s on %s (model)", rows[0].Network, rows[0].GPU), "time ["+name+"s]", "power [W]")
	var of [numGroups]figure.Area
	for _, r := range rows {
		y, most := 0.0, r.PowerW.X
		for g, w := range r.GroupPower.Values() {
			of[g].Add(r.BeginUs.X/unit, r.EndUs.X/unit, y, y+w.X)
			y += w.X
		}
		p.Y.Max = max(p.Y.Max, 1.05*most)
	}
	page := figure.NewPage(look, 14*vg.Centimeter, 3*vg.Centimeter)
	for g := range numGroups {
		of[g].Colour = groupColours[g]
		p.Add(of[g])
	}
	for g := numGroups; g > 0; g-- { // from the top down
		if !of[g-1].Empty() {
			page.Key(groupTitles[g-1], of[g-1])
		}
	}
	p.X.Min, p.X.Max, p.Y.Min = 0, last.EndUs.X/unit, 0
	addLimit(page, p, limitW)
	return page.Render(p)
}
