package main

import (
	"os"
	"strings"
	"testing"
)

// failing is a program of three launches, the second of which stores beyond its buffer,
// each of a kernel of its own.
func failing(t *testing.T) {
	t.Helper()
	body := "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 5; st.global.u32 [%rd1], %r2;"
	text := kernel(".param .u64 a", body)
	for _, name := range []string{"good", "bad", "last"} {
		put(t, name+".ptx", strings.Replace(text, "entry k(", "entry "+name+"(", 1))
	}
	put(t, "bad.ptx", strings.Replace(read(t, "bad.ptx"), "[%rd1], %r2", "[%rd1+4096], %r2", 1))
	launch := func(name string) string {
		return `{"module": "` + name + `.ptx", "kernel": "` + name + `", "grid": [2], "block": [64], "args": [{"buffer": "a"}]}`
	}
	put(t, "m.json", `{"version": 1, "name": "m", "buffers": {"a": {"bytes": 4096, "type": "u32", "init": "zero"}}, "launches": [`+
		launch("good")+","+launch("bad")+","+launch("last")+"]}")
}

// TestGoesOn: a launch that fails has a row with the reason and no figures, in every
// command, and the others have theirs; with --fail-fast it ends the program.
func TestGoesOn(t *testing.T) {
	t.Chdir(t.TempDir())
	failing(t)
	const reason = "out of bounds"
	hyptx("roofline", "m.json", "--gpu", "gv100", "-o", "t.csv").must(t, exitInput)
	for i, want := range []string{"simulated", "", "simulated", "simulated"} {
		if r := readCSV(t, read(t, "t.csv"))[i]; r["time_model"] != want || (r["time_us"] == "") != (i == 1 || i == 3) {
			t.Errorf("launch %s: time %s by model %q, want %q", r["launch"], r["time_us"], r["time_model"], want)
		}
	}
	hyptx("st2", "m.json", "-o", "st2").must(t, exitInput)
	for _, file := range []string{"designs", "perf", "energy"} {
		missing := map[string]string{}
		for _, r := range readCSV(t, read(t, "st2/st2_"+file+".csv")) {
			missing[r["kernel"]] = r["missing"]
			if empty := r["base_cycles"] + r["sys_energy_J"]; file != "designs" && r["kernel"] == "bad" && empty != "" {
				t.Errorf("st2_%s.csv has figures of a kernel that failed: %v", file, r)
			}
		}
		if !strings.Contains(missing["bad"], reason) || missing["good"] != "" || missing["last"] != "" {
			t.Errorf("st2_%s.csv: reasons %q", file, missing)
		}
		for _, kernel := range []string{"good", "bad", "last"} {
			if _, ok := missing[kernel]; !ok {
				t.Errorf("st2_%s.csv has no row of %s", file, kernel)
			}
		}
	}
	hyptx("st2", "m.json", "-o", "fast", "--fail-fast").must(t, exitInput)
	if text, err := os.ReadFile("fast/st2_perf.csv"); err != nil || strings.Contains(string(text), "last") {
		t.Errorf("--fail-fast goes on: %v\n%s", err, text)
	}
}

// TestScaleModelGoesOn: a launch that fails stands in no stratum, but in a row with the
// reason; of several programs one that fails keeps back no other's curve.
func TestScaleModelGoesOn(t *testing.T) {
	t.Chdir(t.TempDir())
	failing(t)
	put(t, "bad.ptx", strings.Replace(read(t, "bad.ptx"), "ret;", "trap; ret;", 1))
	hyptx("scalemodel", "sample", "m.json", "-o", "s.csv").must(t, exitInput)
	rows := readCSV(t, read(t, "s.csv"))
	if len(rows) != 3 || rows[0]["missing"]+rows[1]["missing"] != "" || rows[2]["kernel"] != "bad" || rows[2]["representative"] != "1" || !strings.Contains(rows[2]["missing"], "trap") {
		t.Errorf("rows %v", rows)
	}
	hyptx("scalemodel", "sample", "m.json", "-o", "f.csv", "--fail-fast").must(t, exitInput)
	if _, err := os.Stat("f.csv"); err == nil {
		t.Error("--fail-fast goes on")
	}
	put(t, "good.json", strings.Replace(read(t, "m.json"), "bad", "last", 2))
	hyptx("scalemodel", "mrc", "m.json", "good.json", "--gpu", "gv100", "-o", "c.csv").must(t, exitInput)
	if len(readCSV(t, read(t, "c.csv"))) == 0 {
		t.Error("no curve of the good program")
	}
}

