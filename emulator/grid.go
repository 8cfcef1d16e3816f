package emulator

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"hyptx/emulator/internal/abort"
	"hyptx/emulator/internal/lanes"
	"hyptx/internal/order"
	"hyptx/internal/traffic"
	"hyptx/internal/traffic/stream"
)

// A launch runs the CTAs of a grid, or those of them that are asked for: where the
// analysis has shown that many CTAs do the same, one representative of each sort
// runs, and its counts stand for the others (Class, LaunchConfig.CTAs).
//
// One worker runs them in the order of the schedule: each begins when the one
// before has ended or cannot go on. Several workers take the next CTA whenever they
// are free, and finish it by itself. That gives the same counts and bytes if no CTA
// can see what another one writes, which the caller vouches for; a CTA that then
// waits for another would wait for ever, and is a deadlock. Each worker has its own
// frames, counters and pools; they meet in the table of classes, once for a CTA.
// An error is that of the lowest CTA that failed, so that it does not depend on who
// was faster.
//
// A launch has a limit of warp instructions, against loops that do not end. Workers
// draw on it up to 262,144 at a time and look for cancellation when they do, so that
// a segment costs a subtraction and a test. They look at each CTA as well, which may
// have no instruction that counts.

// LaunchConfig says how a program is launched and what of the grid to run.
type LaunchConfig struct {
	Grid, Block [3]uint32
	// Params is the kernel's parameter block.
	Params       []byte
	DynamicBytes int64 // of shared memory
	StackBytes   int64 // of local memory that the functions called may use
	GridID       uint64
	SMs          uint32 // %nsmid
	// CTAs are the linear indices of the CTAs to run, in ascending order; nil
	// for all of the grid.
	CTAs []int64
	// Warps are the indices of the warps to run in each CTA; nil for all.
	Warps []int
	// Workers is how many CTAs may run at the same time; with 1 they run in
	// the order of the schedule. The caller vouches with a larger number that
	// no CTA can see what another writes.
	Workers int
	// Speculate: the caller does not know whether CTAs see what others write. Those
	// of several workers then run apart, and if some were in conflict all run again
	// in order. The program has to count traffic.
	Speculate bool
	// MaxInstructions bounds the warp instructions of the launch.
	MaxInstructions int64
	// AssumedParams are the bytes of Params, from and to, that nobody gave.
	AssumedParams [][2]int
	// PerCTA asks for each CTA's class in Result.CTAClass.
	PerCTA bool
	// Forgive lets accesses that hit no memory read zeros and write nothing; what they
	// are is in Result.Beyond.
	Forgive bool
	// Loops and Paths ask for Result.Loops and Result.MaxPaths.
	Loops, Paths bool
	// OnWarp, if not nil, is called for every warp that has ended with its own
	// counts, of which Program.Blocks knows the meaning. Calls are not
	// concurrent if Workers is 1.
	OnWarp func(cta int64, warp int, counts []uint64)
	// Footprint, if not nil, gets the bytes of global memory that were
	// touched, and Requests, if not nil, is called with each CTA's memory requests,
	// in the order of CTAs and never two at a time. Both need a program that counts
	// traffic.
	Footprint *traffic.Footprint
	Requests  func(*stream.CTA) error
	// Progress, if not nil, is told the number of CTAs that have ended.
	Progress *atomic.Int64
}

// launch is one launch in progress.
type launch struct {
	LaunchConfig
	prog    *Program
	mem     *Memory
	threads uint32 // of a CTA
	shared  int64
	todo    int64 // number of CTAs to run
	ctx     context.Context
	issued  atomic.Int64 // warp instructions that workers have told of
	skipped atomic.Uint64
	nextCTA atomic.Int64
	classes *classTable
	beyond  beyond
	module  *moduleData
	// order numbers the launch for what follows origins, log is what it finds.
	order order.Launch
	log   *order.Log
	// traffic is what ended workers have counted; queue hands requests over.
	traffic *traffic.Counts
	queue   *stream.Queue
}

// budgetStep is how many warp instructions a worker takes at a time.
const budgetStep = 1 << 18

// refill takes more warp instructions for a worker and looks whether the
// launch is to stop.
func (wk *worker) refill() {
	l := wk.launch
	l.stop()
	if wk.account(); l.issued.Load() > l.MaxInstructions {
		abort.Throw(l.limit())
	}
	wk.pace()
	wk.granted = min(wk.step-1, l.MaxInstructions) + 1
	wk.budget = wk.granted
}

// stop ends a worker's launch if it is to stop.
func (l *launch) stop() {
	if l.ctx.Err() != nil {
		abort.Throw(context.Cause(l.ctx))
	}
}

