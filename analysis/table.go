package analysis

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// tableColumn is a column of the readable table, and which of profile.csv it
// shows.
type tableColumn struct {
	column string
	Column
}

// tableColumns are what most people look at. Columns that are empty in all
// rows are left out: most of them in mode static, memory in mode control, caches
// without a GPU, labels where there are none, counts where all are 1. The ranks
// say what else goes where a terminal is narrow.
var tableColumns = []tableColumn{
	text("network", "network", 0), number("launch", "launch", 0), number(timesColumn, "count", 0), text("label", "label", 9), text("kernel_demangled", "kernel", 0),
	number("ctas", "CTAs", 6), number("threads", "threads", 10), number(staticColumn, "static thread inst", 0),
	number("warp_instructions", "warp inst", 0), number("thread_instructions", "thread inst", 5), number(flopColumn, "flop", 4),
	number("branch_efficiency_pct", "branch eff %", 7), number("warp_execution_efficiency_pct", "warp eff %", 3),
	number("bytes_transferred", "bytes moved", 1), number("gld_efficiency_pct", "gld eff %", 2), number("gst_efficiency_pct", "gst eff %", 2), number("shared_efficiency_pct", "shared eff %", 5),
	number("l1_hit_rate_pct", "L1 hit %", 4), number("l2_hit_rate_pct", "L2 hit %", 4), number("dram_read_bytes", "DRAM read", 1), number("dram_write_bytes", "DRAM written", 1),
	number("slice_pct", "slice %", 8), text("exactness", "exactness", 1), number("analysis_ms", "ms", 11),
}

func text(column, heading string, rank int) tableColumn {
	return tableColumn{column, Column{heading, true, rank}}
}

func number(column, heading string, rank int) tableColumn {
	return tableColumn{column, Column{heading, false, rank}}
}

// The table's columns that profile.csv has not, or not in this form: counts
// above 1, the operations of all precisions together, and what mode static has
// instead of dynamic counts.
const (
	timesColumn  = "times"
	flopColumn   = "flop"
	staticColumn = "static"
)

// flop sums the floating-point operations of a row, tensor ones too.
func (r *Row) flop() string {
	if !r.FlopSP.Known {
		return ""
	}
	return Count(r.FlopSP.N + r.FlopDP.N + r.FlopHP.N + r.FlopTensor.N).String()
}

// WriteTable writes a readable table: the columns that most people look at, or
// the chosen metrics; a total where a program has several launches; and what
// was assumed. It is at most width columns wide, 0 for any.
func (p *Profile) WriteTable(w io.Writer, metrics []string, width int) error {
	columns := tableColumns
	if len(metrics) > 0 {
		columns = slices.Clone(tableColumns[:5])
		if slices.Contains(metrics, "count") {
			columns = slices.DeleteFunc(columns, func(c tableColumn) bool { return c.column == timesColumn })
		}
		shown := map[string]bool{"kernel": true} // the demangled name stands there
		for _, c := range columns {
			shown[c.column] = true
		}
		for _, m := range metrics {
			if !shown[m] {
				shown[m] = true
				columns = append(columns, tableColumn{m, Column{m, m == "exactness" || m == "assumed_inputs", 1}})
			}
		}
	}
	rows := p.tableRows()
	cells := make([][]string, len(rows))
	for i, r := range rows {
		cells[i] = r.cells(columns)
	}
	networks := len(p.networkNames())
	columns, cells = dropEmpty(columns, cells, networks < 2)
	var b strings.Builder
	if networks == 1 {
		fmt.Fprintf(&b, "%s\n", p.Rows[0].Network)
	}
	layOut(&b, headings(columns), cells, func(i int) bool { return rows[i].Launch == "total" && i > 0 }, width)
	p.notes(&b, width)
	_, err := io.WriteString(w, b.String())
	return err
}

// tableRows are the rows without the totals of programs of a single launch.
// Two programs may have one name.
func (p *Profile) tableRows() []*Row {
	var rows []*Row
	launches := 0 // of the present program
	for i, r := range p.Rows {
		if i == 0 || r.Network != p.Rows[i-1].Network || p.Rows[i-1].Launch == "total" {
			launches = 0
		}
		if r.Launch != "total" {
			launches++
		} else if launches == 1 {
			continue
		}
		rows = append(rows, r)
	}
	return rows
}

