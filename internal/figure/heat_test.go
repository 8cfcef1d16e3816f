package figure

import (
	"bytes"
	"testing"
)

// TestHeat: a larger share is darker, in grey, too; the picture is the same each time, on both
// papers, and numbers stand in what is large enough.
func TestHeat(t *testing.T) {
	last := 256.0
	for _, share := range []float64{0, 0.01, 0.05, 0.25, 0.5, 1} {
		c := shade(share)
		if grey := 0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B); grey >= last {
			t.Errorf("%v %% is no darker than less: %v", 100*share, grey)
		} else {
			last = grey
		}
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