// pace adapts how many warp instructions a worker takes at a time to how long the
// last ones took: an addition takes nanoseconds, an access whose origins are
// followed or a product of matrices microseconds, and whoever ends a run does not
// want to wait for 262,144 of those.
func (wk *worker) pace() {
	now := time.Now()
	switch took := now.Sub(wk.began); {
	case wk.step == 0:
		wk.step = budgetStep >> 6
	case took > 50*time.Millisecond:
		wk.step = max(wk.step/4, 16)
	case took < 10*time.Millisecond:
		wk.step = min(wk.step*2, budgetStep)
	}
	wk.began = now
}

// account tells the launch what the worker has issued since it last did.
func (wk *worker) account() {
	wk.launch.issued.Add(wk.granted - wk.budget)
	wk.granted = wk.budget
	wk.launch.skipped.Add(wk.skipped)
	wk.skipped = 0
}

// limit says that the launch issues more instructions than it may.
func (l *launch) limit() error {
	return &LimitError{
		Limit: fmt.Sprintf("%d warp instructions", l.MaxInstructions), Option: "max-instructions",
		Hint: "a loop does not end",
	}
}

// run runs the launch's CTAs on its workers.
func (l *launch) run() error {
	if err := l.runWorkers(); err != nil {
		return err
	}
	// Workers ask for more only now and then; what counts is the sum, however
	// many they are.
	if l.issued.Load() > l.MaxInstructions {
		return l.limit()
	}
	return nil
}

func (l *launch) runWorkers() error {
	n := min(l.Workers, runtime.GOMAXPROCS(0), int(min(l.todo, 1<<20)))
	if n <= 1 || l.Speculate && !l.prog.traffic {
		wk := l.newWorker()
		defer l.addTraffic(wk)
		defer wk.account()
		if err := wk.runOrdered(); err != nil {
			return err
		}
		return wk.endTraffic()
	}
	fails := make([]failure, n)
	workers := make([]*worker, n)
	var wg sync.WaitGroup
	for i := range n {
		workers[i] = l.newWorker()
		if l.Speculate {
			workers[i].views = map[*Buffer]*Buffer{}
		}
		wg.Go(func() {
			defer func() { fails[i].bug = recover() }()
			wk := workers[i]
			fails[i] = wk.runShare()
			wk.account()
			if err := wk.endTraffic(); err != nil && fails[i].err == nil {
				fails[i].err = err
			}
		})
	}
	wg.Wait()
	err := firstFailure(fails)
	if l.Speculate && err == nil {
		err = settle(workers)
	}
	for _, wk := range workers {
		wk.dropViews()
		l.addTraffic(wk)
	}
	return err
}

// failure is how a worker's share of the CTAs ended; err is nil if well.
type failure struct {
	err    error
	linear int64 // the CTA
	bug    any   // a panic, if it was one
}

// firstFailure returns the error of the lowest CTA, so that the result does not
// depend on the workers' speed: a CTA is begun only when all lower ones have
// been, and those end before their workers do.
func firstFailure(fails []failure) error {
	var first failure
	for _, f := range fails {
		if f.bug != nil {
			panic(f.bug) // where the caller can report it
		}
		if f.err != nil && (first.err == nil || f.linear < first.linear) {
			first = f
		}
	}
	return first.err
}

func (l *launch) newWorker() *worker {
	wk := &worker{launch: l, prog: l.prog}
	wk.arena = make([]lanes.Slot, len(l.prog.consts)+64)
	wk.top = copy(wk.arena, l.prog.consts)
	wk.freeFrames = make([][]*frame, len(l.prog.funcs))
	wk.cache = make([]*Buffer, len(l.prog.insts))
	wk.rounds = newRounds(l.prog)
	wk.budget = 0
	if l.traffic != nil {
		wk.counting = newCounting(l)
	}
	return wk
}

// runShare takes CTAs one after the other until none is left. CTAs do not see
// each other, so one that waits for ever is a deadlock.
func (wk *worker) runShare() failure {
	l := wk.launch
	for {
		i := l.nextCTA.Add(1) - 1
		if i >= l.todo {
			return failure{}
		}
		if err := wk.runAlone(l.ctaIndex(i)); err != nil {
			l.nextCTA.Add(l.todo) // the rest is not begun
			return failure{err: err, linear: l.ctaIndex(i)}
		}
	}
}

// runAlone runs one CTA to its end.
func (wk *worker) runAlone(linear int64) (err error) {
	defer abort.Catch(&err)
	c := wk.newCTA(linear)
	if c.runTurn() {
		wk.endCTA(c)
		return nil
	}
	return wk.runOpen([]*cta{c})
}

// runOrdered runs all CTAs on this worker in the order of the schedule: one
// that can not go on lets the next one run.
func (wk *worker) runOrdered() (err error) {
	defer abort.Catch(&err)
	l := wk.launch
	var open []*cta
	for i := range l.todo {
		c := wk.newCTA(l.ctaIndex(i))
		if c.runTurn() {
			wk.endCTA(c)
			continue
		}
		open = append(open, c)
	}
	return wk.runOpen(open)
}

