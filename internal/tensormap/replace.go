package tensormap

import (
	"fmt"
	"math"
)

// Replace changes a field of a map, as tensormap.replace names it (PTX ISA 9.7.10.29). ord
// is the dimension where the field has one for each.
func (m *Map) Replace(field string, ord int, v uint64) error {
	if ord < 0 || ord >= Rank {
		return fmt.Errorf("tensor map: dimension %d", ord)
	}
	switch field {
	case "global_address":
		m.Address = v
	case "rank":
		m.Rank = int(v&7) + 1 // counted from zero
	case "box_dim":
		m.Box[ord] = uint32(min(v, math.MaxUint16)) // what is beyond the limits stays so
	case "global_dim":
		m.Dims[ord] = uint64(uint32(v))
	case "global_stride":
		if ord == Rank-1 {
			return fmt.Errorf("tensor map: stride %d", ord)
		}
		m.Strides[ord+1] = v
	case "element_stride":
		m.Steps[ord] = uint32(min(v, math.MaxUint8))
	case "elemtype":
		m.Type = Type(v)
	case "interleave_layout":
		m.Interleave = uint8(v)
	case "swizzle_mode":
		m.Swizzle = Swizzle(v)
	case "swizzle_atomicity":
		m.Atom = Atom(v)
	case "fill_mode":
		m.Fill = uint8(v)
	default:
		return fmt.Errorf("tensor map: no field %s", field)
	}
	return nil
}
