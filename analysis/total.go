package analysis

import (
	"fmt"
	"math"
	"slices"

	"hyptx/internal/cache"
)

// Totals are made of facts, not of rows: a counter that all launches know is a sum, the
// others follow the rule of their table (counter.go). What is neither is set here. The
// instructions of a file count once, however many launches run its kernels. The
// footprint of a network is the union of its launches': a buffer that one layer writes
// and the next one reads is touched once. And what the L2 still holds at the end
// belongs to no launch, but has to be written back all the same.

// finish adds the network's total behind the rows, unless it does not fit 64
// bits: a total that wrapped around would look like a small network.
func (p *Profile) finish(s *Session) error {
	if p.of.counted+p.of.failed == 0 {
		return nil
	}
	if p.of.largest >= math.MaxInt64 {
		return fmt.Errorf("%s: all launches together have more than %.0e instructions or operations: too many for a total; option launch chooses some", s.Manifest.File, float64(math.MaxInt64))
	}
	p.complete = true
	p.addTotal()
	return nil
}

// addTotal makes the row of a network from its launches: their facts together,
// and what is no sum, the distinct instructions and bytes, and what the L2 still
// had to write back when the last launch had ended.
func (p *Profile) addTotal() {
	total := p.of.total()
	total.Network = p.network
	f := &total.Facts
	f.Set(FileInstructions, p.of.fileInstructions)
	if n := p.of.footprint(); !f.CachesSimulated && !f.TrafficSampled && (n > 0 || f.Of(BytesTransferred).Known) {
		f.Set(FootprintBytes, n)
	}
	if f.Of(DRAMReadBytes).Known {
		total.CacheGPU = p.gpus[p.shown].Name
		if !f.CachesSimulated {
			f.Set(DRAMFlushBytes, cache.SectorBytes*p.flushedSectors[p.shown])
		}
	}
	p.totals = append(p.totals, total)
	p.Rows = append(p.Rows, newRow(&total.Launch, f))
}

// AddGrandTotal adds a row for all programs together, if there are several: the
// sum of their totals. Programs share no memory, so that footprints add up.
func (p *Profile) AddGrandTotal() {
	if len(p.totals) < 2 || p.of.largest >= math.MaxInt64 {
		return
	}
	var of tally
	for _, t := range p.totals {
		of.addFacts(t)
	}
	of.counted, of.failed = p.of.counted, p.of.failed
	grand := of.total()
	f := &grand.Facts
	f.Set(FileInstructions, p.of.fileInstructions)
	for _, c := range []Counter{FootprintBytes, DRAMFlushBytes} {
		known, sum := true, uint64(0)
		for _, t := range p.totals {
			known, sum = known && t.Facts.Of(c).Known, sum+t.Facts.Of(c).N
		}
		if known {
			f.Set(c, sum)
		}
	}
	grand.CacheGPU = p.totals[0].CacheGPU
	row := newRow(&grand.Launch, f)
	row.Kind = kindGrandTotal
	p.Rows = append(p.Rows, row)
}

// DropTotals leaves the rows of launches.
func (p *Profile) DropTotals() {
	p.Rows = slices.DeleteFunc(p.Rows, func(r *Row) bool { return r.Kind != KindLaunch })
}
