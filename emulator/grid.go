package emulator

import (
	"runtime"
	"sync"

	"hyptx/emulator/internal/abort"
	"hyptx/emulator/internal/lanes"
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
// If one of them fails, all that was done is forgotten, and the CTAs run in order, so
// that what comes of it does not depend on who was faster (Machine.Launch).

// numCTAs returns how many CTAs are to run.
func (cfg *LaunchConfig) numCTAs() int64 {
	if cfg.CTAs != nil {
		return int64(len(cfg.CTAs))
	}
	return int64(cfg.Grid[0]) * int64(cfg.Grid[1]) * int64(cfg.Grid[2])
}

// sideBySide returns how many workers a launch of a program has.
func (cfg *LaunchConfig) sideBySide(prog *Program) int {
	if cfg.Speculate && !prog.traffic {
		return 1
	}
	return max(min(cfg.Workers, runtime.GOMAXPROCS(0), int(min(cfg.numCTAs(), 1<<20))), 1)
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
	n := l.Workers
	if n == 1 {
		wk := l.newWorker()
		if l.Apart {
			wk.views = map[*Buffer]*Buffer{}
			defer wk.dropViews()
		}
		defer wk.release()
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
		if l.Speculate || l.Apart {
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
	switch {
	case err != nil:
	case l.printed.lost: // whose text there was no room for, workers have decided
		err = errConflict
	case l.Speculate:
		err = settle(workers)
	}
	for _, wk := range workers {
		wk.dropViews()
		l.addTraffic(wk)
		wk.release()
	}
	return err
}

// failure is how a worker's share of the CTAs ended; err is nil if well.
type failure struct {
	err   error
	share int64 // of CTAs
	bug   any   // a panic, if it was one
}

// firstFailure returns the error of the first CTA in the order in which they begin.
func firstFailure(fails []failure) error {
	var first failure
	for _, f := range fails {
		if f.bug != nil {
			panic(f.bug) // where the caller can report it
		}
		if f.err != nil && (first.err == nil || f.share < first.share) {
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
		share := l.nextCTA.Add(1) - 1
		if share >= l.shares() {
			return failure{}
		}
		for others := int64(0); ; others++ {
			more, err := wk.runAlone(share, others)
			if err != nil {
				l.nextCTA.Add(l.todo) // the rest is not begun
				return failure{err: err, share: share}
			}
			if !more {
				break
			}
		}
	}
}

// runAlone runs the next CTA of a share, or the next cluster, to its end, if there is
// more.
func (wk *worker) runAlone(share, others int64) (more bool, err error) {
	defer abort.Catch(&err)
	g := wk.begin(share, others)
	switch {
	case g == nil:
		return false, nil
	case g.runTurn():
		wk.end(g)
		return true, nil
	}
	return true, wk.runOpen([]*cluster{g})
}

// runOrdered runs all CTAs on this worker in the order of the schedule: one
// that can not go on lets the next one run.
func (wk *worker) runOrdered() (err error) {
	defer abort.Catch(&err)
	var open []*cluster
	for share := range wk.launch.shares() {
		for others := int64(0); ; others++ {
			g := wk.begin(share, others)
			if g == nil {
				break
			}
			if g.runTurn() {
				wk.end(g)
				continue
			}
			open = append(open, g)
		}
	}
	return wk.runOpen(open)
}

// runOpen lets CTAs that have begun and not ended take turns until all have. If
// in a round of turns none ends and none could go on, or none but such as wait for
// a store that nobody does, that is a deadlock, unless it is for warps that were cut or
// the time limit of a try_wait lets some go on.
func (wk *worker) runOpen(open []*cluster) error {
	for len(open) > 0 {
		before, runnable, stuck := len(open), false, true
		rest := open[:0]
		for _, g := range open {
			if g.runTurn() {
				wk.end(g)
				continue
			}
			for _, c := range g.ctas {
				runnable = runnable || c.hasYielded()
			}
			stuck = stuck && g.stuck(wk.stores)
			rest = append(rest, g)
		}
		if open = rest; len(open) == before && (!runnable || stuck) && !endCut(open) && !wk.expire(open) {
			return wk.launch.deadlock(open)
		}
	}
	return nil
}
