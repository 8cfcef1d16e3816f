package papers

import (
	_ "embed"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hyptx/internal/csvfile"
	"hyptx/internal/number"
)

// Row is a row of papers.csv: a figure of ours beside the paper's.
type Row struct {
	Paper  string      `csv:"paper" doc:"the paper, and the part of what is repeated of it"`
	Part   string      `csv:"part" doc:"^"`
	Item   string      `csv:"item" doc:"the table or figure, or where in the text"`
	What   string      `csv:"what" doc:"what is compared, and of which network, kernel or GPU"`
	Of     string      `csv:"of" doc:"^"`
	Unit   string      `csv:"unit" doc:"of both figures"`
	Ours   number.Real `csv:"ours" doc:"our figure, the paper's, and how far ours is off, in percent of the paper's"`
	Theirs number.Real `csv:"theirs" doc:"^"`
	OffPct number.Real `csv:"off_pct" doc:"^"`
	File   string      `csv:"file" doc:"where ours is from: the file and the column that the part's command wrote"`
	Column string      `csv:"column" doc:"^"`
}

// claim is a row of claims.tsv: what a paper says, and where ours is found.
type claim struct {
	Paper string `csv:"paper"`
	Part  string `csv:"part"`
	Item  string `csv:"item"`
	What  string `csv:"what"`
	Unit  string `csv:"unit"`
	// Theirs is a number, or = and the column of ours' file that has it.
	Theirs string `csv:"theirs"`
	File   string `csv:"file"`
	// Where has columns and their values, as gpu=x&bound=y, of the rows that are meant.
	Where string `csv:"where"`
	// Ours is a column; mean(column) and mean_abs(column) are over the rows.
	Ours string `csv:"ours"`
	// Times is what ours is multiplied with.
	Times float64 `csv:"times"`
	// Of are the columns, joined by +, that name a row; - if there is one row.
	Of string `csv:"of"`
}

//go:embed claims.tsv
var claimsText []byte

func claims() ([]claim, error) {
	return csvfile.Into[claim](csvfile.Format{Comma: '\t', Comment: '#'}, "claims.tsv", claimsText)
}

