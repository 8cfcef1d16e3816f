package golden

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"hyptx/internal/strictjson"
)

// NewWriter writes the header and returns the encoder that writes each [Program]
// as a line. An encoder calls the writer below once for each line, so that a run
// which is cut off leaves whole lines, and at most one that is not.
func NewWriter(w io.Writer, h Header) (*json.Encoder, error) {
	h.Format = Format
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e, e.Encode(h)
}

// File is a whole file.
type File struct {
	Header   Header
	Programs []Program
}

// maxLine bounds a line: MaxData of incompressible bytes in base64, for a few
// outputs.
const maxLine = 64 << 20

// Read reads a file. name is the file's, for errors. A last line that was cut
// off is left out: the run ended in it.
func Read(name string, text []byte) (*File, error) {
	f := &File{}
	seen := map[string]bool{}
	for n := 1; len(text) > 0; n++ {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole && n > 1 {
			break
		}
		text = rest
		if err := f.line(line, n == 1, seen); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if f.Header.Format == 0 {
		return nil, fmt.Errorf("%s: the file is empty; its first line must be a header", name)
	}
	return f, nil
}

func (f *File) line(line []byte, header bool, seen map[string]bool) error {
	if len(line) > maxLine {
		return fmt.Errorf("the line has %d bytes; at most %d are read", len(line), maxLine)
	}
	if header {
		if err := strictjson.Into(line, "", &f.Header); err != nil {
			return fmt.Errorf("header: %w", err)
		}
		if f.Header.Format != Format {
			return fmt.Errorf("header: format is %d; this version reads %d", f.Header.Format, Format)
		}
		return nil
	}
	var p Program
	if err := strictjson.Into(line, "", &p); err != nil {
		return err
	}
	switch {
	case p.Name == "":
		return errors.New("a program has no name")
	case seen[p.Name]:
		return fmt.Errorf("%s stands there twice", p.Name)
	}
	seen[p.Name] = true
	f.Programs = append(f.Programs, p)
	return nil
}
