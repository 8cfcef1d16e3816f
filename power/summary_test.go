package power

import (
	"strings"
	"testing"

	"hyptx/internal/number"
)

func TestApart(t *testing.T) {
	for _, c := range []struct {
		watts, bound float64
		want         string
	}{{70.24, 70, "70.2"}, {70.04, 70, "70.04"}, {300.4, 250, "300"}, {24.96, 25, "24.96"}, {24.4, 25, "24"}} {
		if got := apart(c.watts, c.bound); got != c.want {
			t.Errorf("%g against %g is written %s, want %s", c.watts, c.bound, got, c.want)
		}
	}
}

// TestSummary: rows of counters alone go by their kernel, and what whole
// networks come to is said in a line.
func TestSummary(t *testing.T) {
	r := func(x float64) number.Real { return number.Ratio(x) }
	energies := GroupEnergy{Const: r(9990), Static: r(0), IdleSM: r(0), DRAM: r(10)}
	rows := []*Row{
		{Kernel: "k", GPU: "mine", Implausible: "70.2 W is above the limit of 70 W"},
		{Launch: "3", GPU: "mine", Implausible: "too much"},
		{Launch: "4", GPU: "mine"},
		{Network: "net", Launch: total, GPU: "mine", EnergyUJ: r(10000), PerInfUJ: r(2500), TimeUs: r(100), PowerW: r(100), GroupEnergy: energies, Implausible: "launches 3"},
	}
	lines := strings.Join(Headlines(rows), "\n")
	for _, want := range []string{"net on mine: 10 mJ a run (4 inferences of 2.5 mJ); 100 us at 100 W. 0.1 % of the energy is dynamic, most by: DRAM, controller", "2 of 3 rows are beyond what the hardware can do (column implausible says why): k on mine, launch 3 on mine"} {
		if !strings.Contains(lines, want) {
			t.Errorf("no %q in\n%s", want, lines)
		}
	}
	const held = "The board's limit of 70 W holds the clock of mine down in one launch, to 1100 MHz."
	rows[2].LimitW, rows[2].ClockMHz = r(70), r(1100)
	if !strings.Contains(strings.Join(Headlines(rows), "\n"), held) {
		t.Errorf("no %q", held)
	}
	var b strings.Builder
	if err := WriteSummary(&b, rows); err != nil || !strings.Contains(b.String(), "\n  k on mine: 70.2 W is above") || !strings.Contains(b.String(), "\n  launch 3 on mine: too much") || !strings.Contains(b.String(), held) {
		t.Errorf("%v: %s", err, b.String())
	}
	rows[3].PerInfUJ = rows[3].EnergyUJ
	if got := Headlines(rows)[0]; !strings.HasPrefix(got, "net on mine: 10 mJ a run; 100 us at") {
		t.Error(got)
	}
}
