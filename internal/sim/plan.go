package sim

import (
	"math"
	"slices"

	"hyptx/internal/traffic/stream"
)

// A launch may have more instructions than anybody wants to wait for. Its CTAs come in
// waves, as many at a time as all SMs hold, and most waves do what the one before did.
// So first the number of waves is cut: the first ones are simulated, with the rest of
// the last one, and those between take as long as those that were seen in a steady
// state. If single waves are too long, a part of the GPU is simulated with its share
// of the waves: n of N SMs with n/N of the L2, the network and DRAM
// (SeyyedAghaei et al., HPCA 2024, scale models).

// plan says which CTAs of a launch are simulated, on how many SMs.
type plan struct {
	ctas, perSM int64
	sms, of     int64 // SMs that are simulated, of those that there are
	// waves of size CTAs are simulated from their beginning up to share CTAs; behind
	// them the rest of the launch after its last whole wave.
	waves, size, share int64
	rest               int64 // CTAs after the last whole wave, of which restShare are seen
	restShare          int64
	across             int64     // CTAs in a row of the grid; 0: all
	whole, last        rectangle // of a wave and of the rest that are simulated
	brought            float64   // share of what these read first that others have read before
	distinct           float64   // share of what a wave touches that these do of its CTAs; 0: not known
	cluster            Cluster
	beginnings
}

// minWaves are simulated of a launch that has so many: one that finds caches cold, one
// that is steady, one that ends.
const minWaves = 3

// steadyWaves are simulated where a few SMs are enough to make room for that. CTAs begin
// together and drift apart: a launch whose warps all wait for memory first and all compute then
// is a third slower in its third wave than in its ninth (own choice).
const steadyWaves = 9

// leastSMs are simulated, if one wave of them is within the budget: neighbours in the grid
// are on different SMs, and share lines in the L2.
const leastSMs = 4

// newPlan returns the plan of a launch whose first CTA has so many instructions, for a
// budget of them. Of clusters all CTAs are simulated or none.
func newPlan(ctas, perSM, sms, perCTA, budget int64, c Cluster) plan {
	p := plan{ctas: ctas, perSM: perSM, sms: sms, of: sms, size: min(c.resident(sms, perSM), ctas), cluster: c, beginnings: beginnings{portion: 1}}
	whole := ctas / p.size
	p.waves, p.rest = whole, ctas%p.size
	perCTA = max(perCTA, 1)
	if budget > 0 && perCTA*ctas > budget {
		p.waves = min(whole, max(budget/(perCTA*p.size), steadyWaves))
		busy := min(sms, p.size)
		if cost := perCTA * p.size * p.waves; cost > budget {
			p.halve(max(leastSMs, busy*budget/cost))
			p.waves = min(p.waves, max(budget/(perCTA*p.among(p.size)), minWaves))
		}
	}
	p.share, p.restShare = p.among(p.size), p.among(p.rest)
	return p
}

// halve takes half of the SMs that have CTAs, and half of these, until no more than so many
// are left: the slices of the L2 and the channels of DRAM, which are often a power of two
// and share addresses as such, stay one. More than half of the SMs cost nearly as much as
// all, which need no scaling.
func (p *plan) halve(most int64) {
	if p.sms = min(p.of, p.size); 2*most > p.sms {
		most = p.sms
	}
	least := int64(leastSMs)
	if p.cluster.Size > 1 { // for one at a time
		least = max(least, (int64(p.cluster.Size)+p.perSM-1)/p.perSM)
	}
	for p.sms > most && p.sms >= 2*least-1 {
		p.sms = (p.sms + 1) / 2
	}
	if p.sms == p.size {
		p.sms = p.of
	}
}

// among returns how many of so many CTAs of a wave are on the simulated SMs: CTAs go to
// SMs in turn, and of a wave that does not fill them those at the beginning have one more
// than the others, for which the launch waits.
func (p *plan) among(ctas int64) int64 {
	if size := int64(p.cluster.Size); size > 1 && p.sms < p.of {
		share := (ctas*p.sms + min(p.of, p.size) - 1) / min(p.of, p.size)
		return min((share+size-1)/size*size, ctas, p.scaledCluster().resident(p.sms, p.perSM))
	}
	return ctas/p.of*p.sms + min(ctas%p.of, p.sms)
}

// scaledCluster are clusters on a part of the SMs, in so many GPCs.
func (p *plan) scaledCluster() *Cluster {
	c := p.cluster
	c.GPCs = max(1, int((int64(c.GPCs)*p.sms+p.of/2)/p.of))
	return &c
}

// sees reports whether the CTA of a place in the order of the launch is simulated.
func (p *plan) sees(place int64) bool {
	whole := p.ctas / p.size
	wave, at := place/p.size, place%p.size
	if wave >= whole {
		return p.together(at, p.restShare, p.last)
	}
	return wave < p.waves && p.together(at, p.share, p.whole)
}

