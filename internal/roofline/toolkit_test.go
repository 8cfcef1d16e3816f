package roofline

import (
	"strings"
	"testing"

	"hyptx/internal/roofline/thesis"
)

// toolkitGPU and toolkitJSON are the worked example of the toolkit's README.
const toolkitGPU = `"GPU", "GFLOPS - SP", "GFLOPS - DP", "GIOPS - MAD", "GBSEC - DRAM", "GBSEC - L2", "GOPS - SHMEM", "GIOPS - ADD"
"GeForce GTX 660", 1863.5690, 81.7910, 359.0200, 115.9430, 179.1270, 179.7290, 414.9350
`
const toolkitJSON = `{"app": "matrixMul", "device": "GTX 960", "data": {"matrixMul(float*, float*, float*, int, int)": {"dominant_op": "fp_32",
 "compute_ops": 1048576000, "dram_bytes": 72716160, "l2_bytes": 100000000, "opmix_efficiency": 1.0, "mix_compute": 0.3473, "mix_ldst": 0.4780,
 "reference_time": 2.6, "count": 8, "utilizations": {"dram_utilization": 3, "shared_utilization": 8}}}}`

func TestToolkit(t *testing.T) {
	devices, err := ReadToolkitGPUs("gpus.csv", []byte(toolkitGPU))
	if err != nil {
		t.Fatal(err)
	}
	launches, err := ReadMeasured("k.json", []byte(toolkitJSON))
	if err != nil {
		t.Fatal(err)
	}
	rows := report(everywhere(launches), devices, Options{Model: Thesis, Rule: thesis.Any, Integer: thesis.MAD})
	if len(rows) != 2 || rows[0].GPU != "GeForce GTX 660" || rows[0].Bound != "Compute" || rows[1].Launch != Total {
		t.Fatalf("%+v", rows)
	}
	near(t, "time", rows[0].TimeUs, 5213.97, 0.002/5.2)
	near(t, "total", rows[1].TimeUs, rows[0].TimeUs.X, 0)
	if w := rows[0].Warnings; w != "0.325 ms an invocation on the reference GPU, less than 0.5 ms" {
		t.Error(w)
	}
	// The rows of GPUs end with an empty field, as the toolkit writes them; -1
	// is a rate that was not measured, which matters where it is needed.
	devices, err = ReadToolkitGPUs("gpus.csv", []byte(strings.Replace(strings.ReplaceAll(toolkitGPU, "4350\n", "4350, \n"), "81.7910", "-1", 1)))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "time", report(everywhere(launches), devices, Options{Model: Thesis, Integer: thesis.MAD})[0].TimeUs, 5213.97, 0.002/5.2)
	launches[0].Parameters.Type = thesis.FP64
	if r := report(everywhere(launches), devices, Options{Model: Thesis, Integer: thesis.MAD})[0]; r.TimeUs.Known || !strings.Contains(r.Missing, "T_DP") {
		t.Errorf("%+v", r)
	}
}

func TestToolkitBad(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"{", "unexpected end"},
		{`{"data": {}}`, "no kernels"},
		{strings.Replace(toolkitJSON, "fp_32", "fp_16", 1), "dominant_op"},
		{strings.Replace(toolkitJSON, `"mix_ldst": 0.4780`, `"mix_ldst": 47.8`, 1), "mix_ldst must be there and lie between 0 and 1"},
		{strings.Replace(toolkitJSON, `"compute_ops": 1048576000,`, "", 1), "compute_ops must be there"},
		{strings.Replace(toolkitJSON, `"dram_utilization": 3`, `"dram_utilization": 11`, 1), "a level from 0 to 10"},
	} {
		if _, err := ReadMeasured("k.json", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "k.json: ") {
			t.Errorf("%q: %v", c.want, err)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"", "gpus.csv: is empty: a header with the columns GPU, GBSEC - DRAM, "},
		{strings.Split(toolkitGPU, "\n")[0], "no GPU"},
		{strings.Replace(toolkitGPU, "GIOPS - ADD", "GIOPS", 1), `no column "GIOPS - ADD"`},
		{strings.Replace(toolkitGPU, "81.7910", "fast", 1), `gpus.csv: line 2: GFLOPS - DP is "fast"`},
		{strings.Replace(toolkitGPU, "81.7910", "-2", 1), "must be a positive number, or -1"},
		{strings.Replace(toolkitGPU, "81.7910,", "", 1), "7 of 8 columns"},
		{strings.Replace(toolkitGPU, "GeForce GTX 660", "", 1), "no name"},
	} {
		if _, err := ReadToolkitGPUs("gpus.csv", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.want, err)
		}
	}
}
