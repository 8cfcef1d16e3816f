package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// vectorAdd is the example of the README.
var vectorAdd = filepath.Join(filepath.Dir(samples), "examples", "vector_add.json")

func real64(t *testing.T, row map[string]string, column string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(row[column], 64)
	if err != nil {
		t.Fatalf("%s: %v", column, err)
	}
	return x
}

// TestRoofline: a launch on three GPUs, each followed by its total; the terms
// make the time, and the same comes out twice.
func TestRoofline(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"roofline", vectorAdd, "--gpu", "gv100,a100,h100-sxm", "-o", "roofline.csv", "--json", "roofline.json", "--plot", "roofline.svg"}
	hyptx(args...).must(t, exitDone)
	text, plot := read(t, "roofline.csv"), read(t, "roofline.svg")
	rows := readCSV(t, text)
	if len(rows) != 6 {
		t.Fatalf("%d rows", len(rows))
	}
	for i, r := range rows {
		if (r["launch"] == "total") != (i%2 == 1) || r["missing"] != "" {
			t.Errorf("row %d: %v", i, r)
		}
		if i%2 == 1 {
			continue
		}
		longest := max(real64(t, r, "t_issue_us"), real64(t, r, "t_mem_us"), real64(t, r, "t_latency_us"))
		if d := real64(t, r, "time_us") - real64(t, r, "t_launch_us") - longest; d > 2e-4 || d < -2e-4 {
			t.Errorf("%s: the terms do not make the time: %g", r["gpu"], d)
		}
		if r["counts"] != "machine" || r["traffic_source"] != "simulated" || r["time_model"] != "simulated" || r["eligible"] != "false" || r["k_type"] != "fp32" || r["w_comp_ops"] != "200" {
			t.Errorf("%v", r)
		}
	}
	var doc struct{ Rows []map[string]any }
	if err := json.Unmarshal([]byte(read(t, "roofline.json")), &doc); err != nil || len(doc.Rows) != 6 {
		t.Errorf("json: %v, %d rows", err, len(doc.Rows))
	}
	hyptx(args...).must(t, exitDone)
	if read(t, "roofline.csv") != text || read(t, "roofline.svg") != plot {
		t.Error("not the same twice")
	}
	t.Setenv("COLUMNS", "200")
	match(t, "table", hyptx("roofline", vectorAdd, "--gpu", "gv100").must(t, exitDone).out, `(?m)^ +0  add +vector_add +gv100 +\d`)
}

// TestRooflineChoices: what flags change.
func TestRooflineChoices(t *testing.T) {
	t.Chdir(t.TempDir())
	row := func(code int, args ...string) map[string]string {
		t.Helper()
		return readCSV(t, hyptx(append([]string{"roofline", vectorAdd, "-o", "-"}, args...)...).must(t, code).out)[0]
	}
	first := func(args ...string) map[string]string {
		t.Helper()
		return row(exitDone, args...)
	}
	if r := first("--gpu", "gv100", "--counts", "ptx", "--dram-bytes", "870000"); r["counts"] != "ptx" || r["traffic_source"] != "given" || r["w_traf_bytes"] != "870000" {
		t.Errorf("%v", r)
	}
	// 870 GB/s: a microsecond, and nothing but that in the thesis' model.
	if r := first("--gpu", "gv100", "--time-model", "thesis", "--dram-bytes", "870000"); r["time_us"] != "1.0000" || r["bound"] != "Memory" || r["t_launch_us"] != "" {
		t.Errorf("%v", r)
	}
	// A GPU of the thesis has no latencies: no time, with the reason.
	if r := row(exitInput, "--gpu", "gtx-480", "--traffic", "footprint"); r["time_us"] != "" || !strings.Contains(r["missing"], "unknown are launch_overhead_us") || r["t_issue_us"] == "" {
		t.Errorf("%v", r)
	}
	if r := first("--gpu", "gtx-480", "--traffic", "footprint", "--time-model", "thesis"); r["time_us"] == "" || r["rates"] != "measured" {
		t.Errorf("%v", r)
	}
}