// runOpen lets CTAs that have begun and not ended take turns until all have. If
// in a round of turns none ends and none could go on, or none but such as wait for
// a store that nobody does, that is a deadlock.
func (wk *worker) runOpen(open []*cta) error {
	for len(open) > 0 {
		before, runnable, stuck := len(open), false, true
		rest := open[:0]
		for _, c := range open {
			if c.runTurn() {
				wk.endCTA(c)
				continue
			}
			runnable = runnable || c.hasYielded()
			stuck = stuck && c.stuck(wk.stores)
			rest = append(rest, c)
		}
		if open = rest; len(open) == before && (!runnable || stuck) {
			return wk.launch.deadlock(open)
		}
	}
	return nil
}

// ctaIndex returns the linear index of the i-th CTA to run.
func (l *launch) ctaIndex(i int64) int64 {
	if l.prog.reverse {
		i = l.todo - 1 - i
	}
	if l.CTAs != nil {
		return l.CTAs[i]
	}
	return i
}

// newCTA begins a CTA.
func (wk *worker) newCTA(linear int64) *cta {
	l := wk.launch
	l.stop()
	c := take(&wk.freeCTAs)
	if c != nil {
		clear(c.shared)
		clear(c.counts)
		for i := range c.bars {
			c.bars[i].reset()
		}
		c.warps = c.warps[:0]
		c.next = 0
	} else {
		c = &cta{shared: make([]byte, l.shared), counts: make([]uint64, l.prog.counts)}
	}
	gx, gy := int64(l.Grid[0]), int64(l.Grid[1])
	c.linear = linear
	c.id = [3]uint32{uint32(linear % gx), uint32(linear / gx % gy), uint32(linear / gx / gy)}
	if l.prog.decisions > 0 {
		c.order.Begin(&l.order, uint32(linear))
		if c.placed = false; c.shadow == nil {
			c.shadow = order.NewShadow(l.shared, order.Assumed, l.mem.account)
		} else {
			c.shadow.Reset(order.Assumed)
		}
	}
	warps := int(l.threads+31) / 32
	if l.queue != nil {
		c.requests = l.queue.CTA(linear, warps)
	}
	if l.Warps == nil {
		for i := range warps {
			wk.addWarp(c, i)
		}
	}
	for _, i := range l.Warps {
		wk.addWarp(c, i)
	}
	if c.reverse = l.prog.reverse; c.reverse {
		c.next = len(c.warps) - 1
	}
	return c
}

// addWarp begins warp number index of a CTA.
func (wk *worker) addWarp(c *cta, index int) {
	l := wk.launch
	w := take(&wk.freeWarps)
	if w != nil {
		clear(w.local)
		w.localOrigins, w.localPlaced = w.localOrigins[:0], false
	} else {
		w = &warp{worker: wk}
	}
	w.cta, w.counts = c, c.counts
	if l.ownCounts() {
		w.counts = make([]uint64, l.prog.counts)
	}
	if l.Paths {
		w.hashes = make([]pathHash, lanes.Width)
	}
	w.number, w.index = index, len(c.warps)
	w.moved.Number, w.moved.CTA = index, c.requests
	w.alive = ^uint32(0)
	if rest := l.threads - uint32(index)*32; rest < 32 {
		w.alive = 1<<rest - 1
	}
	w.born = w.alive
	w.implicit = 0
	w.order.Begin(&c.order, index)
	w.cur, w.yielded, w.blocked = 0, false, false
	c.warps = append(c.warps, w)
	kernel := l.prog.funcs[l.prog.Kernel.Index]
	p := wk.newPath()
	p.mask, p.seg = w.alive, kernel.entry
	p.frame = w.newFrame(kernel, nil, w.alive)
	w.needStack(p.frame, w.alive)
	w.root = p.frame
	w.paths = append(w.paths[:0], p)
}

// endCTA accounts for a CTA that has ended and keeps what can be used again.
func (wk *worker) endCTA(c *cta) {
	l := wk.launch
	if l.ownCounts() || l.Paths {
		l.endViews(c)
	}
	l.classes.add(c.linear, c.counts)
	if c.requests != nil {
		if err := l.queue.Done(c.requests); err != nil {
			abort.Throw(err)
		}
	}
	for _, w := range c.warps {
		if wk.counting != nil {
			wk.counting.EndWarp(&w.moved)
		}
		w.dropFrame(w.root)
		wk.freeWarps = append(wk.freeWarps, w)
	}
	wk.freeCTAs = append(wk.freeCTAs, c)
	if l.Progress != nil {
		l.Progress.Add(1)
	}
}
