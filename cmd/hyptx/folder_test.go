package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEmptyFigure: of several figures one that has nothing to show is no failure, and the
// others are drawn.
func TestEmptyFigure(t *testing.T) {
	t.Chdir(t.TempDir())
	r := hyptx("st2", filepath.Join(samples, "kernels/softmax.json"), "--design", "staticZero", "--no-prediction", "-o", "out", "--plot", "svg")
	r.must(t, 0)
	if !strings.Contains(r.errOut, "st2_fig3_match.svg: nothing to draw") {
		t.Errorf("no word of the empty figure: %s", r.errOut)
	}
	for name, want := range map[string]bool{"st2_fig2_values": true, "st2_fig3_match": false, "st2_fig5_designs": true} {
		if _, err := os.Stat(filepath.Join("out", name+".svg")); (err == nil) != want {
			t.Errorf("%s: %v, want it drawn: %v", name, err, want)
		}
	}
}