// TestRooflineCounters: a profiler's file and the toolkit's GPUs.
func TestRooflineCounters(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "gpus.csv", "\"GPU\", \"GFLOPS - SP\", \"GFLOPS - DP\", \"GIOPS - MAD\", \"GBSEC - DRAM\", \"GBSEC - L2\", \"GOPS - SHMEM\", \"GIOPS - ADD\"\n"+
		"\"GeForce GTX 660\", 1863.5690, 81.7910, 359.0200, 115.9430, 179.1270, 179.7290, 414.9350\n")
	put(t, "k.json", `{"app": "matrixMul", "data": {"matrixMul": {"dominant_op": "fp_32", "compute_ops": 1048576000, "dram_bytes": 72716160,
 "opmix_efficiency": 1.0, "mix_compute": 0.3473, "mix_ldst": 0.4780}}}`)
	rows := readCSV(t, hyptx("roofline", "--counters", "k.json", "--gpu", "gpus.csv,gtx-660", "-o", "-", "--plot", "q.png", "--plot-kind", "quadrant").must(t, exitDone).out)
	if len(rows) != 4 || rows[0]["gpu"] != "GeForce GTX 660" || rows[0]["time_model"] != "thesis" || rows[0]["bound"] != "Compute" {
		t.Fatalf("%v", rows)
	}
	if us := real64(t, rows[0], "time_us"); us < 5212 || us > 5216 {
		t.Errorf("%g us", us)
	}
	if _, err := os.Stat("q.png"); err != nil {
		t.Error(err)
	}
	// What is written in the toolkit's forms can be read again.
	hyptx("roofline", "--counters", "k.json", "--gpu", "gpus.csv,gtx-660", "--prediction", "p.csv", "--parameters", "back.json").must(t, exitDone)
	match(t, "prediction", read(t, "p.csv"), `(?m)^GPU,matrixMul,\nGeForce GTX 660,5\.21\d+,Compute\ngtx-660,`)
	put(t, "specs.csv", hyptx("gpus", "gtx-660", "--csv").must(t, exitDone).out)
	again := readCSV(t, hyptx("roofline", "--counters", "back.json", "--gpu", "specs.csv", "-o", "-").must(t, exitDone).out)
	if again[0]["time_us"] != rows[2]["time_us"] {
		t.Errorf("%v, %v", again[0], rows[2])
	}
	rows = readCSV(t, hyptx("roofline", "--counters", "k.json", "--gpu", "gpus.csv,gtx-660", "-o", "-", "--measured", "gtx-660=10").must(t, exitDone).out)
	if rows[0]["e_util"] == "" || rows[2]["e_util"] != rows[0]["e_util"] || rows[3]["time_us"] != "10000.0000" {
		t.Errorf("%v", rows)
	}
}

// TestRooflineOwnGPU: a copy of a GPU that kept its name stands beside it under
// its file's, in the table, in power's, and in the hash of the inputs.
func TestRooflineOwnGPU(t *testing.T) {
	t.Chdir(t.TempDir())
	text := hyptx("gpus", "gv100", "--json").must(t, exitDone).out
	put(t, "my.json", strings.Replace(text, `"value": 870`, `"value": 435`, 1))
	out := hyptx("roofline", vectorAdd, "--gpu", "gv100,my.json", "-o", "-", "--measured", "my.json=0.008").must(t, exitDone).out
	rows := readCSV(t, out)
	if rows[0]["gpu"] != "gv100" || rows[2]["gpu"] != "gv100 (my.json)" || rows[3]["time_us"] != "8.0000" || real64(t, rows[2], "b_mem_gb_per_s") != 435 {
		t.Errorf("%v", rows)
	}
	put(t, "my.json", text)
	if again := hyptx("roofline", vectorAdd, "--gpu", "gv100,my.json", "-o", "-").must(t, exitDone).out; readCSV(t, again)[0]["inputs_sha256"] == rows[0]["inputs_sha256"] {
		t.Error("the hash of the inputs does not see the GPU's file")
	}
	rows = readCSV(t, hyptx("power", vectorAdd, "--gpu", "gv100,my.json", "-o", "-").must(t, exitDone).out)
	if r := rows[len(rows)-1]; r["gpu"] != "gv100 (my.json)" || r["energy_basis"] != "calibrated" {
		t.Errorf("%v", r)
	}
	match(t, "gpus", hyptx("gpus", "my.json").must(t, exitDone).out, `^gv100 \(my\.json\): NVIDIA Quadro GV100`)
}

