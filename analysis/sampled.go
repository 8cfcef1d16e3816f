package analysis

import (
	"cmp"
	"context"
	"maps"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"hyptx/depgraph"
	"hyptx/emulator"
	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
	"hyptx/internal/traffic"
	"hyptx/ir"
)

// Caches that see a sample of the CTAs need the addresses of these alone. So a launch is
// counted as in mode control, where one CTA stands for others, and the sample runs by the
// slice of decisions and addresses besides. What it moved stands for the rest: by classes
// of CTAs that execute the same, and of each access by the lanes that executed it, of which
// mode control knows how many there are. Where CTAs differ by the places of what they access
// alone, and these are aligned alike, that is what all of them move to the last
// byte; else it is an estimate, and all of it is called one (sampledCounts).
//
// Launches whose slice stores run whole, for others would miss what is stored, and so do
// clusters, and all where somebody asks for what only all CTAs say: the footprint, accesses
// that hit no memory, views of CTAs and of instructions.

// samples reports whether launches may be sampled at all.
func (s *Session) samples() bool {
	o := &s.Options
	views := o.PathLists || o.PerCTA || o.PerInstruction || o.Footprint || o.WatchL2 != nil || o.WatchCTAs != nil
	if s.whole || views || o.Verify || o.Forgive {
		return false
	}
	return o.Mode == Memory && o.Sample != (hierarchy.Sample{}) && len(o.GPUs) > 0
}

// sampledRun is what came of the CTAs of a launch that were run for their addresses.
type sampledRun struct {
	*emulator.Result
	// moved is the estimate of what all CTAs moved.
	moved *traffic.Counts
}

// mostSampled bounds the grids of whose CTAs classes are kept and samples are listed: 1 GiB.
const mostSampled = 1 << 25

// runSampled runs a launch in mode control, and of f, its slice of decisions and addresses,
// the CTAs that samples want; nil if all of them have to run.
func (s *Session) runSampled(ctx context.Context, l *launchPlan, f *depgraph.Filtered) (*outcome, error) {
	if s.caches == nil || s.controls == nil || l.ctas() > mostSampled {
		return nil, nil
	}
	if f.Stores() || l.clusterSize() > 1 || usesHeap(l.kernel) {
		return nil, nil
	}
	shape, err := s.shape(ctx, l)
	if err != nil {
		return nil, err
	}
	chosen, err := s.caches.Chosen(shape, int64(l.ctas()))
	if chosen == nil || err != nil {
		return nil, err
	}
	o, err := s.runControl(ctx, l)
	if err != nil {
		return nil, err
	}
	x := newSampling(l, o, chosen)
	c := &cover{launch: l, parts: []part{{filter: f, ctas: x.ctas, each: 1, weight: 1}}}
	if err := s.compileParts(ctx, c, s.originSlice(l, f)); err != nil {
		return nil, uncompiled{err}
	}
	var done atomic.Int64
	defer s.watch(l, &c.parts[0], &done)()
	cfg := s.config(l, &c.parts[0], &done)
	cfg.Loops, cfg.Paths, cfg.OnWarp = false, false, nil
	cfg.Sorts = &traffic.Sorts{Of: func(cta int64) int { return x.sortOf[cta] }}
	r, err := s.launchCached(ctx, l, c.parts[0].prog, cfg, o, 1)
	if err != nil {
		return nil, err
	}
	o.sampled = &sampledRun{r, x.estimate(r, cfg.Sorts.Counts)}
	cfg.Sorts = nil
	return o, s.launchAgain(ctx, l, c.parts[0].prog, cfg, o)
}

// runControl runs a launch as mode control does, and keeps the classes of its CTAs.
func (s *Session) runControl(ctx context.Context, l *launchPlan) (*outcome, error) {
	caches := s.caches
	s.caches, s.traffic, s.classes = nil, false, true
	defer func() { s.caches, s.traffic, s.classes = caches, true, false }()
	f := s.controls[l.index]
	return s.runLaunch(ctx, l, f, s.originSlice(l, f))
}

