package manifest

import (
	"fmt"
	"math"
)

// Contents are described, not listed, wherever that is possible: a network has
// hundreds of megabytes of weights, and what a kernel does to its inputs rarely
// depends on which numbers they are. For a buffer of four f32:
//
//	"zero"                                         0 0 0 0
//	{"fill": 1.5}                                  1.5 1.5 1.5 1.5
//	{"iota": {"start": 10, "step": -1}}            10 9 8 7
//	{"uniform": {"seed": 1, "low": 0, "high": 1}}  four numbers in [0, 1), the same everywhere
//	{"values": [1, "nan", "-inf", 1e-3]}           as they stand there
//	{"file": "w.npy"}                              as they stand in the file
//	{"pointers": [{"buffer": "x"}, null]}          (of type u64) the address of x, and 0
//
// No init at all is none of these: see [Buffer].

// InitKind is how initial contents are given.
type InitKind uint8

// The kinds of initial contents.
const (
	InitZero InitKind = iota
	InitFill
	InitIota
	InitUniform
	InitNormal
	InitValues
	InitFile
	InitPointers
)

// Init describes initial contents. What bytes they are depends on the type and
// the size of what they initialise: see [Init.Source].
type Init struct {
	// Path is the JSON path of the description.
	Path string
	Kind InitKind
	// A, B: value of fill; start, step of iota; low, high of uniform; mean,
	// stddev of normal.
	A, B Number
	Seed uint64
	// Values of InitValues.
	Values []Number
	File   FileInit
	// Pointers of InitPointers; a nil Buffer is a null pointer.
	Pointers []Pointer

	tensor *tensor // of InitFile, once the file was looked at
}

// DataPath is the file that contents come from, as it can be opened; "" if they
// come from none.
func (in *Init) DataPath() string {
	if in == nil || in.tensor == nil {
		return ""
	}
	return in.tensor.path
}

// Pointer is an address within a buffer.
type Pointer struct {
	Buffer *Buffer
	Offset int64
}

// Address returns the address, 0 for a null pointer. Buffers have addresses
// once the manifest is read.
func (p Pointer) Address() uint64 {
	if p.Buffer == nil {
		return 0
	}
	return p.Buffer.Base + uint64(p.Offset)
}

// Source returns the contents for a variable or buffer of that type and size.
// It is an error if they do not fit.
func (in *Init) Source(t Type, bytes int64) (Source, error) {
	if bytes%int64(t.Size()) != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of %s", bytes, t)
	}
	count := bytes / int64(t.Size())
	switch in.Kind {
	case InitZero:
		return zeroSource{}, nil
	case InitFill:
		bits, err := in.A.Bits(t)
		return fillSource(t.Size(), bits), err
	case InitIota:
		return in.iota(t)
	case InitUniform:
		return in.uniform(t)
	case InitNormal:
		return in.normal(t)
	case InitValues:
		return in.values(t, count)
	case InitFile:
		return in.tensor.source(t, bytes)
	}
	return in.pointers(t, bytes)
}

// iota counts up, in the type's own arithmetic: integers wrap around, floats are
// start + i*step and not a sum of roundings.
func (in *Init) iota(t Type) (Source, error) {
	if t.IsFloat() {
		a, b, err := twoFloats(in.A, in.B)
		return floatIota(t, a, b), err
	}
	start, err := in.A.Bits(t)
	if err != nil {
		return nil, fmt.Errorf("start %w", err)
	}
	// Steps of unsigned types may be negative: all is modulo 2^64.
	step, err := in.B.Bits(B64)
	if err != nil {
		return nil, fmt.Errorf("step %w", err)
	}
	return intIota(t.Size(), start, step), nil
}

// uniform scales a draw from [0, 1) by the distance of the bounds, in double
// whatever the type: that distance must be finite, not only the bounds.
func (in *Init) uniform(t Type) (Source, error) {
	if !t.IsFloat() {
		for _, n := range []Number{in.A, in.B} {
			if _, err := n.Bits(t); err != nil {
				return nil, err
			}
		}
	}
	low, high, err := twoFloats(in.A, in.B)
	switch {
	case err != nil:
		return nil, err
	case low > high:
		return nil, fmt.Errorf("low %s is above high %s", in.A, in.B)
	case math.IsInf(high-low, 0):
		return nil, fmt.Errorf("%s to %s is too wide: high - low must be finite", in.A, in.B)
	}
	return uniformSource(t, in.Seed, low, high), nil
}

// normal is a sum of uniform draws, which is never more than 6 deviations away
// from the mean: if these are finite, all elements are.
func (in *Init) normal(t Type) (Source, error) {
	mean, stddev, err := twoFloats(in.A, in.B)
	switch {
	case err != nil:
		return nil, err
	case stddev < 0:
		return nil, fmt.Errorf("stddev %s is negative", in.B)
	case math.IsInf(math.Abs(mean)+6*stddev, 0):
		return nil, fmt.Errorf("mean %s, stddev %s leave the range of f64", in.A, in.B)
	}
	return normalSource(t, in.Seed, mean, stddev), nil
}

func twoFloats(a, b Number) (x, y float64, err error) {
	if x, err = a.Float(); err != nil {
		return
	}
	y, err = b.Float()
	return
}

func (in *Init) values(t Type, count int64) (Source, error) {
	if int64(len(in.Values)) != count {
		return nil, fmt.Errorf("%s for %s of %s", plural(len(in.Values), "value"), plural(int(count), "element"), t)
	}
	data := make([]byte, len(in.Values)*t.Size())
	for i, v := range in.Values {
		bits, err := v.Bits(t)
		if err != nil {
			return nil, fmt.Errorf("values[%d]: %w", i, err)
		}
		putBits(data[i*t.Size():], t.Size(), bits)
	}
	return bytesSource(data), nil
}

// pointers returns a source that looks up addresses when it is asked: buffers
// get theirs only after all sizes are known.
func (in *Init) pointers(t Type, bytes int64) (Source, error) {
	if t != B8 && (t.Size() != 8 || t.IsFloat()) {
		return nil, fmt.Errorf("pointers need the type u64, s64, b64 or b8, not %s", t)
	}
	if bytes != 8*int64(len(in.Pointers)) {
		return nil, fmt.Errorf("%s for %d bytes; each takes 8", plural(len(in.Pointers), "pointer"), bytes)
	}
	return elementSource{8, func(dst []byte, i uint64) {
		for ; len(dst) > 0 && i < uint64(len(in.Pointers)); dst, i = dst[8:], i+1 {
			putBits(dst, 8, in.Pointers[i].Address())
		}
	}}, nil
}

// implied returns the type and the size in bytes that the description itself
// gives, for a buffer of type t (NoType: left out); -1 bytes if it gives none.
func (in *Init) implied(t Type) (Type, int64) {
	switch in.Kind {
	case InitFile:
		if t == NoType {
			t = in.tensor.typ
		}
		return t, in.tensor.bytes
	case InitPointers:
		return t, 8 * int64(len(in.Pointers))
	case InitValues:
		size := t.Size()
		if t == NoType {
			size = B8.Size()
		}
		return t, int64(len(in.Values)) * int64(size)
	}
	return t, -1
}
