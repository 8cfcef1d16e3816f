package roofline

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"hyptx/internal/gpu"
	"hyptx/internal/number"
	"hyptx/internal/roofline/thesis"
)

// TestToolkitWrite: what is written reads as what it was, the worked example of
// the toolkit's README predicted.
func TestToolkitWrite(t *testing.T) {
	devices, err := ReadToolkitGPUs("gpus.csv", []byte(toolkitGPU))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteToolkitGPUs(&b, devices); err != nil || b.String() != strings.Replace(toolkitGPU, "179.1270", "-1.0000", 1) {
		t.Errorf("%v:\n%s", err, b.String())
	}
	launches, err := ReadMeasured("k.json", []byte(toolkitJSON))
	if err != nil {
		t.Fatal(err)
	}
	b.Reset()
	if err := WriteToolkitParameters(&b, "1", launches, thesis.Any); err != nil {
		t.Fatal(err)
	}
	back, err := ReadMeasured("back.json", b.Bytes())
	if err != nil || *back[0].Parameters != *launches[0].Parameters || back[0].Repetitions != 8 || back[0].Evidence.Utilization["shared"] != 8 || back[0].Traffic != launches[0].Traffic {
		t.Errorf("%v: %+v, want %+v", err, back[0], launches[0])
	}
	o := Options{Model: Thesis, Rule: thesis.Any, Integer: thesis.MAD}
	rows := report(everywhere(launches), devices, o)
	b.Reset()
	if err := WriteToolkitPrediction(&b, "json", rows, everywhere(launches), devices, o); err != nil {
		t.Fatal(err)
	}
	var all map[string]map[string]map[string]any
	if err := json.Unmarshal(b.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	k := all["GeForce GTX 660"]["matrixMul(float*, float*, float*, int, int)"]
	for name, want := range map[string]float64{"estimated_time": 5.21397, "krn_op_ratio": 14.42012, "throughput": 201.1, "bandwidth": 13.95, "l2_bandwidth": 19.18} {
		x, _ := k[name].(float64)
		near(t, name, number.Ratio(x), want, 5e-4)
	}
	b.Reset()
	if err := WriteToolkitPrediction(&b, "csv", rows, everywhere(launches), devices, o); err != nil || !strings.HasPrefix(b.String(), `GPU,"matrixMul(float*, float*, float*, int, int)",`+"\nGeForce GTX 660,5.21") {
		t.Errorf("%v:\n%s", err, b.String())
	}
}

// TestToolkitWriteLaunches: the launches of a kernel are one kernel to the
// toolkit; programs are not mixed.
func TestToolkitWriteLaunches(t *testing.T) {
	one, two, other := plainLaunch(), plainLaunch(), plainLaunch()
	one.Kernel, two.Kernel, other.Kernel = "k", "k", "l"
	one.Traffic.L2, two.Traffic.L2 = number.Ratio(100), number.Ratio(20)
	d := []*Device{device(t, roundGPU())}
	o := Options{Model: Extended, Rule: thesis.Any, Integer: thesis.MAD}
	launches := []*Launch{one, other, two}
	var b bytes.Buffer
	if err := WriteToolkitParameters(&b, "1", launches, thesis.Any); err != nil {
		t.Fatal(err)
	}
	back, err := ReadMeasured("x", b.Bytes())
	if err != nil || len(back) != 2 || back[0].Repetitions != 2 || back[0].Parameters.Ops != 640000 || back[0].Traffic.L2.X != 120 || back[0].Parameters.TrafficBytes != 2000 {
		t.Errorf("%v: %+v", err, back[0])
	}
	rows := report(everywhere(launches), d, o)
	b.Reset()
	if err := WriteToolkitPrediction(&b, "csv", rows, everywhere(launches), d, o); err != nil || b.String() != "GPU,k,,l,\nround,0.01400,Latency,0.00700,Latency\n" {
		t.Errorf("%v: %q", err, b.String())
	}
	two.Network = "another"
	if err := WriteToolkitParameters(&b, "1", launches, thesis.Any); err == nil || !strings.Contains(err.Error(), "of one program") {
		t.Error(err)
	}
	one.Traffic = Traffic{}
	if err := WriteToolkitParameters(&b, "1", []*Launch{one}, thesis.Any); err == nil || err.Error() != "k: the DRAM traffic is unknown" {
		t.Error(err)
	}
}

// TestToolkitGPUsOfOurs: GPUs of package gpu, with their L2 where it is known.
func TestToolkitGPUsOfOurs(t *testing.T) {
	var b bytes.Buffer
	var devices []*Device
	for _, name := range []string{"gtx-480", "t4"} {
		g, err := gpu.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		devices = append(devices, device(t, g))
	}
	if err := WriteToolkitGPUs(&b, devices); err != nil || !strings.Contains(b.String(), "\n\"gtx-480\", 1462.2000, 184.0900, 742.3400, 163.3600, -1.0000, 369.7300, 732.8600\n") ||
		!strings.Contains(b.String(), ", 220.0000, 1270.4100, ") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestToolkitMs: five decimals as the toolkit writes, and never 0 for what is not.
func TestToolkitMs(t *testing.T) {
	for ms, want := range map[float64]string{0: "0.00000", 5.213971: "5.21397", 12345.678901: "12345.67890", 0.0014: "0.00140", 0.0008: "0.000800", 3.7e-6: "0.00000370"} {
		if got := toolkitMs(ms); got != want {
			t.Errorf("%g: %s, want %s", ms, got, want)
		}
	}
}
