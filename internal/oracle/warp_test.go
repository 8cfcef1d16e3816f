package oracle

import (
	"fmt"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// From threads to warps. A warp's threads are given as traces; the question is
// which instructions they would have issued together. So the traces are followed
// side by side: lanes that stand at the same instruction go on together; where
// their next instructions differ they become groups, and each group is followed
// alone up to the post-dominator of the instruction at which they parted, where
// all of them wait for each other. Each common step is one issue, with as many
// active lanes as the group has.

// warp puts the traces of a warp's threads together.
type warp struct {
	m      *ir.Module
	c      counts
	merge  map[*ir.Func][]int32
	traces [][]step
	at     []int // how far each thread's trace has been followed
	whole  [1][]int
}

func newWarp(l *launch) *warp {
	return &warp{m: l.kernel.Module, c: make(counts, len(l.kernel.Module.Instrs)), merge: map[*ir.Func][]int32{}}
}

// runCTA follows the traces of a CTA's threads, which come x fastest, as the
// warps of 32 that they make up.
func (w *warp) runCTA(traces [][]step) {
	w.traces, w.at = traces, make([]int, len(traces))
	var threads []int
	for i := range traces {
		if threads = append(threads, i); len(threads) == 32 || i == len(traces)-1 {
			w.follow(threads, place{never, 0})
			threads = nil
		}
	}
}

// ended is the place behind a trace.
var ended = place{never, never}

func (w *warp) place(thread int) place {
	if t := w.traces[thread]; w.at[thread] < len(t) {
		return t[w.at[thread]].place
	}
	return ended
}

// follow lets threads at one place go on together until they come to stop, and
// returns those that do. Where they part, each part goes on alone to the merge
// point, and those that come there go on together.
func (w *warp) follow(threads []int, stop place) []int {
	for len(threads) > 0 {
		at := w.place(threads[0])
		if at == stop {
			return threads
		}
		if at == ended {
			return nil
		}
		w.issue(at, threads)
		parts := w.parts(threads)
		if len(parts) == 1 {
			continue
		}
		merge := w.mergePoint(at, threads[0])
		if merge.pc == never {
			merge = stop
		}
		threads = nil
		for _, p := range parts {
			threads = append(threads, w.follow(p, merge)...)
		}
		if merge == stop {
			return threads
		}
	}
	return nil
}

// issue counts the instruction at a place and moves the threads on.
func (w *warp) issue(at place, threads []int) {
	c := &w.c[at.pc]
	c.issues++
	c.lanes += uint64(len(threads))
	for _, i := range threads {
		s := w.traces[i][w.at[i]]
		if s.place != at {
			panic(fmt.Sprintf("BUG: threads of one path at %v and %v", s.place, at))
		}
		if s.on {
			c.predOn++
		}
		w.at[i]++
	}
	if op := w.m.Instrs[at.pc].Inst.Op; op == isa.OpBra || op == isa.OpBrxIdx {
		if n := len(w.parts(threads)); n > 1 {
			c.divergent++
			c.targets += uint64(n)
		}
	}
}

// parts sorts threads by where they are.
func (w *warp) parts(threads []int) [][]int {
	if w.atOnePlace(threads) {
		w.whole[0] = threads
		return w.whole[:]
	}
	var places []place
	var parts [][]int
next:
	for _, i := range threads {
		at := w.place(i)
		for k, p := range places {
			if p == at {
				parts[k] = append(parts[k], i)
				continue next
			}
		}
		places, parts = append(places, at), append(parts, []int{i})
	}
	return parts
}

func (w *warp) atOnePlace(threads []int) bool {
	at := w.place(threads[0])
	for _, i := range threads[1:] {
		if w.place(i) != at {
			return false
		}
	}
	return true
}

// mergePoint returns where threads merge that part at an instruction, of which
// thread is one: at its post-dominator or, if that is the end of a called
// function, where the call returns to.
func (w *warp) mergePoint(at place, thread int) place {
	f := w.m.FuncOf(at.pc)
	if w.merge[f] == nil {
		w.merge[f] = postDominators(f)
	}
	d := w.merge[f][at.pc-f.First]
	if d == never {
		return w.afterCall(at.depth, thread)
	}
	return place{f.First + d, at.depth}
}

// afterCall returns the instruction that follows the call which thread is in at
// a depth. Behind a call at the end of a function stands none: the one after
// the call of that function takes its place, and behind the kernel none does.
func (w *warp) afterCall(depth int32, thread int) place {
	for i := w.at[thread] - 1; i >= 0 && depth > 0; i-- {
		// The last step of the level above is the call.
		call := w.traces[thread][i]
		if call.depth >= depth {
			continue
		}
		if depth--; call.pc+1 < w.m.FuncOf(call.pc).End {
			return place{call.pc + 1, depth}
		}
	}
	return place{never, never}
}
