package tensormap

import (
	"errors"
	"fmt"
)

// Unit is what of a row moves as one. Numbers of fewer than 8 bits lie packed in global memory,
// and go from there in sixteens (PTX ISA 5.5.1.1): Numbers of them have Packed bytes, and Padded
// in shared memory, those behind the packed ones of any value. All others are units of
// their own.
type Unit struct {
	Numbers        int64
	Packed, Padded uint64
}

// units are those of types whose numbers have fewer than 8 bits. Without padding any two of 4
// bits are one.
var units = map[Type]Unit{B4: {2, 1, 1}, B4Padded: {16, 8, 16}, B6Padded: {16, 12, 16}}

// Unit returns that of the map's type.
func (m *Map) Unit() Unit {
	if u, ok := units[m.Type]; ok {
		return u
	}
	return Unit{1, m.Size(), m.Size()}
}

// InUnits returns the map with what it counts along the innermost dimension in units.
func (m *Map) InUnits() Map {
	of, n := *m, m.Unit().Numbers
	of.Dims[0], of.Box[0], of.Channels = m.Dims[0]/uint64(n), m.Box[0]/uint32(n), m.Channels/uint32(n)
	return of
}

// Whole is of how many numbers the first coordinate must be a multiple: padded rows have 128
// (PTX ISA 9.7.10.28.5.1).
func (m *Map) Whole() int64 {
	u := m.Unit()
	if u.Padded > u.Packed {
		return paddedRow
	}
	return u.Numbers
}

const paddedRow, paddedAlign = 128, 32

// checkUnits says why no copy takes a map of a type with fewer than 8 bits (PTX ISA 9.7.10.28.5.1;
// cuTensorMapEncodeTiled, CUDA Driver API).
func (m *Map) checkUnits() error {
	u, row := m.Unit(), uint64(m.Box[0])
	if m.Im2col {
		row = uint64(m.Channels)
	}
	if u.Numbers == 1 {
		return nil
	}
	switch whole := uint64(m.Whole()); {
	case m.Fill != 0:
		return errors.New("tensor map: there is no NaN of numbers of fewer than 8 bits")
	case m.Dims[0]%whole != 0 || row%whole != 0:
		return fmt.Errorf("tensor map: %d numbers of fewer than 8 bits, and rows of %d: both must be multiples of %d", m.Dims[0], row, whole)
	case u.Padded == u.Packed:
		return nil
	case row != paddedRow:
		return fmt.Errorf("tensor map: rows of %d numbers with padding; they have %d", row, paddedRow)
	case m.Swizzle != NoSwizzle && m.Swizzle != Swizzle128 || m.Atom == Atom32Flip8:
		return fmt.Errorf("tensor map: swizzle %d with atomicity %d does not go with padding", m.Swizzle, m.Atom)
	}
	for i := range m.Rank {
		if at := m.Strides[i]; i > 0 && at%paddedAlign != 0 || m.Address%paddedAlign != 0 {
			return fmt.Errorf("tensor map: with padding the address and all strides are multiples of %d bytes", paddedAlign)
		}
	}
	return nil
}
