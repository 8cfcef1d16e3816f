package hypa

import (
	"image/color"

	"gonum.org/v1/plot/vg/draw"

	"hyptx/internal/figure"
	"hyptx/internal/number"
)

// A Figure shows a figure of the networks, one a line, as marks: ours, the paper's, nvprof's.
// Marks differ in shape, too, for print in grey.
type Figure struct {
	Name     string // of a file, without its ending
	title, x string
	log      bool
	series   []series
	// spans are values between which the paper's are, where it prints no more.
	spans []float64
}

// A series is a column.
type series struct {
	text   string
	of     func(*Row) number.Real
	within func(*Row) number.Real // half of its confidence interval, if it has one
	colour color.Color
	shape  draw.GlyphDrawer
}

// The marks of whoever counted.
var (
	ours   = series{text: "hyptx", colour: figure.Blue, shape: draw.CircleGlyph{}}
	paper  = series{text: "HyPA (paper)", colour: figure.Vermillion, shape: draw.PyramidGlyph{}}
	nvprof = series{text: "nvprof (paper)", colour: figure.Green, shape: draw.SquareGlyph{}}
)

// with is a series of a column.
func (s series) with(text string, of func(*Row) number.Real) series {
	s.text, s.of = s.text+text, of
	return s
}

// millions makes a column of counts one of millions.
func millions(of func(*Row) number.Int) func(*Row) number.Real {
	return func(r *Row) number.Real { return number.Real{X: float64(of(r).N) / 1e6, Known: of(r).Known} }
}

// Figures are those of the paper's experiment.
func Figures() []Figure {
	seconds := func(of func(*Row) number.Real) func(*Row) number.Real {
		return func(r *Row) number.Real { return number.Real{X: of(r).X / 1000, Known: of(r).Known} }
	}
	took := ours.with(", mean and 95 % confidence", seconds(func(r *Row) number.Real { return r.MeanMS }))
	took.within = seconds(func(r *Row) number.Real { return r.ConfidenceMS })
	warps := ours.with(", warp level", millions(func(r *Row) number.Int { return r.WarpInstructions }))
	warps.shape, warps.colour = draw.RingGlyph{}, figure.SkyBlue
	emulated := ours.with(", of the warp instructions", func(r *Row) number.Real { return r.EmulatedPct })
	emulated.shape, emulated.colour = draw.RingGlyph{}, figure.SkyBlue
	return []Figure{
		{Name: "hypa_executed", title: "Instructions that have to be executed", x: "percent", log: true, series: []series{
			ours.with(", of the kernels' instructions", func(r *Row) number.Real { return r.SlicePct }), emulated,
			paper.with("", func(r *Row) number.Real { return r.HyPASlicePct })}},
		{Name: "hypa_instructions", title: "Instructions", x: "millions", log: true, series: []series{
			ours.with(", thread level", millions(func(r *Row) number.Int { return r.ThreadInstructions })), warps,
			paper.with("", millions(func(r *Row) number.Int { return r.HyPAInstructions })),
			nvprof.with("", millions(func(r *Row) number.Int { return r.NvprofInstructions }))}},
		{Name: "hypa_efficiency", title: "Branch efficiency", x: "percent", series: []series{
			ours.with("", func(r *Row) number.Real { return r.EfficiencyPct }),
			paper.with("", func(r *Row) number.Real { return r.HyPAEfficiencyPct }),
			nvprof.with("", func(r *Row) number.Real { return r.NvprofEfficiencyPct })}},
		{Name: "hypa_time", title: "Time of the analysis", x: "seconds", log: true, series: []series{took},
			spans: []float64{publishedFastestS, publishedSlowestS}},
	}
}

// Draw draws the figure.
func (f Figure) Draw(rows []*Row, look figure.Look) ([]byte, error) {
	d := figure.Dots{Title: f.title, X: f.x, Log: f.log}
	for _, r := range rows {
		d.Names = append(d.Names, r.Network)
	}
	column := func(of func(*Row) number.Real) (list []number.Real) {
		if of != nil {
			for _, r := range rows {
				list = append(list, of(r))
			}
		}
		return list
	}
	for _, s := range f.series {
		d.Series = append(d.Series, figure.DotSeries{Text: s.text, Values: column(s.of), Within: column(s.within), Colour: s.colour, Shape: s.shape})
	}
	for _, x := range f.spans {
		d.Spans = append(d.Spans, figure.Span{Text: "HyPA (paper), fastest and slowest", Value: x, Colour: paper.colour})
	}
	return d.Draw(look)
}
