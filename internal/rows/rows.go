// Package rows says to which channel, bank and row of DRAM an address belongs, and whether a
// request finds its row open: the simulator asks for when it is served, the cache model for how many
// rows a launch opens.
//
// A controller chooses among some dozens of requests: those of a row go together. So a row that was
// asked for within the last requests of its channel is open, or will be for both.
package rows

import "math/bits"

// Geometry is that of a GPU's DRAM.
type Geometry struct {
	Channels, Banks int // banks of a channel
	RowBytes        int
	QueueRequests   int // of a channel, among which it chooses
}

const blockBytes = 128

// mostBanks bounds the banks of all channels, far above any GPU built.
const mostBanks = 1 << 20

// Valid reports whether there is such a DRAM: rows hold a block at least.
func (g *Geometry) Valid() bool {
	return g.Channels > 0 && g.Banks > 0 && g.Channels <= mostBanks/g.Banks && g.RowBytes >= blockBytes && g.QueueRequests >= 0
}

// pieceBlocks is how much in a row of addresses belongs to one channel: 256 bytes (GPGPU-Sim configurations,
// commit 045b68f, tested-cfgs/SM7_QV100: dramid@8). With 512, what a warp stores of 16 bytes a lane was for one channel, for which all SMs waited.
const pieceBlocks = 2

// Frame returns which rows a block of 128 bytes is in: as many as there are channels, one
// in each, hold a frame.
func (g *Geometry) Frame(block uint64) uint64 {
	return block / uint64(g.RowBytes/blockBytes*g.Channels)
}

// Channel returns the channel of a block: pieces go to channels in turn.
func (g *Geometry) Channel(block uint64) uint64 {
	return Spread(block/pieceBlocks, uint64(g.Channels))
}

// Bank returns the bank of a frame in each channel.
func (g *Geometry) Bank(frame uint64) uint64 { return Spread(frame, uint64(g.Banks)) }

// Whole returns the sectors of a block that DRAM moves where it is asked for some and moves no less
// than a grain of so many.
func Whole(mask uint8, grain int) (of uint8) {
	for g := 0; g < blockBytes/32; g += grain {
		if whole := uint8(1<<grain-1) << g; mask&whole != 0 {
			of |= whole
		}
	}
	return of
}

// Spread returns the place among n of what has a number: neighbours go round, and each
// round of rounds begins one further, so that strides meet all places alike. With n a
// power of two GPUs take exclusive ors of the same digits to the same end. The sum of a
// number's digits leaves by n-1 what the number leaves: so a stride must have no factor in
// common with n-1, and where that is even each round begins two further. A small n has too
// few places in four digits: those of its square come first.
func Spread(number, n uint64) uint64 {
	if n == 1 {
		return 0
	}
	if n < fewPlaces {
		number = Spread(number, n*n)
	}
	if n&(n-1) == 0 { // most are, and divisions take long
		shift := bits.TrailingZeros64(n)
		a := number >> shift
		b := a >> shift
		return (number + a + b + b>>shift) & (n - 1)
	}
	a := number / n
	b := a / n
	further := a + b + b/n
	if n%2 == 1 {
		further *= 2
	}
	return (number + further) % n
}

// fewPlaces are so few that four digits say little.
const fewPlaces = 16

// Bank is a bank: the frames of the rows that it was asked for last.
type Bank [rowsKept]struct {
	frame uint64 // plus 1
	last  uint32 // the number of the last request for it
}

// rowsKept are how many rows of a bank the requests in a queue are of at most.
const rowsKept = 4

// Open reports whether a row is open, or gathered with requests before, and notes that
// it was asked for by the request of a number in its channel.
func (b *Bank) Open(frame uint64, now, queue uint32) bool {
	oldest := 0
	for i := range b {
		r := &b[i]
		if r.frame == frame+1 {
			near := now-r.last <= queue
			r.last = now
			return near
		}
		if now-r.last > now-b[oldest].last {
			oldest = i
		}
	}
	b[oldest].frame, b[oldest].last = frame+1, now
	return false
}

// Rows are those of all banks.
type Rows struct {
	Geometry
	requests []uint32 // of each channel
	banks    []Bank
}

// New returns rows none of which is open.
func New(g Geometry) *Rows {
	return &Rows{g, make([]uint32, g.Channels), make([]Bank, g.Channels*g.Banks)}
}

// Open reports whether a request for a block of 128 bytes, the next one of its channel, finds its row open.
func (r *Rows) Open(block uint64) bool {
	c, frame := r.Channel(block), r.Frame(block)
	r.requests[c]++
	return r.banks[c*uint64(r.Banks)+r.Bank(frame)].Open(frame, r.requests[c], uint32(r.QueueRequests))
}
