package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestProfileGPU: the cache block is there with a GPU, its own or the user's,
// and only then; a sample says how sure it is.
func TestProfileGPU(t *testing.T) {
	add := filepath.Join("..", "..", "examples", "vector_add.json")
	row := readCSV(t, hyptx("profile", add, "--mode", "memory", "-o", "-").must(t, exitDone).out)[0]
	if row["cache_model"] != "" || row["dram_read_bytes"] != "" {
		t.Errorf("without a GPU: %v", row)
	}
	rows := readCSV(t, hyptx("profile", add, "--mode", "memory", "--gpu", "a100-sxm-40gb", "-o", "-").must(t, exitDone).out)
	// 200 floats are 25 sectors, two of which share no sector with a neighbour.
	if row, total := rows[0], rows[1]; row["cache_model"] != "a100-sxm-40gb" || row["dram_read_bytes"] != "1600" || row["l2_write_sectors"] != "25" || total["dram_flush_bytes"] != "800" {
		t.Errorf("%v", rows)
	}
	vector, err := filepath.Abs("../../ptx-samples/kernels/sm_70/vector_add.ptx")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	put(t, "my.json", hyptx("gpus", "gv100", "--json").must(t, exitDone).out)
	bare := []string{"profile", vector, "--mode", "memory", "--grid", "20000", "--block", "32", "--arg", "3=640000"}
	one := hyptx(append(bare, "--gpu", "my.json", "-o", "-")...).must(t, exitDone)
	two := hyptx(append(bare, "--gpu", "gv100", "-o", "-")...).must(t, exitDone)
	a, b := readCSV(t, one.out)[0], readCSV(t, two.out)[0]
	if a["l2_read_sectors"] != b["l2_read_sectors"] || a["inputs_sha256"] == b["inputs_sha256"] {
		t.Errorf("the user's file and the same GPU by name: %v, %v", a, b)
	}
	sampled := hyptx(append(bare, "--gpu", "gv100", "--sample", "0.2", "-o", "-")...).must(t, exitDone)
	match(t, "note", sampled.errOut, `the caches saw \d+ of 20000 CTAs; DRAM bytes are estimated to \S+ % \(one standard`)
}

// TestProfileGPURegisters: more registers than a thread can have are said.
func TestProfileGPURegisters(t *testing.T) {
	t.Chdir(t.TempDir())
	text := ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .f32 %f<300>; .reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n"
	for i := range 300 {
		text += fmt.Sprintf("ld.global.f32 %%f%d, [%%rd1+%d];\n", i, 4*i)
	}
	text += "bar.sync 0;\n" // behind which no load can be put off
	for i := range 300 {
		text += fmt.Sprintf("st.global.f32 [%%rd1+%d], %%f%d;\n", 4*i, i)
	}
	put(t, "k.ptx", text+"ret;\n}\n")
	r := hyptx("profile", "k.ptx", "--block", "32", "--mode", "memory", "--gpu", "gv100", "-o", "-").must(t, exitDone)
	match(t, "note", r.errOut, `^hyptx: note: GPU gv100: 1 launch may need more registers than a thread can have, 255 \(estimated are up to 30\d\)`)
	row := readCSV(t, hyptx("roofline", "k.ptx", "--block", "32", "--gpu", "gv100", "--time-model", "analytic", "-o", "-").must(t, exitDone).out)[0]
	match(t, "warnings", row["warnings"], `registers: 30\d a thread estimated, 255 possible; spills are not counted; loads in flight: 300 a warp`)
}

// TestBadCaches: each mistake has its message.
func TestBadCaches(t *testing.T) {
	add := filepath.Join("..", "..", "examples", "vector_add.json")
	for flags, want := range map[string]string{
		"--gpu gv100":                               "--gpu: the caches see all memory requests, which needs --mode memory or full",
		"--mode memory --sample 0.1":                "--sample: says how much the caches see, which needs --gpu",
		"--mode memory --gpu gv100 --sample 2.5":    `--sample 2.5: must be a share of the waves between 0 and 1`,
		"--mode memory --gpu gv100 --sample -0.000": "must be a share",
	} {
		r := hyptx(append([]string{"profile", add}, strings.Fields(flags)...)...).must(t, exitUsage)
		match(t, flags, r.errOut, strings.NewReplacer("(", `\(`, ".", `\.`).Replace(want))
	}
	for gpu, want := range map[string]struct {
		code int
		text string
	}{"nonesuch": {exitUsage, `no GPU is known by the name "nonesuch"`}, "absent.json": {exitInput, `absent\.json`}} {
		match(t, gpu, hyptx("profile", add, "--mode", "memory", "--gpu", gpu).must(t, want.code).errOut, want.text)
	}
	// Without a figure of the caches their columns stay empty, which a note says.
	for gpu, field := range map[string]string{"r9-nano": `l1\.write_policy, .*`, "jetson-tx1": `l2\.ways`, "gtx-660": `l2\.ways`} {
		r := hyptx("profile", add, "--mode", "memory", "--gpu", gpu, "-o", "-").must(t, exitDone)
		match(t, gpu, r.errOut, `^hyptx: note: GPU `+gpu+`: its caches cannot be modelled, unknown are `+field+`: the columns l1_read_hits to cache_error_pct stay empty`)
		if row := readCSV(t, r.out)[0]; row["l1_read_hits"] != "" || row["cache_model"] != "" || row["gld_transactions"] == "" || strings.Count(r.errOut, "\n") != 1 {
			t.Errorf("%s: %v\n%s", gpu, row, r.errOut)
		}
	}
}

// TestPercent: an error that is too small to matter is no ten digits.
func TestPercent(t *testing.T) {
	for x, want := range map[float64]string{0: "0 %", 4.4e-15: "< 0.01 %", 0.0099: "< 0.01 %", 0.0123: "0.012 %", 1.84: "1.8 %", 23.4: "23 %", 123.4: "123 %"} {
		if got := percent(x); got != want {
			t.Errorf("%g: %s, want %s", x, got, want)
		}
	}
}
