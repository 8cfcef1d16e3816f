package sass

import (
	"fmt"
	"strconv"
	"strings"

	"hyptx/internal/csvfile"
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
	for line := range strings.Lines(string(text)) {
		source, ok := strings.CutPrefix(line, "#")
		if !ok {
			break
		}
		t.Source = append(t.Source, strings.TrimSpace(source))
	}
	rows, err := csvfile.Into[Row](csvfile.Format{Comma: '\t', Comment: '#'}, name, text)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		t.Rows = append(t.Rows, &rows[i])
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
