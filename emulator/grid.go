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