// TestRooflineTime: measured times stand beside the model's, and what was
// decided is told where the table is not shown.
func TestRooflineTime(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "times.csv", "launch,time_us\n0,8\n")
	r := hyptx("roofline", vectorAdd, "--gpu", "gv100", "--time", "times.csv", "-o", "r.csv").must(t, exitDone)
	row := readCSV(t, read(t, "r.csv"))[0]
	us := real64(t, row, "time_us")
	if row["measured_us"] != "8.0000" || math.Abs(real64(t, row, "deviation_pct")-100*(us/8-1)) > 1e-3 || row["bound"] != "Launch" {
		t.Errorf("%v", row)
	}
	match(t, "summary", r.errOut, `(?m)^hyptx: note: gv100: 1 launch, \d\.\d\d us: 1 Launch$`)
	if quiet := hyptx("--quiet", "roofline", vectorAdd, "--gpu", "gv100", "-o", "r.csv").must(t, exitDone); quiet.errOut != "" {
		t.Error(quiet.errOut)
	}
	t.Setenv("COLUMNS", "200")
	match(t, "table", hyptx("roofline", vectorAdd, "--gpu", "gv100", "--time", "times.csv").must(t, exitDone).out,
		`(?s) measured us +deviation % .*\ndeviation: \(time - measured\) / measured, taken for granted that gv100 is where it was measured\n`)
}

