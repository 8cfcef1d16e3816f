package sim

import (
	"iter"
	"math"
	"math/bits"
	"slices"

	"hyptx/internal/pipe"
)

// A part of the SMs stands for all as long as its CTAs meet in the L2 what those of the
// whole GPU do. CTAs that run for long are few even in a large budget, and these few do
// not share what thousands do: the tiles of a matrix product, which every CTA of a row
// reads, come from DRAM once for all of them, and once for each where one SM is
// simulated alone. So where CTAs are loops that do the same from beginning to end, the
// beginnings of a whole wave are simulated on all SMs.

// beginnings is what a plan knows of CTAs of which it sees the beginnings alone.
type beginnings struct {
	// portion is how much of each CTA is simulated, by instructions, 1 all of it, and words how much
	// of a trace has them.
	portion      float64
	words        float64
	instructions int64  // of a whole CTA
	stored       uint64 // sectors that a whole CTA writes
	fresh        fresh
}

// leastLength is how many instructions of each warp are simulated, if a few SMs are enough
// to make room for that: some rounds of a loop, which take longer than what begins a CTA (own
// choice).
const leastLength = 500

// maxMix is by how much a CTA's beginning may differ from all of it for the rest to be
// taken to go on like it: half the sum of the differences between the shares of blocks,
// those of SimPoint's basic block vectors (Sherwood et al., ASPLOS 2002). The limit is
// an own choice.
const maxMix = 0.1

// maxBlock is how much of a warp one run of a block may be for its rounds to be told from
// its phases (own choice).
const maxBlock = 0.1

// shorten lets a plan that would do without SMs do without the ends of CTAs instead, if
// these are the same from beginning to end.
func (p *plan) shorten(c *Code, first *CTA, budget int64) {
	if p.sms == p.of {
		return
	}
	n, of := c.instructions(first), *p
	of.sms, of.waves = p.of, 1
	portion := float64(budget) / float64(n*(p.size+p.rest))
	if length := portion * float64(n) / float64(len(first.Warps)); length < leastLength {
		of.halve(max(leastSMs, int64(float64(min(p.of, p.size))*length/leastLength)))
	}
	of.share, of.restShare = of.among(p.size), of.among(p.rest)
	portion = float64(budget) / float64(n*(of.share+of.restShare))
	// The block at which a trace is cut is left out.
	portion += c.longest(first)
	if portion >= 1 || c.mix(first, portion) > maxMix {
		return
	}
	*p = of
	sectors, _ := c.stored(first)
	portion, words := c.cutNear(first, portion)
	p.beginnings = beginnings{portion: portion, words: words, instructions: n, stored: sectors}
}

// mark returns how many CTAs find caches cold.
func (p *plan) mark() int64 {
	if p.portion < 1 { // all do, as far as they are seen
		return math.MaxInt64
	}
	return p.share
}

// longest returns how much of a warp a block is at most.
func (c *Code) longest(of *CTA) (share float64) {
	for _, t := range of.Warps {
		n, most := 0, int32(0)
		for b := range c.walk(t) {
			n++
			most = max(most, c.blocks[b].end-c.blocks[b].first)
		}
		if n > 1 {
			share = max(share, float64(most)/float64(c.length(t)))
		}
	}
	return share
}

// mix returns how the beginning of a CTA differs from all of it, 0 to 1, which is that of
// one that is no loop.
func (c *Code) mix(of *CTA, portion float64) (d float64) {
	whole, begun := newBlockCounts(len(c.blocks)), newBlockCounts(len(c.blocks))
	for _, t := range of.Warps {
		length := c.length(t)
		n, most := int64(0), int64(portion*float64(length))
		for b := range c.walk(t) {
			k := int64(c.blocks[b].end - c.blocks[b].first)
			if float64(k) > maxBlock*float64(length) {
				return 1
			}
			whole.run(b, k)
			begun.run(b, max(0, min(k, most-n)))
			n += k
		}
	}
	return begun.mix(&whole)
}

