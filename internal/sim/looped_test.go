package sim

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"hyptx/internal/pipe"
)

// looped is a kernel of which each warp goes through a block so many times and then stores a
// line.
type looped struct {
	p             Program
	warps, rounds int
	// round appends what a warp's accesses in a round ask for.
	round func(t Trace, cta, warp, i int) Trace
}

func newLooped(b Block, warps, rounds int, round func(t Trace, cta, warp, i int) Trace) *looped {
	end := Block{Instrs: []Instr{{Kind: pipe.StoreGlobal, Srcs: []int{2}, BytesPerLane: 4}}}
	return &looped{Program{Blocks: []Block{b, end}, Values: loopedValues}, warps, rounds, round}
}

// loopedValues are the values of such a kernel; what it stores is the third.
const loopedValues = 8

// cta is a CTA of which so many rounds are seen.
func (k *looped) cta(linear, rounds int) *CTA {
	c := &CTA{Linear: int64(linear), Place: int64(linear), Cut: rounds < k.rounds}
	for w := range k.warps {
		var t Trace
		for i := range rounds {
			t = k.round(t.Block(0, 32), linear, w, i)
		}
		if !c.Cut {
			t = t.Block(1, 32).Access(Global, 1, Sectors(1<<40+uint64(linear*k.warps+w), 15, 15))
		}
		c.Warps = append(c.Warps, t)
	}
	return c
}