// shape is what a launch's CTAs need of an SM.
func (s *Session) shape(ctx context.Context, l *launchPlan) (gpu.CTA, error) {
	registers, err := s.registers(ctx, l, s.Options.GPUs[0])
	shared, _ := emulator.DeclaredBytes(l.kernel)
	shared += l.launch.DynamicSharedBytes
	return gpu.CTA{Threads: int(l.threads()), RegistersPerThread: registers, SharedBytes: int(shared)}, err
}

// lanes are how many lanes executed each instruction.
type lanes map[ir.PC]uint64

// add adds what counters of a program say, n times.
func (to lanes) add(p *emulator.Program, counts []uint64, n uint64) {
	p.EachInstr(counts, func(c emulator.InstrCount) {
		if c.PredOn > 0 {
			to[c.PC] += n * c.PredOn
		}
	})
}

// addTimes adds others, n times.
func (to lanes) addTimes(l lanes, n uint64) {
	for pc, x := range l {
		to[pc] += n * x
	}
}

// less takes others away.
func (to lanes) less(l lanes) {
	for pc, x := range l {
		to[pc] -= x
	}
}

// sampling is a sample of a launch's CTAs, sorted by what they execute.
type sampling struct {
	*outcome // of mode control
	launch   *launchPlan
	classes  *ctaClasses
	// ctas are those that are run, sortOf their sorts: of sort 0 are all classes that are
	// not sorts of their own.
	ctas   []int64
	sortOf map[int64]int
	// all are the lanes of all CTAs of each sort, seen those of the ones that are run.
	all, seen []lanes
}

// population are the CTAs of a class: n, of which so many are chosen, and one of them.
type population struct {
	class     int
	n, chosen uint64
	one       int64
}

// mostSorts are told apart; as many classes of which nothing was chosen have one CTA run.
const mostSorts = 64

func newSampling(l *launchPlan, o *outcome, chosen []int64) *sampling {
	x := &sampling{outcome: o, launch: l, classes: o.newCTAClasses(), sortOf: make(map[int64]int, len(chosen))}
	of := map[int]*population{}
	x.eachRun(func(cta int64, each uint64) {
		class := x.classes.of(cta)
		if of[class] == nil {
			of[class] = &population{class: class, one: cta}
		}
		of[class].n += each
	})
	for _, cta := range chosen {
		of[x.classes.of(o.standIn(cta))].chosen++
	}
	list := slices.Collect(maps.Values(of))
	slices.SortFunc(list, func(a, b *population) int {
		return cmp.Or(cmp.Compare(b.chosen, a.chosen), cmp.Compare(b.n, a.n), cmp.Compare(a.class, b.class))
	})
	x.ctas = x.withOthers(chosen, list)
	sorts := map[int]int{}
	x.all, x.seen = []lanes{x.executed()}, []lanes{{}}
	for i, p := range list {
		if i == mostSorts || p.chosen == 0 {
			break
		}
		sorts[p.class] = i + 1
		each := x.lanesOf(p.one)
		x.all, x.seen = append(x.all, lanes{}), append(x.seen, lanes{})
		x.all[i+1].addTimes(each, p.n)
		x.seen[i+1].addTimes(each, p.chosen)
		x.all[0].less(x.all[i+1])
	}
	rest := map[int]uint64{}
	for _, cta := range x.ctas {
		class := x.classes.of(o.standIn(cta))
		if x.sortOf[cta] = sorts[class]; sorts[class] == 0 {
			rest[class]++
		}
	}
	for class, n := range rest {
		x.seen[0].addTimes(x.lanesOf(of[class].one), n)
	}
	return x
}

// eachRun goes through the CTAs that were run and how many each stands for.
func (x *sampling) eachRun(f func(cta int64, each uint64)) {
	for i := range x.parts {
		p := &x.parts[i]
		switch {
		case p.again:
		case p.ctas == nil:
			for cta := range int64(x.launch.ctas()) {
				f(cta, p.each)
			}
		default:
			for _, cta := range p.ctas {
				f(cta, p.each)
			}
		}
	}
}

