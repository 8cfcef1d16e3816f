package sim

import "math"

// Where the beginnings of CTAs end decides on how much of what they do stands for the rest. A loop
// that loads eight lines and computes for a while has loaded three quarters of all after 2.1 of
// its four rounds: what moves these three quarters would then take as long for half of the work.
// So beginnings end near where they are wanted to, behind a block after which as much of the
// accesses is done as of the instructions, and of each block as much as of the others.

// Beginnings may be shorter and longer than they are wanted to be by such shares; traceSlack is how
// much more of a trace is asked for than that, for the emulator's blocks are others (own choices).
const (
	mostShorter = 0.25
	mostLonger  = 0.5
	traceSlack  = 0.1
)

// cutNear returns where a beginning ends that is wanted to be such a portion of a CTA's
// instructions: the shares of the longest warp's instructions and of the words of its trace.
func (c *Code) cutNear(of *CTA, portion float64) (share, words float64) {
	var t Trace
	length := int64(0)
	for _, w := range of.Warps {
		if n := c.length(w); n > length {
			t, length = w, n
		}
	}
	all, begun := c.countsOf(t), newBlockCounts(len(c.blocks))
	best, longest, at := math.Inf(1), 0, 0
	share, words = portion, portion
	for b, records := range c.walk(t) {
		at += 1 + len(records)
		longest = max(longest, 1+len(records))
		begun.add(c, b, records)
		done := float64(begun.instructions) / float64(length)
		off := done/portion - 1
		if off < -mostShorter || off > mostLonger || done >= 1 {
			continue
		}
		// Of two that are as good the one that is nearer.
		score := math.Abs(off)/10 + begun.ahead(&all)
		if score < best {
			score += begun.mix(&all)
		}
		if score < best {
			best, share, words = score, done, float64(at)/float64(len(t))
		}
	}
	return share, min(1, words*(1+traceSlack)+float64(longest)/float64(max(len(t), 1)))
}

// blockCounts are what a warp has done: instructions of each block and in all, and sectors of global
// and local memory.
type blockCounts struct {
	of           []int64
	instructions int64
	sectors      int64
}

func newBlockCounts(blocks int) blockCounts { return blockCounts{of: make([]int64, blocks)} }

// countsOf returns what a whole trace does.
func (c *Code) countsOf(t Trace) blockCounts {
	n := newBlockCounts(len(c.blocks))
	for b, records := range c.walk(t) {
		n.add(c, b, records)
	}
	return n
}

// add adds one run of a block.
func (n *blockCounts) add(c *Code, block uint32, records Trace) {
	n.run(block, int64(c.blocks[block].end-c.blocks[block].first))
	for _, record := range c.recordsOf(block, records) {
		switch spaceOf(record[0]) {
		case Global, Past, Local, BulkLoad, BulkStore:
			n.sectors += int64(sectors(record[1:]))
		}
	}
}

// run adds so many instructions of a block.
func (n *blockCounts) run(block uint32, instructions int64) {
	n.of[block] += instructions
	n.instructions += instructions
}

// ahead returns by which share of what is done accesses are ahead of instructions, or behind.
func (n *blockCounts) ahead(all *blockCounts) float64 {
	if all.sectors == 0 {
		return 0
	}
	return math.Abs(float64(n.sectors)/float64(all.sectors)*float64(all.instructions)/float64(n.instructions) - 1)
}

// mix returns how the blocks of what is done differ from those of all, 0 to 1.
func (n *blockCounts) mix(all *blockCounts) (d float64) {
	for b := range n.of {
		d += math.Abs(float64(n.of[b])/float64(max(n.instructions, 1))-float64(all.of[b])/float64(max(all.instructions, 1))) / 2
	}
	return d
}

// begin returns the beginning of a CTA that a plan wants: so many instructions of each warp.
func (c *Code) begin(of *CTA, most []int64) *CTA {
	begun := *of
	begun.Warps = make([]Trace, len(of.Warps))
	for w, t := range of.Warps {
		begun.Warps[w] = c.upTo(t, most[w])
		begun.Cut = begun.Cut || len(begun.Warps[w]) < len(t)
	}
	return &begun
}

// lengths returns how many instructions such a portion of each warp has.
func (c *Code) lengths(of *CTA, portion float64) (most []int64) {
	for _, t := range of.Warps {
		most = append(most, int64(math.Round(portion*float64(c.length(t)))))
	}
	return most
}
