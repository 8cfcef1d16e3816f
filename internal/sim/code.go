package sim

import (
	"fmt"
	"slices"

	"hyptx/internal/gpu"
	"hyptx/internal/pipe"
)

// Instr is a machine instruction as it is given to [Compile].
type Instr struct {
	Kind pipe.Kind
	// Product and FMAs are those of a matrix instruction: multiply-adds of a warp. Those of a
	// product that goes on by itself stand in the trace.
	Product pipe.Product
	FMAs    int
	GoesOn  bool
	// Dst and Srcs are the values that it writes and reads, numbers below
	// Program.Values.
	Dst, Srcs []int
	// BytesPerLane are what a load brings each lane.
	BytesPerLane int
	// Waits: it waits for groups of bulk copies, by a record as of an access.
	Waits bool
	// Commits: an object hears of it when tensor cores have done what they were given.
	Commits bool
	// PC is the instruction of the PTX that it stands for, Part the part of its block
	// that it belongs to.
	PC, Part int
}

// Block is a machine block: instructions that are issued one after the other.
type Block struct {
	Instrs []Instr
	// Moves are, by the block before, the values whose registers another value goes
	// on in: the arguments of phis.
	Moves map[int][]Move
}

// Move says that value To is in the register of From.
type Move struct{ From, To int }

// Program is the machine code of a kernel with all that it calls.
type Program struct {
	Blocks []Block
	Values int
}

// Code is a program as one machine runs it. It is read by any number of runs.
type Code struct {
	ops    []op
	off    []op // the same, of parts that no lane came to
	blocks []block
	values int
	// branch is what a branch waits longer for a predicate than others do.
	branch Tick
}

// op is an instruction with its times: what the issue of one needs fits a cache
// line.
type op struct {
	interval, second, shared, latency Tick
	switched                          Tick // what the shared unit takes longer for another warp
	src                               [maxSources]uint16
	dst                               [maxResults]uint16
	pc                                int32
	unit, otherUnit                   uint8
	secondUnit, sharedUnit            uint8
	kind                              pipe.Kind
	nsrc, ndst                        uint8
	memory, record, math, waits       bool
	commits                           bool
	matrix                            uint8 // the number of a product that goes on by itself
	part                              uint8
	returned                          Tick // what its result takes of the way back
}

// What an instruction names at most: four matrix fragments in registers are values
// each.
const (
	maxSources = 14
	maxResults = 8
)

type block struct {
	first, end int32
	moves      []moves
}

// moves are the values handed on from one block.
type moves struct {
	from int32
	list []move
}

type move struct{ from, to uint16 }

// maxValues bounds the values of a program: they are numbered in 16 bits.
const maxValues = 1 << 16

// Compile resolves a program for a machine.
func Compile(p *Program, m *Config) (*Code, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if p.Values > maxValues {
		return nil, fmt.Errorf("the machine code has %d values; the simulator takes at most %d", p.Values, maxValues)
	}
	c := &Code{values: p.Values, branch: max(0, Cycles(m.PredicateCycles-m.Kinds[pipe.Compare].LatencyCycles))}
	for i := range p.Blocks {
		b := &p.Blocks[i]
		first := int32(len(c.ops))
		for k := range b.Instrs {
			o, err := m.resolve(&b.Instrs[k])
			if err != nil {
				return nil, err
			}
			c.ops, c.off = append(c.ops, o), append(c.off, m.predicatedOff(o))
		}
		c.blocks = append(c.blocks, block{first: first, end: int32(len(c.ops)), moves: movesOf(b)})
	}
	return c, nil
}

// lines returns how many lines of 128 bytes the code is; 0 if it is always there.
func (c *Code) lines(m *Config) int {
	if m.Fetch.LineInstrs == 0 {
		return 0
	}
	return (len(c.ops) + m.Fetch.LineInstrs - 1) / m.Fetch.LineInstrs
}

// records reports whether a trace has the record of an access for an instruction.
func (o *op) records() bool { return o.memory || o.waits }

// next returns the warp's next instruction.
func (c *Code) next(w *warp) *op {
	o := &c.ops[w.op]
	if w.absent>>o.part&1 != 0 {
		return &c.off[w.op]
	}
	return o
}

// predicatedOff returns an instruction that no lane executes: it is issued, but takes no
// unit.
func (m *Config) predicatedOff(o op) op {
	o.unit, o.otherUnit, o.secondUnit, o.sharedUnit = 0, 0, 0, 0
	o.latency = min(o.latency, Cycles(m.Kinds[pipe.FP32].LatencyCycles))
	return o
}

// movesOf returns a block's moves, those of lower blocks first.
func movesOf(b *Block) (all []moves) {
	for from, list := range b.Moves {
		m := moves{from: int32(from)}
		for _, v := range list {
			m.list = append(m.list, move{uint16(v.From), uint16(v.To)})
		}
		slices.SortStableFunc(m.list, func(a, b move) int { return int(a.to) - int(b.to) })
		all = append(all, m)
	}
	return all
}

// resolve gives an instruction its units and times.
func (m *Config) resolve(in *Instr) (op, error) {
	t := &m.Kinds[in.Kind]
	o := op{
		interval: Cycles(t.IntervalCycles), second: Cycles(t.SecondIntervalCycles), shared: Cycles(t.SharedCycles), latency: Cycles(t.LatencyCycles), switched: Cycles(t.SwitchCycles),
		unit: t.Unit, otherUnit: t.Alternative, secondUnit: t.Second, sharedUnit: t.Shared,
		kind: in.Kind, pc: int32(in.PC), memory: in.Kind.Memory(), record: in.Kind == pipe.Barrier, waits: in.Waits, commits: in.Commits, matrix: uint8(in.Product.Number()),
	}
	rate := m.MatrixPerCycle[in.Product.Number()] / float64(m.Cores)
	if (in.Kind == pipe.Matrix || in.GoesOn) && !(rate > 0) {
		return o, &gpu.NoTensorError{Factors: in.Product.Factors}
	}
	if in.Kind == pipe.Matrix {
		o.interval = Cycles(float64(in.FMAs) / rate)
		o.latency += max(0, o.interval-ticksPerCycle)
	}
	if len(in.Srcs) > maxSources || len(in.Dst) > maxResults {
		return o, fmt.Errorf("an instruction with %d sources and %d results; the simulator takes at most %d and %d", len(in.Srcs), len(in.Dst), maxSources, maxResults)
	}
	o.part = uint8(min(in.Part, maxParts))
	for i, v := range in.Srcs {
		o.src[i] = uint16(v)
	}
	for i, v := range in.Dst {
		o.dst[i] = uint16(v)
	}
	if o.otherUnit == 0 {
		o.otherUnit = o.unit
	}
	o.math = !o.memory && !in.Kind.Flows() && in.Kind != pipe.Special && in.Kind != pipe.Convert && in.Kind != pipe.Convert64
	o.nsrc, o.ndst = uint8(len(in.Srcs)), uint8(len(in.Dst))
	if o.memory && m.L1.ReturnBytesPerCycle > 0 {
		o.returned = Cycles(32 * float64(in.BytesPerLane) / m.L1.ReturnBytesPerCycle)
	}
	return o, nil
}
