package manifest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// A .npy file (NumPy, NEP 1) is one array: a magic word, two bytes of version, the
// header's length in two bytes (four from version 2 on), little-endian, the header
// as the text of a Python dictionary, then the elements without a gap. An array
// of 2 x 3 floats is
//
//	93 4e 55 4d 50 59  01 00  76 00                                  \x93NUMPY, version 1.0, 118 bytes
//	{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }      padded with spaces, a newline at the end
//	00 00 80 3f ...                                                  24 bytes
//
// < is little-endian, > big-endian, | neither; then a letter for the kind (i, u, f,
// c, b, V for raw bytes) and the bytes of an element. Shapes do not matter here: a
// buffer is a run of elements, in the order of the file.
//
// The .npy format is read here and not by github.com/sbinet/npyio, which reads
// arrays as a whole, has no f16 and trusts the header; the tests use npyio as
// the second opinion.

const npyMagic = "\x93NUMPY"

// npyTypes are NumPy's type codes, little-endian, and what they hold.
var npyTypes = map[string]Type{
	"|b1": U8, "|i1": S8, "|u1": U8, "<i1": S8, "<u1": U8,
	"<i2": S16, "<i4": S32, "<i8": S64, "<u2": U16, "<u4": U32, "<u8": U64,
	"<f2": F16, "<f4": F32, "<f8": F64, "<c8": B64,
	"|V1": B8, "|V2": B16, "<V2": B16, "|V4": B32, "|V8": B64,
}

var (
	npyDescr = regexp.MustCompile(`'descr'\s*:\s*'([^']*)'`)
	npyOrder = regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`)
	npyShape = regexp.MustCompile(`'shape'\s*:\s*\(([0-9,\sL]*)\)`)
)

// npyHeader is what stands before the elements.
type npyHeader struct {
	dtype string
	typ   Type
	bytes int64 // of the elements
	start int64 // of the first element
}

// readNPYHeader reads up to the first element and no further. The length is what
// the file claims, so that it is bounded before memory is made for it.
func readNPYHeader(r io.Reader) (npyHeader, error) {
	var h npyHeader
	fixed := make([]byte, 12)
	if _, err := io.ReadFull(r, fixed[:10]); err != nil || string(fixed[:6]) != npyMagic {
		return h, errors.New("not a .npy file: it does not start with \\x93NUMPY")
	}
	length := int64(binary.LittleEndian.Uint16(fixed[8:]))
	h.start = 10
	switch fixed[6] {
	case 1:
	case 2, 3: // the length has four bytes
		if _, err := io.ReadFull(r, fixed[10:]); err != nil {
			return h, errors.New("the .npy header is cut off")
		}
		length = int64(binary.LittleEndian.Uint32(fixed[8:]))
		h.start = 12
	default:
		return h, fmt.Errorf(".npy version %d is unknown; 1, 2 and 3 are known", fixed[6])
	}
	if length > MaxHeaderBytes {
		return h, fmt.Errorf("a .npy header of %d bytes; at most %d", length, MaxHeaderBytes)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return h, errors.New("the .npy header is cut off")
	}
	h.start += length
	return h, h.parse(string(text))
}

// parse reads the header's text, a Python dictionary. What it says goes into no
// message: a manifest may name any file, and what stands in it is not to appear on
// a terminal or in a log because its name ends in .npy.
func (h *npyHeader) parse(text string) error {
	descr, order, shape := npyDescr.FindStringSubmatch(text), npyOrder.FindStringSubmatch(text), npyShape.FindStringSubmatch(text)
	if descr == nil || order == nil || shape == nil {
		return errors.New("the .npy header does not describe a plain array")
	}
	h.dtype, h.typ = descr[1], npyTypes[descr[1]]
	if h.typ == NoType {
		if strings.HasPrefix(descr[1], ">") {
			return errors.New("the array is in big-endian order; save it with a.astype(a.dtype.newbyteorder('<'))")
		}
		return errors.New("the elements are of a type that no buffer has; integers, floats and raw bytes of 1, 2, 4 or 8 bytes are read")
	}
	var dims []int64
	long := 0 // dimensions of more than one element
	for s := range strings.SplitSeq(shape[1], ",") {
		s = strings.TrimSuffix(strings.TrimSpace(s), "L")
		if s == "" {
			continue
		}
		d, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return errors.New("the shape in the .npy header is no list of sizes")
		}
		if d > 1 {
			long++
		}
		dims = append(dims, d)
	}
	if order[1] == "True" && long > 1 {
		return errors.New("the array is in Fortran order; save it with numpy.ascontiguousarray")
	}
	n, ok := shapeBytes(dims, h.typ.Size())
	if !ok {
		return errors.New("the shape in the .npy header is larger than any file")
	}
	h.bytes = n
	return nil
}

func openNPY(path string, size int64) (*tensor, error) {
	h, err := readNPYHeader(io.NewSectionReader(pathReader(path), 0, size))
	if err != nil {
		return nil, err
	}
	if size-h.start != h.bytes {
		return nil, fmt.Errorf("the header promises %d bytes of elements, the file holds %d", h.bytes, size-h.start)
	}
	return &tensor{dtype: h.dtype, typ: h.typ, bytes: h.bytes, data: fileSource{pathReader(path), h.start, h.bytes}}, nil
}
