package predict

import (
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
	"hyptx/internal/number"
	"hyptx/internal/roofline"
	"hyptx/internal/source"
)

func run(t *testing.T, path, gpus string, change func(*analysis.Options)) *Prediction {
	t.Helper()
	p, err := tryRun(t, context.Background(), path, gpus, change)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func tryRun(t *testing.T, ctx context.Context, path, gpus string, change func(*analysis.Options)) (*Prediction, error) {
	t.Helper()
	devices, err := roofline.Devices(strings.Split(gpus, ","))
	if err != nil {
		t.Fatal(err)
	}
	o := analysis.DefaultOptions()
	if change != nil {
		change(&o)
	}
	return Run(ctx, devices, o, func(o analysis.Options) ([]*analysis.Session, error) {
		src, err := source.Read(path, nil)
		if err != nil {
			return nil, err
		}
		s, err := analysis.OpenManifest(src, o)
		return []*analysis.Session{s}, err
	})
}

// timeless takes away what two equal runs differ in, and what of a launch was run: for caches
// all of it is, for a simulation alone its slice.
func timeless(p *analysis.Profile) []*analysis.Row {
	for _, r := range p.Rows {
		r.AnalysisMS = number.Real{}
		r.SliceInstructions, r.SlicePct, r.MemoryExactness, r.TrustedAccesses = number.Int{}, number.Real{}, "", number.Int{}
		r.EmulatedCTAs, r.EmulatedWarpInstructions = number.Int{}, number.Int{}
	}
	return p.Rows
}

// TestOneRun: GPUs that listen to one emulation have the counts, the times and
// the power that each has alone: those of caches that see everything, of caches
// that see a sample, and of a GPU of whose caches a figure is unknown.
func TestOneRun(t *testing.T) {
	const all = "gv100,a100,gtx-660,h100-sxm"
	for _, c := range []struct {
		path   string
		sample hierarchy.Sample
	}{
		{"../../examples/vector_add.json", hierarchy.Sample{}},
		{"../../ptx-samples/kernels/gemm_tiled.json", hierarchy.Sample{}},
		{"../../../shared/cnn/lenet5-sm_70/lenet5-sm_70.json", hierarchy.Sample{CTAs: 200}},
	} {
		if _, err := os.Stat(c.path); err != nil || testing.Short() && c.sample != (hierarchy.Sample{}) {
			continue // the networks are not everywhere, and the longest run
		}
		change := func(o *analysis.Options) { o.Sample = c.sample }
		for i, on := range run(t, c.path, all, change).GPUs {
			name := strings.Split(all, ",")[i]
			alone := run(t, c.path, name, change).GPUs[0]
			if got, want := timeless(on.Profile), timeless(alone.Profile); !reflect.DeepEqual(got, want) {
				t.Errorf("%s on %s: %+v, alone %+v", c.path, name, got, want)
			}
			if !reflect.DeepEqual(on.Time, alone.Time) || !reflect.DeepEqual(on.Power, alone.Power) {
				t.Errorf("%s on %s: times or power are others than alone", c.path, name)
			}
			if known := on.Profile.Rows[0].DRAMReadBytes.Known; known != (on.Lacks == nil) {
				t.Errorf("%s on %s: DRAM bytes known: %t, lacks %v", c.path, name, known, on.Lacks)
			}
			if last := on.Time[len(on.Time)-1]; last.Launch != roofline.Total || last.GPU != on.Name {
				t.Errorf("%s on %s: the last row is %s on %s", c.path, name, last.Launch, last.GPU)
			}
		}
	}
}

// TestConsistent: a launch's energy is its power in its time, and the time is
// that of the row of time.
func TestConsistent(t *testing.T) {
	for _, on := range run(t, "../../examples/vector_add.json", "gv100,a100", nil).GPUs {
		for i, r := range on.Power {
			if r.TimeUs != on.Time[i].TimeUs {
				t.Errorf("%s: %v us, power reckons with %v", on.Name, on.Time[i].TimeUs, r.TimeUs)
			}
			if uj := r.PowerW.X * r.TimeUs.X; !(uj > 0) || r.EnergyUJ.X < uj*(1-1e-9) || r.EnergyUJ.X > uj*(1+1e-9) {
				t.Errorf("%s: %v uJ, %v W in %v us", on.Name, r.EnergyUJ, r.PowerW, r.TimeUs)
			}
		}
	}
}

// TestLacking: what a GPU lacks keeps back what needs it, with the reason, and
// nothing else.
func TestLacking(t *testing.T) {
	on := run(t, "../../examples/vector_add.json", "gtx-660", nil).GPUs[0]
	if unknown := (*gpu.UnknownError)(nil); !errors.As(on.Lacks, &unknown) || on.Profile.Rows[0].WarpInstructions.N != 162 {
		t.Errorf("%v, %v", on.Lacks, on.Profile.Rows[0].WarpInstructions)
	}
	if r := on.Time[0]; !r.TimeUs.Known || !strings.Contains(r.Warnings, "its file does not say") || r.TrafficSource != roofline.TrafficFootprint {
		t.Errorf("%+v", r)
	}
	on = run(t, "../../examples/vector_add.json", "gtx-480", nil).GPUs[0]
	if on.Time[0].TimeUs.Known || on.Time[0].Missing == "" {
		t.Errorf("%+v", on.Time[0])
	}
	if on.PowerErr == nil && on.Power[0].Missing == "" {
		t.Error("the power needs a time")
	}
}

// TestEnded: of a program that does not end there are no totals.
func TestEnded(t *testing.T) {
	ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	p, err := tryRun(t, ctx, "../../examples/vector_add.json", "gv100", nil)
	if !errors.Is(err, context.DeadlineExceeded) || p == nil || len(p.GPUs[0].Time) > 0 || len(p.GPUs[0].Power) > 0 {
		t.Errorf("%+v, %v", p, err)
	}
}
