package judge

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/hardware/golden"
	"hyptx/internal/roofline"
	"hyptx/internal/source"
)

// everyNetwork is the variable that lets the tests take the large networks,
// too, as in package golden.
const everyNetwork = "HYPTX_GOLDEN_ALL"

// gpuFiles are the GPUs of the folders in testdata/golden.
var gpuFiles = map[string]string{"nvidia-h100-80gb-hbm3": "h100-sxm", "nvidia-h200": "h200"}

// predicted are the time model's rows of a manifest on a GPU, without a total.
func predicted(t *testing.T, path, name string) []*roofline.Row {
	t.Helper()
	src, err := source.Read(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	opts := analysis.DefaultOptions()
	opts.Mode = analysis.Memory
	if opts.GPUs, err = gpu.List(name); err != nil {
		t.Fatal(err)
	}
	s, err := analysis.OpenManifest(src, opts)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	devices, err := roofline.Devices([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	launches, err := roofline.FromProfile(p, roofline.Machine)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := roofline.Report(context.Background(), func(*roofline.Device) []*roofline.Launch { return launches }, devices, roofline.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	return rows[:len(rows)-1]
}

// timeTable compares predictions with measured times of the same launches, in
// milliseconds.
func timeTable(rows []*roofline.Row, ms []float64) (string, error) {
	if len(rows) != len(ms) {
		return "", fmt.Errorf("%d times were measured of %d launches", len(ms), len(rows))
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "launch\tkernel\tus, GPU\tus, model\tmodel/GPU\tbound")
	var gpuUs, ours float64
	for i, r := range rows {
		us := ms[i] * 1000
		fmt.Fprintf(w, "%s\t%s\t%.2f\t%s\t%.2f\t%s\n", r.Launch, r.Kernel, us, r.TimeUs, r.TimeUs.X/us, r.Bound)
		gpuUs, ours = gpuUs+us, ours+r.TimeUs.X
	}
	fmt.Fprintf(w, "total\t\t%.2f\t%.2f\t%.2f\t\n", gpuUs, ours, ours/gpuUs)
	err := w.Flush()
	return b.String(), err
}

// TestCommittedTimes reports how far the time model is from the launches'
// times on GPUs that hyptx has a file of, or that were calibrated (-v prints the
// table). Both contain the time of launching.
func TestCommittedTimes(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "golden", "*", "outputs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Skip("testdata/golden has no times of a GPU yet: `make golden-gpu` makes them on a machine with one")
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := golden.Read(path, text)
		if err != nil {
			t.Fatal(err)
		}
		name := gpuFiles[f.Header.Device.Folder()]
		if own := filepath.Join(filepath.Dir(path), "calibration.json"); name == "" && exists(own) {
			name = own
		}
		for _, p := range f.Programs {
			network, ok := strings.CutPrefix(p.Name, "networks/")
			manifest := filepath.Join("..", "..", "..", "..", "shared", "cnn", network, network+".json")
			if !ok || !exists(manifest) || name == "" || p.TimesMs == nil {
				continue
			}
			if os.Getenv(everyNetwork) == "" && !strings.HasPrefix(network, "lenet5") {
				t.Logf("%s: takes long: set %s to see it, too", p.Name, everyNetwork)
				continue
			}
			table, err := timeTable(predicted(t, manifest, name), p.TimesMs)
			if err != nil {
				t.Errorf("%s: %v", p.Name, err)
			}
			t.Logf("%s on %s\n%s", p.Name, f.Header.Device.Name, table)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestTimeTable: the table of a program whose times are what the model says.
func TestTimeTable(t *testing.T) {
	rows := predicted(t, filepath.Join("..", "..", "..", "ptx-samples", "kernels", "avg_pool.json"), "h100-sxm")
	var ms []float64
	for _, r := range rows {
		ms = append(ms, r.TimeUs.X/1000)
	}
	table, err := timeTable(rows, ms)
	if err != nil || strings.Count(table, "avg_pool") != 4 || strings.Count(table, "  1.00") != 5 {
		t.Errorf("%v\n%s", err, table)
	}
	if _, err := timeTable(rows, ms[1:]); err == nil || !strings.Contains(err.Error(), "3 times were measured of 4 launches") {
		t.Errorf("%v", err)
	}
}
