package sim

import (
	"testing"

	"hyptx/internal/pipe"
)

// Waves whose CTAs end together take as long as from the end of one to that of the
// next, however many CTAs of the last part of one were seen.
func TestEstimateOfWaves(t *testing.T) {
	p := newPlan(34*100+4, 2, 17, 1000, 34*steadyWaves*1000, Cluster{})
	if p.waves != steadyWaves || p.share != 34 {
		t.Fatalf("%+v", p)
	}
	const wave = 5000 * ticksPerCycle
	var ends []Tick
	for i := range 34*steadyWaves + 4 {
		ends = append(ends, Tick(i/34+1)*wave+Tick(i%34)*ticksPerCycle)
	}
	r := &Result{Cycles: ends[len(ends)-1].Cycles()}
	near(t, "cycles", p.estimate(r, ends), r.Cycles+(100-steadyWaves)*5000, 0.1)
}

// Room for instructions goes to waves first, then to SMs, which are no fewer than four; three
// waves are seen in any case.
func TestWavesAndSMs(t *testing.T) {
	for _, c := range []struct{ budget, waves, sms int64 }{
		{160 * 20, 20, 80}, {160 * steadyWaves, steadyWaves, 80}, {160 * steadyWaves * 6 / 10, 5, 80}, {160 * steadyWaves * 4 / 10, steadyWaves, 20},
		{160 * steadyWaves / 20, 7, 5}, {5 * 2 * 6, 6, 5}, {5 * 2, minWaves, 5},
	} {
		p := newPlan(160*100, 2, 80, 1, c.budget, Cluster{})
		if cost := p.share * p.waves; p.waves != c.waves || p.sms != c.sms || p.waves > minWaves && cost > c.budget {
			t.Errorf("%d instructions: %d waves, %d SMs, want %d and %d, cost %d", c.budget, p.waves, p.sms, c.waves, c.sms, cost)
		}
	}
}

// Waves that seem to take less than the busiest unit of the SMs works on them take that.
func TestEstimateOfBusyUnits(t *testing.T) {
	p := newPlan(34*100, 2, 17, 1000, 0, Cluster{})
	p.waves = 3
	ends := make([]Tick, 34*3)
	for i := range ends { // the second and third wave were half done when the first ended
		ends[i] = (5000 + Tick(i/34)*2500) * ticksPerCycle
	}
	r := &Result{Cycles: 10000, CTAs: 34 * 3, Busy: Busy{Issue: 0.2, L1: 0.9}}
	near(t, "cycles", p.estimate(r, ends), 10000+97*0.9*10000/3, 0.1)
	r.Busy = Busy{Issue: 0.2, DRAM: 1}
	near(t, "cycles without a busy unit of the SMs", p.estimate(r, ends), 10000+97*2500, 0.1)
}

// Where more than half of the SMs fit a budget all are simulated: within one wave the
// others have no others' CTAs to stand for.
func TestMoreThanHalfOfTheSMs(t *testing.T) {
	for _, c := range []struct{ ctas, budget, sms, share int64 }{
		{49, 49 * 1000 * 6 / 10, 80, 49}, {49, 49 * 1000 * 4 / 10, 13, 13}, {160 * 3, 160 * 3 * 1000 * 4 / 10, 20, 40},
	} {
		p := newPlan(c.ctas, 2, 80, 1000, c.budget, Cluster{})
		if p.sms != c.sms || p.share != c.share {
			t.Errorf("%d CTAs, %d instructions: %d SMs, %d CTAs at a time", c.ctas, c.budget, p.sms, p.share)
		}
	}
}

// Of a wave that does not fill the SMs those at its beginning have one CTA more than others,
// and simulated are these, with the share of memory that so many CTAs have.
func TestUnevenWave(t *testing.T) {
	p := newPlan(216, 10, 80, 1000, 20*1000, Cluster{})
	if p.sms != 5 || p.share != 15 {
		t.Fatalf("%d SMs, %d CTAs", p.sms, p.share)
	}
	seen := 0
	for i := range int64(216) {
		if p.sees(i) {
			seen++
		}
		if p.sees(i) != (i < 15) { // neighbours, which share lines
			t.Errorf("CTA %d: %t", i, p.sees(i))
		}
	}
	m := volta(80)
	part := p.scaled(m)
	if f := 15. / 216; seen != 15 || part.SMs != 5 || part.DRAM.BytesPerCycle != m.DRAM.BytesPerCycle*f || part.L2.Slices != m.L2.Slices/16 || part.DRAM.Channels != m.DRAM.Channels/16 {
		t.Errorf("%d CTAs seen, %+v", seen, part)
	}
}

// A part of the GPU finds what the L2 of the whole one held, each line once, and the next
// launch what a launch stored that was not seen.
func TestWarmPart(t *testing.T) {
	s := &Simulator{running: &running{code: &Code{}, config: volta(8)}}
	whole := &plan{sms: 8, of: 8, share: 1, size: 1, beginnings: beginnings{portion: 1}}
	s.machine(whole)
	s.Leave(1000, 4)
	part := s.machine(&plan{sms: 4, of: 8, share: 1, size: 2, beginnings: beginnings{portion: 1}}).memory
	for i, hits := range []uint64{4, 4, 8} { // missing again before it was kept, and then kept
		if i == 1 {
			part.l2.drop(1001, 15)
		}
		part.access(&request{block: 1001, mask: 15}, 0)
		if part.counts.ReadHits != hits {
			t.Errorf("access %d: %d sectors hit, want %d", i, part.counts.ReadHits, hits)
		}
	}
	if l := &s.machine(whole).memory.l2; l.find(1003) < 0 || l.find(1004) >= 0 || l.lines[l.find(1003)].dirty != 15 || l.lines[l.find(1001)].valid != 15 {
		t.Error("the L2 of the whole GPU does not hold what a launch left")
	}
}

