package analysis

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"hyptx/internal/number"
)

// casesDir holds programs on which the analysis was wrong; each says what it must
// show (its README). It stands beside the project where the project is developed.
const casesDir = "../../shared/cases"

// caseRow profiles a case and returns the total.
func caseRow(t *testing.T, name string, mode Mode) *Row {
	t.Helper()
	path := filepath.Join(casesDir, name+".json")
	if _, err := os.Stat(path); err != nil {
		t.Skip("no ", casesDir)
	}
	p, err := openTest(t, path, func(o *Options) { o.Mode = mode }).Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p.Rows[len(p.Rows)-1]
}

var runningModes = []Mode{Control, Memory, Full}

// TestCasesOfCalls: a function's constant result that a cross-lane instruction
// reads is a member of the slice.
func TestCasesOfCalls(t *testing.T) {
	for name, want := range map[string]uint64{"fr_redux": 14, "fr_shfl2": 16} {
		for _, mode := range runningModes {
			if r := caseRow(t, name, mode); r.WarpInstructions != number.Count(want) || r.Exactness != exactCounts {
				t.Errorf("%s, %s: %v warp instructions, %s; full emulation has %d, exact", name, mode, r.WarpInstructions, r.Exactness, want)
			}
		}
	}
}

// TestCasesOfOrder: what depends on the order of warps or CTAs says so, whichever
// of two legal orders is run (A and B are one program with the roles exchanged).
func TestCasesOfOrder(t *testing.T) {
	for _, name := range []string{"st_all", "xcta", "exch_all", "cas_all", "inc1", "minsu1", "add_32_64", "rr1"} {
		for _, half := range []string{"_A", "_B"} {
			for _, mode := range runningModes {
				if e := caseRow(t, name+half, mode).Exactness; e != scheduledCounts {
					t.Errorf("%s%s, %s: %s, not scheduled", name, half, mode, e)
				}
			}
		}
	}
}

// TestCasesLeftOpen: what the manual leaves open within a warp, or gives to the
// machine, is undefined.
func TestCasesLeftOpen(t *testing.T) {
	for _, name := range []string{"path_race2", "laneswap_nobar", "shfl_inactive", "shfl_unborn", "div0", "smid"} {
		for _, mode := range runningModes {
			if e := caseRow(t, name, mode).Exactness; e != undefinedCounts {
				t.Errorf("%s, %s: %s, not undefined", name, mode, e)
			}
		}
	}
}

// TestCasesOutOfBuffer: a store whose index leaves its buffer comes where a
// decision reads. Full mode runs it; memory mode sees its address and does not
// call the counts exact; control mode says how many accesses it trusts.
func TestCasesOutOfBuffer(t *testing.T) {
	for name, want := range map[string]uint64{"ptr_diff32": 15, "ptr_idx_mem": 14, "sh_two": 16} {
		if r := caseRow(t, name, Full); r.WarpInstructions != number.Count(want) || r.Exactness != exactCounts || r.TrustedAccesses.Known {
			t.Errorf("%s: full: %v, %s, trusts %v; by hand %d, exact", name, r.WarpInstructions, r.Exactness, r.TrustedAccesses, want)
		}
		if r := caseRow(t, name, Memory); r.Exactness != assumedCounts || r.TrustedAccesses.Known {
			t.Errorf("%s: memory: %s, trusts %v", name, r.Exactness, r.TrustedAccesses)
		}
		if r := caseRow(t, name, Control); r.TrustedAccesses != number.Count(1) {
			t.Errorf("%s: control: trusts %v, not one store", name, r.TrustedAccesses)
		}
	}
}
