package roofline

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	_ "gonum.org/v1/plot/vg/vgimg" // png
	_ "gonum.org/v1/plot/vg/vgpdf" // pdf
	_ "gonum.org/v1/plot/vg/vgsvg" // svg
)

// figure is a plot with its legend to the right of it, where nothing is drawn.
type figure struct {
	*plot.Plot
	legend plot.Legend
}

// The sizes of a figure.
const (
	figureWidth  = 27 * vg.Centimeter
	figureHeight = 14 * vg.Centimeter
	legendWidth  = 9 * vg.Centimeter
	margin       = 4 * vg.Millimeter
)

// palette are the colours of GPUs: Okabe and Ito's, which colour-blind readers
// can tell apart (2008), without yellow.
var palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x60, 0x60, 0x60, 0xff},
}

func colourOf(i int) color.RGBA { return palette[i%len(palette)] }

// newFigure returns an empty figure.
func newFigure(title, x, y string) *figure {
	p := plot.New()
	p.BackgroundColor = color.White
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding, p.X.Label.Padding, p.Y.Label.Padding = 3*vg.Millimeter, 2*vg.Millimeter, 2*vg.Millimeter
	f := &figure{Plot: p, legend: plot.NewLegend()}
	f.legend.Top, f.legend.Left = true, true
	f.legend.Padding = 0.8 * vg.Millimeter
	f.legend.ThumbnailWidth = 8 * vg.Millimeter
	for _, s := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &f.legend.TextStyle} {
		s.Font.Variant = "Sans"
	}
	p.Title.TextStyle.Font.Size, f.legend.TextStyle.Font.Size = 12, 9
	p.X.Tick.Label.Font.Size, p.Y.Tick.Label.Font.Size = 9, 9
	return f
}

// pdfDefaults makes PDF files the same whenever they are written: the library
// dates them, and sorts no catalogue, unless told otherwise for good.
var pdfDefaults = sync.OnceFunc(func() {
	epoch := time.Unix(0, 0).UTC()
	fpdf.SetDefaultCreationDate(epoch)
	fpdf.SetDefaultModificationDate(epoch)
	fpdf.SetDefaultCatalogSort(true)
})

// render draws the figure as svg, png or pdf, the same bytes every time.
func (f *figure) render(format string) ([]byte, error) {
	pdfDefaults()
	c, err := draw.NewFormattedCanvas(figureWidth, figureHeight, format)
	if err != nil {
		return nil, fmt.Errorf("plots are svg, png or pdf, not %q", format)
	}
	all := draw.Crop(draw.New(c), margin, -margin, margin, -margin)
	all.SetColor(color.White)
	all.Fill(vg.Rectangle{Max: vg.Point{X: figureWidth, Y: figureHeight}}.Path())
	f.Draw(draw.Crop(all, 0, -legendWidth, 0, 0))
	f.legend.Draw(draw.Crop(all, figureWidth-2*margin-legendWidth+4*vg.Millimeter, 0, 0, -8*vg.Millimeter))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// logTicks are the ticks of an axis on which decimal logarithms are drawn:
// labels at decades, or at 1, 2 and 5 where the axis has fewer than two. (The
// library's own logarithmic scale misplaces the labels of axes.)
type logTicks struct{}

// Ticks implements plot.Ticker.
func (logTicks) Ticks(low, high float64) []plot.Tick {
	few := high-low < 2
	var ticks []plot.Tick
	for e := math.Floor(low); e <= math.Ceil(high); e++ {
		for m := 1; m < 10; m++ {
			at := e + math.Log10(float64(m))
			if at < low-1e-9 || at > high+1e-9 {
				continue
			}
			t := plot.Tick{Value: at}
			if m == 1 || few && (m == 2 || m == 5) {
				t.Label = plain(float64(m) * math.Pow(10, e))
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// linearTicks are some six labelled ticks at multiples of 1, 2 or 5.
type linearTicks struct{}

// Ticks implements plot.Ticker.
func (linearTicks) Ticks(low, high float64) []plot.Tick {
	decade := math.Pow(10, math.Floor(math.Log10((high-low)/6)))
	step := decade
	for _, m := range []float64{2, 5, 10} {
		if (high-low)/step > 7 {
			step = m * decade
		}
	}
	var ticks []plot.Tick
	for i := math.Ceil(low / step); i*step <= high*(1+1e-9); i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: plain(i * step)})
	}
	return ticks
}

// boldCross is a cross that is seen among filled glyphs.
type boldCross struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (boldCross) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: s.Color, Width: vg.Points(1.4)})
	r := s.Radius
	for _, d := range []vg.Point{{X: r, Y: r}, {X: r, Y: -r}} {
		var p vg.Path
		p.Move(vg.Point{X: at.X - d.X, Y: at.Y - d.Y})
		p.Line(vg.Point{X: at.X + d.X, Y: at.Y + d.Y})
		c.Stroke(p)
	}
}

// plain writes a number as people do: 0.01, 1, 10,000.
func plain(x float64) string {
	s := strconv.FormatFloat(x, 'g', 6, 64)
	if strings.Contains(s, "e") {
		s = strconv.FormatFloat(x, 'f', -1, 64)
	}
	whole, rest, point := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		return whole + "." + rest
	}
	return whole
}