// withOthers adds to the chosen CTAs one of each class without, of so many, and of
// every one that executes what no other does: of each access something is known then.
func (x *sampling) withOthers(chosen []int64, list []*population) []int64 {
	ctas, missing := slices.Clone(chosen), x.executed()
	added := 0
	for _, p := range list {
		if p.chosen > 0 {
			x.take(missing, p.one)
			continue
		}
		if len(missing) == 0 && added >= mostSorts {
			break
		}
		if found := x.take(missing, p.one); found || added < mostSorts {
			p.chosen, added, ctas = 1, added+1, append(ctas, p.one)
		}
	}
	slices.Sort(ctas)
	return slices.Compact(ctas)
}

// take takes away the instructions that a CTA executes, and reports whether one was there.
func (x *sampling) take(missing lanes, cta int64) (found bool) {
	if len(missing) == 0 {
		return false
	}
	for pc := range x.lanesOf(cta) {
		if _, there := missing[pc]; there {
			found = true
			delete(missing, pc)
		}
	}
	return found
}

// executed returns the lanes of all CTAs.
func (x *sampling) executed() lanes {
	all := lanes{}
	for i, res := range x.results {
		for _, c := range res.Classes {
			all.add(x.partOf(i).prog, c.Counts, uint64(c.CTAs)*x.partOf(i).weight)
		}
	}
	return all
}

// lanesOf returns the lanes of a CTA that was run in mode control.
func (x *sampling) lanesOf(cta int64) lanes {
	of := lanes{}
	for i, res := range x.results {
		p := x.partOf(i)
		if class, is := p.classOf(res, cta); is {
			of.add(p.prog, res.Classes[class].Counts, p.weight/p.each)
		}
	}
	return of
}

// estimate returns what all CTAs moved if those of each sort, lane by lane, moved as much as
// those that were run; sort 0, where none of it was, as much as all that were. Atomics of all CTAs
// come to lines as those of the ones that were run do, of whatever sort.
func (x *sampling) estimate(r *emulator.Result, sorts []*traffic.Counts) *traffic.Counts {
	all := &traffic.Counts{Accesses: slices.Clone(r.Traffic.Accesses), Uncounted: r.Traffic.Uncounted, Lines: r.Traffic.Lines.Times(float64(x.launch.ctas()) / float64(len(x.ctas)))}
	seen := lanes{}
	for _, of := range x.seen {
		seen.addTimes(of, 1)
	}
	for i := range all.Accesses {
		a := &all.Accesses[i]
		pc := ir.PC(a.PC)
		a.Spaces = [traffic.NumSpaces]traffic.Sum{}
		for k, of := range sorts {
			if of != nil && x.seen[k][pc] > 0 {
				addScaled(a, &of.Accesses[i], x.all[k][pc], x.seen[k][pc])
			}
		}
		if x.seen[0][pc] == 0 && x.all[0][pc] > 0 && seen[pc] > 0 {
			addScaled(a, &r.Traffic.Accesses[i], x.all[0][pc], seen[pc])
		}
	}
	return all
}

// addScaled adds to an access what another one moved by so many lanes, for all of them.
func addScaled(to, of *traffic.Access, all, seen uint64) {
	for space, s := range of.Spaces {
		to.Spaces[space].Add(traffic.Sum{
			Requests: scaled(s.Requests, all, seen), Transactions: scaled(s.Transactions, all, seen),
			Bytes: scaled(s.Bytes, all, seen), UniqueBytes: scaled(s.UniqueBytes, all, seen), Passes: scaled(s.Passes, all, seen),
		}, 1)
	}
}

// scaled returns n * all / seen, rounded.
func scaled(n, all, seen uint64) uint64 {
	high, low := bits.Mul64(n, all)
	if high >= seen {
		return math.MaxUint64
	}
	whole, rest := bits.Div64(high, low, seen)
	if rest >= seen-rest {
		whole++
	}
	return whole
}
