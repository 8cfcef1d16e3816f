package mbarrier

// Object is an mbarrier object taken out of its 64 bits: bits 0 to 19 are the
// expected arrivals of a phase, 20 to 39 those still pending, 40 to 60 the
// tx-count in two's complement and 63 the parity of the phase. Bit 61 is its layout,
// which nothing here depends on.
type Object struct {
	Expected, Pending int64 // arrivals
	Tx                int64 // bytes
	Parity            uint64
}

// most is the largest count of arrivals and of bytes (9.7.15.16.4).
const most = 1<<20 - 1

// LayoutV1 is the bit of an object of .layout::v1, which could also hold what copies
// report.
const LayoutV1 = 1 << 61

// Unpack reads an object, or the state that an arrival returned.
func Unpack(v uint64) Object {
	return Object{Expected: int64(v & most), Pending: int64(v >> 20 & most), Tx: int64(v<<3) >> 43, Parity: v >> 63}
}

// Pack is the opposite.
func (b Object) Pack() uint64 {
	return uint64(b.Expected) | uint64(b.Pending)<<20 | uint64(b.Tx)&(1<<21-1)<<40 | b.Parity<<63
}

// complete begins the next phase if nothing is pending any more.
func (b *Object) complete() {
	if b.Pending == 0 && b.Tx == 0 {
		b.Parity ^= 1
		b.Pending = b.Expected
	}
}

// Update applies an operation with its count to an object. The manual leaves
// undefined what a count outside its range does; here it is an error, and wrong
// says which.
func (b *Object) Update(op Operation, count int64) (wrong string) {
	wrong = op(b, count)
	if wrong == "" && (max(b.Expected, b.Pending, b.Tx, -b.Tx) > most || b.Expected < 0) {
		wrong = "a count of an mbarrier leaves its range"
	}
	return wrong
}
