package figure

import (
	"image/color"

	"gonum.org/v1/plot/vg"
)

// Who reads on a dark screen wants dark paper. A figure is drawn as for white paper,
// and colours are turned on their way to the file: so that no picture has to know of
// it, and none can forget a colour. Neutral ones trade places from black to white;
// others become lighter where they would sink into the paper.

// Theme is the paper that a figure is drawn on.
type Theme string

// The themes; an empty one is light.
const (
	Light Theme = "light"
	Dark  Theme = "dark"
)

// Themes are all of them, as flags spell them.
var Themes = []string{string(Light), string(Dark)}

// The ends of the scale of neutral colours on dark paper: no pure black and no pure
// white, which would dazzle beside each other ([ours], by eye).
const (
	darkPaper = 0x17
	darkInk   = 0xec
)

// turned is a canvas for dark paper.
type turned struct{ vg.CanvasWriterTo }

// SetColor takes a colour as on white paper.
func (t turned) SetColor(c color.Color) { t.CanvasWriterTo.SetColor(onDark(c)) }

// onDark is a colour of white paper as it is on dark paper.
func onDark(c color.Color) color.Color {
	if c == nil { // the library's black, as in legends
		c = color.Black
	}
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	if low, high := min(n.R, n.G, n.B), max(n.R, n.G, n.B); high-low < 8 {
		v := uint8(darkInk - int(low)*(darkInk-darkPaper)/255)
		return color.NRGBA{v, v, v, n.A}
	}
	luminance := 0.2126*float64(n.R) + 0.7152*float64(n.G) + 0.0722*float64(n.B) // of Rec. 709
	if luminance > 128 {
		return n
	}
	lighter := func(v uint8) uint8 { return uint8(int(v) + (255-int(v))*3/10) }
	return color.NRGBA{lighter(n.R), lighter(n.G), lighter(n.B), n.A}
}