// together reports whether a CTA is among so many of a wave that are simulated.
func (p *plan) together(at, share int64, r rectangle) bool {
	if r.wide == 0 {
		return at < share
	}
	row, column := at/p.across, at%p.across
	return column < r.wide && row*r.wide+column < share
}

// scaled returns the machine that is simulated: a part of the whole one, with the share of
// what SMs have in common that the simulated CTAs have of a wave, but of the L2 what they touch
// of all that a wave does: where all read the same, each part needs room for all of it.
func (p *plan) scaled(m *Config) *Config {
	if p.sms == p.of {
		return m
	}
	f := float64(p.share) / float64(p.size)
	parts := 1 << int(math.Round(-math.Log2(f)))
	of := *m
	of.SMs = int(p.sms)
	of.Cluster = *p.scaledCluster()
	of.L2.Bytes = int64(float64(m.L2.Bytes) * min(1, max(f, p.distinct)))
	of.L2.Slices = max(1, (m.L2.Slices+parts/2)/parts)
	of.L2.BytesPerCycle *= f
	of.L2.Brought = p.brought
	of.DRAM.Channels = max(1, (m.DRAM.Channels+parts/2)/parts)
	// Fewer channels than the share of the CTAs open rows as often as that share does.
	fewer := min(1, float64(of.DRAM.Channels)/(float64(m.DRAM.Channels)*f))
	of.DRAM.RowCycles *= fewer
	of.DRAM.ActivateCycles *= fewer
	of.DRAM.BytesPerCycle *= f
	of.DRAM.LinkBytesPerCycle *= f
	of.Launch.CTAsPerCycle *= f
	return &of
}

// estimate returns the cycles of the whole launch from those of the simulated CTAs:
// ends are the times at which these ended.
func (p *plan) estimate(r *Result, ends []Tick) float64 {
	slices.Sort(ends)
	left := p.ctas/p.size - p.waves // whole waves that nobody saw
	if left == 0 {
		return r.Cycles
	}
	// In the steady state: without the first wave, and without what no other followed.
	first, last := int(p.share), len(ends)-int(p.share)
	if last <= first+1 {
		first, last = 0, len(ends)
	}
	// CTAs of a wave end together: from the end of one wave to that of another.
	if whole := (last - first) / int(p.share); whole > 0 && first > 0 {
		last = first + whole*int(p.share)
	}
	if last-first < 2 {
		return r.Cycles * float64(left+p.waves) / float64(p.waves)
	}
	begin := Tick(0)
	if first > 0 {
		begin = ends[first-1]
	}
	each := (ends[last-1] - begin).Cycles() / float64(last-first)
	return r.Cycles + max(each, r.unitCycles())*float64(left*p.share)
}

// unitCycles returns what a CTA takes at least: the cycles for which the busiest kind of
// unit of the SMs works on it. From the end of one wave to that of another CTAs may take
// less, if more of them were half done in the beginning than at the end; in the long run
// they cannot. What caches hold decides on how long memory works, so it has no part in it.
func (r *Result) unitCycles() float64 {
	if r.CTAs == 0 {
		return 0
	}
	most := max(r.Busy.Issue, r.Busy.L1)
	for _, share := range r.Busy.Units {
		most = max(most, share)
	}
	return most * r.Cycles / float64(r.CTAs)
}

// conclude returns what a simulation of the plan, in which CTAs ended at these times, says of the
// whole launch. inferred: as of doubt.
func (p *plan) conclude(r *Result, ends []Tick, l2Bytes int64, inferred bool) *Estimate {
	e := &Estimate{Result: *r, Whole: p.counts(r, l2Bytes), Longer: 1, fresh: p.fresh, ctas: p.ctas, l2Bytes: l2Bytes}
	if p.portion < 1 {
		e.Longer, e.Cycles = p.longer(r), p.extrapolate(r, ends)
	} else {
		e.Cycles = p.estimate(r, ends)
	}
	if e.Busy = p.busy(r, &e.Whole, e.Cycles); e.Busy.DRAM > 1 {
		// A part keeps more of what is stored in its L2 for longer than the launch does: DRAM has
		// more to do than what was seen, and the launch takes no less than that. What beginnings
		// ask of it may be more than their share, and says nothing of the time.
		if p.portion == 1 {
			e.Cycles *= e.Busy.DRAM
			e.Busy = p.busy(r, &e.Whole, e.Cycles)
		}
		e.Busy.DRAM = min(e.Busy.DRAM, 1)
	}
	e.IPC = p.ipc(r, e.Cycles)
	e.doubt = p.doubt(r, ends, inferred)
	return e
}