// stored returns how many sectors of global memory a CTA writes, and their words ([Sectors]).
func (c *Code) stored(of *CTA) (n uint64, in []uint64) {
	for kind, record := range c.accesses(of) {
		if space := spaceOf(record[0]); space == BulkStore || kind == pipe.StoreGlobal && space != Peer {
			for _, w := range record[1:] {
				n += uint64(bits.OnesCount8(uint8(w & 15)))
			}
			in = append(in, record[1:]...)
		}
	}
	slices.Sort(in)
	return n, slices.Compact(in)
}

// accesses goes through the accesses of a CTA by their records.
func (c *Code) accesses(of *CTA) iter.Seq2[pipe.Kind, Trace] {
	return func(yield func(pipe.Kind, Trace) bool) {
		for _, t := range of.Warps {
			for b, records := range c.walk(t) {
				for kind, record := range c.recordsOf(b, records) {
					if !yield(kind, record) {
						return
					}
				}
			}
		}
	}
}

// recordsOf goes through the accesses of one run of a block.
func (c *Code) recordsOf(block uint32, records Trace) iter.Seq2[pipe.Kind, Trace] {
	return func(yield func(pipe.Kind, Trace) bool) {
		for k := c.blocks[block].first; k < c.blocks[block].end; k++ {
			n := 1
			switch o := &c.ops[k]; {
			case o.records():
				if n += blocksOf(records[0]); !yield(o.kind, records[:n]) {
					return
				}
			case !o.record:
				n = 0
			}
			records = records[n:]
		}
	}
}

// walk goes through the blocks of a trace, with the records of each.
func (c *Code) walk(t Trace) iter.Seq2[uint32, Trace] {
	return func(yield func(uint32, Trace) bool) {
		for i := 0; i < len(t); {
			block := uint32(t[i])
			i++
			begin := i
			for k := c.blocks[block].first; k < c.blocks[block].end; k++ {
				switch o := &c.ops[k]; {
				case o.records():
					i += 1 + blocksOf(t[i])
				case o.record:
					i++
				}
			}
			if !yield(block, t[begin:i]) {
				return
			}
		}
	}
}

// upTo returns the beginning of a trace, of whole blocks with so many instructions at most, but one
// block at least.
func (c *Code) upTo(t Trace, most int64) Trace {
	n, words := int64(0), 0
	for b, records := range c.walk(t) {
		if n += int64(c.blocks[b].end - c.blocks[b].first); n > most && words > 0 {
			break
		}
		words += 1 + len(records)
	}
	return t[:words]
}

// progress is how many instructions all SMs had issued at a time.
type progress struct {
	at     Tick
	issued uint64
}

// steadyFrom is the part of the time in which all places are taken after which warps are
// in a steady state (own choice).
const steadyFrom = 0.3

// extrapolate returns the cycles that the launch would take if its CTAs were as long as
// what was seen of them, from the ends of those. The waves between the first and the
// rest run at the rate at which instructions were issued while all places were taken;
// what a CTA takes before it comes to that rate is not longer for a longer one.
func (p *plan) extrapolate(r *Result, ends []Tick) float64 {
	slices.Sort(ends)
	full := ends[min(p.restShare, int64(len(ends)-1))].Cycles() // then a place stays empty
	from, to := r.issuedBy(steadyFrom*full), r.issuedBy(full)
	wave := float64(r.Issued) * float64(p.share) / float64(p.share+p.restShare)
	steady := wave * (1 - steadyFrom) * full / max(to-from, 1)
	head := max(0, steadyFrom*full-from/wave*steady)
	longer := p.longer(r)
	between := float64(p.ctas/p.size - 1)
	return (head + longer*(r.Cycles-head) + between*(head+longer*steady)) / longer
}

// longer returns how much longer CTAs are than what was seen of them.
func (p *plan) longer(r *Result) float64 {
	return max(1, float64(p.instructions)*float64(r.CTAs)/float64(max(r.Issued, 1)))
}

// issuedBy returns how many instructions had been issued by a cycle.
func (r *Result) issuedBy(cycle float64) float64 {
	i := slices.IndexFunc(r.progress, func(p progress) bool { return p.at.Cycles() >= cycle })
	if i < 0 {
		return float64(r.Issued)
	}
	var a progress
	if i > 0 {
		a = r.progress[i-1]
	}
	b := r.progress[i]
	return float64(a.issued) + (cycle-a.at.Cycles())/(b.at-a.at).Cycles()*float64(b.issued-a.issued)
}
