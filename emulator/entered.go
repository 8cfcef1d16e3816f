package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/abort"
)

// HyPA's lists of paths. A label begins a code block; the first has number 0, the labels of
// the kernel follow in their order, then those of what it may call. A thread's list begins
// with 0 and takes the number of each block that it enters, by a jump or by falling into it.
// Warps note which lanes went where; whoever asked hears each thread's list as its CTA ends.

// entered is that some lanes of a warp entered blocks, all of them so many times: count
// blocks from first on, in a row.
type entered struct {
	lanes        uint32
	first, count int32
	times        uint32
}

// enteredBytes is the size of one (unsafe.Sizeof).
const enteredBytes = 16

// blocks is which blocks begin in a segment.
type blocks struct{ first, count int32 }

// numberBlocks numbers the blocks of a program, if anybody asks for lists.
func (l *launch) numberBlocks() {
	if l.OnPath == nil {
		return
	}
	l.blocks = make([]blocks, len(l.prog.segs))
	next := int32(1)
	number := func(fn *function) {
		for i := fn.segs[0]; i < fn.segs[1]; i++ {
			s := &l.prog.segs[i]
			n := int32(fn.ir.Labels(s.pcFirst, s.pcEnd))
			l.blocks[i] = blocks{next, n}
			next += n
		}
	}
	kernel := l.prog.function(l.prog.Kernel)
	number(kernel)
	for _, fn := range l.prog.funcs {
		if fn != kernel {
			number(fn)
		}
	}
}

// hear notes that the warp enters its path's segment, for lists and for traces; it reports
// false if the trace has come to its end.
func (w *warp) hear(p *path, s *segment, mask uint32) bool {
	if all := w.worker.launch.blocks; all != nil {
		w.noteBlocks(all[p.seg], mask)
	}
	return w.moved.Trace == nil || w.traceSegment(s, mask)
}

// noteBlocks adds blocks to the lists of lanes.
func (w *warp) noteBlocks(b blocks, mask uint32) {
	if b.count == 0 {
		return
	}
	if n := len(w.entered); n > 0 {
		last := &w.entered[n-1]
		if last.lanes == mask && last.first == b.first && b.count == 1 && last.times < ^uint32(0) {
			last.times++
			return
		}
	}
	before := cap(w.entered)
	w.entered = append(w.entered, entered{mask, b.first, b.count, 1})
	if now := cap(w.entered); now > before {
		w.worker.hold(int64(now-before) * enteredBytes)
	}
}

// tellPaths tells the lists of a CTA's threads.
func (l *launch) tellPaths(c *cta) {
	var runs [][2]uint32
	for _, w := range c.warps {
		for born := w.born; born != 0; born &= born - 1 {
			lane := bits.TrailingZeros32(born)
			runs = append(runs[:0], [2]uint32{0, 1})
			for _, e := range w.entered {
				if e.lanes>>lane&1 == 0 {
					continue
				}
				for b := range uint32(e.count) {
					runs = addRun(runs, uint32(e.first)+b, e.times)
				}
			}
			if err := l.OnPath(c.linear, w.number*32+lane, runs); err != nil {
				abort.Throw(err)
			}
		}
	}
}

// addRun adds a block that was entered so many times.
func addRun(runs [][2]uint32, block, times uint32) [][2]uint32 {
	if last := &runs[len(runs)-1]; last[0] == block && last[1] <= ^uint32(0)-times {
		last[1] += times
		return runs
	}
	return append(runs, [2]uint32{block, times})
}
