package main

import (
	"strings"
	"testing"
)

// threeKernels has kernels a and c that end at once, and b that never does.
const threeKernels = header + ".visible .entry a()\n{\nret;\n}\n.visible .entry b()\n{\nL: bra L;\n}\n.visible .entry c()\n{\nret;\n}\n"

// TestBareNumbers: an error numbers a bare file's launches as the rows do.
func TestBareNumbers(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", threeKernels)
	r := hyptx("profile", "k.ptx", "--block", "64", "--max-instructions", "1000000", "-o", "-").must(t, exitInput)
	match(t, "stderr", r.errOut, `(?m)^hyptx: k.ptx: launch 1 \(b\): more than 1000000 warp instructions needed`)
	launchesAre(t, r, "0 1! 2 total!")
}

// launchesAre compares the column launch, with a mark where there is an error.
func launchesAre(t *testing.T, r result, want string) {
	t.Helper()
	var got []string
	for _, row := range readCSV(t, r.out) {
		if row["error"] != "" {
			row["launch"] += "!"
		}
		got = append(got, row["launch"])
	}
	if strings.Join(got, " ") != want {
		t.Errorf("launches %v, want %s", got, want)
	}
}

// TestLaunchTimeout ends one launch and goes on with the next, in a manifest's
// program, too, unless it is to fail fast.
func TestLaunchTimeout(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", threeKernels)
	limit := []string{"--launch-timeout", "LIMIT", "--max-instructions", "1000000000000000"}
	r := patient(t, "^"+notes+`hyptx: k.ptx: launch 1 \(b\): more than LIMIT needed; the limit of a launch can be raised with --launch-timeout; assumed are [^\n]*\n`+notes+"$",
		append([]string{"profile", "k.ptx", "-o", "-"}, limit...)...)
	launchesAre(t, r, "0 1! 2 total!")
	endless(t)
	r = patient(t, "^"+notes+`hyptx: m.json: launch 1 \(k\): more than LIMIT needed[^\n]*\n`+notes+"$", append([]string{"profile", "m.json", "-o", "-"}, limit...)...)
	launchesAre(t, r, "0 1! total!")
	r = patient(t, "^"+notes+`hyptx: m.json: launch 1 \(k\): more than LIMIT needed[^\n]*\n`+notes+"$", append([]string{"profile", "m.json", "-o", "-", "--fail-fast"}, limit...)...)
	launchesAre(t, r, "0")
	hyptx("run", "m.json", "--launch-timeout", "-1s").must(t, exitUsage)
	patient(t, `launch 1 \(k\): more than LIMIT needed`, append([]string{"run", "m.json"}, limit...)...)
}

// TestNoDynamicShared names the flag that a kernel's shared memory needs where a manifest
// leaves it out.
func TestNoDynamicShared(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", strings.Replace(kernel("", "mov.u32 %r1, buf;\nld.shared.u32 %r2, [%r1];"), ".visible", ".extern .shared .align 4 .b8 buf[];\n.visible", 1))
	put(t, "k.json", manifestOf("", `"grid": [1], "block": [1], "args": []`))
	oneMessage(t, hyptx("run", "k.json"), `k.json: launch 0 \(k\): .*the CTA has 0 bytes of shared memory, none of it for buf: --dynamic-shared, in a manifest dynamicSharedBytes, says how much there is`)
	hyptx("run", "k.ptx", "--dynamic-shared", "4").must(t, exitDone)
	hyptx("run", "k.ptx").must(t, exitDone) // as much as there may be is assumed
}

// TestStructArgument gives bytes to a parameter that is a struct.
func TestStructArgument(t *testing.T) {
	t.Chdir(t.TempDir())
	const body = "ld.param.u32 %r1, [s+4];\nL: sub.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;"
	put(t, "k.ptx", kernel(".param .align 4 .b8 s[8]", body))
	row := readCSV(t, hyptx("profile", "k.ptx", "--block", "32", "--grid", "1", "--arg", "0=hex:0000000005000000", "-o", "-").must(t, exitDone).out)[0]
	if row["warp_instructions"] != "17" || row["exactness"] != "exact" {
		t.Errorf("%s warp instructions, %s; want 1 + 5 x 3 + 1, exact", row["warp_instructions"], row["exactness"])
	}
}

// TestEmptySlice says that nothing is missing from a graph without nodes.
func TestEmptySlice(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel("", "mov.u32 %r1, 3;"))
	r := hyptx("graph", "k.ptx", "--what", "slice").must(t, exitDone)
	match(t, "DOT", r.out, `^strict digraph "k" \{\n\t// the slice is empty: .*\n\}`)
	match(t, "stderr", r.errOut, `^hyptx: note: the slice is empty: `)
}

