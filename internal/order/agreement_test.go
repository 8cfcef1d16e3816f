package order

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
)

// TestReference: on random programs the detector finds the pairs of writes, and of
// writes and reads, that the reference finds, and no others. Of the reads that a write
// overtakes it finds some wherever there are any, and none that the reference has not:
// of a thread's reads in a row it keeps the first or the last.
func TestReference(t *testing.T) {
	trials := uint64(4000)
	if testing.Short() {
		trials = 1000
	}
	if n, err := strconv.ParseUint(os.Getenv("HYPTX_PROGRAMS"), 10, 64); err == nil {
		trials = n
	}
	for seed := range trials {
		for _, decides := range []int{0, 1, 2, 20} {
			if msg := compareWithReference(rand.New(rand.NewPCG(seed, 9)), decides); msg != "" {
				t.Fatalf("seed %d, deciding one in %d times: %s", seed, decides, msg)
			}
		}
	}
}

// system is what the detector knows of the same threads.
type system struct {
	ctas  [2]CTA
	warps [refWarps]*Warp
	log   Log
}

func newSystem() *system {
	s := &system{}
	l := &Launch{Number: 1, Log: &s.log}
	for i := range s.warps {
		if i%2 == 0 {
			s.ctas[i/2].Begin(l, uint32(i/2))
		}
		s.warps[i] = new(Warp)
		s.warps[i].Begin(&s.ctas[i/2], i%2)
	}
	return s
}

// compareWithReference runs a random program in which the threads of each step decide
// behind it with a probability of one in decides, or never.
func compareWithReference(random *rand.Rand, decides int) string {
	ref, sys := newReference(), newSystem()
	chains := random.IntN(2) == 0
	shadow, taken := newShadow(refBytes)
	var trace []string
	for pc := 1; pc <= 60; pc++ {
		warp := random.IntN(refWarps)
		w := sys.warps[warp]
		// Some threads of the warp, and the mask of their lanes.
		var threads []int
		mask := uint32(0)
		for i, lane := range refLanes {
			if random.IntN(2) == 0 || mask == 0 && i == len(refLanes)-1 {
				threads, mask = append(threads, 4*warp+i), mask|1<<lane
			}
		}
		what := random.IntN(24)
		if chains { // little else than accesses, releases and acquires
			what = []int{1, 1, 6, 13, 15, 16, 17, 18, 19, 19}[random.IntN(10)]
			threads, mask = threads[:1], 1<<refLanes[threads[0]%4]
		}
		trace = append(trace, fmt.Sprintf("%d: warp %d mask %#x does %d", pc, warp, mask, what))
		switch {
		case what < 10, what >= 20: // a load, store or reduction, of one address or of several
			accessBoth(random, ref, shadow, w, pc, what, threads)
		case what == 10: // a barrier of the CTA
			w.CTA.Barrier(sys.warps[warp&^1 : warp|1+1])
			ref.meet(threadsFrom(warp/2*8, 8))
		case what == 11:
			w.Sync(mask)
			ref.meet(threads)
		case what == 12: // a barrier of some warps: one of each CTA
			other := sys.warps[warp^1]
			told := Join(w.Release(^uint32(0)), other.Release(mask))
			w.Acquire(^uint32(0), told)
			all := threadsFrom(4*warp, 4)
			var some []int
			for _, thread := range threads {
				some = append(some, thread^4)
			}
			var met refTold
			for _, thread := range append(slices.Clone(all), some...) {
				met.join(ref.tell(thread))
			}
			for _, thread := range all { // the others do not wait
				ref.hear(thread, met)
			}
		case what <= 14:
			scope := Scope(1 + random.IntN(2))
			w.Fence(mask, scope)
			for _, thread := range threads {
				ref.fence(thread, scope)
			}
		default: // a strong access of a flag by one thread, of the mask
			op := Op{Reads: what <= 17, Decides: true, Writes: what > 17, Strong: true, Scope: Scope(1 + random.IntN(2))}
			op.Acquires, op.Releases = op.Reads && random.IntN(2) == 0, op.Writes && random.IntN(2) == 0
			addr := uint64(random.IntN(2))
			if chains && random.IntN(4) > 0 {
				op.Scope = ScopeGrid
			}
			w.Strong(refLanes[threads[0]%4], &op, false, nil, addr)
			ref.strong(threads[0], &op, addr)
		}
		if decides > 0 && random.IntN(decides) == 0 {
			w.Decide(mask)
			for _, thread := range threads {
				ref.decide(thread)
			}
			trace = append(trace, "decides")
		}
	}
	if wrong := wrongAccount(shadow, taken); wrong != "" {
		return fmt.Sprintf("%s\n%q", wrong, trace)
	}
	return differences(ref, &sys.log, trace)
}

