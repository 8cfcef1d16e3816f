package roofline

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"hyptx/internal/gpu"
	"hyptx/internal/number"
	"hyptx/internal/roofline/thesis"
)

// The extended model. The thesis predicts kernels that fill a GPU and run for
// milliseconds. Networks are not like that: most of their launches have fewer CTAs
// than fill the SMs or end after some microseconds, and there the thesis' time, which
// divides all work by the rates of the whole GPU, is too short by any factor. What
// is missing is the shape of the launch: how many SMs have work, for how many waves,
// how long a single warp takes whatever the width of the GPU, and what starting it
// costs. Each of these is a term, in seconds, that needs no simulation; [extend] has
// the formulas.

// Bounds of the extended model; thesis.Compute and thesis.Memory are the
// others.
const (
	Overhead thesis.Bound = "Launch" // t_launch is longer than each of the others
	Latency  thesis.Bound = "Latency"
	Issue    thesis.Bound = thesis.Compute
)

// Extended is the thesis' model with the launch's shape, latencies and caches
// ([extend]).
var Extended = &Model{
	Name:          "analytic",
	Aliases:       []string{"extended"},
	About:         "a closed form, with the launch's shape, latencies and caches",
	ChargesCaches: true,
	Lacks:         (*Device).lacksForExtended,
	Predict: func(l *Launch, k thesis.Kernel, d *Device, o Options) (Time, error) {
		a, err := thesis.Adjust(k, d.Rates, o.Integer)
		if err != nil {
			return Time{}, err
		}
		t := extend(l, d, a)
		return t.time(l, k), t.Missing
	},
}

// times is a Time in the making: its terms are in seconds here, all repetitions,
// and become its Us at the end; what else the model finds is put into it at once.
// A term is unknown where a number that it needs is; Missing says which.
type times struct {
	Time
	Launch, Issue, Memory, Latency number.Real
	// DRAM, L2 and L1 are the parts of Memory, which is the longest of them.
	DRAM, L2, L1 number.Real
	// slices and network are what of L2 its slices take, and the ways of the SM with the most CTAs
	// there and back.
	slices, network float64
	// Total is Launch + max(Issue, Memory, Latency).
	Total   number.Real
	Missing error
}

// extend computes the extended model:
//
//	t = t_launch + max(t_issue, t_mem, t_latency)
//
// t_issue is that of the busiest unit of the SMs, each of which works beside the others
// (units.go), charged to the SM with the most CTAs: times ceil(CTAs/SMs) / (CTAs/SMs).
// Where the machine code is unknown, or what a GPU's units take, it is the thesis' pipeline
// (its weights, 4.9 to 4.15), or a unit whose own share of the work takes longer.
//
// t_mem is W_traf/B_mem, of which programs reach a share, or what is read at the bandwidth that the loads in flight
// can use (Little's law): resident warps x loads in flight in each x DRAM bytes
// read for each load / latency of a load. Each load in flight keeps a register
// of a thread, which bounds them. Stores are posted: nobody waits for them.
//
// The caches, which the thesis leaves out, are limits of their own: the L2 gives
// so many bytes a clock, and each SM's ways there and back take so many; each L1 gives so many bytes, and takes so many loads of
// warps, of its SM, of which again the one with the most CTAs is charged. What
// micro-benchmarks reached comes before what data sheets say. t_mem is the
// longest of the three.
//
// t_latency is waves x the time of the longest warp alone (package sim, or where nobody
// followed it by its dependent chain), a wave being as many CTAs as all SMs hold; and what its warps wait for each other at the busiest
// unit, the L1 and what is busiest behind it (contention.go), so that it is all of the time but t_launch. CTAs of
// unequal lengths are no waves (uneven.go).
//
// Where a GPU is full, its warps hide the latency and the launch is long, that
// is the time of what is busiest.
func extend(l *Launch, d *Device, a thesis.Adjusted) times {
	var t times
	s, err := d.shape()
	if err != nil {
		t.Missing = err
		return t
	}
	t.ClockMHz = s.clockMHz
	t.launch(l, d)
	if l.CTAs == 0 || l.BlockThreads == 0 {
		t.missing(errors.New("the launch's grid and block are unknown"))
		return t
	}
	t.issue(l, d, s, a)
	t.occupy(l, d, s)
	t.latencyAndMemory(l, d, s)
	t.total(l, d, s)
	return t
}

func (t *times) missing(err error) {
	if err != nil {
		t.Missing = errors.Join(t.Missing, err)
	}
}

