// Package tensormap is the tensor map: the 128 bytes that describe to a copy where a tensor
// lies and which part of it goes where in shared memory (PTX ISA 5.5). The manual calls the
// bytes opaque, so that the layout is this machine's own: programs see them only through
// cp.async.bulk.tensor and tensormap.replace.
//
// Start with [Map]: Pack and Unpack are its bytes, [Map.Replace] changes a field as
// tensormap.replace does, and [Map.Tile], [Map.Column] and [Map.Wide] say which elements a copy
// moves.
package tensormap

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Bytes is the size of a map, Rank the most dimensions that a tensor has.
const (
	Bytes = 128
	Rank  = 5
)

// Map is a tensor map. Dimensions are in elements, the innermost first.
type Map struct {
	Address          uint64
	Type             Type
	Rank             int
	Dims             [Rank]uint64
	Strides          [Rank]uint64 // of dimension i in bytes; that of the innermost is the element's
	Box              [Rank]uint32
	Steps            [Rank]uint32 // traversal strides
	Swizzle          Swizzle
	Atom             Atom
	Interleave, Fill uint8
	// Im2col: the corners bound a box of pixels, and a column has so many of so many
	// channels.
	Im2col           bool
	Lower, Upper     [Rank - 2]int16
	Channels, Pixels uint32
}

// Type is the type of elements, by its number in PTX ISA table 33.
type Type uint8

// The types. Copies move those as they are whose numbers nobody says to be rounded or flushed.
const (
	U8 Type = iota
	U16
	U32
	S32
	U64
	S64
	F16
	F32
	F32ftz
	F64
	BF16
	TF32
	TF32ftz
	B4       // .b4x16
	B4Padded // .b4x16_p64
	B6Padded // .b6x16_p32 or, stored, .b6p2x16
	numTypes
)

// typeBytes are those of an element, or of a unit of them (unit.go).
var typeBytes = [numTypes]uint64{1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4, 1, 8, 12}

// Swizzle is the span within which rows are permuted, and Atom what stays together, by
// their numbers in PTX ISA table 33.
type (
	Swizzle uint8
	Atom    uint8
)

// The spans and atoms.
const (
	NoSwizzle Swizzle = iota
	Swizzle32
	Swizzle64
	Swizzle128
	Swizzle96
)

// The atoms.
const (
	Atom16 Atom = iota
	Atom32
	Atom32Flip8
	Atom64
)

// magic marks the bytes of a map: others are no map, and say so where they are used.
const magic = 0x70616d726f736e65

// Size is the size of an element in bytes, or of a unit of elements.
func (m *Map) Size() uint64 { return typeBytes[m.Type] }

// Pack returns the map's bytes.
func (m *Map) Pack() (b [Bytes]byte) {
	le := binary.LittleEndian
	le.PutUint64(b[0:], m.Address)
	im2col := byte(0)
	if m.Im2col {
		im2col = 1
	}
	copy(b[8:], []byte{byte(m.Type), byte(m.Rank), byte(m.Swizzle), byte(m.Atom), m.Interleave, m.Fill, im2col})
	for i := range Rank {
		le.PutUint32(b[16+4*i:], uint32(m.Dims[i]-1))
		le.PutUint16(b[36+2*i:], uint16(m.Box[i]))
		b[46+i] = byte(m.Steps[i])
		if i > 0 {
			le.PutUint64(b[56+8*(i-1):], m.Strides[i])
		}
	}
	for i := range m.Lower {
		le.PutUint16(b[88+2*i:], uint16(m.Lower[i]))
		le.PutUint16(b[94+2*i:], uint16(m.Upper[i]))
	}
	le.PutUint16(b[100:], uint16(m.Channels))
	le.PutUint16(b[102:], uint16(m.Pixels))
	le.PutUint64(b[120:], magic)
	return b
}

// ErrNoMap says that bytes are no tensor map.
var ErrNoMap = errors.New("there is no tensor map: neither did the manifest make one here nor was one copied")

// Unpack reads a map, and says if it is none, or one that no copy takes.
func Unpack(b []byte) (m Map, err error) {
	le := binary.LittleEndian
	if le.Uint64(b[120:]) != magic {
		return m, ErrNoMap
	}
	m.Address = le.Uint64(b[0:])
	m.Type, m.Rank, m.Swizzle, m.Atom, m.Interleave, m.Fill, m.Im2col = Type(b[8]), int(b[9]), Swizzle(b[10]), Atom(b[11]), b[12], b[13], b[14] != 0
	for i := range Rank {
		m.Dims[i] = uint64(le.Uint32(b[16+4*i:])) + 1
		m.Box[i] = uint32(le.Uint16(b[36+2*i:]))
		m.Steps[i] = max(uint32(b[46+i]), 1)
		if i > 0 {
			m.Strides[i] = le.Uint64(b[56+8*(i-1):])
		}
	}
	for i := range m.Lower {
		m.Lower[i], m.Upper[i] = int16(le.Uint16(b[88+2*i:])), int16(le.Uint16(b[94+2*i:]))
	}
	m.Channels, m.Pixels = uint32(le.Uint16(b[100:])), uint32(le.Uint16(b[102:]))
	if m.Type < numTypes {
		m.Strides[0] = m.Size()
	}
	return m, nil
}

// Check says why no copy takes a map.
func (m *Map) Check() error {
	switch {
	case m.Type >= numTypes || m.Type == F32ftz || m.Type == TF32 || m.Type == TF32ftz:
		return fmt.Errorf("tensor map: copies of elements of type number %d are not executed", m.Type)
	case m.Rank < 1 || m.Rank > Rank:
		return fmt.Errorf("tensor map: %d dimensions", m.Rank)
	case m.Interleave != 0:
		return errors.New("tensor map: what lies where in an interleaved layout is not executed")
	case m.Swizzle > Swizzle96 || m.Atom > Atom64 || m.Swizzle != Swizzle128 && m.Atom != Atom16:
		return fmt.Errorf("tensor map: swizzle %d with atomicity %d", m.Swizzle, m.Atom)
	}
	for i := range m.Rank { // the CUDA driver API's limits, within which tensormap.replace has to stay
		if box := m.Box[i]; !m.Im2col && (box < 1 || box > 256) {
			return fmt.Errorf("tensor map: a box of %d elements in dimension %d; there may be 1 to 256", box, i)
		}
		if step := m.Steps[i]; step > 8 {
			return fmt.Errorf("tensor map: an element stride of %d in dimension %d; it may be 1 to 8", step, i)
		}
	}
	return m.checkUnits()
}
