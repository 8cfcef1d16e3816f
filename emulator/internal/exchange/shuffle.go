package exchange

import (
	"math/bits"

	"hyptx/emulator/internal/lanes"
)

// Shuffle is how shfl names the lane that it reads from.
type Shuffle int

// The modes of shfl: b lanes below, b above, the lane whose number differs in
// the bits of b, lane b of the segment.
const (
	Up Shuffle = iota
	Down
	Butterfly
	Index
)

// Shuffles are the modes by the modifiers that name them.
var Shuffles = map[string]Shuffle{"up": Up, "down": Down, "bfly": Butterfly, "idx": Index}

// Run gives each lane of m the value of a in the lane that mode, b and c name
// (PTX ISA 9.7.10.6). The mask in bits 8 to 12 of c cuts the warp into segments
// of a power of two lanes, bits 0 to 4 clamp the source within one: with c =
// 0x1f the warp is one segment, with 0x181f there are four of 8 lanes.
//
// A source out of range leaves a lane its own value and a false predicate. One
// that has exited, which the manual leaves undefined, gives 0. absent are the
// lanes whose source does not take part.
func (mode Shuffle) Run(a, b, c *lanes.Slot, m, alive uint32) (out lanes.Slot, inRange, absent uint32) {
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := uint32(bits.TrailingZeros32(rest))
		step, clamp, segment := b[lane]&31, c[lane]&31, c[lane]>>8&31
		last := lane&segment | clamp&^segment
		var from uint32
		var ok bool
		switch mode {
		case Up:
			from, ok = lane-step, int32(lane-step) >= int32(last)
		case Down:
			from, ok = lane+step, lane+step <= last
		case Butterfly:
			from, ok = lane^step, lane^step <= last
		default:
			from = lane&segment | step&^segment
			ok = from <= last
		}
		if ok {
			inRange |= 1 << lane
			if m>>(from&31)&1 == 0 {
				absent |= 1 << lane
			}
		} else {
			from = lane
		}
		if alive>>(from&31)&1 != 0 {
			out[lane] = a[from&31]
		}
	}
	return out, inRange, absent
}
