package thesis

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hyptx/internal/figure"
	"hyptx/internal/number"
)

// Figure is a figure of an experiment.
type Figure struct {
	// Name is a file's, without its ending; Experiments are those that it is drawn of.
	Name        string
	Experiments []string
	Draw        func(*Result, figure.Look) ([]byte, error)
}

// Figures are all of them.
func Figures() ([]Figure, error) {
	list := []Figure{
		{"thesis_times", ofKernels, (*Result).plotTimes}, {"thesis_density", ofKernels, (*Result).plotDensity},
		{"thesis_utilisation", ofKernels, (*Result).plotUse},
		{"thesis_caches", []string{"memory"}, (*Result).plotCaches}, {"thesis_onchip", []string{"memory"}, (*Result).plotOnChip},
	}
	rates, err := printed[rateRow]("rates.tsv")
	for _, g := range rates {
		name := "thesis_mixbench_" + strings.ReplaceAll(strings.ToLower(g.GPU), " ", "-")
		list = append(list, Figure{name, []string{"mixbench"}, func(r *Result, look figure.Look) ([]byte, error) {
			return r.plotMixbench(g, look)
		}})
	}
	return list, err
}

// plotTimes draws the kernels' times on all GPUs (tables 5.9, 5.12, 5.14).
func (r *Result) plotTimes(look figure.Look) ([]byte, error) {
	d := figure.Dots{Title: "Times of the thesis' kernels", X: "milliseconds", Log: true}
	d.Series = []figure.DotSeries{
		{Text: "hyptx, emulated", Colour: figure.Blue, Shape: draw.CircleGlyph{}},
		{Text: "model on printed counters", Colour: figure.SkyBlue, Shape: draw.RingGlyph{}},
		{Text: "thesis, predicted", Colour: figure.Vermillion, Shape: draw.PyramidGlyph{}},
		{Text: "thesis, measured", Colour: color.Black, Shape: draw.CrossGlyph{}},
	}
	r.lines(&d, func(t *TimeRow) []number.Real {
		ours, again := t.MS, number.Real{}
		if t.Source != emulated {
			ours, again = again, ours
		}
		return []number.Real{ours, again, t.PrintedMS, t.MeasuredMS}
	})
	return d.Draw(look)
}

// plotUse draws what the kernels use, beside what nvprof measured (tables 5.8, 5.13, 5.15).
func (r *Result) plotUse(look figure.Look) ([]byte, error) {
	d := figure.Dots{Title: "Utilisation: share of the time by the model, and by nvprof", X: "tenths"}
	d.Series = []figure.DotSeries{
		{Text: "hyptx, DRAM", Colour: figure.Blue, Shape: draw.CircleGlyph{}},
		{Text: "hyptx, issuing (all instructions)", Colour: figure.SkyBlue, Shape: draw.RingGlyph{}},
		{Text: "nvprof (thesis), DRAM", Colour: figure.Vermillion, Shape: draw.PyramidGlyph{}},
		{Text: "nvprof (thesis), most used unit", Colour: color.Black, Shape: draw.CrossGlyph{}},
	}
	r.lines(&d, func(t *TimeRow) []number.Real {
		issue := number.Ratio(t.OpsUse.X + t.LdStUse.X + t.OtherUse.X)
		return []number.Real{t.DRAMUse, issue, t.NvDRAM, t.NvTop}
	})
	return d.Draw(look)
}

// lines gives a figure a line for each kernel on each GPU: of several rows of one, the first
// value that is known.
func (r *Result) lines(d *figure.Dots, values func(*TimeRow) []number.Real) {
	rows := slices.Clone(r.Times)
	slices.SortStableFunc(rows, func(a, b *TimeRow) int { // emulated ones first
		return strings.Compare(a.Source, b.Source)
	})
	at := map[string]int{}
	for _, row := range r.Times {
		if name := row.Kernel + ", " + row.GPU; !slices.Contains(d.Names, name) {
			at[name] = len(d.Names)
			d.Names = append(d.Names, name)
		}
	}
	for i := range d.Series {
		d.Series[i].Values = make([]number.Real, len(d.Names))
	}
	for _, row := range rows {
		n := at[row.Kernel+", "+row.GPU]
		for i, x := range values(row) {
			if to := &d.Series[i].Values[n]; !to.Known {
				*to = x
			}
		}
	}
}

// plotDensity draws the kernels' instructions by class (figures 4.3 and 4.5, which are pies):
// ours, and as printed. A dark colour stands beside a light one, for print in grey.
func (r *Result) plotDensity(look figure.Look) ([]byte, error) {
	var names []string
	var parts [3]plotter.Values
	add := func(name string, x ...number.Real) {
		if x[0].Known {
			names = append(names, name)
			for i := range parts {
				parts[i] = append(parts[i], x[i].X)
			}
		}
	}
	for _, k := range r.Kernels {
		if k.Source == emulated || !slices.ContainsFunc(r.Kernels, func(e *KernelRow) bool { return e.Kernel == k.Kernel && e.Source == emulated }) {
			add(k.Kernel+", "+k.Source, k.OpsPct, k.LdStPct, k.OtherPct)
			add(k.Kernel+", printed", k.PrintedOpsPct, k.PrintedLdStPct, k.PrintedOtherPct)
		}
	}
	if len(names) == 0 {
		return nil, figure.ErrNothing
	}
	b := newBars(look, "Instructions by class", "percent of the slots", names)
	var below *plotter.BarChart
	for i, part := range []struct {
		text   string
		colour color.Color
	}{{"operations of the kernel's type", figure.Blue}, {"loads and stores", figure.Yellow}, {"others and idle lanes", color.Gray{0x98}}} {
		var err error
		if below, err = b.Stack(part.text, parts[i], part.colour, 0, 1, below); err != nil {
			return nil, err
		}
	}
	b.Y.Max = 100
	return b.Picture()
}

// newBars returns an empty plot of bars, whose names have lines of their own for their parts.
func newBars(look figure.Look, title, y string, names []string) *figure.Bars {
	labels := make([]string, len(names))
	for i, n := range names {
		labels[i] = strings.ReplaceAll(figure.Text(n), ", ", ",\n")
	}
	sheet := figure.NewSheet(look, 12*vg.Centimeter, 5*vg.Centimeter, title, "", y)
	return figure.NewBars(sheet, labels, 16*vg.Centimeter/vg.Length(len(names)))
}

// plotOnChip draws what shared memory and constants give by width (figure 6.2).
func (r *Result) plotOnChip(look figure.Look) ([]byte, error) {
	var names []string
	values := map[string]plotter.Values{}
	for _, row := range r.Memory {
		if row.Memory == "cache" {
			continue
		}
		if name := fmt.Sprintf("%s, %s, %d bytes", row.GPU, row.Memory, row.Bytes); !slices.Contains(names, name) {
			names = append(names, name)
		}
		values[row.Model] = append(values[row.Model], row.GBps.X)
	}
	if len(names) == 0 {
		return nil, figure.ErrNothing
	}
	b := newBars(look, "Shared memory and constants by the bytes of a load", "GB/s of threads", names)
	for i, m := range memoryModels {
		if _, err := b.Stack(m.text, values[m.name], m.colour, i, len(memoryModels), nil); err != nil {
			return nil, err
		}
	}
	return b.Picture()
}