// TestTableCounts: the table says which launches stand for several.
func TestTableCounts(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel("", ""))
	const launch = `"grid": [1], "block": [1], "args": []`
	put(t, "m.json", manifestOf("", launch))
	if out := hyptx("profile", "m.json").must(t, exitDone).out; strings.Contains(out, "count") {
		t.Errorf("a count of 1 is shown:\n%s", out)
	}
	put(t, "m.json", manifestOf("", launch+`, "count": 1500`))
	match(t, "table", hyptx("profile", "m.json").must(t, exitDone).out, `(?s)launch +count .*\n +0 +x1,500 `)
	match(t, "metrics", hyptx("profile", "m.json", "--metrics", "count").must(t, exitDone).out, `launch +kernel +count\n +0 +k +1,500`)
}

// TestGuessedPointers: a scalar narrower than an address and an array of bytes
// are no pointers, though an address is made of them.
func TestGuessedPointers(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u64 p, .param .u32 n, .param .align 4 .b8 s[8]",
		"ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\ncvt.u64.u32 %rd2, %r1;\nadd.s64 %rd1, %rd1, %rd2;\nld.param.u64 %rd3, [s];\nadd.s64 %rd1, %rd1, %rd3;\nld.global.u32 %r2, [%rd1];"))
	r := hyptx("profile", "k.ptx", "--grid", "1", "--block", "32", "-o", "-").must(t, exitDone)
	if got, want := readCSV(t, r.out)[0]["assumed_inputs"], "p=buffer of unspecified contents;n=1024;s=8 zero bytes"; strings.ReplaceAll(got, "; ", ";") != want {
		t.Errorf("assumed %q, want %q", got, want)
	}
}

// TestAssumedIsTold: every command says what it assumed of a bare file's launch, the same
// one, and an error which flags give it.
func TestAssumedIsTold(t *testing.T) {
	t.Chdir(t.TempDir())
	const body = ".shared .align 4 .b8 s[256];\nmov.u32 %r1, %tid.x;\nshl.b32 %r1, %r1, 2;\nmov.u32 %r2, s;\nadd.u32 %r1, %r1, %r2;\nst.shared.u32 [%r1], %r1;"
	put(t, "k.ptx", kernel(".param .u32 n", body))
	for _, command := range []string{"run", "st2", "profile -o p.csv", "profile --mode memory -o p.csv", "roofline --gpu gv100 -o p.csv",
		"power --gpu gv100 -o p.csv", "scalemodel mrc --gpu gv100", "scalemodel chiplets --gpu gv100", "scalemodel sample", "scalemodel predict --gpu gv100 --sms 1,2,4"} {
		r := hyptx(append(strings.Fields(command), "k.ptx")...)
		match(t, command, r.errOut, `assumed(_inputs)?: grid=1,1,1, block=64,1,1, n=1024, a block of 256,1,1 ends in a fault`)
	}
	match(t, "power", hyptx("power", "--gpu", "gv100", "k.ptx").must(t, exitDone).out, `assumed: grid=1,1,1; block=64,1,1; n=1024;\s+a\s+block`)
	match(t, "run", hyptx("run", "k.ptx").must(t, exitDone).out, `"assumed_inputs": \[\n +"grid=1,1,1",\n +"block=64,1,1",`)
	for _, command := range []string{"run", "st2", "profile --mode full"} {
		r := hyptx(append(strings.Fields(command), "k.ptx", "--block", "256")...).must(t, exitInput)
		match(t, command, r.errOut, `memory; assumed are grid=1,1,1, n=1024, which can be given with --grid, --arg\n`)
	}
	put(t, "d.ptx", kernel("", "L: bra L;"))
	match(t, "endless", hyptx("run", "d.ptx").must(t, exitInput).errOut, `--max-instructions; assumed are grid=1,1,1, block=256,1,1, which can be given with --grid, --block\n`)
}

// TestBareCluster: a kernel that wants its cluster given is launched with clusters of one
// CTA, which the row says.
func TestBareCluster(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() .explicitcluster { ret; }\n")
	r := hyptx("profile", "k.ptx", "-o", "-").must(t, 0)
	if rows := readCSV(t, r.out); !strings.Contains(rows[0]["assumed_inputs"], "cluster=1,1,1") {
		t.Errorf("assumed are %q", rows[0]["assumed_inputs"])
	}
	r = hyptx("profile", "k.ptx", "-o", "-", "--cluster", "2").must(t, 0)
	if rows := readCSV(t, r.out); rows[0]["ctas"] != "2" || strings.Contains(rows[0]["assumed_inputs"], "cluster") {
		t.Errorf("%s CTAs, assumed are %q", rows[0]["ctas"], rows[0]["assumed_inputs"])
	}
}
