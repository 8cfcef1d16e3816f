package silicon

import (
	"fmt"
	"hyptx/internal/table"
	"io"
	"slices"
	"strings"
)

// The marks between which a Markdown file has the tables; what stands around them
// is people's.
const (
	beginMark = "<!-- hyptx validate silicon -->\n"
	endMark   = "<!-- end -->\n"
)

// WriteMarkdown writes the report as Markdown below a line that says how it was
// made. old is the text of the file that it goes to: what stands between its marks
// is replaced; without marks it is all new.
func (r *Report) WriteMarkdown(w io.Writer, made string, old string) error {
	before, rest, _ := strings.Cut(old, beginMark)
	_, after, marked := strings.Cut(rest, endMark)
	if !marked {
		before, after = "# Validation\n\n", ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s\n%s\n", before, beginMark, made)
	for _, t := range r.tables() {
		t.markdown(&b)
	}
	b.WriteString("\n" + endMark + after)
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown writes a table; columns that are empty in all rows are left out.
func (t *section) markdown(b *strings.Builder) {
	if t.title != "" {
		fmt.Fprintf(b, "\n## %s\n", t.title)
	}
	var columns []int
	for c := range t.columns {
		if slices.ContainsFunc(t.rows, func(row []string) bool { return row[c] != "" }) {
			columns = append(columns, c)
		}
	}
	if columns != nil {
		head, rule := "\n|", "|"
		for _, c := range columns {
			head += " " + t.columns[c].Heading + " |"
			rule += map[bool]string{true: "---|", false: "--:|"}[t.columns[c].Text]
		}
		b.WriteString(head + "\n" + rule + "\n")
	}
	for _, row := range t.rows {
		line := "|"
		for _, c := range columns {
			line += " " + cell(row[c]) + " |"
		}
		b.WriteString(strings.ReplaceAll(line, "  ", " ") + "\n")
	}
	if len(t.notes) > 0 {
		b.WriteString("\n")
	}
	for _, n := range t.notes {
		b.WriteString(table.Fold(cell(n), 120, "") + "\n")
	}
}

// cell is a text that means nothing to Markdown.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "\n", " ").Replace(text)
}
