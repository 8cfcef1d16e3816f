package power

// Rules chooses between the paper and the released program where they differ.
type Rules uint8

// The rules. Paper is the default; Release returns the published figures.
const (
	Paper Rules = iota
	Release
)

// ParseRules returns the rules of that name.
func ParseRules(s string) (Rules, error) { return byName[Rules]("rules", s, ruleNames[:]) }

var ruleNames = [...]string{Paper: "paper", Release: "release"}

func (r Rules) String() string { return ruleNames[r] }

// ruleSet is every difference between the paper and the released program. Where
// the paper gives no number of its own, both have the program's.
type ruleSet struct {
	// constantW is the constant power of a GV100: section 4.2 of the paper;
	// the XML files.
	constantW float64
	// memControllerW is a constant that the program adds to the memory
	// controller (McPAT's PHY); the paper has one constant only.
	memControllerW float64
	// halfWarp: kernels that use a single functional unit follow equation 5.
	// The program knows equation 4 only. For two units the paper speaks of a
	// drift between both without a formula: equation 4 is used.
	halfWarp bool
	// wholeLanes: active lanes are rounded up to whole ones.
	wholeLanes bool
	// wrapLanes: lanes are summed in 32 bits and wrap around.
	wrapLanes bool
	// intAlways: the program looks at coefficients instead of counts for the
	// integer units and finds them always in use, so that INT_ADD, INT_MUL and
	// LIGHT are never chosen; without any execution it takes the L1 value.
	intAlways bool
	// perSM: static power follows the number of SMs of the chip. The program
	// takes the 80-SM value whatever the chip.
	perSM bool
	// constantByVoltage: constant power goes with V squared; equation 2 leaves
	// it alone.
	constantByVoltage bool
	// constLoads: PTX loads of constants are counted; the program counts none
	// in PTX mode.
	constLoads bool
	// pairs: the second instruction of a fetched pair is tested for the
	// scheduler with the first one's type, so that (FP, not FP) counts once.
	pairs bool
	// halfNowhere: add, sub, min, max on f16 count in no unit.
	halfNowhere bool
	// tuneLower is the least correction of a tuned factor (equation 14; the
	// solver's script).
	tuneLower float64
	// tuneOnEnergies: the orders among units (X_ALU <= X_FPU ...) bind
	// energies; equation 14 binds the corrections X themselves.
	tuneOnEnergies bool
}

// Not here because nothing in hyptx depends on them: the swapped arguments of
// the option aggregate_power_stats, counts of constant cache in published tables
// that the released program does not produce, and that a hit on a line which is
// still on its way counts as a hit and takes one off the misses (power_stat.h:
// our caches have no latency, so that it is a hit); likewise that loads which
// hit the L1 write no register there, and others one for each sector.
var ruleSets = [...]ruleSet{
	Paper:   {constantW: 32.5, halfWarp: true, perSM: true, constLoads: true, tuneLower: 0.001},
	Release: {constantW: 32.32522272, memControllerW: 0.550219920216, wholeLanes: true, wrapLanes: true, intAlways: true, constantByVoltage: true, pairs: true, halfNowhere: true, tuneLower: 0.1, tuneOnEnergies: true},
}

func (r Rules) set() *ruleSet { return &ruleSets[r] }
