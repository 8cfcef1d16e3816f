package sim

import (
	"context"
	"errors"
	"fmt"

	"hyptx/internal/gpu"
)

// Simulator simulates the launches of a program on a GPU, one after the other:
// [Simulator.Begin], [Simulator.Plan] with the trace of the first CTA, then
// [Simulator.Take] for each CTA that [Simulator.Sees], in the order of their places, and
// [Simulator.End]. Its L2 keeps what it holds from launch to launch.
type Simulator struct {
	Spec   *gpu.GPU
	timing *gpu.Timing
	// Kernel is the name of that of the launch that begins, for [gpu.Stalls].
	Kernel   string
	clockMHz float64
	Options

	whole *GPU // with its L2, nil before the first launch
	// inferred: of what is in the L2 not all was simulated.
	inferred bool
	*running
}

// running is a launch that is simulated.
type running struct {
	code   *Code
	config *Config
	ctas   int64
	across int64
	perSM  int
	unfit  error

	plan   plan
	most   []int64 // instructions that are simulated of each warp, where it is a beginning
	cut    bool
	feed   chan *CTA
	done   chan struct{}
	cancel context.CancelFunc
	ends   []Tick
	stored []uint64 // by the first CTA
	seen   seen
	result *Result
	err    error
}

// Estimate is what is told of a launch.
type Estimate struct {
	Result
	// Cycles are those of the whole launch, and Busy the shares of these; the Result's are
	// of what was simulated.
	Cycles float64
	Busy   Busy
	// IPC is how many machine instructions of warps each SM issues in a cycle in which it has
	// a CTA, in the whole launch.
	IPC float64
	// Whole is what the whole launch does in memory.
	Whole MemoryCounts
	// CTAs of the launch, of which Simulated were, on SMs of those that there are.
	Simulated int64
	SMs, Of   int64
	// Cut: of some CTAs only the beginning was simulated; Cycles and Whole are as if
	// there were no more. Longer is how much longer a CTA is, if the plan was to see
	// beginnings, else 1.
	Cut      bool
	Longer   float64
	ClockMHz float64
	// Part: not all CTAs ran to their end, and the L2 does not know what they have left.
	Part bool
	// Stored are the words ([Sectors]) of what the first CTA writes.
	Stored []uint64
	doubt  doubt
	// fresh is what the first CTA reads, of so many, ctas, that go through an L2 of so many bytes.
	fresh         fresh
	ctas, l2Bytes int64
	// seen are the CTAs of a part, for launches in which they are unequal.
	seen *seen
	// Unfit is why there is no time: the GPU cannot run the launch, or it could not be
	// simulated. nil if there is one.
	Unfit error
}

// Options are what is left open of a simulation.
type Options struct {
	// Budget bounds the machine instructions of warps that are simulated of a launch;
	// 0: nothing does. FewWaves does of one of so few waves that none can be left out, where
	// it is more and a tenth of the launch: its warps drift apart for as long as it runs.
	Budget, FewWaves int64
	// ColdL2: nothing is in the L2 when a launch begins.
	ColdL2 bool
	// PerInstruction asks for the stalls of each instruction, OverTime for intervals.
	PerInstruction, OverTime bool
}

// NewSimulator returns the simulator of a GPU at a clock of its SMs.
func NewSimulator(g *gpu.GPU, clockMHz float64, o Options) (*Simulator, error) {
	t, err := g.Timing()
	if err != nil {
		return nil, err
	}
	if g.Chiplets != nil && o.Budget > 0 {
		return nil, fmt.Errorf("%s: chiplets are simulated with all that a launch does: a part of its CTAs would ask for other pages", g.Label())
	}
	return &Simulator{Spec: g, timing: t, clockMHz: clockMHz, Options: o}, nil
}

// Lacks returns what the simulator needs of a GPU for every kernel and nobody knows.
func Lacks(g *gpu.GPU) error {
	clock, err := g.ClockMHz()
	if err != nil {
		return err
	}
	s, err := NewSimulator(g, clock, Options{})
	if err != nil {
		return err
	}
	_, _, err = s.configure(gpu.CTA{Threads: 1, RegistersPerThread: 1})
	return err
}

