package analysis

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"hyptx/internal/number"
	"hyptx/internal/table"
)

// The readable table of a profile shows a dozen of its 170 columns: those that say how
// large a launch is, how it diverges, what it moves, and how sure that is. It is a view
// of the rows for eyes, made to fit a terminal; nothing may depend on its form, and
// whoever wants to compute takes the file.

// tableColumn is a column of the readable table, and which of profile.csv it
// shows.
type tableColumn struct {
	column string
	table.Column
}

// tableColumns are what most people look at. Columns that are empty in all
// rows are left out: most of them in mode static, memory in mode control, caches
// without a GPU, labels where there are none, counts where all are 1. The ranks
// say what else goes where a terminal is narrow.
var tableColumns = []tableColumn{
	text("network", "network", 0), digits("launch", "launch", 0), digits(timesColumn, "count", 0), text("label", "label", 9), text("kernel_demangled", "kernel", 0),
	digits("ctas", "CTAs", 6), digits("threads", "threads", 10), digits(staticColumn, "static thread inst", 0),
	digits("warp_instructions", "warp inst", 0), digits("thread_instructions", "thread inst", 5), digits(flopColumn, "flop", 4),
	digits("branch_efficiency_pct", "branch eff %", 7), digits("warp_execution_efficiency_pct", "warp eff %", 3),
	digits("bytes_transferred", "bytes moved", 1), digits("gld_efficiency_pct", "gld eff %", 2), digits("gst_efficiency_pct", "gst eff %", 2), digits("shared_efficiency_pct", "shared eff %", 5),
	digits("l1_hit_rate_pct", "L1 hit %", 4), digits("l2_hit_rate_pct", "L2 hit %", 4), digits("dram_read_bytes", "DRAM read", 1), digits("dram_write_bytes", "DRAM written", 1),
	digits("slice_pct", "slice %", 8), text("exactness", "exactness", 1), digits("analysis_ms", "ms", 11),
}

func text(column, heading string, rank int) tableColumn {
	return tableColumn{column, table.Column{Heading: heading, Text: true, Rank: rank}}
}

func digits(column, heading string, rank int) tableColumn {
	return tableColumn{column, table.Column{Heading: heading, Rank: rank}}
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
	return flopOf(r.FlopSP.N+r.FlopDP.N+r.FlopHP.N, r.FlopTensor)
}

// flopOf adds the operations of tensor cores to the others; with some that are unknown
// there is no sum.
func flopOf(others uint64, tensor number.Int) string {
	if !tensor.Known {
		return ""
	}
	return number.Count(others + tensor.N).String()
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
				columns = append(columns, tableColumn{m, table.Column{Heading: m, Text: m == "exactness" || m == "assumed_inputs", Rank: 1}})
			}
		}
	}
	rows := p.tableRows()
	cells := make([][]string, len(rows))
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.column
	}
	fields := fieldsOf(names)
	for i, r := range rows {
		cells[i] = r.cells(columns, fields)
	}
	var b strings.Builder
	p.nameOnly(&b, cells)
	table.Write(&b, headings(columns), cells, func(i int) bool { return rows[i].Launch == KindTotal && i > 0 }, width)
	p.notes(&b, width)
	_, err := io.WriteString(w, b.String())
	return err
}

// nameOnly writes the network's name above the table if there is but one, and
// empties the first column, which says it in every row.
func (p *Profile) nameOnly(b *strings.Builder, cells [][]string) {
	if names := p.networkNames(); len(names) == 1 {
		b.WriteString(names[0] + "\n")
		for _, row := range cells {
			row[0] = ""
		}
	}
}

// headings are what a table shows of its columns.
func headings(columns []tableColumn) []table.Column {
	out := make([]table.Column, len(columns))
	for i, c := range columns {
		out[i] = c.Column
	}
	return out
}

// tableRows are the rows without the totals of programs of a single launch.
// Two programs may have one name.
func (p *Profile) tableRows() []*Row {
	var rows []*Row
	launches := 0 // of the present program
	for i, r := range p.Rows {
		if i == 0 || r.Network != p.Rows[i-1].Network || p.Rows[i-1].Launch == KindTotal {
			launches = 0
		}
		if r.Launch != KindTotal {
			launches++
		} else if launches == 1 {
			continue
		}
		rows = append(rows, r)
	}
	return rows
}

// cells are a row's texts in the columns of the table, whose fields are given.
func (r *Row) cells(columns []tableColumn, fields [][]int) []string {
	cells := make([]string, len(columns))
	r.values(fields, cells)
	for i, c := range columns {
		switch c.column {
		case timesColumn:
			if r.Launch != KindTotal && r.Count.N > 1 {
				cells[i] = "x" + table.Readable(r.Count.String())
			}
		case flopColumn:
			cells[i] = r.flop()
		case staticColumn:
			if !r.WarpInstructions.Known {
				cells[i] = r.StaticThreadInstructions.String()
			}
		case "exactness":
			if r.Error != "" && r.Kind == KindLaunch {
				cells[i] = "failed"
			}
		case "kernel_demangled":
			cells[i] = ShortKernel(cells[i])
		}
	}
	return cells
}

// notes says what was assumed: at length if it is the same for all launches,
// else how many there are, and which structures are zeros, for a row that rests
// on these looks like any other.
func (p *Profile) notes(b *strings.Builder, width int) {
	launches := 0
	var reasons []string // those that differ
	for _, r := range p.Rows {
		if r.Kind != KindLaunch && r.Error != "" {
			table.Wrap(b, r.Kind+": "+r.Error, width)
		}
		if r.AssumedInputs == "" {
			continue
		}
		if launches++; !slices.Contains(reasons, r.AssumedInputs) {
			reasons = append(reasons, r.AssumedInputs)
		}
	}
	switch {
	case len(reasons) == 1:
		table.Wrap(b, "assumed: "+BriefAssumptions(reasons[0]), width)
	case launches > 1:
		structs := assumedStructs(reasons)
		if structs != "" {
			structs = " (among them " + structs + ")"
		}
		table.Wrap(b, fmt.Sprintf("%d launches rest on assumed inputs%s: -o FILE lists them in the column assumed_inputs", launches, structs), width)
	}
}

// ShortKernel is a demangled name without return type and parameters: of
// "void f<int>(float*)" it is "f<int>".
func ShortKernel(name string) string {
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
