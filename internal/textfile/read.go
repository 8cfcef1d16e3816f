package textfile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrLarger is of a file that is larger than it may be.
var ErrLarger = errors.New("larger")

// Read reads a file of at most limit bytes, packed and unpacked, as UTF-8
// without a byte order mark. It is unpacked if its first bytes are gzip's,
// whatever its name. "-" is stdin, which may be nil: then it is an error. name is the file's for messages; errors
// begin with it.
func Read(path string, stdin io.Reader, limit int64) (name string, text []byte, err error) {
	if path == "-" && stdin == nil {
		return path, nil, errors.New("standard input is not read here; name a file")
	}
	if path == "-" {
		text, err = read("stdin", stdin, limit)
		return "stdin", text, err
	}
	if path == "" {
		return "", nil, errors.New("a file's name is empty")
	}
	f, err := os.Open(path)
	if err != nil {
		return path, nil, PlainError(err)
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.IsDir() {
		return path, nil, fmt.Errorf("%s: is a directory; name the files in it", path)
	}
	text, err = read(path, f, limit)
	return path, text, err
}

func read(name string, r io.Reader, limit int64) ([]byte, error) {
	data, err := readLimited(r, name, limit)
	if err == nil && bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			data, err = readLimited(z, name, limit)
		} else {
			err = readError(name, err)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}), bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return nil, fmt.Errorf("%s: the text is UTF-16; save it as UTF-8", name)
	}
	return bytes.TrimPrefix(data, []byte{0xef, 0xbb, 0xbf}), nil
}

// firstPiece is how much is read at first of what does not say how long it is, and
// largestPiece how much at once later.
const firstPiece, largestPiece = 64 << 10, 8 << 20

// readLimited reads at most limit bytes, and of more than that no more than a piece: in
// a buffer that doubles as it grows a text without an end would take four times the limit.
func readLimited(r io.Reader, name string, limit int64) ([]byte, error) {
	var pieces [][]byte
	for size, total := sizeOf(r, limit), int64(0); ; size = min(max(firstPiece, total), largestPiece) {
		piece := make([]byte, size)
		n, err := fill(r, piece)
		pieces, total = append(pieces, piece[:n]), total+int64(n)
		switch {
		case total > limit:
			return nil, tooLarge(name, limit)
		case total >= firstPiece && len(pieces) == 1 && len(bytes.Trim(piece[:firstPiece], "\x00")) == 0:
			return nil, fmt.Errorf("%s: it begins with %d NUL bytes: it is no text", name, firstPiece)
		case err == io.EOF && len(pieces) == 1:
			return pieces[0], nil
		case err == io.EOF:
			return bytes.Join(pieces, nil), nil
		case err != nil:
			return nil, readError(name, err)
		}
	}
}

// sizeOf is how much is to be read at once first: all, and its end, of what says how long
// it is.
func sizeOf(r io.Reader, limit int64) int64 {
	if f, ok := r.(*os.File); ok {
		if st, err := f.Stat(); err == nil && st.Mode().IsRegular() {
			return min(st.Size(), limit) + 1
		}
	}
	return firstPiece
}

// fill reads until buffer is full.
func fill(r io.Reader, buffer []byte) (n int, err error) {
	for n < len(buffer) && err == nil {
		var more int
		more, err = r.Read(buffer[n:])
		n += more
	}
	return n, err
}

func tooLarge(name string, limit int64) error {
	if limit%(1<<20) != 0 {
		return fmt.Errorf("%s: %w than %d bytes", name, ErrLarger, limit)
	}
	return fmt.Errorf("%s: %w than %d MiB", name, ErrLarger, limit>>20)
}

// readError names the file of an error, and says what gzip's own means.
func readError(name string, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: the file ends too early: it is not whole", name)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// PlainError says "file: what" without the system call that failed.
func PlainError(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}