// Begin starts a launch of so many CTAs, in rows of across, and in clusters of so many. One
// that the GPU cannot run is no error: [Estimate.Unfit] says why.
func (s *Simulator) Begin(l *Linker, cta gpu.CTA, ctas, across int64, cluster int) error {
	s.running = &running{ctas: ctas, across: across}
	if s.unfit = LacksClusters(s.Spec, cluster); s.unfit != nil {
		return nil
	}
	m, perSM, err := s.configure(cta)
	if limit := (*gpu.LimitError)(nil); errors.As(err, &limit) {
		s.unfit = err
		return nil
	} else if err != nil {
		return err
	}
	if m.Cluster.Size = cluster; cluster > 1 && m.Cluster.resident(int64(m.SMs), int64(perSM)) == 0 {
		s.unfit = fmt.Errorf("a cluster of %d CTAs finds no room on %s: none of its %d GPCs, with %d SMs in all, holds as many, %d on an SM", cluster, s.Spec.Label(), m.Cluster.GPCs, m.SMs, perSM)
		return nil
	}
	s.config, s.perSM = m, perSM
	s.code, err = Compile(l.Program(), m)
	if lacks := (*gpu.NoTensorError)(nil); errors.As(err, &lacks) { // others that it is simulated on may have them
		s.unfit, err = lacks, nil
	}
	return err
}

// LacksClusters returns why a launch with clusters of so many CTAs has no time on a GPU, nil
// if it has one.
func LacksClusters(g *gpu.GPU, size int) error {
	if size <= 1 {
		return nil
	}
	t, err := g.Timing()
	switch {
	case err != nil:
		return err
	case !t.Cluster.Known():
		return fmt.Errorf("nothing is known of clusters on compute capability %s", t.Capability)
	case g.Chiplets != nil:
		return errors.New("clusters on chiplets are not simulated")
	}
	return nil
}

// Plan chooses what of the launch is simulated, by what the first CTA does, and neighbours
// if they are known, and lets the simulation run. It returns how much of each CTA is wanted,
// by its trace.
func (s *Simulator) Plan(first *CTA, n *Neighbours) (portion float64) {
	if s.unfit != nil {
		return 1
	}
	r := s.running
	ofFirst := r.code.instructions(first)
	perCTA := ofFirst
	// It may leave out what others do, or do what they leave out.
	if mean, whole := r.code.spread(n); mean > muchLonger*perCTA || whole && perCTA > muchLonger*mean {
		perCTA = mean
	}
	budget := weighed(s.budget(perCTA), ofFirst, r.code.effort(first))
	r.plan = newPlan(r.ctas, int64(r.perSM), int64(r.config.SMs), perCTA, budget, r.config.Cluster)
	if r.plan.shorten(r.code, first, budget); r.config.Cluster.Size <= 1 {
		r.plan.arrange(r.across, r.code.sharing(n))
	}
	_, r.stored = r.code.stored(first)
	if first.Cut || r.plan.portion < 1 {
		r.plan.fresh = r.code.freshOf(first, r.plan.portion)
	}
	r.feed, r.done = make(chan *CTA, 16), make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go r.simulate(ctx, s.machine(&r.plan), &s.Options)
	if r.plan.portion < 1 {
		r.most = r.code.lengths(first, r.plan.portion)
		return r.plan.words
	}
	return 1
}

// muchLonger is how many times as long as the first CTA others are, or as short, for the launch to be
// planned by them: those at the rim of a grid do some things less (own choice).
const muchLonger = 2

// budget returns how many instructions of the launch are simulated, of whose CTAs each has
// so many; 0: all.
func (s *Simulator) budget(perCTA int64) int64 {
	if s.Budget > 0 && s.ctas <= minWaves*s.config.Cluster.resident(int64(s.config.SMs), int64(s.perSM)) && float64(s.FewWaves) >= leastOfFewWaves*float64(perCTA)*float64(s.ctas) {
		return max(s.Budget, s.FewWaves)
	}
	return s.Budget
}

