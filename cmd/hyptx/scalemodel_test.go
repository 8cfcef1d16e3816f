package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestScaleModelNumbers: the published tool's form, facts 3 and 22 of the specification.
func TestScaleModelNumbers(t *testing.T) {
	dct := strings.Fields("scalemodel predict 112.7412 226.4367 6.1669 6.1787 6.1626 5.5243 0.1005")
	r := hyptx(append(dct, "--f-mem", "52")...).must(t, exitDone)
	match(t, "lists", r.out, `^PowerLaw \[112\.7412, 226\.4367, .*1834\.59\d\d\]
Proportional \[.*1803\.85\d\d\]
Logarithmic \[.*567\.52\d\d\]
Linear \[.*1818\.17\d\d\]
Scale-Model \[112\.7412, 226\.4367, 454\.7820, 917\.\d{4}, 3870\.3\d\d\d\]
$`)
	match(t, "equation", hyptx(append(dct, "--f-mem", "52", "--model", "equation")...).must(t, exitDone).out, `Scale-Model \[.*, 3773\.9\d\d\d\]`)
	match(t, "no f_mem", hyptx(dct...).must(t, exitInput).errOut, `^hyptx: the miss-rate curve has a cliff: --f-mem gives the percent`)
	match(t, "no cliff", hyptx(strings.Fields("scalemodel predict 68.1983 120.8730 8.7 8.5 8.1 5.4 2.72")...).must(t, exitDone).out, `Scale-Model \[.*, 423\.87\d\d\]`)
	match(t, "too few", hyptx(strings.Fields("scalemodel predict 1 2 3 4")...).must(t, exitInput).errOut, `4 numbers: usage: hyptx scalemodel predict IPC_S IPC_L`)
	match(t, "a program", hyptx(strings.Fields("scalemodel predict net.json --f-mem 5")...).must(t, exitUsage).errOut, `net.json: a program is simulated on scale models of a GPU: --gpu`)
	match(t, "a word", hyptx(strings.Fields("scalemodel predict 1 2 3 x 4")...).must(t, exitUsage).errOut, `argument 4: "x" is no number`)
	match(t, "percent", hyptx(append(dct, "--f-mem", "100")...).must(t, exitUsage).errOut, `percent from 0 to 99`)
	halved := strings.Fields("scalemodel predict 100 90 3 3 3")
	match(t, "halved", hyptx(halved...).must(t, exitInput).errOut, `factor 2 - 1/C is not positive; --model equation has another rule`)
	// The equations have no such factor: 90 * 32/16 * C, C = 0.45.
	r = hyptx(append(halved, "--model", "equation")...).must(t, exitDone)
	if match(t, "halved, by the equations", r.out, `Scale-Model \[100\.0000, 90\.0000, 81\.0000\]`); r.errOut != "" {
		t.Error(r.errOut)
	}
}

// TestScaleModelTable: tables of workloads; a cliff without f_mem has a range.
func TestScaleModelTable(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "ipc.csv", "bench,size,ipc,real\ndct,8,112.7412,\ndct,16,226.4367,\ndct,32,,\ndct,64,,\ndct,128,,4003.711\n")
	put(t, "mrc.csv", "bench,size,mpki\ndct,8,6.1669\ndct,16,6.1787\ndct,32,6.1626\ndct,64,5.5243\ndct,128,0.1005\n")
	r := hyptx("scalemodel", "predict", "ipc.csv", "--mpki", "mrc.csv", "-o", "-").must(t, exitDone)
	match(t, "note", r.errOut, `dct has a cliff at 128 and f_mem is unknown`)
	for _, row := range readCSV(t, r.out) {
		if row["method"] == "scale_model_tool" && row["target"] == "128" && (row["ipc_pred"] != "" || row["ipc_low"] != "1857.7853" || row["cliff_at"] != "128" || row["err_pct"] != "") {
			t.Errorf("%v", row)
		}
	}
	r = hyptx("scalemodel", "predict", "ipc.csv", "--mpki", "mrc.csv", "--f-mem", "dct=52", "-o", "p.csv", "--plot", "dct.svg", "--theme", "dark").must(t, exitDone)
	for _, row := range readCSV(t, read(t, "p.csv")) {
		if row["method"] == "scale_model_tool" && row["target"] == "128" && (row["ipc_pred"] != "3870.3861" || row["err_pct"] != "-3.3300" || row["region"] != "cliff" || row["f_mem_source"] != "user") {
			t.Errorf("%v", row)
		}
	}
	match(t, "picture", read(t, "dct.svg"), `^<\?xml`)
	// What the tool's rule is not made for has the other methods' rows, and the exit code says so.
	put(t, "flat.csv", "bench,size,ipc,real\nflat,8,100,\nflat,16,90,\nflat,32,,70\n")
	r = hyptx("scalemodel", "predict", "flat.csv", "-o", "flat_p.csv", "--plot", "flat.svg").must(t, exitInput)
	match(t, "no factor", r.errOut, `^hyptx: flat: .* is not positive; --model equation has another rule`)
	hyptx("scalemodel", "predict", "flat.csv", "--model", "equation").must(t, exitDone)
	for _, row := range readCSV(t, read(t, "flat_p.csv")) {
		if tool := row["method"] == "scale_model_tool"; (row["ipc_pred"] == "") != tool || (row["ipc_low"] == "") != tool || (row["missing"] != "") != tool {
			t.Errorf("%v", row)
		}
	}
	for want, args := range map[string]string{
		`there is no workload "fft"`:           "ipc.csv --f-mem fft=3",
		`--bench names it`:                     "ipc.csv --bench x --plot x.svg",
		`cannot write mrc.csv: it is an input`: "ipc.csv --mpki mrc.csv -o mrc.csv",
		`no such file`:                         "none.csv",
		`one table of IPCs`:                    "ipc.csv ipc.csv",
		`--llc-bytes is for --mpki`:            "ipc.csv --llc-bytes 3",
		`--scenario odd: must be strong`:       "ipc.csv --scenario odd",
		`mrc.csv: unknown column "mpki"`:       "mrc.csv",
		`are for tables of IPCs`:               "1 2 3 4 5 --bench x",
		`must end in .svg, .png or .pdf`:       "ipc.csv --plot x.gif",
	} {
		if r := hyptx(append([]string{"scalemodel", "predict"}, strings.Fields(args)...)...); r.code == exitDone || !strings.Contains(r.errOut, want) {
			t.Errorf("%s: %d, %s", args, r.code, r.errOut)
		}
	}
}

