package analysis

import (
	"fmt"

	"hyptx/internal/number"
	"hyptx/internal/pipe"
	"hyptx/ir"
)

// Facts are what was counted of a launch, of a part of one, or of a network:
// exact whole numbers, each known or not. A counter that nobody counted is
// unknown, never zero, so that what reads it can tell.
//
// Everything that is counted goes this way: segments of the emulator, accesses
// of memory, the cache model and the estimate of the machine code each fill the
// counters of their block; adding, scaling and totals are loops over the table
// [counters]; models of time and power read the counters; and a row is made of
// them to be written ([Row]).
type Facts struct {
	n     [NumCounters]uint64
	known counterSet
	// DRAMVariance is that of the sectors which cross the DRAM interface, known
	// where the caches saw a sample of the CTAs.
	DRAMVariance number.Real
	// TrafficSampled: what accesses moved is an estimate of a sample of the CTAs, and the
	// footprint is unknown.
	TrafficSampled bool
	// CachesSimulated: what caches and DRAM did is the estimate of a simulation.
	CachesSimulated bool
	// Kinds are the machine instructions of warps, estimated, by the kind that the units of an
	// SM tell apart; known where EstWarpInstructions is.
	Kinds [pipe.NumKinds]float64
	// Products are the multiply-adds of tensor cores, by the number of the product; nil where there are none.
	// It is never written to again, for facts are copied.
	Products *[pipe.NumProducts]float64
	// OpaqueTensor: matrix products were executed whose sizes are unknown, and so are
	// FlopTensor and OpTensorInt.
	OpaqueTensor bool
	// unseen is the first instruction executed that moves memory which nobody counts
	// (isa.Form.Unseen), nil if there is none: with one the blocks of memory are unknown,
	// for they would say less than was moved.
	unseen     *ir.Instr
	unseenFile string // in which it stands
}

// counterSet is a set of counters, a bit each: there are Facts of every launch.
type counterSet [(NumCounters + 63) / 64]uint64

func (s *counterSet) has(c Counter) bool { return s[c/64]>>(c%64)&1 != 0 }

func (s *counterSet) set(c Counter, is bool) {
	if s[c/64] &^= 1 << (c % 64); is {
		s[c/64] |= 1 << (c % 64)
	}
}

// Of returns a counter.
func (f *Facts) Of(c Counter) number.Int {
	if f.OpaqueTensor && (c == FlopTensor || c == OpTensorInt) || f.unseen != nil && counters[c].block.ofMemory() {
		return number.Int{}
	}
	return number.Int{N: f.n[c], Known: f.known.has(c)}
}

// see notes an instruction of a file that moves what nobody counts; nil is none.
func (f *Facts) see(in *ir.Instr, file string) {
	if f.unseen == nil {
		f.unseen, f.unseenFile = in, file
	}
}

// UnknownTraffic says which instruction made the traffic of a launch unknown; nil if none
// did.
func (f *Facts) UnknownTraffic() error {
	if f.unseen == nil {
		return nil
	}
	return uncounted(f.unseenFile, f.unseen)
}

// uncounted says which instruction of a file made the traffic unknown.
func uncounted(file string, in *ir.Instr) error {
	return fmt.Errorf("%s:%d: %s moves memory that nobody counts: the traffic is unknown", file, in.Pos.Line, in.Inst.Op)
}

// X returns a counter as a floating-point number, 0 if it is unknown.
func (f *Facts) X(c Counter) float64 { return float64(f.n[c]) }

// Set makes a counter known.
func (f *Facts) Set(c Counter, n uint64) {
	f.n[c] = n
	f.known.set(c, true)
}

// add adds to a counter whose block is known.
func (f *Facts) add(c Counter, n uint64) { f.n[c] += n }

// know makes the counters of a block known: they are zero until something is
// added.
func (f *Facts) know(b block) {
	for c := range NumCounters {
		f.known.set(c, f.known.has(c) || counters[c].block == b)
	}
}

