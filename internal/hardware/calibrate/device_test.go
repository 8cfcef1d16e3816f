package calibrate

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hyptx/internal/hardware/cuda/cudatest"
	"hyptx/internal/hardware/nvml/nvmltest"
)

// liar is a job whose events say always the same.
type liar struct{ Job }

func (liar) Run(ctx context.Context, turns, times int) (float64, error) {
	return .1, Wait(ctx, time.Duration(turns*times)*time.Microsecond)
}

// TestEventsThatLie: where events do not tell the time, that is an error soon.
func TestEventsThatLie(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		_, err := (&Session{Now: time.Now, Sleep: Wait}).scale(t.Context(), liar{}, 100)
		contains(t, err, "the events do not tell the time")
		if took := time.Since(begin); took > 4*mostScaleMS*time.Millisecond {
			t.Errorf("it took %s to find out", took)
		}
	})
}

// TestSensorNotes: a number that the user may not see is noted with the reason,
// and the others are there; a GPU without a UUID is found by its place.
func TestSensorNotes(t *testing.T) {
	cudatest.Use(t)
	nvmltest.Use(t)
	t.Setenv("NVML_FAIL", "nvmlDeviceGetTotalEnergyConsumption")
	t.Setenv("NVML_FAIL_CODE", "4")
	g, err := OpenGPU(0, "test")
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(g.Subject.Notes, "; "); !strings.Contains(notes, "no energy_j: nvmlDeviceGetTotalEnergyConsumption: Insufficient Permissions") {
		t.Errorf("notes %q", notes)
	}
	if r, err := g.Read(); err != nil || !r.Has("power_w") || r.Has("energy_j") {
		t.Errorf("reading %+v, %v", r, err)
	}
	g.Subject.UUID, g.sensors = "GPU-of-another", nil
	if err := g.openSensors(); err != nil || !g.Sensors() {
		t.Errorf("by its place on the bus: %v", err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}
