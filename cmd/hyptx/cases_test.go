package main

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"hyptx/analysis"
)

// casesDir holds programs on which hyptx was wrong (its README says what each must show);
// package analysis has the tests of those that it is about.
const casesDir = "../../../shared/cases/"

// ranCase runs one and returns what its output holds.
func ranCase(t *testing.T, name string) (words []uint64) {
	t.Helper()
	var doc struct{ Outputs []analysis.Output }
	out := hyptx("run", casesDir+name+".json").must(t, exitDone).out
	if err := json.Unmarshal([]byte(out), &doc); err != nil || len(doc.Outputs) != 1 {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
	for i := range doc.Outputs[0].Len() {
		words = append(words, doc.Outputs[0].Bits(i))
	}
	return words
}

// TestCasesOfParameters: functions take and give predicates and 128 bits in registers.
func TestCasesOfParameters(t *testing.T) {
	if _, err := os.Stat(casesDir); err != nil {
		t.Skip(err)
	}
	for name, want := range map[string][]uint64{
		"predarg": {11, 22, 0, 0},
		"predret": {1, 6, 7, 0},
		"b128":    {0x1111111122222222, 0x3333333344444444},
	} {
		if got := ranCase(t, name); !slices.Equal(got, want) {
			t.Errorf("%s leaves %v, by hand %v", name, got, want)
		}
	}
	// 16 of 32 threads store three times.
	for _, mode := range []string{"control", "memory", "full"} {
		out := hyptx("profile", casesDir+"predctl.ptx", "--grid", "1", "--block", "32", "--mode", mode, "--no-total", "-o", "-").must(t, exitDone).out
		r := readCSV(t, out)
		for column, want := range map[string]string{"exactness": "exact", "divergent_branches": "1", "warp_instructions": "10", "thread_instructions": "272"} {
			if got := r[0][column]; got != want {
				t.Errorf("predctl, %s: %s is %s, by hand %s", mode, column, got, want)
			}
		}
	}
}

// TestExplainAssumed: of a launch that is assumed itself --explain says so, not that all
// counts are exact.
func TestExplainAssumed(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel("", "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 3; @%p1 bra E; add.u32 %r1, %r1, 1; E:"))
	match(t, "--explain", hyptx("profile", "k.ptx", "--explain").must(t, exitDone).errOut, `(?m)^hyptx: note: launch 0 \(k\): assumed: grid=1,1,1; block=256,1,1$`)
	match(t, "--explain", hyptx("profile", "k.ptx", "--grid", "1", "--block", "32", "--explain").must(t, exitDone).errOut, `^hyptx: note: all counts are exact: nothing to explain\n$`)
}
