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
	launchesAre(t, r, "0 2")
}

// launchesAre compares the column launch.
func launchesAre(t *testing.T, r result, want string) {
	t.Helper()
	var got []string
	for _, row := range table(t, r.out) {
		got = append(got, row["launch"])
	}
	if strings.Join(got, " ") != want {
		t.Errorf("launches %v, want %s", got, want)
	}
}

// TestLaunchTimeout ends one kernel and goes on with the next; a manifest's
// program ends there.
func TestLaunchTimeout(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", threeKernels)
	limit := []string{"--launch-timeout", "100ms", "--max-instructions", "1000000000000000"}
	r := hyptx(append([]string{"profile", "k.ptx", "-o", "-"}, limit...)...).must(t, exitInput)
	match(t, "stderr", r.errOut, `(?m)^hyptx: k.ptx: launch 1 \(b\): more than 100ms needed; the limit of a launch can be raised with --launch-timeout$`)
	launchesAre(t, r, "0 2")
	endless(t)
	r = hyptx(append([]string{"profile", "m.json", "-o", "-"}, limit...)...).must(t, exitInput)
	match(t, "stderr", r.errOut, `(?m)^hyptx: m.json: launch 1 \(k\): more than 100ms needed`)
	launchesAre(t, r, "0")
	hyptx("run", "m.json", "--launch-timeout", "-1s").must(t, exitUsage)
	match(t, "run", hyptx(append([]string{"run", "m.json"}, limit...)...).must(t, exitInput).errOut, `launch 1 \(k\): more than 100ms needed`)
}
