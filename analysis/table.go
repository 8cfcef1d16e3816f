package analysis

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// tableColumn is a column of the readable table.
type tableColumn struct {
	column, heading string
	text            bool // left-aligned
}

// tableColumns are what most people look at. Columns that are empty in all
// rows are left out: most of them in mode static, memory in mode control, caches
// without a GPU, labels where there are none, counts where all are 1.
var tableColumns = []tableColumn{
	{"network", "network", true}, {"launch", "launch", false}, {timesColumn, "count", false}, {"label", "label", true}, {"kernel_demangled", "kernel", true},
	{"ctas", "CTAs", false}, {"threads", "threads", false}, {staticColumn, "static thread inst", false},
	{"warp_instructions", "warp inst", false}, {"thread_instructions", "thread inst", false}, {flopColumn, "flop", false},
	{"branch_efficiency_pct", "branch eff %", false}, {"warp_execution_efficiency_pct", "warp eff %", false},
	{"bytes_transferred", "bytes moved", false}, {"gld_efficiency_pct", "gld eff %", false}, {"gst_efficiency_pct", "gst eff %", false}, {"shared_efficiency_pct", "shared eff %", false},
	{"l1_hit_rate_pct", "L1 hit %", false}, {"l2_hit_rate_pct", "L2 hit %", false}, {"dram_read_bytes", "DRAM read", false}, {"dram_write_bytes", "DRAM written", false},
	{"slice_pct", "slice %", false}, {"exactness", "exactness", true}, {"analysis_ms", "ms", false},
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
// was assumed.
func (p *Profile) WriteTable(w io.Writer, metrics []string) error {
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
				columns = append(columns, tableColumn{m, m, m == "exactness" || m == "assumed_inputs"})
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
	layOut(&b, columns, cells, func(i int) bool { return rows[i].Launch == "total" && i > 0 })
	p.notes(&b)
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
			cells[i] = shorten(withoutParameters(cells[i]))
		case "network", "label":
			cells[i] = shorten(cells[i])
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

// layOut writes cells in columns, with a rule before the rows that ruled names.
func layOut(b *strings.Builder, columns []tableColumn, cells [][]string, ruled func(row int) bool) {
	width := make([]int, len(columns))
	head := make([]string, len(columns))
	for c, col := range columns {
		head[c], width[c] = col.heading, utf8.RuneCountInString(col.heading)
		for _, row := range cells {
			width[c] = max(width[c], utf8.RuneCountInString(row[c]))
		}
	}
	line := func(row []string) {
		var s strings.Builder
		for c, cell := range row {
			pad := strings.Repeat(" ", width[c]-utf8.RuneCountInString(cell))
			if columns[c].text {
				cell += pad
			} else {
				cell = pad + cell
			}
			s.WriteString("  " + cell)
		}
		b.WriteString(strings.TrimRight(s.String(), " ") + "\n")
	}
	line(head)
	for i, row := range cells {
		if ruled(i) {
			rule := make([]string, len(columns))
			for c := range rule {
				rule[c] = strings.Repeat("-", width[c])
			}
			line(rule)
		}
		line(row)
	}
}

// notes says what was assumed: at length if it is the same for all launches,
// else briefly.
func (p *Profile) notes(b *strings.Builder) {
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
		fmt.Fprintf(b, "assumed: %s\n", last)
	case launches > 1:
		fmt.Fprintf(b, "%d launches rest on assumed inputs: -o FILE lists them in the column assumed_inputs\n", launches)
	}
}

// widestName is how long a name may be in the table.
const widestName = 40

// shorten cuts the middle out of a long name: names differ at their ends.
func shorten(s string) string {
	r := []rune(s)
	if len(r) <= widestName {
		return s
	}
	const tail = 12
	return string(r[:widestName-3-tail]) + "..." + string(r[len(r)-tail:])
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
