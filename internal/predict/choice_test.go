package predict

import (
	"context"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/roofline"
	"hyptx/internal/source"
)

// TestChoice: what is simulated by default is chosen by the GPU and by how many launches
// share the time that there is, and a row says what it was.
func TestChoice(t *testing.T) {
	const add = "../../examples/vector_add.json"
	on := run(t, add, "gtx-660,gv100", nil).GPUs
	if got := on[0].Time[0].TimeModel; got != "analytic" {
		t.Errorf("gtx-660, of whose timing figures are unknown: %s", got)
	}
	alone := run(t, add, "gv100", nil).GPUs[0].Time[0]
	if with := on[1].Time[0]; with.TimeModel != "simulated" || with.TimeUs != alone.TimeUs || !with.SMCycles.Known {
		t.Errorf("gv100: %s, %v us, alone %v", with.TimeModel, with.TimeUs, alone.TimeUs)
	}
	for _, c := range []struct {
		choice   Choice
		launches int
		worth    bool
		budget   int64
		fewWaves int64
	}{
		{Choice{}, 1, true, SimulatedInstructions, 4 * SimulatedInstructions},
		{Choice{}, 6, true, SimulatedInstructions, 2 * SimulatedInstructions},
		{Choice{}, 60, true, 1_000_000, 1_000_000},
		{Choice{}, 240, true, leastSimulated, leastSimulated},
		{Choice{}, 241, false, leastSimulated, 248_962},
		{Choice{Simulated: 7}, 100_000, true, 7, 0},
	} {
		worth, budget, few := c.choice.worth(c.launches), c.choice.budget(c.launches), c.choice.ofFewWaves(c.launches)
		if worth != c.worth || budget != c.budget || few != c.fewWaves {
			t.Errorf("%+v of %d launches: %t, %d, %d of few waves", c.choice, c.launches, worth, budget, few)
		}
	}
}

// TestChosenModel: a model that was asked for is the one that predicts, and a simulation of
// a program whose caches nobody wants besides is of its slice.
func TestChosenModel(t *testing.T) {
	for _, c := range []struct {
		choice Choice
		model  string
		mode   analysis.Mode
	}{
		{Choice{}, "simulated", analysis.Control},
		{Choice{Footprint: true}, "simulated", analysis.Memory},
		{Choice{Model: roofline.Extended}, "analytic", analysis.Memory},
		{Choice{Model: roofline.Thesis}, "thesis", analysis.Memory},
	} {
		devices, err := roofline.Devices([]string{"gv100"})
		if err != nil {
			t.Fatal(err)
		}
		src, err := source.Read("../../examples/vector_add.json", nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := analysis.OpenManifest(src, analysis.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		if err := c.choice.Prepare([]*analysis.Session{s}, devices, func(*roofline.Device, *gpu.UnknownError) { t.Error("lacking") }); err != nil {
			t.Fatal(err)
		}
		p, err := s.Profile(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		of, err := LaunchesOn(p, devices, roofline.Machine)
		if err != nil {
			t.Fatal(err)
		}
		o := roofline.DefaultOptions()
		o.Model = c.choice.Model
		rows, err := of.Times(context.Background(), devices, o, false)
		if err != nil || rows[0].TimeModel != c.model || !rows[0].TimeUs.Known || s.Options.Mode != c.mode {
			t.Errorf("%+v: %v, %+v in mode %s", c.choice, err, rows[0], s.Options.Mode)
		}
	}
}
