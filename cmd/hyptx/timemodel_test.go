package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestPowerSimulated: power takes the times of a simulation, and events of memory from
// it, which a column says; both are near those of the analytic model's caches.
func TestPowerSimulated(t *testing.T) {
	kernels := []string{filepath.Join(samples, "kernels/gemm_tiled.json"), filepath.Join(samples, "kernels/softmax.json")}
	of := func(model string) []map[string]string {
		args := append([]string{"power", "--gpu", "gv100", "--time-model", model, "-o", "-"}, kernels...)
		return table(t, hyptx(args...).must(t, exitDone).out)
	}
	simulated, analytic := of("simulated"), of("extended")
	for i, row := range simulated {
		if row["kind"] == "launch" && (row["time_source"] != "model simulated" || row["cache_model"] != "gv100, simulated" || row["missing"] != "") {
			t.Errorf("%s: time %s, caches %q, missing %q", row["kernel"], row["time_source"], row["cache_model"], row["missing"])
		}
		if x, y := real64(t, row, "power_w"), real64(t, analytic[i], "power_w"); x < 0.8*y || x > 1.25*y {
			t.Errorf("%s: %v W, with the analytic model %v", row["kernel"], x, y)
		}
	}
	if got := analytic[0]["time_source"]; got != "model analytic" {
		t.Errorf("extended is %q", got)
	}
	bad := hyptx("power", kernels[0], "--gpu", "gv100", "--time-model", "simulated", "--clock", "600:900:100").must(t, exitUsage)
	if !strings.Contains(bad.errOut, "a simulation is of one") {
		t.Error(bad.errOut)
	}
	hyptx("roofline", kernels[0], "--gpu", "gv100", "--time-model", "simulated", "--simulated", "0").must(t, exitUsage)
}