// weighed returns how many instructions are in a budget of them where a CTA's are as much work as
// so many others; 0 stays all.
func weighed(budget, perCTA, effort int64) int64 {
	if budget <= 0 || effort <= perCTA {
		return budget
	}
	return max(1, int64(float64(budget)*float64(perCTA)/float64(effort)))
}

// leastOfFewWaves is the part of a launch below which to see more of its beginning says
// little more about its end (own choice).
const leastOfFewWaves = 0.1

// Sees reports whether the CTA of a place in the order of the launch is simulated.
func (s *Simulator) Sees(place int64) bool { return s.unfit == nil && s.plan.sees(place) }

// Take takes a CTA with its traces.
func (s *Simulator) Take(c *CTA) {
	if !s.Sees(c.Place) {
		return
	}
	if s.plan.portion < 1 {
		c = s.code.begin(c, s.most)
	}
	s.cut = s.cut || c.Cut
	s.seen.add(s.code, c)
	select {
	case s.feed <- c:
	case <-s.done: // it has failed
	}
}

// machine returns the GPU on which a plan runs: the whole one with its L2, or one of its
// own for a part of the launch.
func (s *Simulator) machine(p *plan) *GPU {
	if s.whole == nil || s.ColdL2 {
		s.whole = mustNew(s.config)
	}
	if p.sms < p.of || p.portion < 1 { // what beginnings leave in the L2 no launch leaves
		part := p.machine(s.config, s.code)
		part.memory.before = s.whole.memory.l2.copy()
		return part
	}
	s.whole.m = s.config // the L1 may be another one
	s.whole.memory.m = s.config
	return s.whole
}

// Leave says that a launch of which not all was simulated has written so many blocks of 128
// bytes from one on: the last ones of them are in the L2 that the next launch finds.
func (s *Simulator) Leave(first, blocks uint64) {
	if s.whole == nil {
		return
	}
	s.inferred = true
	end := first + blocks
	for first = end - min(blocks, uint64(len(s.whole.memory.l2.lines))); first < end; first++ {
		s.whole.memory.keep(first, 1<<blockSectors-1, 1<<blockSectors-1)
	}
}

// mustNew returns the GPU of a configuration for which code was compiled, and which
// was checked then.
func mustNew(m *Config) *GPU {
	g, err := New(m)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return g
}

// simulate runs the launch.
func (r *running) simulate(ctx context.Context, g *GPU, o *Options) {
	defer close(r.done)
	d := deal{Chiplets: g.m.Chiplets, ctas: r.ctas, come: func() (*CTA, error) {
		select {
		case c := <-r.feed:
			return c, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	r.result, r.err = g.Run(ctx, &Launch{
		Code: r.code, CTAsPerSM: r.perSM, Mark: r.plan.mark(), PerInstruction: o.PerInstruction, OverTime: o.OverTime, Next: d.next,
		Done: func(e End) error {
			r.ends = append(r.ends, e.At)
			return nil
		},
	})
}

// End ends the launch, when all its CTAs have been taken, and says how long it took.
func (s *Simulator) End(ctx context.Context) (*Estimate, error) {
	r := s.running
	s.running = nil
	if r.unfit != nil {
		return &Estimate{Unfit: r.unfit}, nil
	}
	close(r.feed)
	stop := context.AfterFunc(ctx, r.cancel)
	defer stop()
	<-r.done
	r.cancel()
	if r.err != nil {
		return nil, r.err
	}
	if !r.cut {
		r.plan.instructions = 0 // nothing was longer than what was seen of it
	}
	e := r.plan.conclude(r.result, r.ends, r.config.L2.Bytes, s.inferred && !s.ColdL2)
	e.Simulated, e.SMs, e.Of = r.result.CTAs, r.plan.sms, r.plan.of
	e.Cut, e.Part = r.cut, r.cut || r.result.CTAs < r.ctas
	e.ClockMHz, e.Stored = s.clockMHz, r.stored
	if e.Part {
		e.seen = r.seen.of(r)
	}
	s.inferred = s.inferred || e.Part
	return e, nil
}

// Stop gives a launch up that failed.
func (s *Simulator) Stop() {
	if s.running != nil && s.cancel != nil {
		s.cancel()
		<-s.done
	}
	s.running = nil
}
