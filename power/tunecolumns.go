package power

// A column of the tuning problem is a component whose energies are corrected by
// one factor: the 28 dynamic ones of AccelWattch's solver. Idle, constant and
// static power, its last three, are determined before and fixed.
type column struct {
	name     string
	counters []Counter
}

// Hits and misses, reads and writes of one component share a factor: a benchmark
// that misses the L1 more often than another reads more from the L2 as well, and no
// set of runs tells the two apart. Their ratio is the start's, hence McPAT's.

// columns are in the solver's order. Each owns all that its counters cost, in
// the memory controller too, so that power is linear in the corrections and one
// solution is final (the published procedure takes components and iterates).
var columns = []column{
	{"IBP", []Counter{TotInst}}, {"ICP", []Counter{ICacheHit, ICacheMiss}},
	{"DCP", []Counter{L1ReadHit, L1ReadMiss, L1WriteHit, L1WriteMiss}}, {"TCP", []Counter{TexHit, TexMiss}},
	{"CCP", []Counter{ConstHit, ConstMiss}}, {"SHRDP", []Counter{SharedPass}}, {"RFP", []Counter{RegRead, RegWrite, NonReg}},
	{"INTP", []Counter{Int}}, {"FPUP", []Counter{FP}}, {"DPUP", []Counter{DP}},
	{"INT_MUL24P", []Counter{IntMul24}}, {"INT_MUL32P", []Counter{IntMul32}}, {"INT_MULP", []Counter{IntMul}}, {"INT_DIVP", []Counter{IntDiv}},
	{"FP_MULP", []Counter{FPMul}}, {"FP_DIVP", []Counter{FPDiv}}, {"FP_SQRTP", []Counter{Sqrt}}, {"FP_LGP", []Counter{Log}},
	{"FP_SINP", []Counter{Sin}}, {"FP_EXP", []Counter{Exp}}, {"DP_MULP", []Counter{DPMul}}, {"DP_DIVP", []Counter{DPDiv}},
	{"TENSORP", []Counter{Tensor}}, {"TEXP", []Counter{Tex}}, {"SCHEDP", []Counter{IntInst, FPInst}},
	{"L2+NOC", []Counter{L2ReadHit, L2ReadMiss, L2WriteHit, L2WriteMiss, Flit}},
	{"DRAM+MC", []Counter{DRAMRead, DRAMWrite, DRAMPrecharge}}, {"PIPEP", []Counter{Duty}},
}

// columnOf returns the column that owns a counter.
var columnOf = func() (out [NumCounters]int) {
	for j, c := range columns {
		for _, k := range c.counters {
			out[k] = j
		}
	}
	return out
}()

// order says that what one unit costs is at most what another does.
type order struct{ less, more Counter }

// ordersPaper bind the corrections X (equation 14).
var ordersPaper = []order{
	{Int, FP}, {FP, DP}, {Int, IntMul}, {FPMul, IntMul}, {FPMul, DPMul}, {FPMul, Sqrt}, {FPMul, Log}, {FPMul, Sin}, {FPMul, Exp}, {FPMul, Tensor}, {FPMul, Tex},
}

// ordersRelease bind energies (util/accelwattch/quadprog_solver.m).
var ordersRelease = []order{
	{Int, FP}, {FP, DP}, {Int, IntMul24}, {Int, IntMul32}, {Int, IntMul},
	{FPMul, FPDiv}, {FPMul, DPMul}, {FPMul, Sqrt}, {FPMul, Log}, {FPMul, Sin}, {FPMul, Exp}, {FPMul, Tensor}, {FPMul, Tex},
}

// aluClock is the factor of two that McPAT's energy of an integer instruction
// has for a doubled ALU clock; the solver compares it without.
const aluClock = 2

// tuneUpper is the largest correction (equation 14; the solver's script).
const tuneUpper = 1000

// compared returns the energy of a unit as the solver compares it.
func compared(e *Energies, c Counter) float64 {
	if c == Int {
		return e.perEventPJ(c) / aluClock
	}
	return e.perEventPJ(c)
}

// constraint is a linear one on the corrections, with the words that name it.
type constraint struct {
	row  []float64
	low  float64
	name string
}

// What the name of a constraint that is a bound says behind its column.
const (
	lowerBound = " at its lower bound"
	upperBound = " at its upper bound"
)

// constraints returns the bounds and orders of a constraint set at the energies
// of the start.
func constraints(e *Energies, r Rules) (out []constraint) {
	for j, c := range columns {
		up, down := make([]float64, len(columns)), make([]float64, len(columns))
		up[j], down[j] = -1, 1
		out = append(out, constraint{down, r.set().tuneLower, c.name + lowerBound}, constraint{up, -tuneUpper, c.name + upperBound})
	}
	orders := ordersPaper
	if r.set().tuneOnEnergies {
		orders = ordersRelease
	}
	for _, o := range orders {
		row := make([]float64, len(columns))
		less, more := 1.0, 1.0
		if r.set().tuneOnEnergies {
			less, more = compared(e, o.less), compared(e, o.more)
		}
		if less == 0 || more == 0 {
			continue // a unit without energy is not compared
		}
		row[columnOf[o.less]], row[columnOf[o.more]] = -1, more/less
		out = append(out, constraint{row, 0, o.less.String() + " = " + o.more.String()})
	}
	return out
}
