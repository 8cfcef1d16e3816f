package power

import (
	"slices"
	"strings"
	"testing"

	"hyptx/internal/gpu"
)

// flat are runs whose powers nothing in their counts goes with, all below what
// a GV100 draws without any event: 71.5 W with 32 lanes of INT+FP.
func flat() (runs []Run) {
	for i := range 8 {
		a := Activity{ClockMHz: 1447, Cycles: 1e6, Lanes: 32, Duty: 0.5}
		a.Counts[TotInst], a.Counts[Int], a.Counts[FP] = float64(1+i%3)*1e6, float64(1+i%4)*1e7, float64(1+i%2)*1e7
		runs = append(runs, Run{string(rune('a' + i)), a, 60 + 2*float64(i)})
	}
	return runs
}

// TestTuneNothing: runs that say nothing of energies are no result.
func TestTuneNothing(t *testing.T) {
	start, _ := StartPoint(StartFermi)
	chip := GV100(hw, Release)
	tuned, err := Tune(chip, start, flat(), 0, Release)
	if err != nil {
		t.Fatal(err)
	}
	if err := tuned.Check(); err == nil || !strings.Contains(err.Error(), "the fit explains nothing: the model misses the measured powers by 6.") {
		t.Errorf("a fit worse than the mean: %v", err)
	}
	doubts := strings.Join(tuned.Doubts(), "\n")
	for _, want := range []string{"in 6 of 8 runs constant, static and idle power alone are more than what was measured: a (71.5 of 60 W)", "end at a bound", "the model explains 0 %"} {
		if !strings.Contains(doubts, want) {
			t.Errorf("no word of %q in\n%s", want, doubts)
		}
	}
	for _, r := range tuned.Residuals { // acceptance fact 1, constants of section 3
		near(t, "fixed power", r.FixedW, 32.32522272+38.620059+0.55022, 1e-5)
	}
	static := chip.FixedStatic(flat())
	if len(static) != 1 || static[0].Category.String() != "INT+FP" {
		t.Fatalf("static power of %v", static)
	}
	near(t, "32 lanes", static[0].AllLanesW, 38.620059, 1e-6)
	near(t, "1 lane", static[0].OneLaneW, 18.6179906, 1e-6)
}

// TestTuneGood: the published measurements are fitted; what ends at a bound is
// said.
func TestTuneGood(t *testing.T) {
	start, _ := StartPoint(StartFermi)
	tuned, err := Tune(GV100(hw, Release), start, measured(false), hwAbsent, Release)
	if err != nil || tuned.Check() != nil {
		t.Fatal(err, tuned.Check())
	}
	if b := tuned.bounded(); len(b) == 0 || len(tuned.Doubts()) != 1 || !strings.Contains(tuned.Doubts()[0], strings.Join(b, ", ")) {
		t.Errorf("bounds %v, doubts %q", b, tuned.Doubts())
	}
	// Powers that the model makes leave nothing to doubt.
	runs := measured(true)
	for i := range runs {
		runs[i].MeasuredW = estimate(t, GV100(hw, Release), &runs[i].Activity, Release, Reference).TotalW()
	}
	if tuned, err = Tune(GV100(hw, Release), hw.coefficients(), runs, hwAbsent, Release); err != nil || tuned.Check() != nil || tuned.explained() < 0.9999 {
		t.Errorf("%v, %v, %g explained", err, tuned.Check(), tuned.explained())
	}
}

func TestRunClocks(t *testing.T) {
	g, err := gpu.Get("gv100")
	if err != nil {
		t.Fatal(err)
	}
	m := &Model{GPU: g, Chip: GV100(hw, Release)}
	runs := flat()
	if known, err := m.CheckRunClocks(runs); !known || err != nil {
		t.Errorf("%v, %v", known, err)
	}
	runs[2].Activity.ClockMHz = 2447
	if _, err := m.CheckRunClocks(runs); err == nil || !strings.Contains(err.Error(), "row 3 (c): gv100: clock 2447 MHz lies outside 135 to 1530 MHz") {
		t.Errorf("2447 MHz: %v", err)
	}
	for i := range runs {
		runs[i].Activity.ClockMHz = 1
	}
	if _, err := m.CheckRunClocks(runs); err == nil || !strings.HasSuffix(err.Error(), "... 8 rows in all") {
		t.Errorf("1 MHz: %v", err)
	}
	if g, err = gpu.Get("b200"); err != nil {
		t.Fatal(err)
	}
	if known, err := (&Model{GPU: g, Chip: GV100(hw, Release)}).CheckRunClocks(runs); known || err != nil {
		t.Errorf("an unknown range: %v, %v", known, err)
	}
}

func TestVariantOf(t *testing.T) {
	if v := VariantOf(hwAbsent.with(TexHit)); v != hw {
		t.Errorf("runs without registers are of %s", v)
	}
	if v := VariantOf(hwAbsent &^ (1 << RegRead)); v != PTXSim {
		t.Errorf("runs with registers are of %s", v)
	}
}

// TestColumnFacts: every counter is explained, and every metric stands at one.
func TestColumnFacts(t *testing.T) {
	facts := columnFacts()
	metrics := ""
	for _, f := range facts {
		if f.Meaning == "" {
			t.Errorf("%s is not explained", f.Column)
		}
		if err := checkColumn(f.Column); err != nil {
			t.Error(err)
		}
		if f.Also != "" {
			if full, ok := shortNames[f.Also]; !ok || full != f.Column {
				t.Errorf("%s is not %s", f.Also, f.Column)
			}
		}
		metrics += f.Nsight + " "
	}
	if strings.Contains(metrics, "0 x") {
		t.Error("a metric without a weight")
	}
	for name := range nsightUnits {
		if !strings.Contains(metrics, name) {
			t.Errorf("%s is not listed", name)
		}
	}
	at := slices.IndexFunc(facts, func(f *columnFact) bool { return f.Column == "MEM_RD" })
	near(t, "a read of DRAM", facts[at].SASSSimPJ.X, 2062.17, 0.01) // acceptance fact 17
}
