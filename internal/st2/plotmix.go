package st2

import (
	"image/color"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"hyptx/internal/figure"
	"hyptx/internal/number"
)

// mixParts are the parts of a bar from below. Darker and lighter ones take turns, so that
// neighbours can be told apart in grey, and on dark paper (TestGrey).
var mixParts = []struct {
	text   string
	colour color.Color
	of     func(*MixRow) number.Real
}{
	{"ALU, additions", figure.Blue, func(r *MixRow) number.Real { return r.ALUAdd }},
	{"ALU, other", figure.SkyBlue, func(r *MixRow) number.Real { return r.ALUOther }},
	{"FPU, additions", figure.Vermillion, func(r *MixRow) number.Real { return r.FPUAdd }},
	{"FPU, other", figure.Yellow, func(r *MixRow) number.Real { return r.FPUOther }},
	{"DPU", figure.Purple, func(r *MixRow) number.Real { return r.DPU }},
	{"memory", figure.Green, func(r *MixRow) number.Real { return r.Mem }},
	{"control", color.Gray{0xa8}, func(r *MixRow) number.Real { return r.Ctrl }},
	{"others", color.Gray{0xe4}, func(r *MixRow) number.Real { return r.Other }},
}

// plotMix draws the mix of instructions (figure 1).
func (s *Suite) plotMix(look figure.Look) ([]byte, error) {
	rows := s.Mix()
	if len(rows) == 0 {
		return nil, figure.ErrNothing
	}
	var names []string
	for _, r := range rows {
		names = append(names, r.Kernel)
	}
	b := newBars(look, "Dynamic instructions of threads", "percent", names, 14*vg.Centimeter)
	var below *plotter.BarChart
	for _, part := range mixParts {
		values := make(plotter.Values, len(rows))
		for i, r := range rows {
			values[i] = part.of(r).X
		}
		var err error
		if below, err = b.Stack(part.text, values, part.colour, 0, 1, below); err != nil {
			return nil, err
		}
	}
	b.Y.Max = 100
	return render(b)
}
