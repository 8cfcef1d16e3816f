package analysis

import (
	"fmt"
	"math"
	"slices"

	"hyptx/internal/cache"
)

// finish adds the network's total behind the rows, unless it does not fit 64
// bits.
func (p *Profile) finish(s *Session) error {
	if len(p.Launches) == 0 {
		return nil
	}
	if p.largest() >= math.MaxInt64 {
		return fmt.Errorf("%s: all launches together have more than %.0e instructions or operations: too many for a total; option launch chooses some", s.Manifest.File, float64(math.MaxInt64))
	}
	p.complete = true
	p.addTotal()
	return nil
}

// largest bounds every counter of the total from above.
func (p *Profile) largest() (n float64) {
	for _, lp := range p.Launches {
		n += max(lp.Facts.largest(), lp.Facts.X(StaticThreadInstructions))
	}
	return n
}

// addTotal makes the row of a network from its launches: their facts together,
// and what is no sum, the distinct instructions and bytes, and what the L2 still
// had to write back when the last launch had ended.
func (p *Profile) addTotal() {
	total := sumOf(p.Launches)
	total.Network = p.network
	f := &total.Facts
	f.Set(FileInstructions, p.fileInstructions())
	if f.Of(BytesTransferred).Known {
		f.Set(FootprintBytes, p.footprint())
	}
	if f.Of(DRAMReadBytes).Known {
		total.CacheGPU = p.gpus[p.shown].Name
		f.Set(DRAMFlushBytes, cache.SectorBytes*p.flushedSectors[p.shown])
	}
	p.totals = append(p.totals, total)
	p.Rows = append(p.Rows, newRow(&total.Launch, f))
}

// sumOf adds launches up: their facts, and how sure they are.
func sumOf(launches []*LaunchProfile) *LaunchProfile {
	total := &LaunchProfile{Facts: totalOf(launches)}
	for _, lp := range launches {
		total.AnalysisMS.X += lp.AnalysisMS.X
		total.AnalysisMS.Known = lp.AnalysisMS.Known
		total.Exactness = Worse(total.Exactness, lp.Exactness)
	}
	return total
}

// AddGrandTotal adds a row for all programs together, if there are several: the
// sum of their totals. Programs share no memory, so that footprints add up.
func (p *Profile) AddGrandTotal() {
	if len(p.totals) < 2 || p.largest() >= math.MaxInt64 {
		return
	}
	grand := sumOf(p.totals)
	f := &grand.Facts
	f.Set(FileInstructions, p.fileInstructions())
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

// fileInstructions sums over the distinct files of the launches.
func (p *Profile) fileInstructions() (n uint64) {
	seen := map[any]bool{}
	for _, lp := range p.Launches {
		if m := lp.Kernel.Module; !seen[m] {
			seen[m] = true
			n += uint64(len(m.Instrs))
		}
	}
	return n
}
