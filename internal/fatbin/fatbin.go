package fatbin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// A container: a header of 16 bytes (magic, version 1, the header's size, the bytes that
// follow), then entries. An entry: a header (kind, its size, the bytes that follow it, and
// of these those that are compressed, the GPU, flags, the size when unpacked), then what it
// holds.
const (
	magic       = 0xba55ed50
	headerBytes = 16
	entryBytes  = 64

	kindPTX = 1

	flagLZ4  = 0x2000
	flagZstd = 0x8000
)

// Module is a PTX module of a program.
type Module struct {
	Text []byte
	// SM is the GPU that the entry is for, 80 for sm_80; 0 where nothing says so.
	SM int
}

// target is what a module says that it is for.
var target = regexp.MustCompile(`(?m)^\s*\.target\s+([A-Za-z0-9_]+)`)

// Target is what the module is for, as "sm_80": what its text says, else its entry.
func (m *Module) Target() string {
	if found := target.FindSubmatch(m.Text); found != nil {
		return string(found[1])
	}
	return fmt.Sprintf("sm_%d", m.SM)
}

// Is reports whether data look like a program, and not like text: ELF, a fat binary, an
// archive of objects, a Windows program.
func Is(data []byte) bool {
	for _, begin := range []string{"\x7fELF", "\x50\xed\x55\xba", "!<arch>\n"} {
		if bytes.HasPrefix(data, []byte(begin)) {
			return true
		}
	}
	return bytes.HasPrefix(data, []byte("MZ")) && bytes.IndexByte(data[:min(len(data), 512)], 0) >= 0
}

// LimitError says that there is more text than somebody allowed, Most bytes.
type LimitError struct{ Most int64 }

func (e *LimitError) Error() string {
	return fmt.Sprintf("more than %d bytes of PTX", e.Most)
}

// reader collects modules.
type reader struct {
	data []byte
	most int64 // bytes of text that may still come
	all  int64
	list []Module
	errs []error
	// programs are the entries with machine code, which is no text.
	programs int
}

// Modules returns the PTX modules of a program in their order, of at most so many bytes
// together. What is broken of it is told beside what is not.
func Modules(data []byte, most int64) ([]Module, error) {
	r := &reader{data: data, most: most, all: most}
	found := 0
	var word [4]byte
	binary.LittleEndian.PutUint32(word[:], magic)
	for at := 0; ; {
		i := bytes.Index(data[at:], word[:])
		if i < 0 {
			break
		}
		at += i
		end, ok := r.container(at)
		if !ok { // not a header: the number stands there by chance, in code as in this file's own
			at += len(word)
			continue
		}
		found++
		at = end
	}
	r.debugText()
	if len(r.list) == 0 && len(r.errs) == 0 {
		switch {
		case r.programs > 0:
			r.errs = append(r.errs, fmt.Errorf("there is no PTX, only machine code (%d modules): compile for a compute_ target, too", r.programs))
		case len(r.data) == 0:
			r.errs = append(r.errs, errors.New("the file is empty"))
		case found == 0:
			r.errs = append(r.errs, errors.New("this is a compiled program; there is no fat binary of CUDA in it"))
		default:
			r.errs = append(r.errs, errors.New("its fat binaries hold no PTX"))
		}
	}
	return r.list, errors.Join(r.errs...)
}

// failed notes what is wrong at a place; only the first errors are told.
func (r *reader) failed(at int, format string, args ...any) {
	const mostErrors = 10
	if len(r.errs) < mostErrors {
		r.errs = append(r.errs, fmt.Errorf("at byte %d: %w", at, fmt.Errorf(format, args...)))
	}
}

// container reads the container at a place and returns where it ends; false if there is
// none.
func (r *reader) container(at int) (end int, ok bool) {
	h := r.data[at:]
	if len(h) < headerBytes || binary.LittleEndian.Uint16(h[4:]) != 1 || binary.LittleEndian.Uint16(h[6:]) != headerBytes {
		return 0, false
	}
	size := binary.LittleEndian.Uint64(h[8:])
	at += headerBytes
	rest := uint64(len(r.data) - at)
	if size > rest {
		r.failed(at-headerBytes, "a fat binary of %d bytes where the file has %d: it is not whole", size, rest)
		size = rest
	}
	end = at + int(size)
	for at < end {
		if end-at < entryBytes {
			if len(bytes.Trim(r.data[at:end], "\x00")) > 0 {
				r.failed(at, "an entry of %d bytes; its header has %d", end-at, entryBytes)
			}
			break
		}
		next, err := r.entry(at, end)
		if err != nil {
			r.failed(at, "%w", err)
		}
		if next <= at {
			break
		}
		at = next
	}
	return end, true
}

// entry reads the entry at a place and returns where the next one begins.
func (r *reader) entry(at, end int) (next int, err error) {
	h := r.data[at:end]
	header, size := uint64(binary.LittleEndian.Uint32(h[4:])), binary.LittleEndian.Uint64(h[8:])
	packed, unpacked := uint64(binary.LittleEndian.Uint32(h[16:])), binary.LittleEndian.Uint64(h[56:])
	flags := binary.LittleEndian.Uint64(h[40:])
	if header < entryBytes || header > uint64(len(h)) || size > uint64(len(h))-header {
		return 0, fmt.Errorf("an entry with a header of %d bytes and %d behind it, where there are %d", header, size, len(h))
	}
	next = at + int(header+size)
	if binary.LittleEndian.Uint16(h) != kindPTX {
		r.programs++
		return next, nil
	}
	body := h[header : header+size]
	if packed != 0 {
		if packed > size {
			return next, fmt.Errorf("%d compressed bytes in an entry of %d", packed, size)
		}
		body = body[:packed]
	}
	text := body
	if flags&(flagLZ4|flagZstd) != 0 {
		if text, err = r.unpack(body, flags, unpacked); err != nil {
			return next, err
		}
	}
	if i := bytes.IndexByte(text, 0); i >= 0 {
		text = text[:i]
	}
	return next, r.add(bytes.Clone(text), int(binary.LittleEndian.Uint32(h[28:])))
}

// add keeps a module.
func (r *reader) add(text []byte, sm int) error {
	if int64(len(text)) > r.most {
		return &LimitError{r.all}
	}
	r.most -= int64(len(text))
	r.list = append(r.list, Module{text, sm})
	return nil
}

// mostRatio bounds how much larger a text may be than what it was packed to: LZ4 makes at
// most 255 bytes of one, zstd of PTX some tens, so that a header that promises more is
// wrong before memory is asked for.
const mostRatio = 1 << 12

// unpack unpacks an entry.
func (r *reader) unpack(body []byte, flags, size uint64) (text []byte, err error) {
	if size > uint64(r.most) {
		return nil, &LimitError{r.all}
	}
	if size > mostRatio*uint64(len(body)) {
		return nil, fmt.Errorf("%d bytes that are said to be %d unpacked", len(body), size)
	}
	if flags&flagZstd != 0 {
		text, err = unzstd(body, size)
	} else {
		text = make([]byte, size)
		var n int
		n, err = lz4.UncompressBlock(body, text)
		text = text[:max(n, 0)]
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("what is compressed is broken: %w", err)
	case uint64(len(text)) != size:
		return nil, fmt.Errorf("what is compressed is %d bytes unpacked, not %d", len(text), size)
	}
	return text, nil
}

// leastMemory is the least that the library of zstd takes for a limit.
const leastMemory = 1 << 10

// unzstd unpacks what zstd has packed, of at most so many bytes.
func unzstd(body []byte, size uint64) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(max(size, leastMemory)))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(body, make([]byte, 0, size))
}
