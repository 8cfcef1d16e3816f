package sim

// The share of time in which an SM does nothing but wait for memory: f_mem of the scale-model
// paper, "cycles an SM fetches nothing because all its warps wait for memory".

// memoryWait counts the cycles in which an SM issues nothing, has warps, and every one of them
// waits for a load, a store or an atomic of global or local memory or a texture: for its
// result, or for room in the queue of such. A warp at a barrier, behind another unit or
// behind arithmetic ends such a time, and an SM without warps is idle. The warps of a CTA that
// is still being set up are not there yet: the paper's simulator has no such time.
type memoryWait struct {
	issued Tick // up to when the last issue of any sub-core is accounted for
	total  Tick
}

// gap accounts for the time from the SM's last issue to one at t, before that is done. No warp
// issues in between, so that each of them waits for one thing, and perhaps then for the queue.
func (s *sm) gap(t Tick) {
	from, until, waits := s.wait.issued, t, false
	s.wait.issued = max(from, t+ticksPerCycle)
	for i := range s.cores {
		c := &s.cores[i]
		for _, w := range c.warps {
			if w.why == Dispatch && w.ready >= t {
				continue
			}
			begin, end := w.forMemory(c, t)
			if begin == end {
				// It came after the last issue, or is none that waits for memory.
				end = w.since
			} else {
				waits = true
			}
			if from, until = max(from, begin), min(until, end); from >= until {
				return
			}
		}
	}
	if waits {
		s.wait.total += until - from
	}
}

// forMemory returns from when to when a warp has waited for memory since it last issued, none
// if it has not: 0 stands for that last issue.
func (w *warp) forMemory(c *core, t Tick) (begin, end Tick) {
	if w.why == LongScoreboard {
		end = min(w.ready.roundUp(), t)
	} else {
		begin = w.ready.roundUp()
	}
	// Its operands are there, and it is an access itself, for which there may be no room.
	if o := c.sm.code.next(w); o.memory && lateness[o.kind] == LongScoreboard && w.ready <= t {
		room := c.unfull
		if c.queued >= c.sm.m.L1.QueuedPerCore {
			room = t
		}
		end = max(end, min(room, t))
	}
	if end <= begin {
		return 0, 0
	}
	return begin, end
}