func (t *times) launch(l *Launch, d *Device) {
	us, err := d.overheadUs()
	if err != nil {
		t.missing(err)
		return
	}
	t.warnOfOverhead(d)
	t.Launch = number.Ratio(l.Repetitions * us * 1e-6)
}

// unit is work that one unit of the SMs has to do, in seconds of a full GPU.
type unit struct {
	name    string
	seconds float64
}

// issue finds the unit that takes longest. The thesis' pipeline is one of them: all
// instructions share it, an fp32 instruction is a slot of it, and others weigh what
// their rate is against that (4.10 to 4.12). A unit with a rate of its own may take
// longer alone: 1e8 multiply-adds of tensor cores at 512 a clock and SM are 19.5 us on
// 10 SMs at 1 GHz, however few instructions they were. SMs get whole CTAs: of 11 on 10
// SMs one SM has two, and the launch takes as long as 20.
func (t *times) issue(l *Launch, d *Device, s shape, a thesis.Adjusted) {
	giga := func(count float64, rate float64) float64 { return count / (rate * 1e9) }
	perClock := func(count float64, path string, f *gpu.Float) float64 {
		if count == 0 {
			return 0
		}
		rate, err := d.Spec.DataSheetGOPS(path, f)
		if err != nil {
			t.missing(err)
			return math.NaN()
		}
		return giga(count, rate)
	}
	u := &d.Spec.Units
	tensor := unit{name: "tensor"}
	if d.timing != nil && l.Products != nil {
		cycles, err := tensorCycles(l.Products, &d.timing.Tensor)
		t.missing(err)
		tensor.seconds = cycles / (s.sms * s.clockMHz * 1e6)
	} else { // there are none, or nobody told them apart
		tensor.seconds = perClock(l.TensorMACs.X, "units.tensor_per_clock", u.TensorPerClock)
	}
	all := []unit{tensor}
	if d.timing != nil && l.Kinds != nil {
		all = append(all, units(l, d.timing, s)...)
	} else {
		all = append(all,
			unit{"pipeline", a.IssueSeconds},
			unit{"issue", l.Metrics.WarpInstructions / (s.issue * s.sms * s.clockMHz * 1e6)},
			unit{"fp64", giga(l.Metrics.FP64, d.Rates.DPGFLOPS/2)},
			unit{"special", perClock(l.Special.X, "units.sfu_per_clock", u.SFUPerClock)},
			unit{"fp16", perClock(l.FP16Ops.X, "units.fp16_per_clock", u.FP16PerClock)},
			unit{"shared", giga(l.SharedLanes.X, d.Rates.LdStGOPS)})
	}
	longest := all[0]
	for _, x := range all {
		if math.IsNaN(x.seconds) {
			return
		}
		if x.seconds > longest.seconds {
			longest = x
		}
	}
	t.IssueLimit = longest.name
	t.Issue = number.Ratio(longest.seconds * s.uneven(l))
}

// occupy finds how many CTAs an SM holds, by threads, registers, shared memory and
// slots, and from that the waves: a grid of 81 CTAs on 10 SMs of 8 takes two, the
// second with a single CTA in it, and the longest warp's chain is gone through twice.
func (t *times) occupy(l *Launch, d *Device, s shape) {
	c := gpu.CTA{Threads: int(l.BlockThreads), RegistersPerThread: l.RegistersPerThread, SharedBytes: l.SharedBytes}
	if most := mostRegisters(d.Spec, c); most > 0 && c.RegistersPerThread > most {
		t.warn(fmt.Sprintf("registers: %d a thread estimated, %d possible; spills are not counted", c.RegistersPerThread, most))
		c.RegistersPerThread = most
	}
	o, err := d.Spec.Occupy(c)
	if err != nil {
		t.missing(err)
		return
	}
	t.CTAsPerSM, t.WarpsPerSM = number.Count(uint64(o.CTAsPerSM)), number.Count(uint64(o.WarpsPerSM))
	t.OccupancyPct, t.Limiter = number.Ratio(o.TheoreticalPct), o.Limiter
	t.Waves = number.Ratio(math.Ceil(l.CTAs / (s.sms * float64(o.CTAsPerSM))))
}

