package hypa

import (
	"errors"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
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

// Draw draws the figure as svg, png or pdf.
func (f Figure) Draw(rows []*Row, theme figure.Theme, format string) ([]byte, error) {
	p := figure.New(f.title, f.x, "")
	figure.Grid(p, true)
	page := figure.NewPage((4+0.5*vg.Length(len(rows)))*vg.Centimeter, 6*vg.Centimeter)
	page.Theme = theme
	names := make([]plot.Tick, len(rows))
	for i, r := range rows {
		names[i] = plot.Tick{Value: float64(-i), Label: figure.Text(r.Network)}
	}
	p.Y.Tick.Marker, p.Y.Min, p.Y.Max = plot.ConstantTicks(names), 0.5-float64(len(rows)), 0.5
	p.X.Tick.Marker = figure.LinearTicks{}
	if f.log {
		p.X.Tick.Marker = figure.LogTicks{}
	}
	drawn := false
	for _, s := range f.series {
		known, err := f.add(p, page, s, rows)
		if err != nil {
			return nil, err
		}
		drawn = drawn || known
	}
	if !drawn {
		return nil, errors.New("nothing to draw")
	}
	for i, x := range f.spans {
		line, err := plotter.NewLine(plotter.XYs{{X: f.scale(x), Y: p.Y.Min}, {X: f.scale(x), Y: p.Y.Max}})
		if err != nil {
			return nil, err
		}
		line.Color, line.Dashes = paper.colour, []vg.Length{4, 3}
		if p.Add(line); i == 0 {
			page.Key("HyPA (paper), fastest and slowest", line)
		}
	}
	return page.Render(format, p)
}

// scale is where a value stands on the axis.
func (f Figure) scale(x float64) float64 {
	if f.log {
		return math.Log10(x)
	}
	return x
}

// add draws a series, if any of it is known.
func (f Figure) add(p *plot.Plot, page *figure.Page, s series, rows []*Row) (known bool, err error) {
	var points plotter.XYs
	for i, r := range rows {
		x := s.of(r)
		if !x.Known || f.log && x.X <= 0 {
			continue
		}
		points = append(points, plotter.XY{X: f.scale(x.X), Y: float64(-i)})
		if s.within == nil || !s.within(r).Known {
			continue
		}
		low, high := max(x.X-s.within(r).X, x.X/10), x.X+s.within(r).X
		line, err := plotter.NewLine(plotter.XYs{{X: f.scale(low), Y: float64(-i)}, {X: f.scale(high), Y: float64(-i)}})
		if err != nil {
			return false, err
		}
		line.Color, line.Width = s.colour, 2
		p.Add(line)
	}
	if len(points) == 0 {
		return false, nil
	}
	marks, err := plotter.NewScatter(points)
	if err != nil {
		return false, err
	}
	marks.GlyphStyle = draw.GlyphStyle{Color: s.colour, Radius: 3, Shape: s.shape}
	p.Add(marks)
	page.Key(s.text, marks)
	return true, nil
}
