package manifest

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"sync"

	"hyptx/internal/strictjson"
)

// A .npz file is a zip archive of .npy files: numpy.savez(f, w=a) makes a member
// w.npy. NumPy does not compress unless asked (savez_compressed), and then an
// element's place in the archive is known: the member's start, its header, its
// index. A compressed member has no such places and is inflated as a whole, once,
// by whoever needs its first byte; buffers of the same member share the result.

// zipFile is the directory of a .npz file.
type zipFile struct {
	members map[string]*zip.File
	// arrays are those looked at: buffers share what is inflated.
	arrays map[*zip.File]*tensor
}

func (c *fileCache) openNPZ(path string, size int64, key string) (*tensor, error) {
	z := c.zips[path]
	if z == nil {
		r, err := zip.NewReader(pathReader(path), size)
		if err != nil {
			return nil, err
		}
		z = &zipFile{members: make(map[string]*zip.File, len(r.File)), arrays: map[*zip.File]*tensor{}}
		for _, f := range r.File {
			z.members[f.Name] = f
		}
		c.zips[path] = z
	}
	f := z.members[key+".npy"]
	if f == nil {
		if f = z.members[key]; f == nil {
			return nil, fmt.Errorf("holds no array %s", strictjson.Quoted(key))
		}
	}
	x := z.arrays[f]
	if x == nil {
		var err error
		if x, err = openMember(path, size, f); err != nil {
			return nil, err
		}
		z.arrays[f] = x
	}
	named := *x
	return &named, nil
}

func openMember(path string, size int64, f *zip.File) (*tensor, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	h, err := readNPYHeader(r)
	if err != nil {
		return nil, err
	}
	if want := uint64(h.start) + uint64(h.bytes); f.UncompressedSize64 != want {
		return nil, fmt.Errorf("the header promises %d bytes, the archive %d", want, f.UncompressedSize64)
	}
	x := &tensor{dtype: h.dtype, typ: h.typ, bytes: h.bytes}
	if f.Method != zip.Store {
		if h.bytes > MaxInflatedBytes {
			return nil, fmt.Errorf("%d bytes compressed as one; at most %d, save it with numpy.savez", h.bytes, MaxInflatedBytes)
		}
		x.data = &inflatedSource{member: f, header: h}
		return x, nil
	}
	start, err := f.DataOffset()
	if err != nil {
		return nil, err
	}
	if start < 0 || start > size-h.start-h.bytes {
		return nil, errors.New("an array lies outside the archive")
	}
	x.data = fileSource{pathReader(path), start + h.start, h.bytes}
	return x, nil
}

// inflatedSource is a compressed array, which cannot be entered in the middle:
// it is inflated as a whole when its first byte is needed.
type inflatedSource struct {
	member *zip.File
	header npyHeader

	once sync.Once
	data bytesSource
	err  error
}

func (s *inflatedSource) Fill(dst []byte, offset int64) error {
	s.once.Do(s.inflate)
	if s.err != nil {
		return s.err
	}
	return s.data.Fill(dst, offset)
}

func (s *inflatedSource) inflate() {
	r, err := s.member.Open()
	if err != nil {
		s.err = err
		return
	}
	defer r.Close()
	if _, s.err = io.CopyN(io.Discard, r, s.header.start); s.err != nil {
		return
	}
	// Grows as data comes: the header's size is only a promise.
	s.data, s.err = io.ReadAll(io.LimitReader(r, s.header.bytes+1))
	if s.err == nil && int64(len(s.data)) != s.header.bytes {
		s.err = fmt.Errorf("array %s: %d bytes come out, not %d", s.member.Name, len(s.data), s.header.bytes)
	}
}
