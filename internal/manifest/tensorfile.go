package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
)

// FileInit names contents in a file.
type FileInit struct {
	// Name is the file, relative to the manifest.
	Name string
	// Tensor of a .safetensors file, Key of a .npz file.
	Tensor, Key string
	// Offset and Bytes of a raw file; -1 where they were left out.
	Offset, Bytes int64
}

// Files of data are looked at twice. When the manifest is read, a file's header
// says what is in it: type and size are checked against the buffer's, so that a
// wrong file is an error before anything runs, and nothing else of it is read.
// When a page of the buffer is touched, the bytes of that page are read from their
// place. A file that was changed in between may give other numbers, but never
// bytes beyond the range that was checked ([fileSource]).
//
// What a file claims is bounded before it is believed: headers by MaxHeaderBytes,
// compressed members by MaxInflatedBytes, products of shapes by 2^63, ranges by the
// file's size. Only regular files are opened: a pipe would block, /dev/zero never
// end.

// tensor is a run of elements in a file.
type tensor struct {
	name  string // for messages: the file and, within it, the tensor
	path  string // of the file
	dtype string // as the file has it; "" for raw bytes
	typ   Type   // NoType for raw bytes
	bytes int64
	// atMost: a raw file of which a smaller buffer takes the first bytes.
	// One whose range is spelled out must be just as long.
	atMost bool
	data   Source
}

// source checks that the tensor is what a buffer of that type and size needs.
func (x *tensor) source(t Type, bytes int64) (Source, error) {
	if x == nil {
		return nil, errors.New("the file was not read")
	}
	if !x.fits(t) {
		return nil, fmt.Errorf("%s holds %s, not %s", x.name, x.dtype, t)
	}
	if x.bytes != bytes && !(x.atMost && bytes < x.bytes) {
		return nil, fmt.Errorf("%s has %d bytes, not %d", x.name, x.bytes, bytes)
	}
	return x.data, nil
}

// fits reports whether elements of type t can be read from the tensor. Untyped
// bits of the same size go with everything, and so do single bytes. NumPy has
// no bf16: such arrays come as u16 or V2.
func (x *tensor) fits(t Type) bool {
	switch {
	case x.typ == NoType || x.typ == t || t == B8:
		return true
	case x.typ.Size() != t.Size():
		return false
	}
	return t.IsBits() || x.typ.IsBits() || t == BF16 && x.typ == U16
}

// fileCache looks at files while a manifest is read. It keeps the directories
// of those that hold many tensors.
type fileCache struct {
	dir     string
	within  string // the folder that files must lie in, "" for anywhere
	zips    map[string]*zipFile
	tensors map[string]*safetensors
}

func newFileCache(dir, within string) *fileCache {
	return &fileCache{dir, within, map[string]*zipFile{}, map[string]*safetensors{}}
}

// find returns the path and the size of a file that a manifest names. Names are
// relative to the manifest, so that a program's folder can be moved and used
// from anywhere; they have slashes on every system. Who runs it from elsewhere
// may think of another folder: an error says where the file was looked for.
func (c *fileCache) find(name string) (path string, bytes int64, err error) {
	if path = filepath.FromSlash(name); !filepath.IsAbs(path) {
		path = filepath.Join(c.dir, path)
	}
	if c.within != "" && !inside(c.within, path) {
		return "", 0, fmt.Errorf("%s: lies outside of %s, and may not be read", name, c.within)
	}
	if bytes, err = regularSize(path); err == nil {
		return path, bytes, nil
	}
	err = fmt.Errorf("%s: %w", name, err)
	if whole, e := filepath.Abs(path); e == nil && whole != name && errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: it was looked for at %s", err, whole)
	}
	return "", 0, err
}

// inside reports whether a file lies in a folder or below it. What counts is where
// links lead to, those of the folder and of the file: a link in a stranger's archive
// may point to /etc. Of a file that is not there its folder decides, so that an error
// does not tell whether something outside exists.
func inside(folder, file string) bool {
	folder, err1 := filepath.Abs(folder)
	file, err2 := filepath.Abs(file)
	folder, err3 := filepath.EvalSymlinks(folder)
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	} else if dir, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
		file = filepath.Join(dir, filepath.Base(file))
	}
	rel, err := filepath.Rel(folder, file)
	return errors.Join(err1, err2, err3, err) == nil && filepath.IsLocal(rel)
}

// open finds the contents that f describes.
func (c *fileCache) open(f FileInit) (*tensor, error) {
	path, size, err := c.find(f.Name)
	if err != nil {
		return nil, err
	}
	var x *tensor
	switch extension(f.Name) {
	case ".npy":
		x, err = openNPY(path, size)
	case ".npz":
		x, err = c.openNPZ(path, size, f.Key)
	case ".safetensors":
		x, err = c.openSafetensors(path, size, f.Tensor)
	default:
		x, err = openRaw(path, size, f)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	x.name, x.path = f.Name, path
	if member := f.Key + f.Tensor; member != "" {
		x.name += ": " + member
	}
	return x, nil
}

func extension(name string) string { return strings.ToLower(filepath.Ext(name)) }

// regularSize returns the size of a file. A pipe or a device would block, or
// never end.
func regularSize(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, errors.New("not a regular file")
	}
	return info.Size(), nil
}

func openRaw(path string, size int64, f FileInit) (*tensor, error) {
	offset := max(f.Offset, 0)
	if offset > size {
		return nil, fmt.Errorf("offset %d lies behind the file's %d bytes", offset, size)
	}
	x := &tensor{bytes: size - offset, atMost: f.Offset >= 0 && f.Bytes < 0}
	if f.Bytes > x.bytes {
		return nil, fmt.Errorf("bytes %d to %d lie outside the file's %d", offset, offset+f.Bytes, size)
	}
	if f.Bytes >= 0 {
		x.bytes = f.Bytes
	}
	x.data = fileSource{pathReader(path), offset, x.bytes}
	return x, nil
}

// pathReader reads a file that is opened for each read: pages are large and
// come once, while a network may have more files than may be open.
type pathReader string

func (p pathReader) ReadAt(dst []byte, offset int64) (int, error) {
	f, err := os.Open(string(p))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return f.ReadAt(dst, offset)
}

// fileSource is a range of a file.
type fileSource struct {
	file          io.ReaderAt
	offset, bytes int64
}

func (s fileSource) Fill(dst []byte, offset int64) error {
	if offset < 0 || offset > s.bytes-int64(len(dst)) {
		return fmt.Errorf("bytes %d to %d lie outside the tensor's %d", offset, offset+int64(len(dst)), s.bytes)
	}
	n, err := s.file.ReadAt(dst, s.offset+offset)
	if n == len(dst) {
		return nil
	}
	return fmt.Errorf("reading initial contents: %w", err)
}

// shapeBytes returns the size of an array. ok is false if there is none.
func shapeBytes(shape []int64, size int) (n int64, ok bool) {
	n = int64(size)
	for _, d := range shape {
		if d == 0 {
			return 0, true
		}
		if d < 0 {
			return 0, false
		}
		hi, lo := bits.Mul64(uint64(n), uint64(d))
		if hi != 0 || lo > math.MaxInt64 {
			return 0, false
		}
		n = int64(lo)
	}
	return n, true
}
