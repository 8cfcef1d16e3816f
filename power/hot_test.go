package power

import (
	"strings"
	"testing"

	"hyptx/internal/number"
)

// TestHotOfMachine: where other counts are charged than those of the PTX, the
// instructions' energies sum to the whole as well.
func TestHotOfMachine(t *testing.T) {
	for _, rules := range []Rules{Paper, Release} {
		m := model(t, "gv100", ChipOptions{Variant: sassSim, Rules: rules})
		list := vectorAdd(t, m.GPU, sassSim, rules)
		for i := range list {
			if list[i].Launch.Counts != CountsMachine {
				t.Fatal("counts of", list[i].Launch.Counts)
			}
		}
		dynamicUJ, _, _ := m.Report(list, 1)[0].dynamic()
		hot, classes, err := m.Hottest(t.Context(), list, 1000)
		if err != nil {
			t.Fatal(err)
		}
		sum, pct := 0.0, 0.0
		for _, h := range hot {
			if sum += h.EnergyUJ.X; h.EnergyUJ.X < 0 || h.FetchUJ.X < 0 {
				t.Errorf("%s: %v uJ, of it %v", h.Text, h.EnergyUJ, h.FetchUJ)
			}
		}
		for _, c := range classes {
			pct += c.SharePct.X
		}
		near(t, rules.String()+": instructions", sum/dynamicUJ, 1, 1e-9)
		near(t, rules.String()+": classes", pct, 100, 1e-9)
	}
}

// TestHotTables: small energies have a unit in which they have digits, and
// classes their sum.
func TestHotTables(t *testing.T) {
	r := func(x float64) number.Real { return number.Ratio(x) }
	var b strings.Builder
	if err := WriteHotTable(&b, []*HotRow{{EnergyUJ: r(0.05), MemoryUJ: r(0), FetchUJ: r(0.01), SharePct: r(98), Text: "a", PTXLine: number.Count(6)}, {EnergyUJ: r(0.001), MemoryUJ: r(0), FetchUJ: r(0), SharePct: r(2), Text: "b", PTXLine: number.Count(7)}}, 0); err != nil {
		t.Fatal(err)
	}
	classes := []*ClassRow{{Network: "n", GPU: "g", Class: "fp_32", WarpInstructions: 10, EnergyUJ: r(3), SharePct: r(75)}, {Network: "n", GPU: "g", Class: "misc", WarpInstructions: 10, EnergyUJ: r(1), SharePct: r(25)},
		{Network: "m", GPU: "g", Class: "misc", WarpInstructions: 10, EnergyUJ: r(1e-5), SharePct: r(100)}}
	if err := WriteClassTable(&b, classes, 0); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{"nJ of it memory", "50.00 0.00 10.00 98.00", "1.00 0.00 0.00 2.00 7 b", "class of instruction, n on g: class warp inst uJ", "total 20 4.00 100.00 200,000.00", "class of instruction, m on g: class warp inst pJ"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
