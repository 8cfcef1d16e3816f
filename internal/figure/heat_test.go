package figure

import (
	"bytes"
	"testing"
)

// TestHeat: a larger share is darker, or lighter on dark paper, and all are neutral; the picture is the same each time, on both
// papers, and numbers stand in what is large enough.
func TestHeat(t *testing.T) {
	light, dark := 256, -1
	for _, share := range []float64{0, 0.01, 0.05, 0.25, 0.5, 1} {
		c := shade(share)
		turned, _, _, _ := onDark(c).RGBA()
		if c.R != c.G || c.G != c.B || int(c.R) >= light || int(turned>>8) <= dark {
			t.Errorf("%v %% does not stand out from less: %v, %v on dark paper", 100*share, c, turned>>8)
		}
		light, dark = int(c.R), int(turned>>8)
	}
	h := &Heat{Title: "shares", Rows: []string{"a", "b"}, Columns: []string{"x", "y"}, Shares: [][]float64{{0.37, 0.63}, {0.04, 0.96}}}
	for _, theme := range Themes {
		once, err := h.Draw(Look{Format: "svg", Theme: Theme(theme)})
		again, _ := h.Draw(Look{Format: "svg", Theme: Theme(theme)})
		if err != nil || !bytes.Equal(once, again) {
			t.Fatal(err)
		}
		for text, want := range map[string]bool{">37<": true, ">63<": true, ">96<": true, ">4<": false} {
			if bytes.Contains(once, []byte(text)) != want {
				t.Errorf("%s: %s: want %v", theme, text, want)
			}
		}
	}
}
