package adder

// What the paper's design takes on a chip. Counts of units, areas and powers of level
// shifters are the paper's (TITAN V; shifters in 45 nm and 16 nm).

// Chip is how many units a GPU has.
type Chip struct{ SMs, ALUs, FPUs, DPUs int }

// TitanV is the paper's.
var TitanV = Chip{SMs: 80, ALUs: 64, FPUs: 64, DPUs: 32}

// generalBits is the width of the general adder, for which a row of the register file
// has bits.
const generalBits = 64

// crfRows are the rows of the carry register file: those of 4 bits of the PC.
const crfRows = 16

// CRFBits returns the bits of a row of the register file for slices of w bits.
func CRFBits(w int) int { return Lanes * (generalBits/w - 1) }

// Storage are bytes of a chip.
type Storage struct{ CRF, DFF, Gtid int }

// Storage returns what slices of w bits store: the register files, two flip-flops for
// each slice that may compute again, and what a table would take that has entries for
// all threads of an SM.
func (c Chip) Storage(w int) Storage {
	flipFlops := 0
	for kind, units := range map[Kind]int{Int64: c.ALUs, FP32: c.FPUs, FP64: c.DPUs} {
		flipFlops += 2 * units * (kind.Slices(w) - 1)
	}
	return Storage{
		CRF:  c.SMs * crfRows * CRFBits(w) / 8,
		DFF:  c.SMs * flipFlops / 8,
		Gtid: smWarps * Lanes * crfRows * (generalBits/w - 1) / 8, // of one SM
	}
}

// Of level shifters.
const (
	shifterUM2   = 2.8  // area in square micrometres, 45 nm
	shifterNW    = 307  // static power in nanowatts
	shifterFJ    = 1.38 // energy of a transition in femtojoules
	shifterEdges = 3    // two operands and a result
	nano         = 1e-9
	femto        = 1e-15
)

// Shifters returns how many level shifters a chip has: one at each bit of the
// registers that go in and come out.
func (c Chip) Shifters() int {
	const alu, fpu, dpu = 64, 32, 64 // bits of registers
	return c.SMs * shifterEdges * (alu*c.ALUs + fpu*c.FPUs + dpu*c.DPUs)
}

// ShifterMM2 returns their area, ShifterW the power that they draw whatever happens.
func (c Chip) ShifterMM2() float64 { return float64(c.Shifters()) * shifterUM2 / 1e6 }
func (c Chip) ShifterW() float64   { return float64(c.Shifters()) * shifterNW * nano }
