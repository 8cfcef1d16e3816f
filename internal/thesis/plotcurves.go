package thesis

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hyptx/internal/figure"
	"hyptx/internal/table"
)

// memoryModels are the time models beside each other, dark and light in turn.
var memoryModels = []struct {
	name, text string
	colour     color.Color
	dashes     []vg.Length
}{
	{"simulated", "simulated", figure.Blue, nil},
	{"analytic", "analytic model", figure.Orange, []vg.Length{6, 3}},
	{"thesis", "thesis' model", color.Gray{0xd8}, []vg.Length{2, 3}},
}

// curves is a plot of lines with logarithmic axes.
type curves struct{ *figure.Sheet }

func newCurves(look figure.Look, title, x, y string) curves {
	c := curves{figure.NewSheet(look, 13*vg.Centimeter, 6*vg.Centimeter, title, x, y)}
	c.X.Tick.Marker, c.Y.Tick.Marker = figure.LogTicks{}, figure.LogTicks{}
	figure.Grid(c.Plot, true)
	return c
}

// marks adds marks.
func (c curves) marks(text string, at plotter.XYs, colour color.Color, shape draw.GlyphDrawer) {
	c.Marks(text, at, draw.GlyphStyle{Color: colour, Radius: 2.4, Shape: shape})
}

// log is a point on logarithmic axes.
func log(x, y float64) plotter.XY { return plotter.XY{X: math.Log10(x), Y: math.Log10(y)} }

// plotMixbench draws mixbench over the rooflines of a GPU (figures 3.2 to 3.4, 5.5 to 5.7):
// roofs of the measured rates and of the data sheet, measured points, and the model's line
// of the emulated kernels.
func (r *Result) plotMixbench(g rateRow, look figure.Look) ([]byte, error) {
	c := newCurves(look, "mixbench on a "+g.GPU, "operations a byte of DRAM", "Gop/s")
	rates, drawn := g.rates(), false
	sheets, err := printed[sheetRow]("theoretical.tsv")
	if err != nil {
		return nil, err
	}
	for _, s := range []struct {
		name, text string
		peak       float64
		colour     color.RGBA
		shape      draw.GlyphDrawer
		dashes     []vg.Length
	}{
		{"fp32", "fp32", rates.SPGFLOPS, figure.Blue, draw.CircleGlyph{}, nil},
		{"fp64", "fp64", rates.DPGFLOPS, figure.Vermillion, draw.SquareGlyph{}, []vg.Length{6, 3}},
		{"int", "integers", rates.IntGIOPS, figure.Green, draw.PyramidGlyph{}, []vg.Length{2, 2}},
	} {
		var ours, theirs plotter.XYs
		for _, row := range r.Mixbench {
			if row.GPU != g.GPU || row.Type != s.name {
				continue
			}
			ours = append(ours, log(row.Intensity.X, row.GOPS.X))
			if row.MeasuredGOPS.Known {
				theirs = append(theirs, log(row.MeasuredGOPS.X/row.MeasuredGBps.X, row.MeasuredGOPS.X))
			}
		}
		if len(ours) == 0 {
			continue
		}
		drawn = true
		c.Line(s.text+": model, of what is emulated", ours, draw.LineStyle{Color: s.colour, Width: 1.4, Dashes: s.dashes})
		c.marks(s.text+": measured by the author", theirs, s.colour, s.shape)
		c.roof(s.text+": roof of measured rates", g.DRAM, s.peak, draw.LineStyle{Color: color.Gray{0x80}, Width: 0.7, Dashes: s.dashes})
	}
	if !drawn {
		return nil, figure.ErrNothing
	}
	for _, s := range sheets {
		if s.GPU == g.GPU {
			c.roof("roofs of the data sheet, fp32 and fp64", s.DRAM, s.SP, draw.LineStyle{Color: color.Gray{0xb0}, Width: 2})
			c.roof("", s.DRAM, s.DP, draw.LineStyle{Color: color.Gray{0xb0}, Width: 2})
		}
	}
	return c.Picture()
}

// sheetRow is a row of table 3.1.
type sheetRow struct {
	GPU     string  `csv:"gpu"`
	DRAM    float64 `csv:"mem_bw_GBps"`
	DP      float64 `csv:"dp_GFLOPS"`
	DPRidge float64 `csv:"dp_flops_per_byte"`
	SP      float64 `csv:"sp_GFLOPS"`
	SPRidge float64 `csv:"sp_flops_per_byte"`
	DPAgain float64 `csv:"recomputed_dp"`
	SPAgain float64 `csv:"recomputed_sp"`
}

// The intensities between which roofs are drawn: those of mixbench's sweep.
const leastIntensity, mostIntensity = 0.125, 128.25

// roof draws a roofline (2.3).
func (c curves) roof(text string, gbps, gops float64, style draw.LineStyle) {
	at := plotter.XYs{log(leastIntensity, leastIntensity*gbps), log(gops/gbps, gops), log(mostIntensity, gops)}
	c.Line(text, at, style)
}

// plotCaches draws bandwidth over the data that all threads read (figure 6.1).
func (r *Result) plotCaches(look figure.Look) ([]byte, error) {
	c := newCurves(look, "Reads of a range again and again", "KiB that all threads read", "GB/s of threads")
	shapes := map[int]draw.GlyphDrawer{4: draw.CircleGlyph{}, 8: draw.SquareGlyph{}, 16: draw.PyramidGlyph{}}
	colours := map[int]color.Color{4: figure.Blue, 8: figure.Vermillion, 16: figure.Green}
	drawn := false
	type curve struct {
		gpu, model string
		bytes      int
	}
	of := func(row *MemoryRow) curve { return curve{row.GPU, row.Model, row.Bytes} }
	shown := slices.DeleteFunc(slices.Clone(r.Memory), func(row *MemoryRow) bool { return row.Memory != "cache" || row.GBps.X <= 0 })
	for _, rows := range table.Groups(shown, of) {
		k := of(rows[0])
		var points plotter.XYs
		for _, row := range rows {
			points = append(points, log(row.KiB.X, row.GBps.X))
		}
		for _, m := range memoryModels {
			if m.name != k.model {
				continue
			}
			drawn = true
			style := draw.LineStyle{Color: colours[k.bytes], Width: 1.2, Dashes: m.dashes}
			if m.name == "thesis" { // often on the line before
				style.Color, style.Width = color.Black, 1.8
			}
			c.Line(fmt.Sprintf("%s, %d bytes: %s", k.gpu, k.bytes, m.text), points, style)
			if m.name == "simulated" {
				c.marks(fmt.Sprintf("%s, %d bytes: simulated ranges", k.gpu, k.bytes), points, colours[k.bytes], shapes[k.bytes])
			}
		}
	}
	if !drawn {
		return nil, figure.ErrNothing
	}
	return c.Picture()
}
