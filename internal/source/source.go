// Package source reads what a user names: PTX, a launch manifest, a dump of several
// modules as cuobjdump prints it, or a program with PTX in it. Start with [Read] and
// [File.Module].
package source

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"

	"hyptx/internal/fatbin"
	"hyptx/internal/textfile"
	"hyptx/ir"
	"hyptx/parser"
)

// MaxBytes is the largest text that is read, unpacked: what the parser takes.
const MaxBytes = parser.MaxSourceBytes

// File is a text to read: PTX or a manifest, unpacked.
type File struct {
	// Name is the file as it was named, for messages and for the paths in a
	// manifest, which are relative to it.
	Name string
	Text []byte
	// Lenient: what [ir.Lenient] lets pass is a warning of the modules, no error.
	Lenient bool
	// before is how many lines stand before the text: of a dump it is one module.
	before int
}

// Read reads a file, unpacked if it is gzipped; "-" is stdin. Of a program it is
// the PTX in it.
func Read(path string, stdin io.Reader) (File, error) {
	name, text, err := textfile.Read(path, stdin, MaxBytes)
	if err == nil && fatbin.Is(text) {
		text, err = dumped(name, text)
	}
	return File{Name: name, Text: withLineFeeds(text)}, err
}

// withLineFeeds makes line feeds of carriage returns in a text that has those alone, as old
// editors write: else all of it would stand behind its first comment.
func withLineFeeds(text []byte) []byte {
	if bytes.IndexByte(text, '\r') < 0 || bytes.IndexByte(text, '\n') >= 0 {
		return text
	}
	return bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
}

// Stem is a text's name without folders and extensions: "a/k.ptx.gz" is "k".
func (f File) Stem() string {
	name := strings.TrimSuffix(filepath.Base(f.Name), ".gz")
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// IsManifest reports whether the text is a launch manifest and not PTX, by its
// name or its first character.
func (f File) IsManifest() bool {
	if strings.EqualFold(filepath.Ext(strings.TrimSuffix(f.Name, ".gz")), ".json") {
		return true
	}
	return bytes.HasPrefix(bytes.TrimLeft(f.Text, " \t\r\n"), []byte{'{'})
}

// Module parses and lowers the text as PTX. Beside an error that concerns single
// functions only there is a module, as with [ir.Lower].
func (f File) Module(options ...ir.Option) (*ir.Module, error) {
	m, err := parser.Open(f.Name, f.Text, f.before+1)
	if err != nil && m.Unusable {
		return nil, err
	}
	if f.Lenient {
		options = append(options, ir.Lenient)
	}
	fault := f.preprocessed()
	if fault != nil && !f.Lenient {
		return nil, parser.ErrorList{fault}
	}
	mod, err := ir.Lower(m, options...)
	if mod != nil && fault != nil {
		mod.Warnings = append(mod.Warnings, fault)
	}
	return mod, err
}
