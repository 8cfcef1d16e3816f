package words

import "encoding/binary"

// Get reads the 1, 2, 4 or 8 bytes of b as an unsigned number.
func Get(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// Put writes the low bits of a number to the 1, 2, 4 or 8 bytes of b.
func Put(b []byte, v uint64) {
	switch len(b) {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// GetSigned is Get of a signed number: its sign fills the upper bits.
func GetSigned(b []byte) uint64 {
	above := 64 - 8*len(b)
	return uint64(int64(Get(b)<<above) >> above)
}
