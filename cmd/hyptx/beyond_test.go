package main

import (
	"strings"
	"testing"
)

// TestOutOfBounds: an access beyond a buffer is an error, in all commands, unless a
// warning is asked for: then each instruction is named once, however many launches
// execute it, with how often it went astray.
func TestOutOfBounds(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u64 x", "ld.param.u64 %rd1, [x];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;"))
	launch := `{"module": "k.ptx", "kernel": "k", "grid": [2], "block": [20], "args": [{"buffer": "x"}]}`
	put(t, "m.json", `{"version": 1, "name": "m", "buffers": {"x": {"bytes": 64, "type": "u32"}}, "launches": [`+launch+", "+launch+`], "outputs": ["x"]}`)
	const note = "hyptx: note: k.ptx:11:1: st.global.u32 [%rd3], %r1: out of bounds 16 times: reads gave 0, stores were dropped\n" // 2 launches, 2 CTAs, 4 threads
	for _, args := range []string{"profile m.json --mode memory", "profile m.json --mode full --verify", "run m.json", "roofline m.json --gpu gv100", "power m.json --gpu gv100"} {
		r := hyptx(append(strings.Fields(args), "--out-of-bounds", "warn")...).must(t, exitDone)
		if strings.Count(r.errOut, note) != 1 || strings.Count(r.errOut, "out of bounds") != 1 {
			t.Errorf("%s: %s", args, r.errOut)
		}
		match(t, args, hyptx(strings.Fields(args)...).must(t, exitInput).errOut, `k.ptx:11:1: st.global.u32 .*: out of bounds: 4 bytes at`)
	}
	for i, row := range readCSV(t, hyptx("profile", "m.json", "--mode", "full", "--out-of-bounds", "warn", "-o", "-").must(t, exitDone).out) {
		if want := []string{"8", "8", "16"}[i]; row["forgiven_accesses"] != want || row["exactness"] != "exact" {
			t.Errorf("row %d: %s forgiven, want %s; %s", i, row["forgiven_accesses"], want, row["exactness"])
		}
	}
	hyptx("run", "m.json", "--out-of-bounds", "ignore").must(t, exitUsage)
}
