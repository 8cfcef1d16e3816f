package sass

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
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

// UnmarshalCSV reads it.
func (o *Opcodes) UnmarshalCSV(text string) error {
	*o = nil
	for word := range strings.FieldsSeq(text) {
		name, number, ok := strings.Cut(word, ":")
		n, err := strconv.Atoi(number)
		if !ok || err != nil || n < 1 {
			return fmt.Errorf("sass: %q must be an opcode, ':' and its number", word)
		}
		if *o == nil {
			*o = Opcodes{}
		}
		(*o)[name] = n
	}
	return nil
}

// total is the number of instructions.
func (o Opcodes) total() int {
	n := 0
	for _, k := range o {
		n += k
	}
	return n
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

// ReadTable reads a table. name is the file's, for errors.
func ReadTable(name string, text []byte) (*Table, error) {
	t := &Table{}
	rest := text
	for bytes.HasPrefix(rest, []byte("#")) {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		t.Source = append(t.Source, strings.TrimSpace(string(line[1:])))
	}
	c := csv.NewReader(bytes.NewReader(rest))
	c.Comma = '\t'
	if err := gocsv.UnmarshalCSV(c, &t.Rows); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i, r := range t.Rows {
		switch {
		case r.Kind != "form" && r.Kind != "kernel":
			return nil, fmt.Errorf("%s: row %d: kind is %q: must be form or kernel", name, i+1, r.Kind)
		case r.SASS.total() != r.Machine:
			return nil, fmt.Errorf("%s: row %d: sass lists %d instructions, sass_instructions is %d", name, i+1, r.SASS.total(), r.Machine)
		}
	}
	return t, nil
}