// TestPlainWords: what is wrong with a flag is said in words, not in those of Go.
func TestPlainWords(t *testing.T) {
	t.Chdir(t.TempDir())
	failing(t)
	for args, want := range map[string]string{
		"scalemodel mrc m.json --gpu gv100 --llc 1,x": "--llc 1,x: must be whole numbers, with commas between them",
		"st2 m.json --seed 1.5":                       "--seed 1.5: must be whole numbers, with commas between them",
		"scalemodel mrc m.json --gpu gv100 --seed -1": "--seed -1: must be a whole number, not below 0",
		"st2 m.json --design=":                        "--design: an empty list",
		"st2 m.json --update=":                        "--update: an empty list",
		"st2 m.json -o -":                             "-o -: several files are written; name a folder",
	} {
		if r := hyptx(strings.Fields(args)...).must(t, exitUsage); r.errOut != "hyptx: "+want+"\n" {
			t.Errorf("%s: %s", args, r.errOut)
		}
	}
	if _, err := os.Stat("-"); err == nil {
		t.Error("there is a folder -")
	}
}

// TestScaleModelRowsGoOn: of a launch that fails chiplets and predict have rows with the
// reason and no figures, the others have theirs; with --fail-fast it ends the program.
func TestScaleModelRowsGoOn(t *testing.T) {
	t.Chdir(t.TempDir())
	failing(t)
	chiplets := []string{"scalemodel", "chiplets", "m.json", "--gpu", "gv100", "--chiplets", "4,8", "-o", "c.csv"}
	hyptx(chiplets...).must(t, exitInput)
	for i, r := range readCSV(t, read(t, "c.csv")) {
		failed := i/2 == 1
		if r["kernel"] != []string{"good", "bad", "last"}[i/2] || strings.Contains(r["missing"], "out of bounds") != failed || (r["local_sectors"]+r["limit"] == "") != failed {
			t.Errorf("row %d of chiplets: %v", i, r)
		}
	}
	if r := hyptx(append(chiplets, "--fail-fast")...).must(t, exitInput); strings.Contains(read(t, "c.csv"), "last") || !strings.Contains(r.errOut, "out of bounds") {
		t.Errorf("--fail-fast goes on: %s%s", r.errOut, read(t, "c.csv"))
	}
	put(t, "m.json", strings.ReplaceAll(read(t, "m.json"), `"grid": [2]`, `"grid": [400]`))
	predict := []string{"scalemodel", "predict", "m.json", "--gpu", "gv100", "--sms", "5,10,20", "-o", "p.csv", "--sweep", "s.csv"}
	r := hyptx(predict...).must(t, exitInput)
	match(t, "what is said", r.errOut, `(?s)launches are left out.*launch 1 \(bad\): .*out of bounds`)
	for i, r := range readCSV(t, read(t, "s.csv")) {
		failed := i%3 == 1
		if r["kernel"] != []string{"good", "bad", "last"}[i%3] || strings.Contains(r["missing"], "out of bounds") != failed || (r["cycles"]+r["ipc"]+r["scaling"] == "") != failed {
			t.Errorf("row %d of the sweep: %v", i, r)
		}
	}
	// What is predicted is the program without that launch, but for its curve.
	with := readCSV(t, read(t, "p.csv"))
	put(t, "m.json", strings.Replace(read(t, "m.json"), `{"module": "bad.ptx", "kernel": "bad", "grid": [400], "block": [64], "args": [{"buffer": "a"}]},`, "", 1))
	hyptx(predict...).must(t, exitDone)
	for i, without := range readCSV(t, read(t, "p.csv")) {
		if with[i]["ipc_real"] != without["ipc_real"] || with[i]["ipc_real"] == "" || with[i]["cliff_at"] != "" {
			t.Errorf("row %d: with a launch that failed %v, without it %v", i, with[i], without)
		}
	}
	failing(t)
	if r := hyptx(append(predict, "--fail-fast")...).must(t, exitInput); strings.Contains(read(t, "s.csv"), "last") || strings.Contains(r.errOut, "left out") {
		t.Errorf("--fail-fast goes on: %s%s", r.errOut, read(t, "s.csv"))
	}
}
