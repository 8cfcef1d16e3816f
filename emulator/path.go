package emulator

import (
	"slices"

	"hyptx/emulator/internal/lanes"
	"hyptx/internal/order"
)

// A warp whose lanes disagree about the next instruction splits into paths,
// each with lanes and a program counter of its own; one path runs at a time.
// A split remembers where its paths merge again, which is the branch's
// immediate post-dominator, and which lanes are still on their way there. A
// path that arrives gives its lanes to the split and ends; the last one goes
// on with all of them. Splits nest: a path that splits again has a split
// whose parent is the one before.
//
// For example, of the lanes 0 to 7 those below 4 take one branch, and of these the
// even ones a second:
//
//	          path 0-7                 split A: pending 0-7
//	    path 4-7    path 0-3           split B, parent A: pending 0-3
//	            path 1,3  path 0,2
//
// The path of 0 and 2 comes to B's merge point: B has arrived 0,2 and pending 1,3.
// Then 1 and 3 arrive, B has no one pending, and the path goes on as 0-3 with split
// A. The list of a warp's paths holds those that exist, the one that runs first
// last; a path that arrives leaves the list, and the next one below runs. That is
// the order of the schedule: the fall-through before the targets, inner paths
// before outer ones.
//
// Lanes that exit, or wait for good, leave all splits they are awaited at, so
// that nobody waits for them. In a called function paths that part until its
// end merge behind the call (mergePoint).

// pathState says whether a path can run.
type pathState uint8

const (
	ready     pathState = iota
	yielded             // gave way in a waiting loop; runs again at its warp's next turn
	atBarrier           // waits at a CTA barrier
	atCluster           // waits at the barrier of its cluster
	atWarpBar           // waits for lanes of its own warp
	suspended           // waits for the phase of an mbarrier, in try_wait (suspend.go)
)

// path is a part of a warp's lanes that share a program counter. A warp starts
// as one path; a divergent branch replaces a path by one for each next PC.
type path struct {
	seg   int32 // segment to run next
	mask  uint32
	state pathState
	frame *frame
	// split is the innermost split that the path is to merge at; nil if none.
	split *split
	// rounds counts, for each loop of the program, the back edges taken in a
	// row without a lane leaving the loop.
	rounds []uint32
	// storesSeen is the launch's number of stores at the path's last yield;
	// stuck: two yields in a row saw the same number.
	storesSeen uint64
	hasYielded bool
	stuck      bool
	waiting    bool // its last yield was in a waiting loop
	// wait describes what an atBarrier, atWarpBar or suspended path waits for, limit how
	// its time has run out.
	wait  waitFor
	limit timeLimit
}

// waitFor is what a waiting path waits for.
type waitFor struct {
	bar  int    // barrier number of the CTA
	mask uint32 // lanes of the warp, for atWarpBar; that wait, for suspended
	in   *inst
	red  *barrierInfo
}

// split is a divergence in progress: where the paths of a divergent branch
// merge again and which of its lanes have arrived there.
type split struct {
	parent *split
	// frame and reconv are where they merge: the segment at the branch's
	// immediate post-dominator, or behind the call (see mergePoint).
	frame   *frame
	reconv  int32
	pending uint32 // lanes that may still arrive
	arrived uint32
}

// frame is the activation of a function for some lanes of a warp; paths that
// diverge within the function share it.
type frame struct {
	parent *frame
	base   int // of its register slots in the worker's arena
	preds  []uint32
	ret    int32  // segment of the caller that follows the call
	live   uint32 // lanes that have not returned
	// localBase is where its local variables start in each thread's stack.
	localBase int64
	stack     int64 // bytes of .local variables, the callers' included
	// kept is where its threads' stacks were at its call, nil if at their beginning.
	kept    *[lanes.Width]int64
	fn      *function
	call    *callInfo // that made it; nil for a kernel
	depth   int
	origins []order.Lanes // of registers, when origins are followed
}

// What a warp needs while it runs (paths, splits, frames, then itself and its
// CTA) is taken from lists of what earlier ones have left, so that a life of a
// million CTAs allocates no more than the first few did.

