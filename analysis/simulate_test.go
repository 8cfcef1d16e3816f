package analysis

import (
	"context"
	"reflect"
	"testing"

	"hyptx/internal/gpu"
)

// simulated profiles a manifest with and without simulations of a GPU.
func simulated(t *testing.T, path string, jobs int, gpus ...*gpu.GPU) *Profile {
	t.Helper()
	o := DefaultOptions()
	o.Jobs, o.Simulate, o.SimulatedInstructions = jobs, gpus, 200_000
	src, err := ReadSource(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenManifest(src, o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSimulate: a simulation changes no count, does not depend on jobs, and says that
// something takes time.
func TestSimulate(t *testing.T) {
	g, err := gpu.Get("gv100")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../examples/vector_add.json", "../ptx-samples/kernels/gemm_tiled.json", "../ptx-samples/kernels/softmax.json", "../ptx-samples/kernels/conv_tiled.json"} {
		without, one, two := simulated(t, path, 2).On(g), simulated(t, path, 1, g), simulated(t, path, 2, g)
		for i, row := range one.Rows {
			if !reflect.DeepEqual(row, without.Rows[i]) {
				t.Errorf("%s: row %d: %+v, without simulation %+v", path, i, row, without.Rows[i])
			}
		}
		for i, lp := range one.Launches {
			if lp.row().Kind == "total" {
				continue
			}
			x, y := lp.Simulated, two.Launches[i].Simulated
			if x == nil || !(x.Cycles > 0) || x.Issued == 0 {
				t.Fatalf("%s: launch %d: %+v", path, i, x)
			}
			if !reflect.DeepEqual(x, y) {
				t.Errorf("%s: launch %d: %+v, with two jobs %+v", path, i, *x.Estimate, *y.Estimate)
			}
		}
	}
}
