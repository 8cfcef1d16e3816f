package sim

import (
	"math/bits"

	"hyptx/internal/rows"
)

// A channel of DRAM moves its bytes one after the other. How close it comes to its
// peak depends on what it is asked for: turning from reads to writes and back costs,
// which the measured efficiencies of streams say, and so does opening rows. Its
// controller chooses among some dozens of requests: those of a row go together, and
// while a bank opens a row others move data. So the bus is busy for the data alone, a
// bank for its rows, and a request is done when both are; a row that was asked for
// within the last requests of the queue is open. Writes are gathered, and moved some
// dozens at a time, or while there is nothing else to do.

// dram are the channels.
type dram struct {
	channels []channel
	grain    int
	place    rows.Geometry
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
	// own is what the bytes moved take of DRAM itself, way of the ways from the L2, in ticks.
	own, way float64
}

// channel is one channel.
type channel struct {
	free  Tick // the bus
	opens Tick // when another row can be opened
	// writes is an average of the last requests' directions, requests their number.
	writes   float64
	requests uint32
	banks    []bank
	// waiting writes and the rows that they open, what their bytes take and what these do; since
	// when some wait.
	waiting, opened    int
	bytes, rows, since Tick
}

// bank is a bank of a channel: the rows that it opened last, and when it can open
// another one.
type bank struct {
	rows.Bank
	free Tick
}

func (d *dram) init(m *Config) {
	d.channels = make([]channel, m.DRAM.Channels)
	for i := range d.channels {
		d.channels[i].banks = make([]bank, m.DRAM.BanksPerChannel)
	}
	d.grain = max(1, m.DRAM.GrainBytes/sectorBytes)
	d.place = rows.Geometry{Channels: m.DRAM.Channels, Banks: m.DRAM.BanksPerChannel, RowBytes: m.DRAM.RowBytes}
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
	frame := d.place.Frame(block)
	c := &d.channels[d.place.Channel(block)]
	b := &c.banks[d.place.Bank(frame)]
	c.requests++
	d.idle(c, t)
	cost := d.cost(c, mask, write)
	if write {
		d.put(c, cost, b.Open(frame, c.requests, d.queue), t)
		return c.free
	}
	c.free = max(c.free, t) + cost
	d.busy += cost
	if b.Open(frame, c.requests, d.queue) {
		return c.free
	}
	d.activations++
	c.opens = max(c.opens, t) + d.activate
	begin := max(b.free, c.opens-d.activate)
	b.free = begin + d.row
	return max(c.free, begin+cost)
}

// idle lets writes that wait have the time until t in which the channel had nothing to do, once
// the first of their rows is open.
func (d *dram) idle(c *channel, t Tick) {
	begin := max(c.free, c.since) + d.miss
	taken := max(c.bytes, c.rows)
	had := min(t-begin, taken)
	if had <= 0 {
		return
	}
	d.busy, d.writing = d.busy+had, d.writing+had
	c.free = begin + had
	left := 1 - float64(had)/float64(taken)
	c.waiting, c.opened = int(float64(c.waiting)*left), int(float64(c.opened)*left)
	c.bytes, c.rows = Tick(float64(c.bytes)*left), Tick(float64(c.rows)*left)
}

// put lets a write wait until there are so many that the bus is turned for them. Meanwhile
// nothing is read: so they take as long as their bytes or as opening their rows, one by
// one, and what the reads before have opened is no use to them. If they take all banks,
// nothing moves until the first of their rows is open, nor behind them until a row is open
// for reads; else a bank that is not taken has its row open meanwhile, and what remains is
// in the measured efficiencies.
func (d *dram) put(c *channel, cost Tick, open bool, t Tick) {
	if c.bytes == 0 {
		c.since = t
	}
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
	own, way := float64(n)*d.sector*d.inverse(c.writes), float64(n)*d.link
	d.own, d.way = d.own+own, d.way+way
	return Tick(max(own, way))
}

// whole returns the sectors that an access for some of them moves: grains as a whole.
func (d *dram) whole(mask uint8) uint8 { return rows.Whole(mask, d.grain) }

// inverse returns the inverse of the efficiency of a mix: a parabola through that of
// reads, of writes and of both by half.
func (d *dram) inverse(writes float64) float64 {
	linear := d.read + (d.write-d.read)*writes
	return linear + (d.mixed-(d.read+d.write)/2)*4*writes*(1-writes)
}

// restart closes all rows and sets all times to 0.
func (d *dram) restart() {
	d.busy, d.writing, d.own, d.way = 0, 0, 0, 0
	for i := range d.channels {
		c := &d.channels[i]
		clear(c.banks)
		*c = channel{banks: c.banks}
	}
}

// grainTime is what the least access takes.
func (d *dram) grainTime() Tick { return Tick(float64(d.grain) * d.sector * d.read) }
