package accelwattch

import (
	"image/color"

	"gonum.org/v1/plot/vg/draw"

	"hyptx/internal/figure"
	"hyptx/internal/number"
)

// RelativeRow is a kernel's power on a GPU over that on another one, less 1 (figure 12). A
// model whose errors on both GPUs are alike says that better than either power.
type RelativeRow struct {
	GPU         string      `csv:"gpu" json:"gpu" doc:"the GPU, and that over which its power is taken"`
	Over        string      `csv:"over" json:"over" doc:"^"`
	Kernel      string      `csv:"kernel" json:"kernel" doc:"^"`
	ModelledPct number.Real `csv:"modelled_pct" json:"modelled_pct" doc:"by how much more power is drawn, by the model with SASS SIM's energies"`
	MeasuredPct number.Real `csv:"measured_pct" json:"measured_pct" doc:"the same as measured"`
}

// pairs of GPUs, as in the paper.
var pairs = [...][2]string{{"Pascal", "Volta"}, {"Turing", "Volta"}, {"Turing", "Pascal"}}

// Relative returns the kernels that were measured on both GPUs of a pair, for each pair.
func Relative() (rows []*RelativeRow) {
	for _, pair := range pairs {
		base := map[string]*KernelRow{}
		for _, k := range of(pair[1] + " SASS SIM") {
			base[k.Kernel] = k
		}
		for _, k := range of(pair[0] + " SASS SIM") {
			if b := base[k.Kernel]; b != nil {
				rows = append(rows, &RelativeRow{GPU: pair[0], Over: pair[1], Kernel: k.Kernel,
					ModelledPct: number.Ratio(100 * (k.PowerW.X/b.PowerW.X - 1)), MeasuredPct: number.Ratio(100 * (k.MeasuredW.X/b.MeasuredW.X - 1))})
			}
		}
	}
	return rows
}

// plotRelative draws figure 12.
func plotRelative(look figure.Look) ([]byte, error) {
	d := figure.Dots{Title: "Power on one GPU over that on another", X: "difference [%]", Spans: []figure.Span{{Text: "no difference", Colour: figure.Grey}}}
	modelled := figure.DotSeries{Text: "modelled (SASS SIM)", Colour: figure.Blue, Shape: draw.CircleGlyph{}}
	measured := figure.DotSeries{Text: "measured", Colour: color.Black, Shape: draw.CrossGlyph{}}
	for _, r := range Relative() {
		d.Names = append(d.Names, r.GPU+" / "+r.Over+", "+r.Kernel)
		modelled.Values, measured.Values = append(modelled.Values, r.ModelledPct), append(measured.Values, r.MeasuredPct)
	}
	d.Series = []figure.DotSeries{modelled, measured}
	return d.Draw(look)
}
