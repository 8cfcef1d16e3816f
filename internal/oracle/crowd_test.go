package oracle

import (
	"errors"
	"math/rand/v2"

	"hyptx/ir"
)

// Threads that communicate take turns: one at a time executes some instructions, then
// another one, at random, and waits only where an instruction says so. Nothing keeps
// the threads of a warp in step, nor the CTAs in a row. So every run with another
// seed is a legal order of threads, one of those that PTX leaves open, and none of
// the ideas by which the emulator runs warps is in it. What a warp would have counted
// is derived from the traces, as ever.

// crowd are the threads of a CTA, 32 in a row for each warp.
type crowd struct {
	threads []*thread
	shared  []byte
	bars    [16]bar
	live    []int // of each warp, the threads that have not exited
	cluster *cluster
	// ready are the threads of the grid that could run.
	ready *[]*thread
}

var errDeadlock = errors.New("all threads wait")

// runTogether runs all threads of a launch in a random order and counts what their
// warps did.
func runTogether(l *launch, random *rand.Rand) (counts, *memory, error) {
	mem := newMemory(l)
	var crowds []*crowd
	var ready []*thread
	for cta := range points(l.grid) {
		c := &crowd{shared: make([]byte, l.sharedBytes), ready: &ready, cluster: new(cluster)}
		if cta[0]%l.cluster != 0 {
			c.cluster = crowds[len(crowds)-1].cluster
		}
		c.cluster.crowds = append(c.cluster.crowds, c)
		for id := range points(l.block) {
			t := newThread(l, mem, id, cta)
			t.crowd = c
			if len(c.threads)%32 == 0 {
				c.live = append(c.live, 0)
			}
			c.live[len(c.threads)/32]++
			c.threads = append(c.threads, t)
		}
		crowds = append(crowds, c)
		ready = append(ready, c.threads...)
	}
	for late := true; late; {
		if err := takeTurns(&ready, random); err != nil {
			return nil, nil, err
		}
		late = false
		for _, c := range crowds {
			late = c.letGo(true) || late
		}
	}
	w := newWarp(l)
	for _, c := range crowds {
		var traces [][]step
		for _, t := range c.threads {
			if !t.done {
				return nil, nil, errDeadlock
			}
			traces = append(traces, t.trace)
			l.longest = max(l.longest, len(t.trace))
		}
		w.runCTA(traces)
	}
	return w.c, mem, nil
}

// takeTurns runs threads until none can. Some orders change the thread at nearly
// every instruction, some seldom, and some let one thread after the other run as far
// as it can.
func takeTurns(ready *[]*thread, random *rand.Rand) error {
	longest := []int{3, 60, maxSteps}[random.IntN(3)]
	for len(*ready) > 0 {
		i := random.IntN(len(*ready))
		t := (*ready)[i]
		for range 1 + random.IntN(longest) {
			if err := t.step(); err != nil {
				return err
			}
			if len(t.copies) > 0 && random.IntN(4) == 0 {
				t.copyOne(random.IntN(len(t.copies)))
			}
			if t.done || t.waits != nil {
				break
			}
		}
		if !t.done && t.waits == nil {
			continue
		}
		last := len(*ready) - 1
		(*ready)[i], (*ready)[last] = (*ready)[last], t
		*ready = (*ready)[:last]
		if err := t.crowd.look(t); err != nil {
			return err
		}
	}
	return nil
}

// look sees who can go on since a thread has exited or waits.
func (c *crowd) look(t *thread) error {
	if t.done {
		for len(t.copies) > 0 {
			t.copyOne(0)
		}
		c.live[t.number()/32]--
		c.cluster.check()
	}
	for id := range c.bars {
		if c.bars[id].at != nil {
			c.checkBarrier(id)
		}
	}
	return c.checkWarp(t)
}

// goOn lets a thread go on that has waited.
func (c *crowd) goOn(t *thread) {
	t.waits = nil
	*c.ready = append(*c.ready, t)
}

// bar is one of a CTA's named barriers.
type bar struct {
	at           []int // of each warp, the threads that have come; nil if nobody has
	threads      int   // that it waits for, 0 for all
	votes, total int
}

// come notes that a thread has come to barrier id; a count of 0 is all threads. It
// waits if waits is not nil.
func (c *crowd) come(t *thread, id, threads int, vote bool, waits *ir.Instr) {
	b := &c.bars[id]
	if b.at == nil {
		b.at = make([]int, len(c.live))
	}
	b.threads = threads
	b.at[t.number()/32]++
	b.total++
	if vote {
		b.votes++
	}
	t.waits, t.bar = waits, id
	if waits == nil {
		c.checkBarrier(id)
	}
}

// checkBarrier lets those go on that wait at a barrier to which all have come that it
// waits for. A warp has come when all its threads have that live.
func (c *crowd) checkBarrier(id int) {
	b := &c.bars[id]
	come, all := 0, true
	for w, n := range b.at {
		if n > 0 && n >= c.live[w] {
			come += 32
		}
		all = all && n >= c.live[w]
	}
	if b.threads == 0 && !all || b.threads > 0 && come < b.threads {
		return
	}
	done := *b
	*b = bar{}
	for _, t := range c.threads {
		if t.waits != nil && t.bar == id && isBarrier(t.waits) {
			t.barrierResult(&done)
			c.goOn(t)
		}
	}
}