// TestBudgetOfFewWaves: where no wave can be left out more is simulated, unless all is or much more would
// be left.
func TestBudgetOfFewWaves(t *testing.T) {
	m := volta(10)
	for _, c := range []struct{ ctas, perCTA, budget, few, want int64 }{
		{120, 1, 5, 20, 20}, // 10 SMs of 4 CTAs, three times
		{121, 1, 5, 20, 5},
		{120, 1, 30, 20, 30},
		{120, 1, 5, 0, 5},
		{100, 2, 5, 20, 20}, // a tenth of it
		{100, 3, 5, 20, 5},
		{1, 1, 0, 20, 0},
	} {
		s := &Simulator{Options: Options{Budget: c.budget, FewWaves: c.few}, running: &running{ctas: c.ctas, perSM: 4, config: m}}
		if got := s.budget(c.perCTA); got != c.want {
			t.Errorf("%d CTAs of %d, %d, %d of few waves: %d, want %d", c.ctas, c.perCTA, c.budget, c.few, got, c.want)
		}
	}
}

// Of a wave of several rows of the grid a square is simulated, whatever row it begins in, and
// as many CTAs as of one in a line: neighbours above each other share as those beside each
// other do.
func TestSquareOfTheGrid(t *testing.T) {
	for _, c := range []struct{ ctas, across int64 }{{160 * 9, 16}, {160*9 + 77, 30}, {160 * 9, 4}, {160 * 9, 1}, {160 * 9, 100}, {160 * 9, 160 * 9}} {
		line := newPlan(c.ctas, 2, 80, 1000, 3*12*1000, Cluster{})
		square := line
		square.arrange(c.across, sharing{})
		inLine, inSquare, rows, columns := 0, 0, map[int64]bool{}, map[int64]bool{}
		for i := range c.ctas {
			if line.sees(i) {
				inLine++
			}
			if square.sees(i) {
				inSquare++
				if i < line.size {
					rows[i/c.across], columns[i%c.across] = true, true
				}
			}
		}
		if inLine != inSquare || line.share != 10 {
			t.Errorf("%d CTAs, %d in a row: %d of them, %d in a line", c.ctas, c.across, inSquare, inLine)
		}
		if c.across == 16 && (len(rows) != 3 || len(columns) != 4) {
			t.Errorf("%d rows, %d columns of ten CTAs", len(rows), len(columns))
		}
	}
}

// TestPlanClusters: of each cluster all CTAs are simulated or none, and the simulated part of
// the machine has room for as many at a time as are simulated of a wave.
func TestPlanClusters(t *testing.T) {
	for _, size := range []int{2, 4, 6, 8, 16} {
		for _, perSM := range []int64{1, 2, 5} {
			for _, clusters := range []int64{1, 3, 40, 700} {
				for _, budget := range []int64{0, 1, 50, 400, 3000} {
					c := Cluster{Size: size, GPCs: 8}
					ctas := clusters * int64(size)
					p := newPlan(ctas, perSM, 132, 1000, 1000*budget, c)
					seen := int64(0)
					for at := int64(0); at < ctas; at += int64(size) {
						first := p.sees(at)
						for k := range int64(size) {
							if p.sees(at+k) != first {
								t.Fatalf("clusters of %d, %d an SM, %d of them, budget %d: CTA %d of cluster %d: seen %t, the first one %t", size, perSM, clusters, budget, k, at/int64(size), !first, first)
							}
						}
						if first {
							seen += int64(size)
						}
					}
					m := p.scaled(&Config{SMs: 132, Cluster: c, L2: L2{Slices: 80}, DRAM: DRAM{Channels: 80}})
					room := m.Cluster.resident(int64(m.SMs), perSM)
					if seen != p.waves*p.share+p.restShare || seen == 0 || p.share > room {
						t.Errorf("clusters of %d, %d an SM, %d of them, budget %d: %d CTAs are seen in %d waves of %d and %d, on %d SMs that hold %d", size, perSM, clusters, budget, seen, p.waves, p.share, p.restShare, m.SMs, room)
					}
				}
			}
		}
	}
}

// A budget is of the simulator's work: of CTAs whose accesses have a line each lane fewer
// instructions are simulated, at least one, and all where there is no budget.
func TestEffort(t *testing.T) {
	const loads = 10
	for blocks, want := range map[int]int64{1: loads, blocksInLines: loads, 32: loads * (1 + 32 - blocksInLines)} {
		tr := Trace(nil).Block(0, 32)
		for range loads {
			tr = tr.Access(Global, 1, make([]uint64, blocks)...)
		}
		c, err := Compile(chain(pipe.LoadGlobal, loads, 1), volta(1))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.effort(&CTA{Warps: []Trace{tr}}); got != want {
			t.Errorf("%d blocks an access: %d, want %d", blocks, got, want)
		}
	}
	for _, c := range []struct{ budget, perCTA, effort, want int64 }{{1000, 10, 10, 1000}, {1000, 10, 290, 34}, {5, 10, 290, 1}, {0, 10, 290, 0}, {1 << 62, 1 << 40, 1 << 41, 1 << 61}} {
		if got := weighed(c.budget, c.perCTA, c.effort); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
