package figure

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Heat is a figure of shares: a line for each name, a column for each other one, and a cell the
// darker the larger its share is. It is grey: neutral colours alone keep their order on dark
// paper, where they trade places (theme.go), and it reads on paper without colours.
type Heat struct {
	Title, X      string
	Rows, Columns []string
	// Shares are from 0 to 1, line by line; what is more is as dark as 1.
	Shares [][]float64
	// Words stand behind the numbers of cells, if there are any. Then each cell has its number,
	// however small.
	Words [][]string
	// Narrow: names of columns are short, and stand upright.
	Narrow bool
}

// darkest is the grey of a share of 1.
const darkest = 0x20

// shade is the colour of a share. It goes with the root, so that some percent are seen.
func shade(share float64) color.RGBA {
	v := uint8(255 - math.Sqrt(min(share, 1))*(255-darkest))
	return color.RGBA{v, v, v, 0xff}
}

// cells draws the shares of a Heat, with numbers in those of some size.
type cells struct{ *Heat }

// leastNumber is the share from which on a cell has its percent written in.
const leastNumber = 0.05

// Plot implements plot.Plotter.
func (h cells) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := p.X.Tick.Label
	style.Rotation, style.XAlign, style.YAlign, style.Font.Size = 0, draw.XCenter, draw.YCenter, 7
	for r, shares := range h.Shares {
		for k, share := range shares {
			left, right, top, bottom := x(float64(k)-0.5), x(float64(k)+0.5), y(0.5-float64(r)), y(-0.5-float64(r))
			var path vg.Path
			path.Move(vg.Point{X: left, Y: bottom})
			path.Line(vg.Point{X: right, Y: bottom})
			path.Line(vg.Point{X: right, Y: top})
			path.Line(vg.Point{X: left, Y: top})
			path.Close()
			c.SetColor(shade(share))
			c.Fill(path)
			if share < leastNumber && h.Words == nil {
				continue
			}
			const light = 0.38 // from there on light numbers stand out more, by WCAG's contrast ratio
			if style.Color = color.Black; share > light {
				style.Color = color.White
			}
			text := fmt.Sprintf("%.0f", 100*share)
			if h.Words != nil && h.Words[r][k] != "" {
				text += " " + h.Words[r][k]
			}
			c.FillText(style, vg.Point{X: x(float64(k)), Y: y(-float64(r))}, text)
		}
	}
}

// Draw returns the figure.
func (h *Heat) Draw(look Look) ([]byte, error) {
	s := NewSheet(look, (7+0.5*vg.Length(len(h.Rows)))*vg.Centimeter, 3*vg.Centimeter, h.Title, h.X, "")
	s.Add(cells{h})
	var rows, columns []plot.Tick
	for i, name := range h.Rows {
		rows = append(rows, plot.Tick{Value: -float64(i), Label: Text(name)})
	}
	for i, name := range h.Columns {
		columns = append(columns, plot.Tick{Value: float64(i), Label: Text(name)})
	}
	s.Y.Tick.Marker, s.Y.Min, s.Y.Max = plot.ConstantTicks(rows), 0.5-float64(len(rows)), 0.5
	s.X.Tick.Marker, s.X.Min, s.X.Max = plot.ConstantTicks(columns), -0.5, float64(len(columns))-0.5
	if !h.Narrow {
		s.X.Tick.Label.Rotation, s.X.Tick.Label.XAlign, s.X.Tick.Label.YAlign = math.Pi/2, draw.XRight, draw.YCenter
	}
	for _, percent := range []float64{0, 1, 5, 10, 25, 50, 100} {
		s.Key(fmt.Sprintf("%.0f %%", percent), Area{Colour: shade(percent / 100)})
	}
	return s.Picture()
}
