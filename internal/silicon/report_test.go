package silicon

import (
	"strings"
	"testing"

	"hyptx/internal/number"
)

// measuredRows are rows of two sets, of which one has two clocks.
func measuredRows() []*Row {
	row := func(set, gpu string, mhz, measured, predicted float64) *Row {
		r := &Row{Set: set, GPU: gpu, SMMHz: number.Real{X: mhz, Known: mhz > 0}, Program: set + "|x", MeasuredUs: number.Ratio(measured), TimeUs: number.Ratio(predicted), Term: "DRAM",
			MeasuredW: number.Ratio(100), PowerMissing: "a reason_for it"}
		r.ErrorPct = number.ErrorPct(r.TimeUs, r.MeasuredUs)
		return r
	}
	return []*Row{row("a", "G", 1000, 10, 11), row("a", "G", 500, 20, 30), row("a", "G", 1000, 10, 8), row("b", "H", 0, 5, 5)}
}

// TestText: groups by set, GPU and clock, then their sums; the worst rows; reasons.
func TestText(t *testing.T) {
	var b strings.Builder
	if err := (&Report{Rows: measuredRows(), Worst: 1}).WriteText(&b, 200); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"  a    G    1000     2  10 - 10       15.00     15.00   -5.00",
		"  a    G    500      1  20 - 20       50.00     50.00   50.00",
		"  a    G    all      3  10 - 20       26.70",
		"  b    H    -        1  5 - 5          0.00",
		"  all                4  5 - 20        20.00",
		"  a    G    1000  a|x            10.00          8.00   -20.00  DRAM\n",
		"no power (rows: 4): a reason_for it\n",
		"0/3",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("lacks %q:\n%s", want, b.String())
		}
	}
	if n := strings.Count(b.String(), "a|x"); n != 2 {
		t.Errorf("%d worst rows of a, want one a clock:\n%s", n, b.String())
	}
	b.Reset()
	if err := (&Report{Rows: measuredRows()}).WriteText(&b, 80); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if len([]rune(line)) > 81 {
			t.Errorf("wider than 80: %s", line)
		}
	}
}

// TestMarkdown: only what is between the marks is written again.
func TestMarkdown(t *testing.T) {
	write := func(old string) string {
		var b strings.Builder
		if err := (&Report{Rows: measuredRows(), Worst: 1}).WriteMarkdown(&b, "made so", old); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	all := write("")
	for _, want := range []string{"# Validation\n\n" + beginMark + "\nmade so\n", "\n| a | G | 1000 | 2 | 10 - 10 | 15.0 |", `a\|x`, `a reason\_for it`, "\n" + endMark} {
		if !strings.Contains(all, want) {
			t.Errorf("lacks %q:\n%s", want, all)
		}
	}
	if again := write(all); again != all {
		t.Errorf("written again it is another:\n%s", again)
	}
	around := "# Ours\n\n" + strings.Replace(strings.TrimPrefix(all, "# Validation\n\n"), "| 15.0 |", "| 99 |", 1) + "\nThe end.\n"
	if got := write(around); got != strings.Replace(around, "| 99 |", "| 15.0 |", 1) {
		t.Errorf("%s", got)
	}
}
