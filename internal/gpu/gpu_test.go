package gpu

import (
	"slices"
	"testing"
)

func TestGet(t *testing.T) {
	for _, name := range []string{"gv100", "GV100", "Quadro GV100", "quadro_gv100"} {
		g, err := Get(name)
		if err != nil {
			t.Fatal(err)
		}
		if g.Name != "gv100" {
			t.Errorf("Get(%q) is %s", name, g.Name)
		}
	}
	if !slices.Contains(Names(), "v100-sxm2") {
		t.Errorf("Names lacks v100-sxm2: %v", Names())
	}
}