// wrongAccount says where what a shadow has taken is not the memory that it has, all
// of which it gives back.
func wrongAccount(s *Shadow, taken *int64) string {
	has := int64(len(s.cells)) * cellBytes
	for _, o := range s.more {
		has += othersBytes + int64(cap(o.writes)+cap(o.reads))*accessBytes
	}
	// A list that was copied as cells were divided may have got less.
	if *taken != s.held || *taken < has {
		return fmt.Sprintf("%d bytes are accounted for, %d taken", *taken, has)
	}
	if s.Drop(); *taken != 0 {
		return fmt.Sprintf("%d bytes are not given back", *taken)
	}
	return ""
}

// accessBoth lets threads of a warp load, store or reduce, in the reference and in a
// shadow.
func accessBoth(random *rand.Rand, ref *reference, shadow *Shadow, w *Warp, pc, what int, threads []int) {
	op := Op{PC: uint32(pc), Reads: what < 5, Writes: what >= 5, Decides: true}
	n := 1 << random.IntN(4)
	if what >= 20 {
		op.Atomic, op.Strong, op.Keeps, op.Family, op.Scope = true, true, true, uint16(random.IntN(3)), Scope(1+random.IntN(2))
	}
	at, step := random.IntN(refBytes/n), random.IntN(2)
	for _, thread := range threads {
		off := (at + thread*step) % (refBytes / n) * n
		if op.Reads {
			shadow.Load(w, refLanes[thread%4], &op, uint64(off), uint64(n))
		} else {
			shadow.Store(w, refLanes[thread%4], &op, uint64(off), uint64(n), 0, 0, ^uint32(0), 0)
		}
		var atomic *refAtomic
		if op.Atomic {
			atomic = &refAtomic{op.Family, off, n, op.Scope}
		}
		for i := range n {
			ref.touch(thread, pc, off+i, op.Writes, atomic)
		}
	}
}

func threadsFrom(first, n int) (threads []int) {
	for i := range n {
		threads = append(threads, first+i)
	}
	return threads
}

// differences compares the pairs that both have found.
func differences(ref *reference, log *Log, trace []string) string {
	found, overtaking, some := map[pairName]bool{}, map[uint32]bool{}, map[someName]bool{}
	for i := range log.Facts {
		f := &log.Facts[i]
		pair := pairName{f.Kind, f.A.PC, f.B.PC, f.SameWarp}
		if _, ok := ref.pairs[pair]; !ok {
			return fmt.Sprintf("found %v, which is in order\n%q", pair, trace)
		}
		found[pair] = true
		some[someName{f.Kind, f.B.PC}] = true
		if f.Kind == RaceOvertake {
			overtaking[f.B.PC] = true
		}
	}
	for pair, must := range ref.pairs {
		if must && !found[pair] && !(pair.kind == RaceOvertake && overtaking[pair.b]) {
			return fmt.Sprintf("did not find %v\n%q", pair, trace)
		}
	}
	for name := range ref.some {
		if !some[name] {
			return fmt.Sprintf("did not find any of %v\n%q", name, trace)
		}
	}
	return ""
}