// take returns the last of a list of free things, nil if there is none.
func take[T any](free *[]*T) *T {
	n := len(*free)
	if n == 0 {
		return nil
	}
	x := (*free)[n-1]
	*free = (*free)[:n-1]
	return x
}

func (w *worker) newPath() *path {
	if p := take(&w.freePaths); p != nil {
		return p
	}
	return &path{rounds: make([]uint32, len(w.prog.loops))}
}

func (w *worker) dropPath(p *path) {
	clear(p.rounds)
	*p = path{rounds: p.rounds}
	w.freePaths = append(w.freePaths, p)
}

func (w *worker) newSplit() *split {
	if s := take(&w.freeSplits); s != nil {
		return s
	}
	return new(split)
}

func (w *worker) dropSplit(s *split) {
	*s = split{}
	w.freeSplits = append(w.freeSplits, s)
}

// diverge ends a segment with a branch whose lanes disagree: edges, with the
// lanes that take each, are in the order in which the paths are to run, the
// fall-through first, then by PC.
func (w *warp) diverge(s *segment, edges []*edge, masks []uint32) {
	w.counts[s.branch]++
	w.counts[s.branch+1] += uint64(len(edges))
	w.cta.shuffle(edges, masks)
	w.splitPath(edges, masks, s.reconv)
}

// splitPath replaces the current path by one for each edge. reconv is the
// segment where they merge again, end if that is the virtual exit.
func (w *warp) splitPath(edges []*edge, masks []uint32, reconv int32) {
	p := w.paths[w.cur]
	for _, e := range edges {
		for _, l := range e.exits {
			p.rounds[l] = 0 // a lane left: the others begin to count anew
		}
	}
	if f, at := p.frame.mergePoint(reconv); at != end {
		s := w.worker.newSplit()
		*s = split{parent: p.split, frame: f, reconv: at, pending: p.mask}
		p.split = s
	}
	for i := len(edges) - 1; i > 0; i-- {
		q := w.worker.newPath()
		copy(q.rounds, p.rounds)
		q.mask, q.frame, q.split = masks[i], p.frame, p.split
		q.seg = edges[i].to
		q.countBack(edges, i)
		w.addPath(q)
	}
	p.seg, p.mask = edges[0].to, masks[0]
	p.countBack(edges, 0)
}

// addPath puts a path before the current one, which stays current: it runs when
// the warp goes on below.
func (w *warp) addPath(q *path) {
	w.paths = slices.Insert(w.paths, w.cur, q)
	w.cur++
}

// splitTwo is splitPath for two edges.
func (w *warp) splitTwo(a, b *edge, lanesA, lanesB uint32, reconv int32) {
	edges, masks := [2]*edge{a, b}, [2]uint32{lanesA, lanesB}
	w.splitPath(edges[:], masks[:], reconv)
}

// goOn moves lanes of the current path behind the instruction that ends its
// segment, apart from the others if it has more: they wait there by themselves.
// It returns their path.
func (w *warp) goOn(p *path, s *segment, waiting, mask uint32) *path {
	if waiting == mask {
		w.take(p, &s.next)
		return p
	}
	w.splitTwo(&s.next, &s.next, waiting, mask&^waiting, s.next.to)
	return w.paths[w.cur]
}

// mergePoint returns the frame and the segment in which paths of f merge whose
// post-dominator is seg. The virtual exit of a called function stands for the
// instruction after the call, in the caller; where the call is the caller's
// last instruction, for the one after the caller's own call. The virtual exit
// of the kernel is left as end: paths that come there have ended.
func (f *frame) mergePoint(seg int32) (*frame, int32) {
	for seg == end && f.parent != nil {
		f, seg = f.parent, f.ret
	}
	return f, seg
}

// countBack counts edge i of a split as a round of its loop unless another
// edge of the split leaves that loop.
func (p *path) countBack(edges []*edge, i int) {
	back := edges[i].back
	if back < 0 {
		return
	}
	for _, e := range edges {
		if slices.Contains(e.exits, back) {
			return
		}
	}
	p.rounds[back]++
}

