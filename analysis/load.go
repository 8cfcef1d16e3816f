package analysis

import (
	"bytes"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"hyptx/internal/fatbin"
	"hyptx/internal/textfile"
	"hyptx/ir"
	"hyptx/parser"
)

// Reading and lowering PTX is most of what a small profile takes, and a network has a
// dozen files: they are read at the same time. The results stand in the order of the
// files whatever the order of the work, and so do errors: all of them, so that a user
// with three broken files hears of three.
// maxSourceBytes is the largest text that is read, unpacked: what the parser takes.
const maxSourceBytes = parser.MaxSourceBytes

// Source is a text to read: PTX or a manifest, unpacked.
type Source struct {
	// Name is the file as it was named, for messages and for the paths in a
	// manifest, which are relative to it.
	Name string
	Text []byte
	// Lenient: what [ir.Lenient] lets pass is a warning of the modules, no error.
	Lenient bool
}

// ReadSource reads a file, unpacked if it is gzipped; "-" is stdin. Of a program it is
// the PTX in it.
func ReadSource(path string, stdin io.Reader) (Source, error) {
	name, text, err := textfile.Read(path, stdin, maxSourceBytes)
	if err == nil && fatbin.Is(text) {
		text, err = dumped(name, text)
	}
	return Source{Name: name, Text: text}, err
}

// Stem is a text's name without folders and extensions: "a/k.ptx.gz" is "k".
func (s Source) Stem() string {
	name := strings.TrimSuffix(filepath.Base(s.Name), ".gz")
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// IsManifest reports whether the text is a launch manifest and not PTX, by its
// name or its first character.
func (s Source) IsManifest() bool {
	if strings.EqualFold(filepath.Ext(strings.TrimSuffix(s.Name, ".gz")), ".json") {
		return true
	}
	return bytes.HasPrefix(bytes.TrimLeft(s.Text, " \t\r\n"), []byte{'{'})
}

// Module parses and lowers the text as PTX. Beside an error that concerns single
// functions only there is a module, as with [ir.Lower].
func (s Source) Module() (*ir.Module, error) {
	m, err := parser.Parse(s.Name, s.Text)
	if err != nil && m.Unusable {
		return nil, err
	}
	if s.Lenient {
		return ir.Lower(m, ir.Lenient)
	}
	return ir.Lower(m)
}

// loadAll loads PTX files on several cores and returns the modules and their
// texts in their order. All errors are reported, in the files' order. A panic in
// one of the workers would end the program before anybody could report it: it is
// carried over to the caller's goroutine.
func loadAll(paths []string, opts *Options) ([]*ir.Module, []Source, []error) {
	mods := make([]*ir.Module, len(paths))
	sources := make([]Source, len(paths))
	errs := make([]error, len(paths))
	faults := make([]any, len(paths))
	var wg sync.WaitGroup
	slots := make(chan struct{}, max(1, min(opts.Jobs, runtime.GOMAXPROCS(0))))
	for i, p := range paths {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { faults[i] = recover(); <-slots }()
			src, err := ReadSource(p, nil)
			if src.Lenient = opts.Lenient != nil; err == nil {
				sources[i] = src
				if mods[i], err = src.only(); mods[i] != nil {
					err = nil // the kernels that are refused say so where they are launched
				}
			}
			errs[i] = err
		})
	}
	wg.Wait()
	for _, f := range faults {
		if f != nil {
			panic(f) // where the caller can report it
		}
	}
	opts.warn(mods)
	return mods, sources, errs
}