// mostRegisters returns how many registers a thread can have so that its CTA
// fits on an SM; 0 if that is unknown. ptxas spills the others.
func mostRegisters(g *gpu.GPU, c gpu.CTA) int {
	r, warp := g.Registers, g.Limits.WarpThreads
	if r.PerThreadMax == nil || r.PerCTAMax == nil || r.AllocationUnit == nil || warp == nil || g.Limits.WarpAllocationGranularity == nil {
		return 0
	}
	warps := (c.Threads + warp.Value - 1) / warp.Value
	granularity := g.Limits.WarpAllocationGranularity.Value
	warps = (warps + granularity - 1) / granularity * granularity
	perWarp := r.PerCTAMax.Value / max(warps, 1) / r.AllocationUnit.Value * r.AllocationUnit.Value
	return min(r.PerThreadMax.Value, perWarp/warp.Value)
}

// latencyAndMemory needs the occupancy. Without the chain of a warp nothing is
// known of the loads in flight: then t_mem is W_traf/B_mem.
func (t *times) latencyAndMemory(l *Launch, d *Device, s shape) {
	traffic, reads := l.Traffic.DRAM(), 0.0
	if traffic.Known {
		t.EffectiveGBps = number.Ratio(d.bandwidth(l))
	} else {
		t.missing(errors.New("the DRAM traffic is unknown"))
	}
	switch {
	case l.Chain == nil:
		t.missing(errors.New("the path of the longest warp is unknown"))
	case t.Waves.Known:
		lat := d.latencies(l.Traffic)
		c, err := l.Chain(lat)
		if err != nil { // then nobody knows the loads in flight, either
			t.missing(err)
			t.EffectiveGBps = number.Real{}
			return
		}
		if len(c.StandIns) > 0 {
			t.warn(d.standIns(c.StandIns...))
		}
		if l.Lone != nil {
			c.Cycles = l.alone(t.Waves.X)
		}
		t.ChainCycles, t.ChainWarp = number.Ratio(c.Cycles), "longest"
		if c.Mean {
			t.ChainWarp = "mean"
		}
		t.Latency = number.Ratio(l.Repetitions * t.Waves.X * c.Cycles * l.mean() / (s.clockMHz * 1e6))
		t.loadsInFlight(l, d, c)
		c.Loads *= l.mean()
		if traffic.Known && c.Loads > 0 && l.Traffic.DRAMRead.X > 0 {
			reads = l.Traffic.DRAMRead.X * (*lat.Cycles[memory] / (s.clockMHz * 1e6)) / t.inFlight(l, s, c)
		}
	}
	if traffic.Known {
		own, way := dram(&l.Traffic, t.EffectiveGBps.X*1e9, d.timing), toDRAM(&l.Traffic, d.timing)/(s.clockMHz*1e6)
		if own > 0 {
			t.way = way / own
		}
		t.DRAM = number.Ratio(max(own, way, reads))
		if t.DRAM.X > 0 {
			t.EffectiveGBps = number.Ratio(traffic.X / t.DRAM.X / 1e9)
		}
		t.caches(l, d, s)
		t.Memory, t.MemoryLimit = t.DRAM, "DRAM"
		if t.L2.X > t.Memory.X {
			t.Memory, t.MemoryLimit = t.L2, "L2"
		}
		if t.L1.X > t.Memory.X {
			t.Memory, t.MemoryLimit = t.L1, "L1"
		}
	}
}

// caches fills the times of L1 and L2, where their traffic is known: at the
// measured rate, else the theoretical one, else that of a simulation. A cache whose
// throughput has no source is not charged, and a warning says so.
func (t *times) caches(l *Launch, d *Device, s shape) {
	clock := s.clockMHz * 1e6
	if l.Traffic.L2.Known {
		bytes, ok := t.rate("L2", d.Spec.L2BytesPerClock, &t.L2BytesPerClock)
		if !ok && d.timing != nil {
			bytes, ok = d.timing.L2.BytesPerCycle, true
		}
		if ok {
			t.slices = atL2(&l.Traffic, bytes, d.timing) / clock
			t.L2 = number.Ratio(t.slices)
		} else {
			t.uncharged("L2")
		}
		if d.timing != nil && l.Traffic.Requests.Known {
			t.network = network(&l.Traffic, &d.timing.NoC) / (s.sms * clock) * s.uneven(l)
			t.L2 = number.Ratio(max(t.slices, t.network))
		}
	}
	if !l.Traffic.L1.Known {
		return
	}
	cycles, machine := 0.0, d.timing != nil && l.Kinds != nil
	if bytes, ok := t.rate("L1", d.Spec.L1BytesPerClock, &t.L1BytesPerClock); ok {
		cycles = l.Traffic.L1.X / bytes
	} else if !machine {
		t.uncharged("L1")
		return
	}
	if machine {
		cycles = max(cycles, accesses(l, d.timing, d.Spec))
	}
	if loads := d.Spec.L1.MeasuredLoadsPerClock; loads != nil && l.Traffic.L1Loads.Known {
		cycles = max(cycles, l.Traffic.L1Loads.X/loads.Value)
	}
	t.L1 = number.Ratio(cycles / (s.sms * clock) * s.uneven(l))
}

