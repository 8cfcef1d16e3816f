package power

import (
	"math"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/number"
	"hyptx/internal/roofline"
)

// TestLimited: a board that would draw more than its limit runs at the clock at which
// it draws just that, and takes longer; a clock that is given stays.
func TestLimited(t *testing.T) {
	g, err := gpu.Get("t4")
	if err != nil {
		t.Fatal(err)
	}
	chip, err := ChipOf(g, ChipOptions{Variant: calibrated})
	if err != nil {
		t.Fatal(err)
	}
	m := &Model{GPU: g, Chip: chip, State: Reference}
	l := &Launch{Counts: CountsMachine}
	for c, n := range map[analysis.Counter]uint64{analysis.CTAs: 4000, analysis.RegistersPerThread: 32, analysis.Launches: 1} {
		l.Facts.Set(c, n)
	}
	l.Block = [3]uint32{256, 1, 1}
	l.Executed = Executed{Lanes: 32}
	l.Executed.Counts[FPMul], l.Executed.Counts[RegRead], l.Executed.Counts[TotInst] = 4e9, 12e9, 1.6e8
	time := roofline.Time{ClockMHz: 1590, Source: "model"}
	known := number.Ratio
	time = time.Of(roofline.Terms{LaunchUs: known(2), IssueUs: known(1000), MemUs: known(100), LatencyUs: known(10), DRAMUs: known(100), L2Us: known(10), L1Us: known(10)})
	timed := &Timed{Launch: l, Time: time, ActivityTime: time}
	free := *m
	free.FixedClock = true
	if e, _, w, limit, err := free.limited(timed); err != nil || e != timed || limit.Known || w.TotalW() <= 70 {
		t.Fatalf("%v: %+v", err, w)
	}
	at, _, e, limit, err := m.limited(timed)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(e.TotalW()-70) > 0.01 || limit.X != 70 || !(at.Time.ClockMHz < 1590 && at.Time.ClockMHz > 300) {
		t.Errorf("%g W at %g MHz, limit %v", e.TotalW(), at.Time.ClockMHz, limit)
	}
	if want := 2 + 1000*1590/at.Time.ClockMHz; math.Abs(at.Time.Us.X-want) > 1e-6 {
		t.Errorf("%g us, want %g", at.Time.Us.X, want)
	}
	timed.Time, timed.ActivityTime = roofline.Measured(1000, 1590), roofline.Measured(1000, 1590)
	if at, _, e, _, err = m.limited(timed); err != nil || at.Time.Us.X != 1000 || !(at.Time.ClockMHz < 1590) || math.Abs(e.TotalW()-70) > 0.01 {
		t.Errorf("%v: measured time %g us at %g MHz, %g W", err, at.Time.Us.X, at.Time.ClockMHz, e.TotalW())
	}
}
