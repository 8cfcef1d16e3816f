package sim

import (
	"container/heap"
	"math"
	"slices"
)

// CTAs that do unequal amounts of work end at different times: one that is a hundred times as
// long as the others goes on when these have long ended, and faster than before, for it shares its
// SM with nobody. How long each CTA of a launch is has been counted; how fast they go on, many
// together and one alone, a simulation of some of them says, or the closed form. From that follows
// when each begins and ends: CTAs begin in their order, where a place becomes free, and those
// on an SM have equal parts of what it can do (processor sharing, Kleinrock, Queueing Systems II,
// 4.4).

// Pace is how fast CTAs go on, in what their lengths are counted in, a cycle.
type Pace struct {
	Alone float64 // of one that has the GPU for itself
	Start float64 // what each CTA takes besides its length, in lengths: until it is at that pace
	Full  float64 // of all on an SM together, at most
	// Shared: all of the GPU share what there is, as memory, and Full is theirs together.
	Shared bool
	// SMs have PerSM places for CTAs each, of which one is taken each Interval cycles.
	SMs, PerSM int
	Interval   float64
}

// Lengths are those of a launch's CTAs, in the order in which they begin.
type Lengths []float32

// uneven is how many times as long as the mean the longest CTA is from which on a launch does not
// take as long as if all were equal (own choice).
const uneven = 1.25

// Uneven reports whether a launch takes longer than if all of its CTAs were equal.
func (l Lengths) Uneven() bool {
	return len(l) > 0 && l.Longest() > uneven*l.Mean()
}

// Longest returns the greatest length.
func (l Lengths) Longest() float64 { return float64(slices.Max(l)) }

// Mean returns the mean length.
func (l Lengths) Mean() float64 { return l.sum() / float64(len(l)) }

// Times returns lengths that are so many times as long.
func (l Lengths) Times(f float64) Lengths {
	of := make(Lengths, len(l))
	for i, x := range l {
		of[i] = float32(f) * x
	}
	return of
}

func (l Lengths) sum() (sum float64) {
	for _, x := range l {
		sum += float64(x)
	}
	return sum
}

// groups returns how many groups of CTAs share what there is, and how many each of these holds.
func (p *Pace) groups() (n, places int) {
	if p.Shared {
		return 1, p.SMs * p.PerSM
	}
	return p.SMs, p.PerSM
}

// rate returns how fast each of so many CTAs goes on that share.
func (p *Pace) rate(ctas int) float64 { return min(p.Alone, p.Full/float64(ctas)) }

// Equal returns the cycles of so many CTAs of one length.
func (p *Pace) Equal(ctas int, length float64) float64 {
	groups, places := p.groups()
	most := (ctas + groups - 1) / groups
	length += p.Start
	cycles := float64(most/places) * length / p.rate(places)
	if rest := most % places; rest > 0 {
		cycles += length / p.rate(rest)
	}
	return max(cycles, float64(ctas)*p.Interval)
}

// atOnce is by what share of the time CTAs may end apart that end together (own choice): sums are rounded.
const atOnce = 1e-9

// Makespan returns the cycles from the beginning of the first CTA to the end of the last one. Each
// begins where there are the fewest.
func (p *Pace) Makespan(l Lengths) (cycles float64) {
	n, places := p.groups()
	groups := make([]group, min(n, len(l)))
	for i := range groups {
		groups[i].expect(p)
	}
	for begun, begins := 0, 0.0; ; {
		first, emptiest := &groups[0], &groups[0]
		for i := range groups {
			g := &groups[i]
			if g.next < first.next {
				first = g
			}
			if len(g.ends) < len(emptiest.ends) {
				emptiest = g
			}
		}
		switch {
		case begun < len(l) && len(emptiest.ends) < places && max(begins, cycles) < first.next*(1-atOnce):
			cycles = max(cycles, begins)
			emptiest.proceed(p, cycles)
			heap.Push(&emptiest.ends, emptiest.done+p.Start+float64(l[begun]))
			emptiest.expect(p)
			begun++
			begins = cycles + p.Interval
		case math.IsInf(first.next, 1):
			return cycles
		default:
			cycles = first.next
			first.at, first.done = cycles, heap.Pop(&first.ends).(float64)
			first.expect(p)
		}
	}
}

// group are CTAs that share what there is, and so go on equally fast.
type group struct {
	at   float64 // a cycle
	done float64 // how far one has come by then that began with the launch
	next float64 // the cycle in which the next one of them ends
	ends goals   // how far that one will have come when each of these ends
}

// proceed lets the CTAs go on until a cycle, before which none of them ends.
func (g *group) proceed(p *Pace, to float64) {
	if len(g.ends) > 0 {
		g.done += (to - g.at) * p.rate(len(g.ends))
	}
	g.at = to
}

// expect finds when the next CTA ends.
func (g *group) expect(p *Pace) {
	if g.next = math.Inf(1); len(g.ends) > 0 {
		g.next = g.at + (g.ends[0]-g.done)/p.rate(len(g.ends))
	}
}

// goals is a heap.
type goals []float64

func (e goals) Len() int           { return len(e) }
func (e goals) Less(i, j int) bool { return e[i] < e[j] }
func (e goals) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *goals) Push(x any)        { *e = append(*e, x.(float64)) }
func (e *goals) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}

// Unequal returns the cycles of a launch that would take so many if all of its CTAs were of the mean
// length.
func (p *Pace) Unequal(l Lengths, equal float64) float64 {
	return equal + max(0, p.Makespan(l)-p.Equal(len(l), l.Mean()))
}
