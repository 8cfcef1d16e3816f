// Package figure is how all pictures of hyptx look and how they become files:
// the type, the page with its legend, the ticks, colours that colour-blind
// readers can tell apart. What is drawn is the callers'. Start with [New] and [Page], or
// with [NewSheet], a page of one plot: [Bars] and [Dots] are made of it.
//
//	sheet.go, bars.go, dots.go, area.go  kinds of figures
//	text.go, ticks.go, theme.go          names of kernels; axes; light and dark
package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	_ "gonum.org/v1/plot/vg/vgimg" // png
	_ "gonum.org/v1/plot/vg/vgpdf" // pdf
	_ "gonum.org/v1/plot/vg/vgsvg" // svg
)

// A figure goes into papers and into repositories. So every figure has the same
// type and the same width, its legend stands beside the plots (a legend within a
// plot hides points, and which is not known before they are drawn), and drawing it
// again gives the same bytes: a picture that did not change is no diff.

// The colours of Okabe and Ito (2008), and a grey.
var (
	Blue       = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	Vermillion = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
	Green      = color.RGBA{0x00, 0x9e, 0x73, 0xff}
	Purple     = color.RGBA{0xcc, 0x79, 0xa7, 0xff}
	Orange     = color.RGBA{0xe6, 0x9f, 0x00, 0xff}
	SkyBlue    = color.RGBA{0x56, 0xb4, 0xe9, 0xff}
	Yellow     = color.RGBA{0xf0, 0xe4, 0x42, 0xff}
	Grey       = color.RGBA{0x60, 0x60, 0x60, 0xff}
)

// New returns an empty plot in the type of all figures.
func New(title, x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = color.White
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = Text(title), x, y
	p.Title.Padding, p.X.Label.Padding, p.Y.Label.Padding = 3*vg.Millimeter, 2*vg.Millimeter, 2*vg.Millimeter
	for _, s := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		s.Font.Variant = "Sans"
	}
	p.Title.TextStyle.Font.Size, p.X.Tick.Label.Font.Size, p.Y.Tick.Label.Font.Size = 12, 9, 9
	return p
}

// Grid draws faint lines at the labelled ticks; without vertical ones, only of
// the values.
func Grid(p *plot.Plot, vertical bool) {
	g := plotter.NewGrid()
	g.Horizontal.Color, g.Vertical.Color = color.Gray{0xe0}, color.Gray{0xe0}
	if !vertical {
		g.Vertical.Width = 0
	}
	p.Add(g)
}

// Look is how a picture is made: as svg, png or pdf, on light or dark paper.
type Look struct {
	Format string
	Theme  Theme
}

// Page is a sheet with plots at the left and their legend at the right, where
// nothing is drawn.
type Page struct {
	Height, LegendWidth vg.Length
	look                Look
	legend              plot.Legend
}

const (
	pageWidth = 27 * vg.Centimeter
	margin    = 4 * vg.Millimeter
	legendGap = 4 * vg.Millimeter // between plots and legend
)

// NewPage returns a page with an empty legend.
func NewPage(look Look, height, legendWidth vg.Length) *Page {
	g := &Page{Height: height, LegendWidth: legendWidth, look: look, legend: plot.NewLegend()}
	g.legend.Top, g.legend.Left = true, true
	g.legend.Padding, g.legend.ThumbnailWidth = 0.8*vg.Millimeter, 8*vg.Millimeter
	g.legend.TextStyle.Font.Variant, g.legend.TextStyle.Font.Size = "Sans", 9
	return g
}

// Key adds a line to the legend, below the others.
func (g *Page) Key(text string, thumbs ...plot.Thumbnailer) { g.legend.Add(Text(text), thumbs...) }

// pdfDefaults makes PDF files the same whenever they are written: the library
// dates them, and sorts no catalogue, unless told otherwise for good.
var pdfDefaults = sync.OnceFunc(func() {
	epoch := time.Unix(0, 0).UTC()
	fpdf.SetDefaultCreationDate(epoch)
	fpdf.SetDefaultModificationDate(epoch)
	fpdf.SetDefaultCatalogSort(true)
})

// Render draws the plots, one below the other, and the legend: the same bytes every time.
func (g *Page) Render(plots ...*plot.Plot) ([]byte, error) {
	pdfDefaults()
	c, err := draw.NewFormattedCanvas(pageWidth, g.Height, g.look.Format)
	if err != nil {
		return nil, fmt.Errorf("plots are svg, png or pdf, not %q", g.look.Format)
	}
	if g.look.Theme == Dark {
		c = turned{c}
	}
	all := draw.Crop(draw.New(c), margin, -margin, margin, -margin)
	all.SetColor(color.White)
	all.Fill(vg.Rectangle{Max: vg.Point{X: pageWidth, Y: g.Height}}.Path())
	var rows [][]*plot.Plot
	for _, p := range plots {
		rows = append(rows, []*plot.Plot{p})
	}
	tiles := draw.Tiles{Rows: len(rows), Cols: 1, PadY: 6 * vg.Millimeter}
	width := g.legendWidth(all)
	for i, panel := range plot.Align(rows, tiles, draw.Crop(all, 0, -width, 0, 0)) {
		plots[i].Draw(panel[0])
	}
	g.legend.Draw(draw.Crop(all, pageWidth-2*margin-width+legendGap, 0, 0, -8*vg.Millimeter))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// legendWidth is how much of the page the legend takes: what was asked for, and
// where a text is longer as much as that needs, up to half of the page.
func (g *Page) legendWidth(c draw.Canvas) vg.Length {
	return max(g.LegendWidth, min(g.legend.Rectangle(c).Size().X+legendGap, pageWidth/2))
}
