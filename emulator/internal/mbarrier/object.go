package mbarrier

// Object is an mbarrier object taken out of its 64 bits: bits 0 to 19 are the
// expected arrivals of a phase, 20 to 39 those still pending, 40 to 60 the
// tx-count in two's complement, 61 the layout and 63 the parity of the phase. Of
// .layout::v1, whose counts are smaller, bits 16 to 18 are what copies have
// reported in this phase, in the one before, and the parity of the conditional
// phase (9.7.15.16.3, .5).
type Object struct {
	Expected, Pending int64 // arrivals
	Tx                int64 // bytes
	Parity            uint64
	V1                bool   // .layout::v1
	Report, Last      bool   // a copy has reported, in this phase and in the last
	Conditional       uint64 // the parity of the conditional phase
}

// most is the largest count of arrivals and of bytes, mostV1 that of arrivals at an
// object of .layout::v1 (9.7.15.16.3).
const (
	most   = 1<<20 - 1
	mostV1 = 1<<9 - 1
)

// The bits of an object beside its counts.
const (
	layoutBit      = 61
	reportBit      = 16
	lastBit        = 17
	conditionalBit = 18

	txBit  = 40
	txBits = 21
)

// Unpack reads an object, or the state that an arrival returned.
func Unpack(v uint64) Object {
	b := Object{Expected: int64(v & most), Pending: int64(v >> 20 & most), Tx: int64(v<<(64-txBit-txBits)) >> (64 - txBits), Parity: v >> 63}
	if b.V1 = v>>layoutBit&1 != 0; b.V1 {
		b.Expected &= mostV1
		b.Report, b.Last = v>>reportBit&1 != 0, v>>lastBit&1 != 0
		b.Conditional = v >> conditionalBit & 1
	} else {
		b.Conditional = b.Parity // both phases go on together
	}
	return b
}

// Tagged returns the state of an arrival: the object before it, but for its tx-count, of which
// no state tells. In its place stands what tells apart the states of objects and phases.
func Tagged(state uint64, tag uint32) uint64 {
	return state&^(1<<(txBit+txBits)-1<<txBit) | uint64(tag)&(1<<txBits-1)<<txBit
}

// Tag returns what a state is tagged with.
func Tag(state uint64) uint32 { return uint32(state >> txBit & (1<<txBits - 1)) }

// Pack is the opposite of Unpack.
func (b Object) Pack() uint64 {
	v := uint64(b.Expected) | uint64(b.Pending)<<20 | uint64(b.Tx)&(1<<txBits-1)<<txBit | b.Parity<<63
	if b.V1 {
		v |= 1<<layoutBit | bit(b.Report)<<reportBit | bit(b.Last)<<lastBit | b.Conditional<<conditionalBit
	}
	return v
}

func bit(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// complete begins the next phase if nothing is pending any more. The conditional phase goes
// on with it unless a copy has reported (9.7.15.16.8).
func (b *Object) complete() {
	if b.Pending == 0 && b.Tx == 0 {
		b.Parity ^= 1
		b.Pending = b.Expected
		if !b.Report {
			b.Conditional ^= 1
		}
		b.Report, b.Last = false, b.Report
	}
}

// Update applies an operation with its count to an object. The manual leaves
// undefined what a count outside its range does; here it is an error, and wrong
// says which.
func (b *Object) Update(op Operation, count int64) (wrong string) {
	v1 := b.V1
	wrong = op(b, count)
	b.V1 = v1
	switch arrivals := max(b.Expected, b.Pending); {
	case wrong != "":
	case max(arrivals, b.Tx, -b.Tx) > most, b.Expected < 0, v1 && arrivals > mostV1:
		wrong = "a count of an mbarrier leaves its range"
	}
	return wrong
}