// TestRooflineTimeNames: measured times are of numbers, labels, and ranges of either,
// which have rows of their own; what is of no launch is told, and the others count all
// the same.
func TestRooflineTimeNames(t *testing.T) {
	t.Chdir(t.TempDir())
	launch := func(label string, n int) string {
		return fmt.Sprintf(`{"label": %q, "module": "k.ptx", "kernel": "k", "grid": [%d], "block": [32], "args": [{"value": 5}]}`, label, n)
	}
	put(t, "k.ptx", kernel(".param .u32 n", tail))
	put(t, "m.json", `{"version": 1, "name": "net", "buffers": {}, "launches": [`+
		strings.Join([]string{launch("c-1", 1), launch("c-2", 2000), launch("c-3", 4000), launch("pool", 8000), launch("pool", 8000)}, ", ")+`]}`)
	put(t, "t.csv", "launch,time_us\nc-1,4\n1,5\nc-3,6\nc-1-c-3,16\npool,20\n")
	r := hyptx("roofline", "m.json", "--gpu", "gv100", "--time", "t.csv", "-o", "-").must(t, exitDone)
	want := []string{"0 launch 4.0000", "1 launch 5.0000", "2 launch 6.0000", "3 launch ", "4 launch ", "c-1-c-3 range 16.0000", "pool range 20.0000", "total total "}
	var got []string
	sum := 0.0
	for i, row := range readCSV(t, r.out) {
		got = append(got, row["launch"]+" "+row["kind"]+" "+row["measured_us"])
		switch us := real64(t, row, "time_us"); {
		case i < 3:
			sum += us
		case i == 5 && math.Abs(us-sum) > 1e-3:
			t.Errorf("the range takes %g us, its launches %g", us, sum)
		}
		if measured := row["measured_us"]; (measured == "") != (row["deviation_pct"] == "") {
			t.Errorf("%v", row)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	match(t, "the note", r.errOut, `note: 5 measured: mean error without signs .* %; rank correlation -?\d\.\d\d\n`)
	match(t, "the summary", r.errOut, `gv100: 5 launches, `)
	put(t, "t.csv", "launch,time_us\n0,4\nc-2,5\nc-3,6\n")
	t.Setenv("COLUMNS", "200")
	match(t, "alternatives", hyptx("roofline", "m.json", "--gpu", "gv100", "--time", "t.csv", "--launch", "0-2").must(t, exitDone).out,
		`\n3 measured: .*; predicted to be fastest is c-1, which takes 1\.00 times the least measured\n`)
	match(t, "not all chosen", hyptx("roofline", "m.json", "--gpu", "gv100", "--time", "t.csv", "--launch", "1").must(t, exitDone).out, `net\n`)
	put(t, "t.csv", "launch,time_us\n0,4\nc-1,5\nc-9,6\nc-3-c-1,7\n9,1\n1,8\n")
	r = hyptx("roofline", "m.json", "--gpu", "gv100", "--time", "t.csv", "-o", "-").must(t, exitInput)
	match(t, "errors", r.errOut, `(?s)t\.csv: launch 0 stands twice: as 0 and c-1.*t\.csv: no row is of launch "9", "c-3-c-1", "c-9": launches are numbers from 0 to 4, labels, or ranges`)
	if rows := readCSV(t, r.out); len(rows) != 6 || rows[0]["measured_us"] != "4.0000" || rows[1]["measured_us"] != "8.0000" {
		t.Errorf("%s", r.out)
	}
}

// TestRooflinePartial: a launch that fails has a row without figures on every GPU,
// with the reason, and so has the total; the exit code is that of the error.
func TestRooflinePartial(t *testing.T) {
	t.Chdir(t.TempDir())
	const loop = "L:\nld.global.u32 %r1, [%rd1];\nadd.s32 %r1, %r1, 1;\nst.global.u32 [%rd1], %r1;\nsetp.ne.s32 %p1, %r1, -7;\n@%p1 bra L;\n"
	text := ".version 7.0\n.target sm_70\n.address_size 64\n"
	for _, k := range []string{"a", "b", "c"} {
		text += ".visible .entry " + k + "(.param .u64 p)\n{\n.reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .pred %p1;\nld.param.u64 %rd1, [p];\n" +
			map[bool]string{true: loop}[k == "b"] + "st.global.u32 [%rd1], 1;\nret;\n}\n"
	}
	put(t, "k.ptx", text)
	r := patient(t, "^"+notes+`hyptx: [^\n]*launch 1 \(b\): more than LIMIT[^\n]*\n`+notes+"$", "roofline", "k.ptx", "--gpu", "gv100,a100,r9-nano", "--launch-timeout", "LIMIT", "-o", "-")
	rows := readCSV(t, r.out)
	var got []string
	for _, row := range rows {
		got = append(got, row["gpu"]+" "+row["kernel"]+row["launch"])
		switch failed := strings.Contains(row["missing"], "more than "); {
		case failed != (row["launch"] == "1"), row["gpu"] == "gv100" && (row["time_us"] == "") != (row["missing"] != ""):
			t.Errorf("%s of launch %s: time %q, missing %q", row["gpu"], row["launch"], row["time_us"], row["missing"])
		case row["gpu"] == "gv100" && row["launch"] == "total":
			match(t, "the total", row["missing"], "no time: 1 of 3 launches")
		}
	}
	if want := "gv100 a0,gv100 b1,gv100 c2,gv100 total,a100-sxm-80gb a0,a100-sxm-80gb b1,a100-sxm-80gb c2,a100-sxm-80gb total,r9-nano a0,r9-nano b1,r9-nano c2,r9-nano total"; strings.Join(got, ",") != want {
		t.Errorf("%v", got)
	}
	match(t, "r9-nano", r.errOut, `GPU r9-nano: its caches cannot be modelled, unknown are l1\.write_policy, .*: DRAM traffic is the footprint, the columns t_l2_us`)
}

// TestRooflineBad: each is one clear message.
func TestRooflineBad(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "bad.csv", "GPU,GFLOPS - SP\nx,1\n")
	put(t, "bad.json", `{"data": {}}`)
	put(t, "c.csv", "a,b\n1,2\n")
	put(t, "a.json", hyptx("gpus", "gv100", "--json").must(t, exitDone).out)
	put(t, "lost.csv", "launch,time_us\n0,5\n7,1\n")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{vectorAdd}, exitUsage, "--gpu says on which GPUs"},
		{[]string{"--gpu", "gv100"}, exitUsage, "name manifests or .ptx files, or a profiler's file"},
		{[]string{vectorAdd, "--gpu", "gv100", "--counters", "c.csv"}, exitUsage, "not both"},
		{[]string{vectorAdd, "--gpu", "gv101"}, exitUsage, "gv101"},
		{[]string{vectorAdd, "--gpu", "gv100,gv100"}, exitInput, "the list of GPUs has gv100 twice"},
		{[]string{vectorAdd, "--gpu", "none.csv"}, exitInput, "cannot read the GPUs' file"},
		{[]string{vectorAdd, "--gpu", "bad.csv"}, exitInput, "there is no column"},
		{[]string{vectorAdd, "--gpu", "gv100", "--time-model", "exact"}, exitUsage, "--time-model exact: must be analytic, extended, thesis or simulated"},
		{[]string{vectorAdd, "--gpu", "gv100", "--k-type", "all"}, exitUsage, "must be any or most"},
		{[]string{vectorAdd, "--gpu", "gv100", "--int-ops", "mul"}, exitUsage, "must be mad or add"},
		{[]string{vectorAdd, "--gpu", "gv100", "--counts", "sass"}, exitUsage, "must be ptx or machine"},
		{[]string{vectorAdd, "--gpu", "gv100", "--traffic", "none"}, exitUsage, "must be model or footprint"},
		{[]string{vectorAdd, "--gpu", "gv100", "--sample", "2.5"}, exitUsage, "must be a share of the waves"},
		{[]string{vectorAdd, "--gpu", "gv100", "--sample", "0.1", "--traffic", "footprint"}, exitUsage, "needs --traffic model"},
		{[]string{vectorAdd, vectorAdd, "--gpu", "gv100", "--measured", "gv100=1"}, exitUsage, "the time of one program"},
		{[]string{vectorAdd, "--gpu", "gv100,a.json,./a.json"}, exitInput, "has gv100 (a.json) twice: if ./a.json is another GPU, change `name` in it"},
		{[]string{vectorAdd, "--gpu", "gv100", "--time", "lost.csv"}, exitInput, `lost.csv: no row is of launch "7"`},
		{[]string{vectorAdd, "--gpu", "gv100", "--time", "c.csv"}, exitInput, "c.csv"},
		{[]string{vectorAdd, vectorAdd, "--gpu", "gv100", "--time", "lost.csv"}, exitUsage, "--time has the times of one program's launches"},
		{[]string{vectorAdd, "--gpu", "gv100", "--plot", "x.gif"}, exitUsage, "must end in .svg, .png or .pdf"},
		{[]string{vectorAdd, "--gpu", "gv100", "--plot", "x.svg", "--plot-kind", "pie"}, exitUsage, "must be roofline or quadrant"},
		{[]string{vectorAdd, "--gpu", "gv100", "--prediction", "p.xml"}, exitUsage, "--prediction p.xml: must end in .json or .csv"},
		{[]string{vectorAdd, "--gpu", "gv100", "--dram-bytes", "-1"}, exitUsage, "--dram-bytes -1: must be a number of bytes"},
		{[]string{vectorAdd, "--gpu", "gv100", "--measured", "gv100"}, exitUsage, "must be GPU=MILLISECONDS"},
		{[]string{vectorAdd, "--gpu", "gv100", "--measured", "a100=1"}, exitUsage, "a100-sxm-80gb is none of the GPUs"},
		{[]string{"--counters", "c.csv", "--gpu", "gv100"}, exitInput, "neither nvprof's"},
		{[]string{"--counters", "bad.json", "--gpu", "gv100"}, exitInput, "no kernels"},
	} {
		r := hyptx(append([]string{"--quiet", "roofline"}, c.args...)...).must(t, c.code)
		if !strings.Contains(r.errOut, c.want) || strings.Count(r.errOut, "\n") != 1 {
			t.Errorf("%v: %s", c.args, r.errOut)
		}
	}
}
