package analysis

import (
	"slices"

	"hyptx/depgraph"
	"hyptx/emulator"
)

// Of a launch only what differs is run. CTAs are grouped by the graph that
// their %ctaid specialises the launch's to (depgraph.Groups); a group runs the
// filtered graph of its own where that is smaller than the launch's. Among the
// CTAs of a group, those that differ only along axes of the grid which its slice
// does not read do the same, and one of them stands for all; where a slice reads
// nothing that differs between threads, one full warp stands for all full warps,
// and the last one for itself. The counts of what was run are multiplied by what
// it stands for.

// part is a part of a launch's grid that is run by one slice: the named warps of
// the named CTAs.
type part struct {
	filter *depgraph.Filtered
	// prog is the filtered graph's slice, decoded; workers may run it at a time.
	prog    *emulator.Program
	workers int
	// speculate: see emulator.LaunchConfig.
	speculate bool
	ctas      []int64 // nil for all
	warps     []int   // nil for all
	// each is how many CTAs each one that is run stands for, weight how many
	// of its kind, warps included, a warp stands for.
	each, weight uint64
	// again: the part before is of other warps of the same CTAs.
	again bool
}

// classOf returns the class of a CTA by the result of running the part, and whether it was run.
func (p *part) classOf(r *emulator.Result, cta int64) (class int32, is bool) {
	switch {
	case r.CTAClass == nil:
		return 0, false
	case p.ctas == nil:
		return r.CTAClass[cta], true
	}
	place, is := slices.BinarySearch(p.ctas, cta)
	if !is {
		return 0, false
	}
	return r.CTAClass[place], true
}

// cover is what of a launch is run for all of it.
type cover struct {
	launch *launchPlan
	parts  []part
	// axes are those of the grid along which CTAs may differ at all.
	axes [3]bool
	// Of a launch with several filtered graphs, filters is that of each group,
	// and standIns are the CTAs that are run, by what the others have in common
	// with them.
	groups   *depgraph.Groups
	filters  []*depgraph.Filtered
	standIns map[likeness]*standIn
}

// likeness is what CTAs have in common that one of them can stand for: the
// slice that they run, and their place along the axes that it reads.
type likeness struct {
	filter *depgraph.Filtered
	place  [3]uint32
}

// standIn is a CTA that is run for n of its likeness, per CTA along the axes that
// nobody reads.
type standIn struct {
	filter *depgraph.Filtered
	cta    int64
	n      uint64
}

// maxListedCTAs bounds the CTAs that are listed; more are run one and all.
const maxListedCTAs = 1 << 22

// runAll is a cover that runs every warp of every CTA.
func runAll(l *launchPlan, f *depgraph.Filtered) *cover {
	return &cover{launch: l, parts: []part{{filter: f, each: 1, weight: 1}}, axes: [3]bool{true, true, true}}
}

// represent chooses what of a launch to run. A slice that stores runs as a
// whole: later launches, or other threads, read what it stores. Where threads of a CTA meet by
// its own mbarrier objects alone, a whole CTA can stand for others. Where origins are
// followed, all CTAs run the launch's slice: what a group's has folded, as a selection
// that %ctaid decides, depends in the launch's, which full mode follows, on more.
func represent(l *launchPlan, f *depgraph.Filtered, followed bool) *cover {
	if f.Stores() {
		return runAll(l, f)
	}
	c := &cover{launch: l}
	all := []*depgraph.Filtered{f}
	if !followed {
		if filters := f.Groups().Filters(); filters != nil {
			c.groups, c.filters, all = f.Groups(), filters, filters
			c.axes = c.groups.Axes
		}
	}
	for _, f := range all {
		for axis, reads := range f.Sources.Axes {
			c.axes[axis] = c.axes[axis] || reads
		}
	}
	each, run := uint64(1), int64(1)
	for axis, n := range l.grid {
		if c.axes[axis] {
			run *= int64(n)
		} else {
			each *= uint64(n)
		}
	}
	switch {
	case run > maxListedCTAs || c.filters == nil && each == 1:
		c = runAll(l, f)
	case c.filters == nil:
		c.parts = []part{{filter: f, ctas: make([]int64, 0, run), each: each, weight: each}}
		c.eachPlace(func(place [3]uint32) { c.parts[0].ctas = append(c.parts[0].ctas, l.linear(place)) })
	default:
		c.chooseStandIns(each)
	}
	var parts []part
	for _, p := range c.parts {
		parts = append(parts, p.byWarps(l)...)
	}
	c.parts = parts
	return c
}

