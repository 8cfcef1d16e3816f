package silicon

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"hyptx/internal/accuracy"
	"hyptx/internal/number"
	"hyptx/internal/roofline"
	"hyptx/internal/table"
)

// The report: how far off times are, how far off powers are, which rows are worst
// and why some have no figure. People see it as tables on a terminal, VALIDATION.md
// as Markdown; the cells are the same.

// section is a part of the report.
type section struct {
	title   string
	columns []table.Column
	rows    [][]string
	// ruled are the first rows of what sums up.
	ruled []int
	// notes stand below it.
	notes []string
}

// Report are the rows of a folder, predicted.
type Report struct {
	Rows []*Row
	// Worst is how many rows are named of each group.
	Worst int
}

// WriteText writes the report as tables of at most width columns.
func (r *Report) WriteText(w io.Writer, width int) error {
	var b strings.Builder
	for _, t := range r.tables() {
		if len(t.rows) > 0 {
			fmt.Fprintf(&b, "%s\n", t.title)
			table.Write(&b, t.columns, t.rows, func(i int) bool { return slices.Contains(t.ruled, i) }, width)
		}
		for _, n := range t.notes {
			fmt.Fprintln(&b, table.Fold(n, width, ""))
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, strings.TrimSuffix(b.String(), "\n"))
	return err
}

// tables are the parts of the report that have something to say.
func (r *Report) tables() []*section {
	all := groups(r.Rows)
	tables := []*section{r.time(all), r.power(all), r.worst(all), r.missing()}
	return slices.DeleteFunc(tables, func(t *section) bool { return t.title != "" && len(t.rows) == 0 })
}

// time says how far off times are.
func (r *Report) time(all []*group) *section {
	t := &section{title: "Time", columns: []table.Column{
		{Heading: "set", Text: true}, {Heading: "GPU", Text: true}, {Heading: "MHz", Text: true}, {Heading: "rows"}, {Heading: "measured us", Text: true, Rank: 4},
		{Heading: "MAPE %"}, {Heading: "median %"}, {Heading: "bias %"}, {Heading: "rank"}, {Heading: "pick x", Rank: 3},
		{Heading: "best constant %", Rank: 1}, {Heading: "plain roofline %", Rank: 2}},
		notes: []string{"MAPE, median: mean and median error without signs; bias: mean with them; rank: Spearman's correlation; pick: the measured time of the configuration " +
			"that is predicted to be fastest, over the least; best constant: the MAPE of the one value that fits these rows best, which has seen them; plain roofline: that of the longer of flops at the peak and each byte once."}}
	measured := func(r *Row) number.Real { return r.MeasuredUs }
	for _, g := range all {
		pairs, of := g.pairs(measured, func(r *Row) number.Real { return r.TimeUs })
		if of == 0 {
			continue
		}
		plain, _ := g.pairs(measured, func(r *Row) number.Real { return r.RooflineUs })
		cells := append(g.cells(), share(len(pairs), of), span(g.values(measured)))
		cells = append(cells, figures(pairs, func(a accuracy.Accuracy) []string {
			pick := ""
			if g.tuned() {
				pick = decimals(a.Pick, 2)
			}
			return []string{decimals(a.MAPEPct, 1), decimals(a.MedianPct, 1), decimals(a.BiasPct, 1), known(a.Rank), pick}
		})...)
		t.add(g, append(cells, g.constant(measured), figures(plain, func(a accuracy.Accuracy) []string { return []string{decimals(a.MAPEPct, 1)} })[0]))
	}
	return t
}

// power says how far off powers are, in predicted and in measured times.
func (r *Report) power(all []*group) *section {
	t := &section{title: "Power", columns: []table.Column{
		{Heading: "set", Text: true}, {Heading: "GPU", Text: true}, {Heading: "MHz", Text: true}, {Heading: "rows"}, {Heading: "measured W", Text: true, Rank: 4},
		{Heading: "MAPE %"}, {Heading: "bias %"}, {Heading: "rank", Rank: 2}, {Heading: "r"}, {Heading: "timed rows", Rank: 3}, {Heading: "timed MAPE %"}, {Heading: "timed bias %", Rank: 1}, {Heading: "timed r"},
		{Heading: "best constant %", Rank: 1}},
		notes: []string{"r: Pearson's correlation; timed: with the measured time in the place of the predicted one."}}
	measured := func(r *Row) number.Real { return r.MeasuredW }
	for _, g := range all {
		pairs, of := g.pairs(measured, func(r *Row) number.Real { return r.PowerW })
		if of == 0 {
			continue
		}
		timed, _ := g.pairs(measured, func(r *Row) number.Real { return r.TimedW })
		cells := append(g.cells(), share(len(pairs), of), span(g.values(measured)))
		cells = append(cells, figures(pairs, func(a accuracy.Accuracy) []string {
			return []string{decimals(a.MAPEPct, 1), decimals(a.BiasPct, 1), known(a.Rank), known(a.R)}
		})...)
		cells = append(cells, share(len(timed), of))
		cells = append(cells, figures(timed, func(a accuracy.Accuracy) []string {
			return []string{decimals(a.MAPEPct, 1), decimals(a.BiasPct, 1), known(a.R)}
		})...)
		t.add(g, append(cells, g.constant(measured)))
	}
	return t
}

// worst names the rows whose times are farthest off, of each group that is no sum.
func (r *Report) worst(all []*group) *section {
	t := &section{title: "Worst times", columns: []table.Column{
		{Heading: "set", Text: true}, {Heading: "GPU", Text: true}, {Heading: "MHz", Text: true}, {Heading: "program", Text: true, Rank: 2}, {Heading: "launch", Text: true},
		{Heading: "measured us"}, {Heading: "predicted us"}, {Heading: "error %"}, {Heading: "term", Text: true}}}
	for _, g := range all {
		if g.joint || g.mhz == "all" {
			continue
		}
		rows := slices.DeleteFunc(slices.Clone(g.rows), func(r *Row) bool { return !r.ErrorPct.Known })
		slices.SortStableFunc(rows, func(a, b *Row) int {
			return cmp.Compare(math.Abs(b.ErrorPct.X), math.Abs(a.ErrorPct.X))
		})
		for _, r := range rows[:min(len(rows), max(r.Worst, 0))] {
			t.rows = append(t.rows, append(g.cells(), r.Program, r.Launch,
				decimals(r.MeasuredUs.X, 2), decimals(r.TimeUs.X, 2), decimals(r.ErrorPct.X, 1), r.Term))
		}
	}
	return t
}

// missing says once why rows have no figure.
func (r *Report) missing() *section {
	var times, powers []string
	for _, row := range r.Rows {
		if row.Missing != "" {
			times = append(times, row.Missing)
		}
		if row.PowerMissing != row.Missing && row.MeasuredW.Known {
			powers = append(powers, row.PowerMissing)
		}
	}
	var b strings.Builder
	roofline.WriteMissing(&b, "no time", times)
	roofline.WriteMissing(&b, "no power", powers)
	t := &section{}
	for line := range strings.Lines(b.String()) {
		t.notes = append(t.notes, strings.TrimSuffix(line, "\n"))
	}
	return t
}

func (t *section) add(g *group, cells []string) {
	if g.joint {
		t.ruled = append(t.ruled, len(t.rows))
	}
	t.rows = append(t.rows, cells)
}

// cells say which group it is.
func (g *group) cells() []string { return []string{g.set, g.gpu, g.mhz} }

// constant is the error of the best constant, of rows that are one group.
func (g *group) constant(measured func(*Row) number.Real) string {
	values := g.values(measured)
	if g.joint || len(values) == 0 {
		return ""
	}
	return decimals(accuracy.BestConstant(values), 1)
}

// values are those that are known.
func (g *group) values(of func(*Row) number.Real) (list []float64) {
	for _, r := range g.rows {
		if x := of(r); x.Known {
			list = append(list, x.X)
		}
	}
	return list
}

// figures are the cells of an accuracy, empty ones where nothing is to compare.
func figures(pairs []accuracy.Pair, cells func(accuracy.Accuracy) []string) []string {
	if len(pairs) > 0 {
		return cells(accuracy.Of(pairs))
	}
	return make([]string, len(cells(accuracy.Of([]accuracy.Pair{{Measured: 1, Predicted: 1}}))))
}

// share writes how many of some: 8, or 6/8.
func share(n, of int) string {
	if n == of {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d/%d", n, of)
}

// span writes the least and the most of some values.
func span(values []float64) string {
	return fmt.Sprintf("%.0f - %.0f", slices.Min(values), slices.Max(values))
}

func decimals(x float64, n int) string { return strconv.FormatFloat(x, 'f', n, 64) }

func known(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return decimals(x, 2)
}
