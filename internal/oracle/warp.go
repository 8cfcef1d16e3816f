package oracle

import (
	"fmt"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// Counts are what the warps of a launch did, by PC.
type Counts struct {
	// Issues, Lanes and PredOn: warps that issued the instruction, their
	// active lanes, those whose guard held.
	Issues, Lanes, PredOn []uint64
	// Divergent are the branch's executions whose lanes had different next
	// PCs, Targets the next PCs of these.
	Divergent, Targets []uint64
}

// Run runs all threads of a launch and counts what their warps did.
func Run(l *Launch, mem Memory) (*Counts, error) {
	n := len(l.Kernel.Module.Instrs)
	c := &Counts{make([]uint64, n), make([]uint64, n), make([]uint64, n), make([]uint64, n), make([]uint64, n)}
	w := &warp{m: l.Kernel.Module, c: c, merge: map[*ir.Func][]int32{}}
	for z := range l.Grid[2] {
		for y := range l.Grid[1] {
			for x := range l.Grid[0] {
				if err := w.runCTA(l, mem, [3]uint32{x, y, z}); err != nil {
					return nil, err
				}
			}
		}
	}
	return c, nil
}

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
	c      *Counts
	merge  map[*ir.Func][]int32
	traces [][]step
	at     []int // how far each thread's trace has been followed
}

// runCTA runs the threads of a CTA, x fastest, and its warps.
func (w *warp) runCTA(l *Launch, mem Memory, cta [3]uint32) error {
	w.traces = w.traces[:0]
	for z := range l.Block[2] {
		for y := range l.Block[1] {
			for x := range l.Block[0] {
				trace, err := runThread(l, mem, [3]uint32{x, y, z}, cta)
				if err != nil {
					return err
				}
				w.traces = append(w.traces, trace)
			}
		}
	}
	w.at = make([]int, len(w.traces))
	for first := 0; first < len(w.traces); first += 32 {
		var threads []int
		for i := first; i < min(first+32, len(w.traces)); i++ {
			threads = append(threads, i)
		}
		w.follow(threads, place{never, 0})
	}
	return nil
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
	w.c.Issues[at.pc]++
	w.c.Lanes[at.pc] += uint64(len(threads))
	for _, i := range threads {
		s := w.traces[i][w.at[i]]
		if s.place != at {
			panic(fmt.Sprintf("BUG: threads of one path at %v and %v", s.place, at))
		}
		if s.on {
			w.c.PredOn[at.pc]++
		}
		w.at[i]++
	}
	if op := w.m.Instrs[at.pc].Inst.Op; op == isa.OpBra || op == isa.OpBrxIdx {
		if n := len(w.parts(threads)); n > 1 {
			w.c.Divergent[at.pc]++
			w.c.Targets[at.pc] += uint64(n)
		}
	}
}

// parts sorts threads by where they are.
func (w *warp) parts(threads []int) [][]int {
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
