package sim

import "math/bits"

// A channel of DRAM moves its bytes one after the other. How close it comes to its
// peak depends on what it is asked for: turning from reads to writes and back costs,
// which the measured efficiencies of streams say, and so does opening rows. Its
// controller chooses among some dozens of requests: those of a row go together, and
// while a bank opens a row others move data. So the bus is busy for the data alone, a
// bank for its rows, and a request is done when both are; a row that was asked for
// within the last requests of the queue is open. Writes are gathered, and moved some
// dozens at a time.

// dram are the channels.
type dram struct {
	channels []channel
	grain    int
	// frame are the blocks that a row of each channel holds together.
	frame uint64
	// sector is what 32 bytes take of a channel at its peak; read, write and mixed
	// multiply it. link is what they take of the way from the L2.
	sector, link       float64
	read, write, mixed float64
	// row passes between two activations of a bank, activate between two of a channel; miss
	// from the end of what a bank did for one row to the first bytes of another one.
	row, activate, miss Tick
	queue               uint32
	activations         uint64
	busy, writing       Tick // what all buses were taken for, and for writes
}

// channel is one channel.
type channel struct {
	free  Tick // the bus
	opens Tick // when another row can be opened
	// writes is an average of the last requests' directions, requests their number.
	writes   float64
	requests uint32
	banks    []bank
	// waiting writes and the rows that they open, what their bytes take and what these do.
	waiting, opened int
	bytes, rows     Tick
}

// bank is a bank of a channel: the rows that it opened last, and when it can open
// another one.
type bank struct {
	rows [rowsKept]openRow
	free Tick
}

// openRow is a row, by its frame plus 1, and the number of the last request for it.
type openRow struct {
	frame uint64
	last  uint32
}

// rowsKept are how many rows of a bank the requests in a queue are of at most.
const rowsKept = 4

// open reports whether a row is open, or gathered with requests before, and notes that
// it was asked for.
func (b *bank) open(frame uint64, now, queue uint32) bool {
	oldest := 0
	for i := range b.rows {
		r := &b.rows[i]
		if r.frame == frame+1 {
			near := now-r.last <= queue
			r.last = now
			return near
		}
		if now-r.last > now-b.rows[oldest].last {
			oldest = i
		}
	}
	b.rows[oldest] = openRow{frame + 1, now}
	return false
}

func (d *dram) init(m *Config) {
	d.channels = make([]channel, m.DRAM.Channels)
	for i := range d.channels {
		d.channels[i].banks = make([]bank, m.DRAM.BanksPerChannel)
	}
	d.grain = max(1, m.DRAM.GrainBytes/sectorBytes)
	d.frame = uint64(m.DRAM.RowBytes / blockBytes * m.DRAM.Channels)
	d.sector = sectorBytes * float64(m.DRAM.Channels) / m.DRAM.BytesPerCycle * ticksPerCycle
	if m.DRAM.LinkBytesPerCycle > 0 {
		d.link = sectorBytes * float64(m.DRAM.Channels) / m.DRAM.LinkBytesPerCycle * ticksPerCycle
	}
	d.read, d.write, d.mixed = 1/m.DRAM.ReadEfficiency, 1/m.DRAM.WriteEfficiency, 1/m.DRAM.MixedEfficiency
	d.row, d.activate, d.miss = Cycles(m.DRAM.RowCycles), Cycles(m.DRAM.ActivateCycles), Cycles(m.DRAM.MissCycles)
	d.queue = uint32(m.DRAM.QueueRequests)
}

// access moves sectors of a block at t; it returns when they have been moved.
func (d *dram) access(block uint64, mask uint8, write bool, t Tick) Tick {
	// Pieces of 512 bytes go to channels in turn; what a frame has in one channel is a
	// row there.
	frame := block / d.frame
	c := &d.channels[spread(block/pieceBlocks, uint64(len(d.channels)))]
	b := &c.banks[spread(frame, uint64(len(c.banks)))]
	c.requests++
	cost := d.cost(c, mask, write)
	if write {
		d.put(c, cost, b.open(frame, c.requests, d.queue), t)
		return c.free
	}
	c.free = max(c.free, t) + cost
	d.busy += cost
	if b.open(frame, c.requests, d.queue) {
		return c.free
	}
	d.activations++
	c.opens = max(c.opens, t) + d.activate
	begin := max(b.free, c.opens-d.activate)
	b.free = begin + d.row
	return max(c.free, begin+cost)
}

// put lets a write wait until there are so many that the bus is turned for them. Meanwhile
// nothing is read: so they take as long as their bytes or as opening their rows, one by
// one, and what the reads before have opened is no use to them. If they take all banks,
// nothing moves until the first of their rows is open, nor behind them until a row is open
// for reads; else a bank that is not taken has its row open meanwhile, and what remains is
// in the measured efficiencies.
func (d *dram) put(c *channel, cost Tick, open bool, t Tick) {
	c.bytes += cost
	if !open {
		d.activations++
		c.opened++
		c.rows += d.activate
	}
	if c.waiting++; c.waiting < writeBatch {
		return
	}
	if c.opened >= len(c.banks) {
		c.rows += 2 * d.miss
	}
	taken := max(c.bytes, c.rows)
	c.free = max(c.free, t) + taken
	d.busy, d.writing = d.busy+taken, d.writing+taken
	c.waiting, c.opened, c.bytes, c.rows = 0, 0, 0, 0
}

// writeBatch is how many writes a channel gathers: own choice, half of its queue.
const writeBatch = 32

// pieceBlocks is how much in a row of addresses belongs to one channel: own choice,
// 512 bytes.
const pieceBlocks = 4

// cost returns what sectors take of a channel: whole grains, at the efficiency of the
// present mix of directions.
func (d *dram) cost(c *channel, mask uint8, write bool) Tick {
	n := bits.OnesCount8(d.whole(mask))
	const memory = 1.0 / 64 // requests back, as long as a controller's queue
	now := 0.0
	if write {
		now = 1
	}
	c.writes += (now - c.writes) * memory
	return Tick(float64(n) * max(d.sector*d.inverse(c.writes), d.link))
}

// whole returns the sectors that an access for some of them moves: grains as a whole.
func (d *dram) whole(mask uint8) (of uint8) {
	for g := 0; g < blockSectors; g += d.grain {
		if grain := uint8(1<<d.grain-1) << g; mask&grain != 0 {
			of |= grain
		}
	}
	return of
}

// inverse returns the inverse of the efficiency of a mix: a parabola through that of
// reads, of writes and of both by half.
func (d *dram) inverse(writes float64) float64 {
	linear := d.read + (d.write-d.read)*writes
	return linear + (d.mixed-(d.read+d.write)/2)*4*writes*(1-writes)
}

// restart closes all rows and sets all times to 0.
func (d *dram) restart() {
	d.busy, d.writing = 0, 0
	for i := range d.channels {
		c := &d.channels[i]
		clear(c.banks)
		*c = channel{banks: c.banks}
	}
}

// grainTime is what the least access takes.
func (d *dram) grainTime() Tick { return Tick(float64(d.grain) * d.sector * d.read) }
