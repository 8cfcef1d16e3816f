package roofline

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hyptx/internal/figure"
	"hyptx/internal/number"
)

// A hierarchical roofline (Yang et al., 2020) has a slanted roof for each level of the
// memory, and a launch is a point at each of its intensities: how far the points of a
// launch lie apart is what the caches save, and the roof that one of them touches is
// what limits it. With several GPUs that is more than a picture can hold, so that then
// DRAM alone is drawn.

// level is a level of the memory.
type level struct {
	name      string
	gbps      float64 // 1e9 bytes a second
	intensity func(*Row) number.Real
	dashes    []vg.Length
}

// levels returns those of a GPU that are drawn and whose rate is known, DRAM first.
func levels(d *Device, alone bool) []level {
	list := []level{{"DRAM", d.Rates.DRAMGBps, func(r *Row) number.Real { return r.IntensityDRAM }, nil}}
	if !alone || d.Spec == nil {
		return list
	}
	mhz, err := d.Spec.ClockMHz()
	if err != nil {
		return list
	}
	if rate, err := d.Spec.L2BytesPerClock(); err == nil {
		list = append(list, level{"L2", rate.Value * mhz / 1e3, func(r *Row) number.Real { return r.IntensityL2 }, []vg.Length{vg.Points(6), vg.Points(3)}})
	}
	if rate, err := d.Spec.L1BytesPerClock(); err == nil && d.Spec.SMs != nil {
		list = append(list, level{"L1", rate.Value * float64(d.Spec.SMs.Value) * mhz / 1e3, func(r *Row) number.Real { return r.IntensityL1 }, []vg.Length{vg.Points(2), vg.Points(2)}})
	}
	return list
}

// ceiling is a level roof: the most operations of a type, in 1e9 a second.
type ceiling struct {
	name string
	gops float64
}

// slopes draws the slanted roofs of a GPU, up to its highest ceiling.
func (f *sheet) slopes(d *Device, list []level, top float64, c color.RGBA) {
	for _, l := range list {
		low := max(math.Pow(10, f.X.Min), math.Pow(10, f.Y.Min)/l.gbps)
		high := min(math.Pow(10, f.X.Max), top/l.gbps)
		if low >= high {
			continue
		}
		f.Line(fmt.Sprintf("%s: %s, %s GB/s", d.Name, l.name, figure.Plain(math.Round(l.gbps))),
			plotter.XYs{at(low, low*l.gbps), at(high, high*l.gbps)}, draw.LineStyle{Color: c, Width: vg.Points(1.6), Dashes: l.dashes})
	}
}

// ceilings draws the level roofs of a GPU, each from where its fastest memory meets it.
func (f *sheet) ceilings(d *Device, list []ceiling, fastest float64, c color.RGBA) {
	for i, x := range list {
		from := max(math.Pow(10, f.X.Min), x.gops/fastest)
		f.Line(fmt.Sprintf("%s: %s, %s Gop/s", d.Name, x.name, figure.Plain(math.Round(x.gops))),
			plotter.XYs{at(from, x.gops), at(math.Pow(10, f.X.Max), x.gops)},
			draw.LineStyle{Color: c, Width: vg.Points(1.6), Dashes: [][]vg.Length{nil, {8, 3}, {4, 4}, {8, 3, 2, 3}}[i%4]})
	}
}

// caches marks where a launch stands by what it asks of the L2 and the L1: smaller and
// hollow, on a thin line through its point.
func (f *sheet) caches(points []*Row, d *Device, list []level, c color.RGBA) {
	faint := color.RGBA{c.R/2 + 0x80, c.G/2 + 0x80, c.B/2 + 0x80, 0xff}
	for _, l := range list[1:] {
		var xys plotter.XYs
		for _, r := range points {
			if x := l.intensity(r); x.X > 0 {
				xys = append(xys, at(x.X, r.GOPS.X))
				f.Line("", plotter.XYs{at(x.X, r.GOPS.X), at(r.IntensityDRAM.X, r.GOPS.X)}, draw.LineStyle{Color: faint, Width: vg.Points(0.4)})
			}
		}
		shape := draw.GlyphDrawer(draw.RingGlyph{})
		if l.name == "L1" {
			shape = draw.PlusGlyph{}
		}
		f.Marks(fmt.Sprintf("%s: by the bytes of its %s", d.Name, l.name), xys, draw.GlyphStyle{Color: faint, Radius: leastRadius, Shape: shape})
	}
}

// leastRadius and mostRadius bound the glyphs: the area of one is the launch's share of
// the time that its GPU needs for all, as far as it can still be seen.
const (
	leastRadius = vg.Length(1.8)
	mostRadius  = vg.Length(7)
)

// radii returns the radius of each row's glyph.
func radii(rows []*Row) []vg.Length {
	longest := map[string]float64{}
	for _, r := range rows {
		longest[r.GPU] = max(longest[r.GPU], r.TimeUs.X)
	}
	list := make([]vg.Length, len(rows))
	for i, r := range rows {
		list[i] = max(leastRadius, mostRadius*vg.Length(math.Sqrt(r.TimeUs.X/longest[r.GPU])))
	}
	return list
}

// equalTimes reports whether glyphs say nothing by their sizes.
func equalTimes(radii []vg.Length) bool {
	return slices.Max(radii) == slices.Min(radii)
}
