package emulator

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"hyptx/emulator/internal/lanes"
	"hyptx/internal/traffic"
	"hyptx/internal/traffic/stream"
)

// LaunchConfig says how a program is launched and what of the grid to run.
type LaunchConfig struct {
	Grid, Block [3]uint32
	// Params is the kernel's parameter block.
	Params       []byte
	DynamicBytes int64 // of shared memory
	StackBytes   int64 // local memory that a thread may use
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
	// MaxInstructions bounds the warp instructions of the launch.
	MaxInstructions int64
	// AssumedParams are the bytes of Params, from and to, that nobody gave.
	AssumedParams [][2]int
	// PerCTA asks for each CTA's class in Result.CTAClass.
	PerCTA bool
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
	prog       *Program
	mem        *Memory
	grid       [3]uint32
	block      [3]uint32
	threads    uint32 // of a CTA
	stackBytes int64
	shared     int64
	todo       int64 // number of CTAs to run
	ctx        context.Context
	issued     atomic.Int64 // warp instructions that workers have told of
	skipped    atomic.Uint64
	nextCTA    atomic.Int64
	classes    *classTable
	module     *moduleData
	// traffic is what ended workers have counted; queue hands requests over.
	traffic    *traffic.Counts
	trafficMu  sync.Mutex
	trafficErr error
	queue      *stream.Queue
}

// budgetStep is how many warp instructions a worker takes at a time.
const budgetStep = 1 << 18

// refill takes more warp instructions for a worker and looks whether the
// launch is to stop.
func (wk *worker) refill() {
	l := wk.launch
	if err := l.ctx.Err(); err != nil {
		panic(&abort{context.Cause(l.ctx)})
	}
	if wk.account(); l.issued.Load() > l.MaxInstructions {
		panic(&abort{l.limit()})
	}
	wk.granted = min(budgetStep-1, l.MaxInstructions) + 1
	wk.budget = wk.granted
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
	if l.trafficErr != nil {
		return l.trafficErr
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
	if n <= 1 {
		wk := l.newWorker()
		defer wk.endTraffic()
		defer wk.account()
		return wk.runOrdered()
	}
	fails := make([]failure, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			defer func() { fails[i].bug = recover() }()
			wk := l.newWorker()
			fails[i] = wk.runShare()
			wk.account()
			wk.endTraffic()
		})
	}
	wg.Wait()
	return firstFailure(fails)
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
	defer catchAbort(&err)
	c := wk.newCTA(linear)
	for !c.runTurn() {
		if !c.hasYielded() || c.stuck(wk.stores) {
			return wk.launch.deadlock([]*cta{c})
		}
	}
	wk.endCTA(c)
	return nil
}

// runOrdered runs all CTAs on this worker in the order of the schedule: one
// that can not go on lets the next one run.
func (wk *worker) runOrdered() (err error) {
	defer catchAbort(&err)
	l := wk.launch
	var open []*cta // have begun and not ended
	for i := range l.todo {
		c := wk.newCTA(l.ctaIndex(i))
		if c.runTurn() {
			wk.endCTA(c)
			continue
		}
		open = append(open, c)
	}
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
		open = rest
		if len(open) == before && (!runnable || stuck) {
			return l.deadlock(open)
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
	var c *cta
	if n := len(wk.freeCTAs); n > 0 {
		c = wk.freeCTAs[n-1]
		wk.freeCTAs = wk.freeCTAs[:n-1]
		clear(c.shared)
		clear(c.counts)
		for i := range c.bars {
			c.bars[i].reset()
		}
		c.warps = c.warps[:0]
		c.next, c.epoch = 0, 0
	} else {
		c = &cta{shared: make([]byte, l.shared), counts: make([]uint64, l.prog.counts)}
	}
	gx, gy := int64(l.grid[0]), int64(l.grid[1])
	c.linear = linear
	c.id = [3]uint32{uint32(linear % gx), uint32(linear / gx % gy), uint32(linear / gx / gy)}
	if l.prog.decisions > 0 {
		if c.sharedOrigins == nil {
			c.sharedOrigins = newByteOrigins(l.shared, assumed)
		} else {
			c.sharedOrigins.reset(assumed)
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
	var w *warp
	if n := len(wk.freeWarps); n > 0 {
		w = wk.freeWarps[n-1]
		wk.freeWarps = wk.freeWarps[:n-1]
		clear(w.local)
		w.localOrigins = nil
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
			panic(&abort{err})
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