// eachPlace goes through the CTAs that differ, as x runs fastest.
func (c *cover) eachPlace(f func(place [3]uint32)) {
	extent := [3]uint32{1, 1, 1}
	for axis, differ := range c.axes {
		if differ {
			extent[axis] = c.launch.grid[axis]
		}
	}
	for z := range extent[2] {
		for y := range extent[1] {
			for x := range extent[0] {
				f([3]uint32{x, y, z})
			}
		}
	}
}

// likeness returns what others have to have in common with the CTA at a place
// for it to stand for them.
func (c *cover) likeness(place [3]uint32) likeness {
	f := c.filters[c.groups.Of(place)]
	for axis, reads := range f.Sources.Axes {
		if !reads {
			place[axis] = 0
		}
	}
	return likeness{f, place}
}

// chooseStandIns makes a part of the CTAs that run the same slice and stand for
// as many others.
func (c *cover) chooseStandIns(each uint64) {
	c.standIns = map[likeness]*standIn{}
	var order []*standIn
	c.eachPlace(func(place [3]uint32) {
		like := c.likeness(place)
		s := c.standIns[like]
		if s == nil {
			s = &standIn{filter: like.filter, cta: c.launch.linear(place)}
			c.standIns[like] = s
			order = append(order, s)
		}
		s.n++
	})
	type kind struct {
		filter *depgraph.Filtered
		n      uint64
	}
	at := map[kind]int{}
	for _, s := range order {
		i, known := at[kind{s.filter, s.n}]
		if !known {
			i = len(c.parts)
			at[kind{s.filter, s.n}] = i
			c.parts = append(c.parts, part{filter: s.filter, each: s.n * each, weight: s.n * each})
		}
		c.parts[i].ctas = append(c.parts[i].ctas, s.cta)
	}
}

// standIn returns the CTA that was run for a CTA.
func (c *cover) standIn(cta int64) int64 {
	var place [3]uint32
	for axis, n := range c.launch.grid {
		if c.axes[axis] {
			place[axis] = uint32(cta % int64(n))
		}
		cta /= int64(n)
	}
	if c.standIns != nil {
		return c.standIns[c.likeness(place)].cta
	}
	return c.launch.linear(place)
}

// byWarps chooses the warps of a part: one of those that do the same.
func (p part) byWarps(l *launchPlan) []part {
	if p.filter.Sources.Threads || p.filter.CountsThreads() {
		return []part{p}
	}
	full, rest := l.threads()/32, l.threads()%32
	var parts []part
	if full > 0 {
		q := p
		q.warps, q.weight = []int{0}, p.each*full
		parts = append(parts, q)
	}
	if rest > 0 {
		q := p
		q.warps, q.again = []int{int(full)}, full > 0
		parts = append(parts, q)
	}
	return parts
}

// ctas returns the number of CTAs of a launch, threads that of a CTA.
func (l *launchPlan) ctas() uint64 {
	return uint64(l.grid[0]) * uint64(l.grid[1]) * uint64(l.grid[2])
}

func (l *launchPlan) threads() uint64 {
	return uint64(l.cta[0]) * uint64(l.cta[1]) * uint64(l.cta[2])
}

// linear returns the linear index of the CTA at a place of the grid.
func (l *launchPlan) linear(place [3]uint32) int64 {
	return int64(place[0]) + int64(l.grid[0])*(int64(place[1])+int64(l.grid[1])*int64(place[2]))
}