// forget makes the counters of a block unknown.
func (f *Facts) forget(b block) {
	for c := range NumCounters {
		if counters[c].block == b {
			f.drop(c)
		}
	}
	if b == blockEstimated {
		f.Kinds = [pipe.NumKinds]float64{}
	}
}

// drop makes a counter unknown.
func (f *Facts) drop(c Counter) {
	f.n[c] = 0
	f.known.set(c, false)
}

// take makes the counters of a block those of g.
func (f *Facts) take(b block, g *Facts) {
	for c := range NumCounters {
		if counters[c].block == b {
			f.n[c] = g.n[c]
			f.known.set(c, g.known.has(c))
		}
	}
}

// addTimes adds the counters of g that are known, n times; of those that are
// no sums the larger one is kept. What one repetition that stands for others
// differs by, all of these do: the variance goes with the square.
func (f *Facts) addTimes(g *Facts, n uint64) {
	for c := range NumCounters {
		switch {
		case !g.known.has(c):
			continue
		case counters[c].total == sum, counters[c].total == sumOfAll:
			f.n[c] += n * g.n[c]
		default:
			f.n[c] = max(f.n[c], g.n[c])
		}
		f.known.set(c, true)
	}
	for k, issued := range g.Kinds {
		f.Kinds[k] += float64(n) * issued
	}
	if g.Products != nil {
		for k, made := range g.Products {
			f.addProducts(k, float64(n)*made)
		}
	}
	if v := g.DRAMVariance; v.Known {
		f.DRAMVariance = number.Ratio(f.DRAMVariance.X + float64(n)*float64(n)*v.X)
	}
	f.TrafficSampled = f.TrafficSampled || g.TrafficSampled
	f.CachesSimulated = f.CachesSimulated || g.CachesSimulated
	f.OpaqueTensor = f.OpaqueTensor || g.OpaqueTensor
	f.see(g.unseen, g.unseenFile)
}

// addProducts adds multiply-adds of tensor cores.
func (f *Facts) addProducts(number int, made float64) {
	if made == 0 {
		return
	}
	var all [pipe.NumProducts]float64
	if f.Products != nil {
		all = *f.Products
	}
	all[number] += made
	f.Products = &all
}

// sumOf returns the sum of several counters, known if all of them are.
func (f *Facts) sumOf(list ...Counter) number.Int {
	out := number.Count(0)
	for _, c := range list {
		n := f.Of(c)
		if !n.Known {
			return number.Int{}
		}
		out.N += n.N
	}
	return out
}

// flops returns the floating-point operations of a precision, those of tensor
// cores apart: a multiply-add is two.
func (f *Facts) flops(add, mul, fma Counter) number.Int { return f.sumOf(add, mul, fma, fma) }

// InstSpecial are the special functions of all precisions.
func (f *Facts) InstSpecial() number.Int {
	return f.sumOf(InstSpecialFP16, InstSpecialFP32, InstSpecialFP64)
}

// block is a group of counters that become known together: by one step of the
// analysis, which a mode, an option or an error may leave out.
type block uint8

const (
	noBlock      block = iota
	blockGiven         // by the launch
	blockPlanned       // by what has to be emulated of it
	blockTrusted       // by what the slice leaves out, where nothing sees it
	blockForgiven
	blockExecuted
	blockMoved
	blockCached
	blockEstimated
)

// ofMemory reports whether a block says what was moved.
func (b block) ofMemory() bool { return b == blockMoved || b == blockCached }

// rule is how a counter of launches becomes that of their total. sum is right where a
// launch that does not know a counter has none of it: in mode memory all launches
// know their traffic. The caches of a GPU that cannot run one launch of ten (too much
// shared memory) say nothing of that one, and nine of ten are no total: sumOfAll.
type rule uint8

const (
	ofLaunch rule = iota // it does not: a total says nothing, or something of its own
	sum                  // of the launches that know it
	sumOfAll             // unless one does not know it: the others alone are no total
	most                 // the largest one
)
