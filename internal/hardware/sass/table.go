package sass

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gocarina/gocsv"
)

// Row is what a PTX instruction or a kernel becomes on an architecture.
type Row struct {
	// Kind is "form" or "kernel".
	Kind string `csv:"kind"`
	// Program is the sample: features/add_f32, or a .ptx file.
	Program string `csv:"program"`
	// Arch as ptxas calls it.
	Arch string `csv:"arch"`
	// Form is the row of ir/isa, PTX the opcode as it is written (add.rn.f32); of a
	// kernel empty and its name.
	Form string `csv:"form"`
	PTX  string `csv:"ptx"`
	// Count is how many PTX instructions it is: those of this opcode in the
	// program, or all of the kernel.
	Count int `csv:"ptx_instructions"`
	// Machine is how many machine instructions came of them; of a kernel all.
	Machine int `csv:"sass_instructions"`
	// SASS lists them, by opcode: with modifiers for a form, without for a kernel.
	SASS Opcodes `csv:"sass"`
	// Registers, StackBytes and SpillBytes of a kernel are ptxas' own words.
	Registers  int `csv:"registers"`
	StackBytes int `csv:"stack_bytes"`
	SpillBytes int `csv:"spill_store_bytes"`
	// Refused is why ptxas did not compile it; then there are no numbers.
	Refused string `csv:"refused"`
}

// Opcodes counts machine instructions by opcode.
type Opcodes map[string]int

// MarshalCSV writes "FADD:2 MOV:1", in the order of the names.
func (o Opcodes) MarshalCSV() (string, error) {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(o)) {
		words = append(words, fmt.Sprintf("%s:%d", name, o[name]))
	}
	return strings.Join(words, " "), nil
}

// Table is a file: rows and where they come from.
type Table struct {
	// Source are the lines at the file's start: tools, date, what was left out.
	Source []string
	Rows   []*Row
}

// Write writes the table as tab-separated values.
func (t *Table) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, line := range t.Source {
		fmt.Fprintf(b, "# %s\n", strings.Join(strings.Fields(line), " "))
	}
	c := csv.NewWriter(b)
	c.Comma = '\t'
	if err := gocsv.MarshalCSV(t.Rows, gocsv.NewSafeCSVWriter(c)); err != nil {
		return err
	}
	return b.Flush()
}