// Compare holds what a part has written into a folder against what the paper prints. What is
// not there is left out: a part may have ended early, or ran small.
func Compare(paper, part, folder string) (rows []*Row, err error) {
	all, err := claims()
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if c.Paper != paper || c.Part != part {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, c.File))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return rows, err
		}
		more, err := c.rows(text)
		if err != nil {
			return rows, fmt.Errorf("%s, %s: %w", c.File, c.What, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// rows makes the rows of a claim from the file that ours is in.
func (c *claim) rows(text []byte) (rows []*Row, err error) {
	function, column := "", c.Ours
	if f, inner, ok := strings.Cut(c.Ours, "("); ok {
		function, column = f, strings.TrimSuffix(inner, ")")
	}
	theirs, beside := strings.CutPrefix(c.Theirs, "=")
	needed := []string{column}
	if beside {
		needed = append(needed, theirs)
	}
	t, err := csvfile.Format{}.Open(c.File, text, needed...)
	if err != nil {
		return nil, err
	}
	var values []float64
	for r, err := range t.Rows() {
		if err != nil {
			return nil, t.At(r.Line, err)
		}
		if met, err := c.meant(t, r.Cells); err != nil {
			return nil, err
		} else if !met {
			continue
		}
		x, known, err := cell(t, r, column)
		switch {
		case err != nil:
			return nil, err
		case !known:
			continue
		case function != "":
			values = append(values, x)
			continue
		}
		row := c.row(x)
		if beside {
			row.Theirs.X, row.Theirs.Known, err = cell(t, r, theirs)
		} else {
			row.Theirs, err = parsed(theirs)
		}
		if err != nil {
			return nil, err
		}
		if row.Of, err = c.name(t, r.Cells); err != nil {
			return nil, err
		}
		if row.Theirs.Known {
			rows = append(rows, row.off())
		}
	}
	if len(values) > 0 {
		row, err := c.sum(function, values, theirs)
		return []*Row{row}, err
	}
	if !beside && len(rows) > 1 {
		return nil, fmt.Errorf("BUG: %d rows for one published number", len(rows))
	}
	return rows, nil
}

// sum is the row of what a function makes of several values.
func (c *claim) sum(function string, values []float64, theirs string) (*Row, error) {
	x, err := reduced(function, values)
	if err != nil {
		return nil, err
	}
	row := c.row(x)
	row.Of = fmt.Sprintf("mean of %d", len(values))
	row.Theirs, err = parsed(theirs)
	return row.off(), err
}

// row is a row without the paper's figure.
func (c *claim) row(ours float64) *Row {
	return &Row{Paper: c.Paper, Part: c.Part, Item: c.Item, What: c.What, Unit: c.Unit, Ours: number.Ratio(c.Times * ours), File: c.File, Column: c.Ours}
}

// off fills how far apart the figures are.
func (r *Row) off() *Row {
	if r.Theirs.X != 0 {
		r.OffPct = number.Ratio(100 * (r.Ours.X - r.Theirs.X) / math.Abs(r.Theirs.X))
	}
	return r
}

// meant reports whether a row is one of those that the claim is about.
func (c *claim) meant(t *csvfile.Table, cells []string) (bool, error) {
	if c.Where == "-" {
		return true, nil
	}
	for condition := range strings.SplitSeq(c.Where, "&") {
		column, value, _ := strings.Cut(condition, "=")
		i, ok := t.Column[column]
		if !ok {
			return false, fmt.Errorf("BUG: no column %s", column)
		}
		if cells[i] != value {
			return false, nil
		}
	}
	return true, nil
}

// name names a row.
func (c *claim) name(t *csvfile.Table, cells []string) (string, error) {
	if c.Of == "-" {
		return "", nil
	}
	var parts []string
	for column := range strings.SplitSeq(c.Of, "+") {
		i, ok := t.Column[column]
		if !ok {
			return "", fmt.Errorf("BUG: no column %s", column)
		}
		parts = append(parts, cells[i])
	}
	return strings.Join(parts, ", "), nil
}

// cell reads a number; known is false for an empty cell.
func cell(t *csvfile.Table, r csvfile.Row, column string) (x float64, known bool, err error) {
	text := r.Cells[t.Column[column]]
	if text == "" {
		return 0, false, nil
	}
	if x, err = strconv.ParseFloat(text, 64); err != nil {
		return 0, false, t.At(r.Line, fmt.Errorf("%s: %w", column, err))
	}
	return x, true, nil
}

func parsed(text string) (number.Real, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return number.Real{}, fmt.Errorf("BUG: %w", err)
	}
	return number.Ratio(x), nil
}

// reduced makes one figure of those of several rows.
func reduced(function string, values []float64) (sum float64, err error) {
	for _, x := range values {
		switch function {
		case "mean":
			sum += x
		case "mean_abs":
			sum += math.Abs(x)
		default:
			return 0, fmt.Errorf("BUG: no function %s", function)
		}
	}
	return sum / float64(len(values)), nil
}

// Summary is what a claim comes to over its rows.
type Summary struct {
	Paper, Part, Item, What, Unit string
	N                             int
	// Ours and Theirs are the figures where there is one row, else their means.
	Ours, Theirs number.Real
	// OffPct is how far ours is off without signs, in the mean, and at most, of what.
	OffPct, WorstPct number.Real
	Worst            string
}

// Summarise sums rows up, claim by claim.
func Summarise(rows []*Row) (list []*Summary) {
	for _, r := range rows {
		i := slices.IndexFunc(list, func(s *Summary) bool {
			return s.Paper == r.Paper && s.Part == r.Part && s.Item == r.Item && s.What == r.What
		})
		if i < 0 {
			i = len(list)
			list = append(list, &Summary{Paper: r.Paper, Part: r.Part, Item: r.Item, What: r.What, Unit: r.Unit})
		}
		list[i].add(r)
	}
	return list
}

// add adds a row to the means.
func (s *Summary) add(r *Row) {
	mean := func(to *number.Real, x float64) {
		*to = number.Ratio((to.X*float64(s.N) + x) / float64(s.N+1))
	}
	mean(&s.Ours, r.Ours.X)
	mean(&s.Theirs, r.Theirs.X)
	if off := math.Abs(r.OffPct.X); r.OffPct.Known {
		mean(&s.OffPct, off)
		if !s.WorstPct.Known || off > s.WorstPct.X {
			s.WorstPct, s.Worst = number.Ratio(off), r.Of
		}
	}
	s.N++
}