// TestScaleModelConfig: fact 16, and a GPU's file that can be read again.
func TestScaleModelConfig(t *testing.T) {
	t.Chdir(t.TempDir())
	rows := readCSV(t, hyptx("scalemodel", "config", "--target", "paper", "--sms", "8,16", "-o", "-").must(t, exitDone).out)
	if rows[0]["llc_mb"] != "2.1250" || rows[1]["noc_gb_per_s"] != "337.0000" || rows[1]["dram_gb_per_s"] != "290.0000" || rows[0]["memory_controllers"] != "1.0000" {
		t.Error(rows)
	}
	r := hyptx("scalemodel", "config", "--target", "gv100", "--sms", "8", "--dir", ".").must(t, exitDone)
	match(t, "rounded", r.errOut, `note: 8 SMs: 6\.4 L2 slices, 3\.2 DRAM channels`)
	match(t, "file", hyptx("gpus", "gv100-8sm.json").must(t, exitDone).out, `scale model: 8 of the\s+80 SMs of gv100`)
	for want, args := range map[string]string{
		"--target says":                "--sms 8",
		"--sms says":                   "--target paper",
		"--dir: of the paper's target": "--target paper --sms 8 --dir .",
		"from 1 to the target's 128":   "--target paper --sms 256",
		"no GPU is known by the name":  "--target nosuch --sms 8",
		"a scale model has at least 1": "--target gv100 --sms 0",
		"there is no directory":        "--target gv100 --sms 8 --dir nosuch",
	} {
		if r := hyptx(append([]string{"scalemodel", "config"}, strings.Fields(args)...)...); r.code == exitDone || !strings.Contains(r.errOut, want) {
			t.Errorf("%s: %d, %s", args, r.code, r.errOut)
		}
	}
}

// TestScaleModelValidate: the published figures from the published tables, which lie
// beside the project or not at all.
func TestScaleModelValidate(t *testing.T) {
	dir, err := filepath.Abs("../../../shared/data/scalemodel")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no shared data: ", err)
	}
	t.Chdir(t.TempDir())
	match(t, "errors", hyptx("scalemodel", "validate", dir).must(t, exitDone).out, `(?m)^strong +128 +scale model tool +21 +4\.06 +17\.02 +bfs$`)
	hyptx("scalemodel", "validate", dir, "-o", "e.csv", "--predictions", "p.csv", "--plot", "e.svg").must(t, exitDone)
	if e, p := readCSV(t, read(t, "e.csv")), readCSV(t, read(t, "p.csv")); len(e) != 49 || len(p) != 602 {
		t.Errorf("%d suites, %d predictions", len(e), len(p))
	}
	match(t, "speedup", hyptx("scalemodel", "speedup", dir, "--plot", "s.svg").must(t, exitDone).out, `(?m)^weak +mean +128 +9\.287$`)
	match(t, "another folder", hyptx("scalemodel", "validate", ".").must(t, exitInput).errOut, `scalemodel_artifact_strong.tsv`)
}
