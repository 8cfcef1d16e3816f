package roofline

import "testing"

// FuzzFiles: whatever a file holds, reading it ends, with launches or with an
// error.
func FuzzFiles(f *testing.F) {
	for _, s := range []string{toolkitGPU, toolkitJSON, ncuCSV, ncuRawCSV, nvprofCSV("dram_utilization=\"High (9)\"")} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		launches, err := ReadMeasured("x", text)
		if err == nil && len(launches) == 0 {
			t.Error("neither launches nor an error")
		}
		if devices, err := ReadToolkitGPUs("x", text); err == nil {
			report(everywhere(launches), devices, Options{Model: Thesis})
		}
	})
}
