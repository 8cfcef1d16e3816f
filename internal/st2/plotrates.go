package st2

import (
	"image/color"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hyptx/internal/adder"
	"hyptx/internal/figure"
	"hyptx/internal/number"
)

// rateOf returns a column of a design's row of a kernel (or of Mean) in percent, for the
// first rule that was asked for, and for the chosen design as it is built; false where
// the design was not asked for.
func rateOf(rows []*DesignRow, kernel, network, design string, column func(*DesignRow) number.Real) (x float64, known bool) {
	for _, r := range rows {
		if r.Kernel != kernel || r.Network != network || r.Design != design || r.Type != "all" || r.Arbitration != string(adder.Ideal) {
			continue
		}
		if x, known = 100*column(r).X, column(r).Known; design != adder.Chosen || r.Update == string(adder.OnMiss) {
			break
		}
	}
	return x, known
}

// plotMatch draws how many carry-ins histories predict right (figure 3).
func (s *Suite) plotMatch(look figure.Look) ([]byte, error) {
	return s.plotColumn(look, "Carry-ins that are those of the last addition with the same entry", "percent",
		[]string{"Gtid+Prev", "Gtid+Prev+FullPC", "Ltid+Prev+FullPC"}, func(r *DesignRow) number.Real { return r.Match })
}

// plotRates draws how often the chosen design mispredicts (figure 6).
func (s *Suite) plotRates(look figure.Look) ([]byte, error) {
	return s.plotColumn(look, "Additions of threads that are mispredicted", "percent",
		[]string{adder.Chosen}, func(r *DesignRow) number.Real { return r.Rate })
}

// plotColumn draws a column of designs by kernel, and its mean.
func (s *Suite) plotColumn(look figure.Look, title, y string, designs []string, column func(*DesignRow) number.Real) ([]byte, error) {
	rows := s.Designs()
	names := s.titles()
	if len(names) > 1 {
		names = append(names, Mean)
	}
	colours := []color.Color{color.Gray{0xb8}, figure.Orange, figure.Blue}
	colours = colours[len(colours)-len(designs):]
	type bar struct {
		design string
		colour color.Color
		values plotter.Values
	}
	var bars []bar
	for i, d := range designs {
		values, met := make(plotter.Values, len(names)), false
		for n, k := range s.Kernels {
			x, ok := rateOf(rows, k.Name, k.Network, d, column)
			values[n], met = x, met || ok
		}
		if len(names) > len(s.Kernels) {
			values[len(s.Kernels)], _ = rateOf(rows, Mean, "", d, column)
		}
		if met { // else nobody asked for the design, and a bar of no height would be a figure of it
			bars = append(bars, bar{d, colours[i], values})
		}
	}
	if bars == nil {
		return nil, figure.ErrNothing
	}
	b := newBars(look, title, y, names, 12*vg.Centimeter)
	for i, of := range bars {
		if _, err := b.Stack(of.design, of.values, of.colour, i, len(bars), nil); err != nil {
			return nil, err
		}
	}
	return render(b)
}

// plotDesigns draws how often all designs mispredict: means, and a dot for each kernel
// (figure 5).
func (s *Suite) plotDesigns(look figure.Look) ([]byte, error) {
	rows := s.Designs()
	var designs []string
	seen := map[string]bool{}
	for _, p := range s.Model.Points {
		if p.Corrected() && p.Design.Base != "CSLA" && !seen[p.Design.Name] {
			seen[p.Design.Name] = true
			designs = append(designs, p.Design.Name)
		}
	}
	if len(designs) == 0 {
		return nil, figure.ErrNothing
	}
	b := newBars(look, "Additions of threads that are mispredicted, by design", "percent", designs, 14*vg.Centimeter)
	rate := func(r *DesignRow) number.Real { return r.Rate }
	means := make(plotter.Values, len(designs))
	var dots plotter.XYs
	for i, d := range designs {
		for _, k := range s.Kernels {
			if x, ok := rateOf(rows, k.Name, k.Network, d, rate); ok {
				dots = append(dots, plotter.XY{X: float64(i), Y: x})
				means[i] += x / float64(len(s.Kernels))
			}
		}
	}
	if dots == nil {
		return nil, figure.ErrNothing
	}
	if _, err := b.Stack("mean of kernels", means, figure.SkyBlue, 0, 1, nil); err != nil {
		return nil, err
	}
	b.Marks("a kernel", dots, draw.GlyphStyle{Color: color.Black, Radius: 1.4, Shape: draw.CircleGlyph{}})
	return render(b)
}