func (t *times) uncharged(cache string) {
	t.warn("the throughput of the " + cache + " is unknown and not charged")
}

// rate returns the bytes a clock that a cache is charged with, if they are known, and fills the
// columns that say so: the number, and who gave it. The L1, which comes second,
// stands first there.
func (t *times) rate(cache string, of func() (gpu.Rate, error), column *number.Real) (bytes float64, known bool) {
	r, err := of()
	if err != nil {
		return 0, false
	}
	*column = number.Ratio(r.Value)
	t.CacheRates = strings.TrimSuffix(cache+" "+r.Provenance+", "+t.CacheRates, ", ")
	return r.Value, true
}

func (t *times) warn(text string) { t.Notes = append(t.Notes, text) }

// loadsInFlight bounds the loads in flight of a warp by the registers that a
// thread can have. The chain, in which more of them overlap, is then too short,
// which a warning says.
func (t *times) loadsInFlight(l *Launch, d *Device, c Chain) {
	if c.Loads == 0 {
		return
	}
	t.LoadsInFlight = number.Ratio(c.Loads / c.LoadsInChain)
	most := float64(mostRegisters(d.Spec, gpu.CTA{Threads: int(l.BlockThreads)}))
	if most > 0 && t.LoadsInFlight.X > most {
		t.warn(fmt.Sprintf("loads in flight: %.0f a warp by their dependences, registers for %.0f; t_latency_us is a lower bound", t.LoadsInFlight.X, most))
		t.LoadsInFlight = number.Ratio(most)
	}
}

// inFlight returns the bytes that the resident warps have on their way from
// DRAM, those of one repetition.
func (t *times) inFlight(l *Launch, s shape, c Chain) float64 {
	warpsPerCTA := math.Ceil(l.BlockThreads / 32)
	resident := min(l.CTAs, s.sms*float64(t.CTAsPerSM.N)) * warpsPerCTA
	bytesPerLoad := l.Traffic.DRAMRead.X / (l.Repetitions * l.CTAs * warpsPerCTA * c.Loads)
	return resident * t.LoadsInFlight.X * bytesPerLoad
}

func (t *times) total(l *Launch, d *Device, s shape) {
	if !t.Launch.Known || !t.Issue.Known || !t.Memory.Known || !t.Latency.Known {
		return
	}
	if d.timing != nil && l.Kinds != nil {
		t.contend(l, d.timing, s)
	}
	t.unequal(l, d, s)
	longest := max(t.Issue.X, t.Memory.X, t.Latency.X)
	t.Bound = boundOf(t.Launch.X, longest, t.Issue.X, t.Memory.X)
	t.Total = number.Ratio(t.Launch.X + longest)
	if longest > 0 {
		t.IPCBound = number.Ratio(l.Metrics.WarpInstructions / (longest * s.sms * s.clockMHz * 1e6))
	}
}

// boundOf names what a launch waits for: what is taken for most of the time, on the ridge memory
// (4.18), else latencies.
func boundOf(launch, whole, issue, memory float64) thesis.Bound {
	switch {
	case launch > whole:
		return Overhead
	case memory >= max(boundShare*whole, issue):
		return thesis.Memory
	case issue >= boundShare*whole:
		return thesis.Compute
	}
	return Latency
}

// time is what the model says, in us.
func (t *times) time(l *Launch, k thesis.Kernel) Time {
	us := func(seconds number.Real) number.Real { return seconds.Scaled(1e6) }
	t.Us = us(t.Total)
	t.Terms = Terms{LaunchUs: us(t.Launch), IssueUs: us(t.Issue), MemUs: us(t.Memory), LatencyUs: us(t.Latency),
		DRAMUs: us(t.DRAM), L2Us: us(t.L2), L1Us: us(t.L1)}
	if t.Total.Known && t.Total.X > 0 {
		t.GOPS, t.UsedGBps = finite(k.Ops/t.Total.X/1e9), finite(l.Traffic.DRAM().X/t.Total.X/1e9)
	}
	return t.Time
}