// arrive takes the current path, which has come to its merge point, out of the
// warp. It reports whether the merged path took its place.
func (w *warp) arrive() (merged bool) {
	p := w.paths[w.cur]
	s := p.split
	if s.arrived != 0 {
		w.remet |= s.arrived | p.mask
	}
	s.arrived |= p.mask
	s.pending &^= p.mask
	if s.pending != 0 {
		w.removePath(w.cur)
		return false
	}
	p.seg, p.mask, p.split = s.reconv, s.arrived, s.parent
	w.worker.dropSplit(s)
	return true
}

// removePath takes the path at index i out of the list. cur stays where it is,
// so that nextPath goes on below.
func (w *warp) removePath(i int) {
	w.worker.dropPath(w.paths[i])
	w.paths = slices.Delete(w.paths, i, i+1)
	if w.cur > i {
		w.cur--
	}
}

// leave takes lanes out of every split from s outwards: they have exited or
// are blocked for good and nobody is to wait for them. Splits that wait for
// nobody else any more let their arrived lanes go on.
func (w *warp) leave(s *split, lanes uint32) {
	for s != nil {
		parent := s.parent
		s.pending &^= lanes
		if s.pending == 0 {
			w.release(s)
		}
		s = parent
	}
}

// release lets the arrived lanes of a split go on as a path of their own and
// forgets the split, for whom nobody is pending.
func (w *warp) release(s *split) {
	if s.arrived != 0 {
		q := w.worker.newPath()
		q.seg, q.mask, q.frame, q.split = s.reconv, s.arrived, s.frame, s.parent
		w.addPath(q)
	}
	w.worker.dropSplit(s)
}

// nextPath makes the next runnable path current: the next one below, then
// around. It reports whether there is one.
func (w *warp) nextPath() bool {
	n := len(w.paths)
	for i := 1; i <= n; i++ {
		j := w.cur - i
		if j < 0 {
			j += n
		}
		if p := w.paths[j]; p.state == ready || p.state == suspended && w.resumes(p) && w.resume(j) {
			w.cur = j
			return true
		}
	}
	return false
}

// exitLanes ends lanes of the current path, in whatever frame they are.
func (w *warp) exitLanes(lanes uint32) {
	p := w.paths[w.cur]
	for f := p.frame; f != nil; f = f.parent {
		if f.live &^= lanes; f.live == 0 && f != w.root {
			w.dropFrame(f)
		}
	}
	w.alive &^= lanes
	if w.followsCluster() {
		w.order.Leave(lanes)
	}
	s := p.split
	p.mask &^= lanes
	w.leave(s, lanes)
	w.threadsExited()
}

// mergeAt returns the segment at which the path is to stop for its split, end
// when there is none in its present frame.
func (p *path) mergeAt() int32 {
	if p.split == nil || p.split.frame != p.frame {
		return end
	}
	return p.split.reconv
}

// follow moves the path along an edge that is no back edge.
func (p *path) follow(e *edge) {
	p.seg = e.to
	for _, l := range e.exits {
		p.rounds[l] = 0
	}
}

// take moves the current path along an edge. It reports false when the path
// yields.
func (w *warp) take(p *path, e *edge) bool {
	p.follow(e)
	if e.back < 0 {
		return true
	}
	p.rounds[e.back]++
	info := &w.worker.prog.loops[e.back]
	if p.rounds[e.back] < info.limit {
		if info.repeat != nil {
			w.repeatRounds(p, info, e.back)
		}
		return true
	}
	p.rounds[e.back] = 0
	w.yield(p, info.waiting)
	if info.counts {
		p.stuck = false // its next rounds may be its last
	}
	return false
}

// yield lets others run before the current path goes on (docs/design.md, Forward
// progress).
func (w *warp) yield(p *path, waiting bool) {
	p.state = yielded
	w.yielded = true
	w.worker.turns++
	p.waiting = waiting
	if !waiting {
		return
	}
	stores := w.worker.stores
	p.stuck = p.hasYielded && p.storesSeen == stores
	p.hasYielded, p.storesSeen = true, stores
	// Those that wait for it at a merge point go on alone.
	s := p.split
	p.split = nil
	w.leave(s, p.mask)
}
