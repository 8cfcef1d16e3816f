package emulator

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"hyptx/emulator/internal/abort"
	"hyptx/internal/adder"
	"hyptx/internal/check"
	"hyptx/internal/observe"
	"hyptx/internal/order"
	"hyptx/internal/traffic"
	"hyptx/internal/traffic/stream"
)

// A launch has a limit of warp instructions, against loops that do not end. Workers
// draw on it up to 262,144 at a time and look for cancellation when they do, so that
// a segment costs a subtraction and a test. A worker alone ends with the segment that
// goes beyond the limit, however fast it is. They look at each CTA as well, which may
// have no instruction that counts.

// LaunchConfig says how a program is launched and what of the grid to run.
type LaunchConfig struct {
	Grid, Block [3]uint32
	// Cluster is how many CTAs a cluster has along each axis, 0 or 1 if they form none;
	// ExplicitCluster says that the launch or the kernel asks for clusters.
	Cluster         [3]uint32
	ExplicitCluster bool
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
	// Apart: what the launch writes to global memory is forgotten at its end. CTAs of
	// different workers do not see what others write.
	Apart bool
	// MaxInstructions bounds the warp instructions of the launch.
	MaxInstructions int64
	// AssumedParams are the bytes of Params, from and to, that nobody gave.
	AssumedParams [][2]int
	// PerCTA asks for each CTA's class in Result.CTAClass.
	PerCTA bool
	// Forgive lets accesses that hit no memory read zeros and write nothing; what they
	// are is in Result.Beyond.
	Forgive bool
	// Lenient lets a lane execute a warp-synchronous operation whose member mask does not
	// name it, as if it were named; which instructions did so is in Result.Outside.
	Lenient bool
	// Check, if not nil, gets what is wrong with the program, which then goes on where it
	// can (check.go). The launch has one worker.
	Check *check.Log
	// Loops and Paths ask for Result.Loops and Result.MaxPaths.
	Loops, Paths bool
	// OnWarp, if not nil, is called for every warp that has ended with its own
	// counts, of which Program.Blocks knows the meaning. Calls are not
	// concurrent if Workers is 1.
	OnWarp func(cta int64, warp int, counts []uint64)
	// OnPath, if not nil, is called for each thread of a CTA that has ended with the
	// blocks that it entered, each with how often in a row (entered.go). Calls are not
	// concurrent; an error ends the launch.
	OnPath func(cta int64, thread int, runs [][2]uint32) error
	// Footprint, if not nil, gets the bytes of global memory that were
	// touched, and Requests, if not nil, is called with each CTA's memory requests,
	// in the order of CTAs and never two at a time. Both need a program that counts
	// traffic.
	Footprint *traffic.Footprint
	Requests  func(*stream.CTA) error
	// TraceWords, if not 0, lets Requests get traces in the place of requests. A warp
	// whose trace has so many words ends there, as if it had exited.
	TraceWords int
	// Sorts, if not nil, gets what accesses moved of each sort of CTAs, too.
	Sorts *traffic.Sorts
	// Adds, if not nil, gets the additions of a program that watches them. CTAs then
	// run SM by SM, and all of the grid have to.
	Adds *adder.Launch
	// Observer, if not nil, is told what of the launch it observes, which then has one
	// worker. The program has to be compiled for it.
	Observer *observe.Observer
	// Print, if not nil, gets what the launch has printed, at its end, in the order of
	// CTAs; lost says that there was more than PrintBytes.
	Print      func(text []byte, lost bool)
	PrintBytes int64
	// Progress, if not nil, is told the number of CTAs that have ended.
	Progress *atomic.Int64
}

// launch is one launch in progress.
type launch struct {
	LaunchConfig
	prog    *Program
	mem     *Memory
	machine *Machine // for what handles stand for
	shape   shape
	threads uint32 // of a CTA
	shared  int64
	todo    int64 // number of CTAs to run
	ctx     context.Context
	issued  atomic.Int64 // warp instructions that workers have told of
	skipped atomic.Uint64
	nextCTA atomic.Int64
	classes *classTable
	beyond  beyond
	outside beyond // lanes that their own member masks do not name
	printed printed
	module  *moduleData
	// order numbers the launch for what follows origins, log is what it finds.
	order order.Launch
	log   *order.Log
	// traffic is what ended workers have counted; queue hands requests over.
	traffic *traffic.Counts
	queue   *stream.Queue
	// blocks are those of each segment, nil if nobody asked (entered.go).
	blocks []blocks
	// followers follow threads, watched are the ranges of memory that somebody watches.
	followers []*follower
	watched   []watchedRange
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
	wk.granted = max(min(wk.step, l.MaxInstructions-l.issued.Load()), 0)
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

// ctaIndex returns the linear index of the i-th CTA to run.
func (l *launch) ctaIndex(i int64) int64 {
	switch s := &l.shape; {
	case s.first != nil:
		return l.CTAs[i]
	case s.size > 1:
		return s.linear(l, l.prog.turns.place(i/s.size, l.todo/s.size), l.prog.turns.place(i%s.size, s.size))
	}
	i = l.prog.turns.place(i, l.todo)
	if l.CTAs != nil {
		return l.CTAs[i]
	}
	return i
}

// ownCounts reports whether each warp keeps counts of its own.
func (l *launch) ownCounts() bool { return l.Loops || l.OnWarp != nil }
