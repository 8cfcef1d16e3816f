package sass

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"github.com/gocarina/gocsv"
)

// total is the number of instructions.
func (o Opcodes) total() int {
	n := 0
	for _, k := range o {
		n += k
	}
	return n
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
