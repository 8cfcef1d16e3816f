package analysis

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"hyptx/ir"
	"hyptx/parser"
)

// maxSourceBytes is the largest text that is read, unpacked: what the parser takes.
const maxSourceBytes = parser.MaxSourceBytes

// Source is a text to read: PTX or a manifest, unpacked.
type Source struct {
	// Name is the file as it was named, for messages and for the paths in a
	// manifest, which are relative to it.
	Name string
	Text []byte
}

// ReadSource reads a file, unpacked if it is gzipped; "-" is stdin.
func ReadSource(path string, stdin io.Reader) (Source, error) {
	if path == "-" {
		return readSource("stdin", stdin, maxSourceBytes)
	}
	if path == "" {
		return Source{}, errors.New("a file's name is empty")
	}
	f, err := os.Open(path)
	if err != nil {
		return Source{}, plainPathError(err)
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.IsDir() {
		return Source{}, fmt.Errorf("%s: is a directory; name the files in it", path)
	}
	return readSource(path, f, maxSourceBytes)
}

// readSource reads a text of at most limit bytes and unpacks it.
func readSource(name string, r io.Reader, limit int64) (Source, error) {
	data, err := readLimited(r, name, limit)
	if err != nil || !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return plainText(name, data, err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return Source{}, fmt.Errorf("%s: %w", name, err)
	}
	data, err = readLimited(z, name, limit)
	return plainText(name, data, err)
}

// plainText takes the mark away with which some editors begin UTF-8 files, and
// refuses UTF-16.
func plainText(name string, data []byte, err error) (Source, error) {
	switch {
	case err != nil:
		return Source{}, err
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}), bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return Source{}, fmt.Errorf("%s: the text is UTF-16; save it as UTF-8", name)
	}
	return Source{name, bytes.TrimPrefix(data, []byte{0xef, 0xbb, 0xbf})}, nil
}

func readLimited(r io.Reader, name string, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("%s: the file ends too early: it is not whole", name)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case int64(len(data)) > limit:
		return nil, fmt.Errorf("%s: larger than %d MiB", name, limit>>20)
	}
	return data, nil
}

// plainPathError says "file: what" without the system call that failed.
func plainPathError(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
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

// Module parses and lowers the text as PTX.
func (s Source) Module() (*ir.Module, error) {
	m, err := parser.Parse(s.Name, s.Text)
	if err != nil {
		return nil, err
	}
	return ir.Lower(m)
}

// loadAll loads PTX files on several cores and returns the modules and their
// texts in their order. All errors are reported, in the files' order.
func loadAll(paths []string, jobs int) ([]*ir.Module, []Source, []error) {
	mods := make([]*ir.Module, len(paths))
	sources := make([]Source, len(paths))
	errs := make([]error, len(paths))
	faults := make([]any, len(paths))
	var wg sync.WaitGroup
	slots := make(chan struct{}, max(1, min(jobs, runtime.GOMAXPROCS(0))))
	for i, p := range paths {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { faults[i] = recover(); <-slots }()
			src, err := ReadSource(p, nil)
			if err == nil {
				sources[i] = src
				mods[i], err = src.Module()
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
	return mods, sources, errs
}