func (r *Row) cells(columns []tableColumn) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.column
	}
	cells := r.values(names)
	for i, c := range columns {
		switch c.column {
		case timesColumn:
			if r.Launch != "total" && r.Count.N > 1 {
				cells[i] = "x" + readable(r.Count.String())
			}
		case flopColumn:
			cells[i] = readable(r.flop())
		case staticColumn:
			if !r.WarpInstructions.Known {
				cells[i] = readable(r.StaticThreadInstructions.String())
			}
		case "kernel_demangled":
			cells[i] = withoutParameters(cells[i])
		case "network", "label":
		default:
			cells[i] = readable(cells[i])
		}
	}
	return cells
}

// dropEmpty leaves out the columns in which no row has anything, and the
// network's where there is but one.
func dropEmpty(columns []tableColumn, cells [][]string, oneNetwork bool) ([]tableColumn, [][]string) {
	var kept []tableColumn
	out := make([][]string, len(cells))
	for c, col := range columns {
		empty := true
		for _, row := range cells {
			empty = empty && row[c] == ""
		}
		if empty || col.column == "network" && oneNetwork {
			continue
		}
		kept = append(kept, col)
		for i, row := range cells {
			out[i] = append(out[i], row[c])
		}
	}
	return kept, out
}

// headings are what a table shows of its columns.
func headings(columns []tableColumn) []Column {
	out := make([]Column, len(columns))
	for i, c := range columns {
		out[i] = c.Column
	}
	return out
}

// gap stands before every column.
const gap = "  "

// layOut writes cells in columns, with a rule before the rows that ruled names,
// and what was left out to fit the width.
func layOut(b *strings.Builder, columns []Column, cells [][]string, ruled func(row int) bool, width int) {
	g := &grid{columns: columns, cells: cells}
	left := g.fit(width)
	widths := g.widths()
	line := func(row []string) {
		var s strings.Builder
		for c, cell := range row {
			pad := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(cell))
			if g.columns[c].Text {
				cell += pad
			} else {
				cell = pad + cell
			}
			s.WriteString(gap + cell)
		}
		if text := strings.TrimRight(s.String(), " "); text != "" {
			b.WriteString(text + "\n")
		}
	}
	var head [2][]string
	rule := make([]string, len(g.columns))
	for c := range g.columns {
		h := g.heading(c)
		head[0], head[1] = append(head[0], h[0]), append(head[1], h[1])
		rule[c] = strings.Repeat("-", widths[c])
	}
	line(head[0])
	line(head[1])
	for i, row := range g.cells {
		if ruled(i) {
			line(rule)
		}
		line(row)
	}
	leftOut(b, left, width)
}

// notes says what was assumed: at length if it is the same for all launches,
// else briefly.
func (p *Profile) notes(b *strings.Builder, width int) {
	launches, reasons, last := 0, map[string]bool{}, ""
	for _, r := range p.Rows {
		if r.AssumedInputs != "" {
			launches++
			last = r.AssumedInputs
			reasons[last] = true
		}
	}
	switch {
	case len(reasons) == 1:
		writeWrapped(b, "assumed: "+BriefAssumptions(last), width)
	case launches > 1:
		writeWrapped(b, fmt.Sprintf("%d launches rest on assumed inputs: -o FILE lists them in the column assumed_inputs", launches), width)
	}
}

// withoutParameters cuts "void f<int>(float*)" down to "f<int>".
func withoutParameters(name string) string {
	depth, start := 0, 0
	for i := range len(name) {
		switch c := name[i]; {
		case c == '<':
			depth++
		case c == '>':
			depth--
		case depth > 0:
		case c == ' ' && !strings.HasSuffix(name[:i], "(anonymous"):
			start = i + 1 // the return type of a template
		case c == '(' && i > start && !strings.HasPrefix(name[i:], "(anonymous namespace)"):
			return name[start:i]
		}
	}
	return name
}

// readable groups the digits of a number and rounds it to two decimals, but
// nothing short of 100 % to 100.00.
func readable(s string) string {
	if x, err := strconv.ParseFloat(s, 64); err == nil && strings.Contains(s, ".") {
		if s = strconv.FormatFloat(x, 'f', 2, 64); s == "100.00" && x < 100 {
			s = "99.99"
		}
	}
	whole, rest, point := strings.Cut(s, ".")
	if whole == "" || strings.Trim(whole, "0123456789") != "" || strings.Trim(rest, "0123456789") != "" {
		return s
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		return whole + "." + rest
	}
	return whole
}
