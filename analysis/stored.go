package analysis

import (
	"math"
	"math/bits"

	"hyptx/internal/traffic"
	"hyptx/internal/traffic/stream"
)

// What a launch stores the next one finds in the L2, also where a part of its CTAs was simulated, or
// none. So the simulators are told what it leaves there: where it stores follows from where
// the first CTA does, and how much that is from what one stores and how many there are.

// leave tells the simulators what a launch leaves in the L2 of which they have not seen all:
// what it stores. skipped: they have seen nothing of it.
func (x *simulation) leave(l *launchPlan, of *simulatedLaunch, skipped bool) {
	for i, e := range of.results {
		if e.Unfit != nil || !e.Part && !skipped {
			continue
		}
		if of.stores == nil {
			of.stores = l.stores(e.Stored, of.storedBytes)
		}
		for k, stored := range of.stores {
			p := l.block.Pointers[k]
			if stored.blocks == 0 {
				continue
			}
			end := (p.Buffer.Base + uint64(p.Buffer.Bytes) + stream.BlockBytes - 1) / stream.BlockBytes
			first := p.Address()/stream.BlockBytes + stored.from
			x.of[i].Leave(first, min(stored.blocks, max(end, first)-first))
		}
	}
}

// storing is that so many blocks are stored, from one behind that to which a pointer leads.
type storing struct{ from, blocks uint64 }

// stores returns what a launch stores by its pointers, and behind it, if all CTAs store as many bytes
// as the first one, 0 where nobody counted them. Sectors of which one stores a part alone are
// other CTAs' as well, and counted for none twice: of a grid of small tiles that is every second.
func (l *launchPlan) stores(first []uint64, bytes uint64) []storing {
	of := make([]storing, len(l.block.Pointers))
	all, last, before := uint64(0), uint64(0), uint8(0)
	for _, word := range first {
		block, by := word>>8, -1
		if block != last {
			last, before = block, 0
		}
		mask := uint8(word&15) &^ before // what other stores had not
		before |= mask
		for k, p := range l.block.Pointers {
			at := p.Address() / stream.BlockBytes
			if p.Buffer != nil && at <= block && (by < 0 || at > l.block.Pointers[by].Address()/stream.BlockBytes) {
				by = k
			}
		}
		if by < 0 {
			continue
		}
		sectors, from := uint64(bits.OnesCount8(mask)), block-l.block.Pointers[by].Address()/stream.BlockBytes
		if of[by].blocks == 0 || from < of[by].from {
			of[by].from = from
		}
		of[by].blocks += sectors
		all += sectors
	}
	alone := 1.0
	if bytes > 0 && all > 0 {
		alone = min(1, float64(bytes)/float64(all*sectorBytes))
	}
	for k := range of {
		of[k].blocks = (uint64(math.Ceil(alone*float64(of[k].blocks*l.ctas()))) + stream.BlockSectors - 1) / stream.BlockSectors
	}
	return of
}

// storedBytes returns the distinct bytes of global memory that a CTA stores, of so many that were counted.
func (s *sample) storedBytes() (n uint64) {
	if s.moved == nil || s.ctas == 0 {
		return 0
	}
	for i := range s.moved.Accesses {
		if a := &s.moved.Accesses[i]; a.Kind == traffic.Store {
			n += a.Spaces[traffic.Global].UniqueBytes
		}
	}
	return n / uint64(s.ctas)
}
