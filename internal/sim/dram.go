package sim

// A channel of DRAM moves its bytes one after the other. How close it comes to its
// peak depends on what it is asked for: turning from reads to writes and back costs,
// which the measured efficiencies of streams say, and so does opening rows. A real
// controller gathers the requests of a row from a queue of some dozens. Rows open
// while others move data: what that hides costs nothing.

// dram are the channels.
type dram struct {
	channels []channel
	grain    int
	// frame are the blocks that a row of each channel holds together.
	frame uint64
	// sector is what 32 bytes take of a channel at its peak; read, write and mixed
	// multiply it.
	sector             float64
	read, write, mixed float64
	activate, row      Tick
	activations        uint64
}

// channel is one channel.
type channel struct {
	free Tick
	// reads and writes are an average of the last requests' directions.
	writes float64
	banks  []bank
	opened Tick // the last activation
}

// bank is a bank of a channel.
type bank struct {
	row  uint64 // that is open, plus 1
	free Tick   // when another one can be opened
}

func (d *dram) init(m *Config) {
	d.channels = make([]channel, m.DRAM.Channels)
	for i := range d.channels {
		d.channels[i].banks = make([]bank, m.DRAM.BanksPerChannel)
	}
	d.grain = max(1, m.DRAM.GrainBytes/sectorBytes)
	d.frame = uint64(m.DRAM.RowBytes / blockBytes * m.DRAM.Channels)
	d.sector = sectorBytes * float64(m.DRAM.Channels) / m.DRAM.BytesPerCycle * ticksPerCycle
	d.read, d.write, d.mixed = 1/m.DRAM.ReadEfficiency, 1/m.DRAM.WriteEfficiency, 1/m.DRAM.MixedEfficiency
	d.activate, d.row = Cycles(m.DRAM.ActivateCycles), Cycles(m.DRAM.RowCycles)
}

// access moves sectors of a block at t; it returns when they have been moved.
func (d *dram) access(block uint64, mask uint8, write bool, t Tick) Tick {
	// Pieces of 512 bytes go to channels in turn, in an order of its own for each frame;
	// what a frame has in one channel is a row there.
	frame := block / d.frame
	h := hash(frame ^ 0x2545F491)
	c := &d.channels[(block%d.frame/pieceBlocks+h)%uint64(len(d.channels))]
	b := &c.banks[h>>32%uint64(len(c.banks))]
	start := t
	if b.row != frame+1 {
		start = max(t, c.opened+d.activate, b.free)
		c.opened = start
		b.row, b.free = frame+1, start+d.row
		d.activations++
	}
	c.free = max(c.free, start) + d.cost(c, mask, write)
	return c.free
}

// pieceBlocks is how much in a row of addresses belongs to one channel: own choice,
// 512 bytes.
const pieceBlocks = 4

// cost returns what sectors take of a channel: whole grains, at the efficiency of the
// present mix of directions.
func (d *dram) cost(c *channel, mask uint8, write bool) Tick {
	n := 0
	for g := 0; g < blockSectors; g += d.grain {
		if mask>>g&(1<<d.grain-1) != 0 {
			n += d.grain
		}
	}
	const memory = 1.0 / 64 // of requests, as long as a controller's queue
	now := 0.0
	if write {
		now = 1
	}
	c.writes += (now - c.writes) * memory
	return Tick(float64(n) * d.sector * d.inverse(c.writes))
}

// inverse returns the inverse of the efficiency of a mix: a parabola through that of
// reads, of writes and of both by half.
func (d *dram) inverse(writes float64) float64 {
	linear := d.read + (d.write-d.read)*writes
	return linear + (d.mixed-(d.read+d.write)/2)*4*writes*(1-writes)
}

// restart closes all rows and sets all times to 0.
func (d *dram) restart() {
	for i := range d.channels {
		c := &d.channels[i]
		clear(c.banks)
		*c = channel{banks: c.banks, opened: -d.activate}
	}
}

// grainTime is what the least access takes.
func (d *dram) grainTime() Tick { return Tick(float64(d.grain) * d.sector * d.read) }