// counts returns what the whole launch does in memory: those CTAs that nobody saw do
// what was done after the first wave, which found the caches as they were, and of what they
// ask for as much as those that were seen. What was written and is not in DRAM lies in the
// L2, and no more of it than there is room for.
func (p *plan) counts(r *Result, l2Bytes int64) MemoryCounts {
	seen, steady := r.Memory, r.Memory.plus(r.marked.Memory, -1)
	ctas := float64(r.CTAs) * (1 - float64(r.marked.issued)/float64(max(r.Issued, 1)))
	if r.CTAs == r.marked.CTAs {
		steady, ctas = seen, float64(max(r.CTAs, 1))
	}
	left := (p.ctas/p.size - p.waves) * p.share
	whole := seen.plus(steady, float64(left)/ctas)
	whole = MemoryCounts{}.plus(whole, float64(p.ctas)/float64(left+p.waves*p.share+p.restShare))
	whole = whole.asking(seen.plus(seen, float64(p.ctas)/float64(max(r.CTAs, 1))-1))
	if p.portion < 1 { // what is stored at the end; who makes CTAs longer makes it more
		if stores := uint64(float64(p.stored) * float64(p.ctas) / p.longer(r)); stores > whole.Writes {
			whole.Dirtied += stores - whole.Writes
			whole.Writes = stores
		}
	}
	if room := uint64(l2Bytes / sectorBytes); whole.Dirtied > room {
		whole.DRAMWrites = max(whole.DRAMWrites, whole.Dirtied-room)
	}
	return whole
}

// busy returns the shares of the whole launch's cycles in which its parts were taken: the
// SMs' for each CTA as long as for those that were simulated, the L2 and DRAM for each
// sector as long, read or written. In what was simulated the beginning and the end, when parts
// wait for work, have a larger share.
func (p *plan) busy(r *Result, whole *MemoryCounts, cycles float64) Busy {
	if cycles == 0 || r.CTAs == 0 {
		return r.Busy
	}
	sms := r.Cycles / cycles * float64(p.sms) / float64(p.of) * float64(p.ctas) / float64(r.CTAs)
	memory := r.Cycles / cycles * float64(p.share) / float64(p.size)
	more := func(whole, seen uint64) float64 { return memory * float64(whole) / float64(max(seen, 1)) }
	b := r.Busy
	for _, share := range []*float64{&b.Issue, &b.L1, &b.NoC} {
		*share = min(*share*sms, 1)
	}
	for u := range b.Units {
		b.Units[u] = min(b.Units[u]*sms, 1)
	}
	b.L2 = min(b.L2*more(whole.l2Sectors(), r.Memory.l2Sectors()), 1)
	if seen := &r.Memory; seen.DRAMReads == 0 || seen.DRAMWrites == 0 { // then one stands for the other
		b.DRAM *= more(whole.DRAMReads+whole.DRAMWrites, seen.DRAMReads+seen.DRAMWrites)
	} else {
		b.DRAM = (b.DRAM-b.writing)*more(whole.DRAMReads, seen.DRAMReads) + b.writing*more(whole.DRAMWrites, seen.DRAMWrites)
	}
	return b
}

// ipc returns how many instructions an SM issues in a cycle in which it has a CTA. It has none
// at the beginning and at the end of a launch, for as long however many waves lie between.
func (p *plan) ipc(r *Result, cycles float64) float64 {
	if r.ActiveCycles == 0 {
		return 0
	}
	idle := r.Cycles - r.ActiveCycles/float64(p.sms)
	if p.portion < 1 {
		idle *= cycles / r.Cycles
	}
	return float64(r.Issued) * float64(p.ctas) / float64(r.CTAs) / float64(p.of) / (cycles - idle)
}

// instructions returns how many machine instructions a CTA issues.
func (c *Code) instructions(cta *CTA) (n int64) {
	for _, t := range cta.Warps {
		n += c.length(t)
	}
	return n
}

// blocksInLines is how many blocks of 128 bytes an access of whole lines asks for at most.
const blocksInLines = 4

// effort returns the simulator's work on a CTA, in instructions: each block that an access
// asks for beyond whole lines takes about as long as an instruction (of atax with 32768 rows 1.5 us,
// and 1 us where whole lines are read), so that one whose lanes each have a line of their own
// takes thirty times as long as others.
func (c *Code) effort(cta *CTA) (n int64) {
	n = c.instructions(cta)
	for _, record := range c.accesses(cta) {
		n += int64(max(0, blocksOf(record[0])-blocksInLines))
	}
	return n
}

// length returns how many machine instructions a trace is.
func (c *Code) length(t Trace) (n int64) {
	for b := range c.walk(t) {
		n += int64(c.blocks[b].end - c.blocks[b].first)
	}
	return n
}

// CTA makes the simulator's CTA of the emulator's. It is read by any number of
// simulations.
func (l *Linker) CTA(c *stream.CTA) *CTA {
	of := &CTA{Linear: c.Linear, Place: c.Place, Cut: c.Cut}
	room := 0 // mostly all warps do as much
	for _, steps := range c.Traces {
		t := l.Link(make(Trace, 0, room), steps, c.Cut)
		of.Warps, room = append(of.Warps, t), len(t)
	}
	return of
}
