package golden

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"hyptx/internal/strictjson"
)

// Writer writes a file line by line.
type Writer struct{ w io.Writer }

// NewWriter writes the header.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	h.Format = Format
	out := &Writer{w}
	return out, out.line(h)
}

// Add writes a program, in one call of the writer below.
func (w *Writer) Add(p Program) error { return w.line(p) }

func (w *Writer) line(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.w.Write(b.Bytes())
	return err
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