// run simulates what a plan sees.
func (k *looped) run(t *testing.T, m *Config, p *plan) (*Result, []Tick) {
	t.Helper()
	code, err := Compile(&k.p, p.scaled(m))
	if err != nil {
		t.Fatal(err)
	}
	g := p.machine(m, code)
	var ends []Tick
	n := 0
	r, err := g.Run(context.Background(), &Launch{Code: code, CTAsPerSM: int(p.perSM), Mark: p.mark(), Next: func(int) (*CTA, error) {
		for ; n < int(p.ctas); n++ {
			if p.sees(int64(n)) {
				n++
				return k.cta(n-1, int(math.Round(p.portion*float64(k.rounds)))), nil
			}
		}
		return nil, nil
	}, Done: func(e End) error {
		ends = append(ends, e.At)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return r, ends
}

// loops are ten kernels, each of which waits for something else. No CTA finds in the L2 what
// another one has left: a part of the GPU has a part of the L2, and finds less.
func loops(rounds int) map[string]*looped {
	at := func(cta, warp, i int) uint64 { return uint64((cta*rounds+i)*8 + warp) } // no other has it
	math := func(kind pipe.Kind, chains int) Block {
		var b Block
		for i := range 32 {
			b.Instrs = append(b.Instrs, Instr{Kind: kind, Dst: []int{i % chains}, Srcs: []int{i % chains}})
		}
		return b
	}
	memory := func(after int, kinds ...pipe.Kind) (b Block) {
		for i, kind := range kinds {
			in := Instr{Kind: kind, BytesPerLane: 4}
			if kindOf(kind) == readRequest {
				in.Dst = []int{i}
			}
			b.Instrs = append(b.Instrs, in)
		}
		for i := range after {
			b.Instrs = append(b.Instrs, Instr{Kind: pipe.FP32, Dst: []int{2}, Srcs: []int{2, i % len(kinds)}})
		}
		return b
	}
	none := func(t Trace, _, _, _ int) Trace { return t }
	shared := memory(4, pipe.LoadShared, pipe.StoreShared)
	shared.Instrs = append(shared.Instrs, Instr{Kind: pipe.Barrier})
	return map[string]*looped{
		"multiply-adds":     newLooped(math(pipe.FP32, 4), 8, rounds, none),
		"a chain":           newLooped(math(pipe.IntMul, 1), 2, rounds, none),
		"special functions": newLooped(math(pipe.Special, 4), 8, rounds, none),
		"double precision":  newLooped(math(pipe.FP64, 4), 8, rounds, none),
		"shared memory": newLooped(shared, 8, rounds, func(t Trace, _, _, _ int) Trace {
			return t.Access(Shared, 4).Access(Shared, 1).Barrier(0, 0, false)
		}),
		"a stream": newLooped(memory(4, pipe.LoadGlobal, pipe.StoreGlobal), 8, rounds, func(t Trace, cta, warp, i int) Trace {
			return t.Access(Global, 1, Sectors(at(cta, warp, i), 15, 0)).Access(Global, 1, Sectors(1<<36+at(cta, warp, i), 15, 15))
		}),
		"few loads at a time": newLooped(memory(8, pipe.LoadGlobal), 2, rounds, func(t Trace, cta, warp, i int) Trace {
			return t.Access(Global, 1, Sectors(at(cta, warp, i), 15, 0))
		}),
		"a line a lane": newLooped(memory(8, pipe.LoadGlobal), 2, rounds, func(t Trace, cta, warp, i int) Trace {
			var list []uint64
			for lane := range 32 { // each goes on with its line
				list = append(list, Sectors(1<<36+uint64((cta*2+warp)*32+lane)<<4+uint64(i/4), 1<<(i%4), 0))
			}
			return t.Access(Global, 8, list...)
		}),
		"halves of lines": newLooped(memory(4, pipe.LoadGlobal, pipe.StoreGlobal), 8, rounds, func(t Trace, cta, warp, i int) Trace {
			n := at(cta, warp, i)
			return t.Access(Global, 1, Sectors(n, 15, 0)).Access(Global, 1, Sectors(1<<36+hash(n)>>28, 3, 3), Sectors(1<<36+hash(n)>>28+1, 12, 12))
		}),
		"atomics": newLooped(memory(8, pipe.Reduction), 8, rounds, func(t Trace, cta, warp, i int) Trace {
			return t.Access(Global, 1, Sectors(uint64(cta*64+(warp*8+i)%64), 15, 0))
		}),
	}
}

// sixteen is a machine of 16 SMs with what these have of a larger one's memory.
func sixteen() *Config { return (&plan{sms: 16, of: 80, share: 1, size: 5}).scaled(volta(80)) }

// Four SMs of sixteen with their share of the rest take as long for their share of the CTAs
// as all do for all of them.
func TestPartOfTheSMs(t *testing.T) {
	const perSM, waves = 4, 6
	list := loops(24)
	if len(list) < 10 {
		t.Fatalf("%d kernels", len(list))
	}
	for name, k := range list {
		m := sixteen()
		all := newPlan(16*perSM*waves, perSM, 16, 1, 0, Cluster{})
		few := all
		few.sms = 4
		few.share, few.restShare = few.among(few.size), few.among(few.rest)
		whole, _ := k.run(t, m, &all)
		part, _ := k.run(t, m, &few)
		if whole.CTAs != 4*part.CTAs {
			t.Fatalf("%s: %d CTAs and %d", name, whole.CTAs, part.CTAs)
		}
		near(t, name, part.Cycles, whole.Cycles, 5)
	}
}

// By what a few SMs and waves say the parts of the GPU work for as long as they do for the launch;
// DRAM nearly so, for of what is stored a part stays in the L2.
func TestBusyOfAPart(t *testing.T) {
	const perSM, waves = 4, 10
	fmaPipe := volta(1).Kinds[pipe.FP32].Unit
	for name, k := range loops(12) {
		m := sixteen()
		all := newPlan(16*perSM*waves+10, perSM, 16, 1, 0, Cluster{})
		few := all
		few.sms, few.waves = 4, minWaves
		few.share, few.restShare = few.among(few.size), few.among(few.rest)
		whole, part := k.estimate(t, m, &all), k.estimate(t, m, &few)
		if whole.Busy != whole.Result.Busy || whole.IPC != float64(whole.Issued)/whole.ActiveCycles {
			t.Errorf("%s: %+v, IPC %g of all of the launch", name, whole.Busy, whole.IPC)
		}
		near(t, name+": instructions of an SM", part.IPC*part.Cycles, whole.IPC*whole.Cycles, 4)
		for unit, share := range map[string][2]float64{
			"schedulers": {part.Busy.Issue, whole.Busy.Issue}, "L1": {part.Busy.L1, whole.Busy.L1}, "network": {part.Busy.NoC, whole.Busy.NoC},
			"L2": {part.Busy.L2, whole.Busy.L2}, "FMA pipe": {part.Busy.Units[fmaPipe], whole.Busy.Units[fmaPipe]},
		} {
			if share[1] > 0.02 {
				near(t, name+": cycles of "+unit, share[0]*part.Cycles, share[1]*whole.Cycles, 3)
			}
		}
		near(t, name+": cycles of DRAM", part.Busy.DRAM*part.Cycles, whole.Busy.DRAM*whole.Cycles, 6)
	}
}

// The bounds that are stated hold in 95 of 100 launches, whatever part of them was simulated.
func TestStatedBounds(t *testing.T) {
	launches := 200
	if testing.Short() {
		launches = 40
	}
	random := rand.New(rand.NewPCG(1, 2))
	kinds := []string{"tiles", "multiply-adds", "a chain", "special functions", "double precision", "shared memory", "a stream", "few loads at a time", "a line a lane", "halves of lines", "atomics"}
	m := sixteen()
	wrong, wide := 0, 0
	for n := range launches {
		rounds := 8 + random.IntN(40)
		name := kinds[n%len(kinds)]
		k := loops(rounds)[name]
		if name == "tiles" {
			k = newTiles(8, rounds)
		}
		code, err := Compile(&k.p, m)
		if err != nil {
			t.Fatal(err)
		}
		first := k.cta(0, rounds)
		length := code.instructions(first)
		perSM := 1 + random.Int64N(4)
		ctas := int64(16*float64(perSM)*(0.5+5*random.Float64())) + 1
		budget := int64(float64(length*ctas) * (0.05 + 0.7*random.Float64()))
		all := newPlan(ctas, perSM, 16, length, 0, Cluster{})
		some := newPlan(ctas, perSM, 16, length, budget, Cluster{})
		if random.IntN(2) == 0 {
			some.shorten(code, first, budget)
		}
		r, _ := k.run(t, m, &all)
		e := k.estimate(t, m, &some)
		cycles, by := e.Longer*e.Cycles, e.Uncertainty(e.Longer)
		off := r.Cycles/cycles - 1
		if by > 1 {
			wide++
		}
		if off < -by-0.001 || off > by+0.001 {
			wrong++
			t.Logf("%s, %d CTAs of %d instructions, budget %d: %d SMs, %d waves, %.2f of each: %.0f cycles, of all %.0f: off by %+.3f of %.3f", name, ctas, length, budget, some.sms, some.waves, some.portion, cycles, r.Cycles, off, by)
		}
	}
	t.Logf("%d of %d launches are further off than stated, of %d no more is stated than that", wrong, launches, wide)
	if wrong*20 > launches || wide*20 > launches {
		t.Errorf("%d of %d launches are further off than stated, of %d no more is stated than that", wrong, launches, wide)
	}
}

// estimate is what a plan tells of the launch.
func (k *looped) estimate(t *testing.T, m *Config, p *plan) *Estimate {
	t.Helper()
	r, ends := k.run(t, m, p)
	return p.conclude(r, ends, m.L2.Bytes, false)
}
