package figure

import (
	"strings"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
)

// Text returns a user's text (a name from a file) with a question mark for each
// character that the figures' font does not have: it would vanish.
func Text(s string) string {
	face := font.DefaultCache.Lookup(font.Font{Typeface: plot.DefaultFont.Typeface, Variant: "Sans"}, plot.DefaultFont.Size)
	return strings.Map(func(r rune) rune {
		if n, err := face.Face.GlyphIndex(nil, r); err != nil || n == 0 || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}
