package power

import "fmt"

// A chip is the other half of an estimate: the numbers that stay the same whatever
// runs. Its static coefficients are watts of a whole chip, as they were measured;
// StaticSMs is how many active SMs that was, 80 for a GV100, and a launch is charged
// its share (equation 9).

// Chip is a GPU as the model sees it.
type Chip struct {
	Name string
	SMs  int
	// ConstantW is drawn always: fan, board, regulators.
	ConstantW float64
	// MemControllerW is the constant part of the memory controller's.
	MemControllerW float64
	// IdleSMW is drawn by an SM without a CTA.
	IdleSMW float64
	// Static are the coefficients by category, of StaticSMs active SMs.
	Static    [numCategories]LanePower
	StaticSMs int
	Energies  *Energies
	// Law is how a calibrated chip draws by clock; nil if nothing goes by it. Then
	// energies and IdleSMW are those at the low voltage, IdleSMW for each GHz.
	Law *clockLaw
	// ClockMHz is where energies were tuned, LowMHz and HighMHz bound where they
	// were fitted; 0 if nobody said.
	ClockMHz, LowMHz, HighMHz float64
	// Variant is the model that the energies belong to.
	Variant Variant
	// Basis is "tuned" or "extrapolated", of the energies; StaticBasis says the
	// same of static and idle power. Notes say what was assumed.
	Basis, StaticBasis string
	Notes              []string
}

// gv100SMs is the number of SMs of the Quadro GV100 that was measured.
const gv100SMs = 80

// idleSMWatts is the power of an idle SM of a GV100 (equation 8; XML files).
const idleSMWatts = 0.28279166

// GV100 returns the GPU that AccelWattch was tuned on.
func GV100(v Variant, r Rules) *Chip {
	return &Chip{
		Name: "gv100", SMs: gv100SMs, StaticSMs: gv100SMs,
		ConstantW: r.set().constantW, MemControllerW: r.set().memControllerW, IdleSMW: idleSMWatts,
		Static: staticGV100(), Energies: v.energies(), Variant: v, Basis: "tuned", StaticBasis: staticTuned,
	}
}

// State is how a chip runs besides its clock, which is the activity's.
type State struct {
	// VoltageRatio is V over the voltage at which energies were tuned.
	VoltageRatio float64
	// TemperatureFactor multiplies static and idle power; 1 at 65 C. The paper
	// says that such a factor was measured but gives none.
	TemperatureFactor float64
}

// Reference is the state in which energies were tuned: 65 C, reference voltage.
var Reference = State{VoltageRatio: 1, TemperatureFactor: 1}

// The largest factors of a state: far beyond any silicon, and small enough that
// no power overflows.
const (
	MaxVoltageRatio      = 10
	MaxTemperatureFactor = 1000
)

// check returns an error that names the factor that cannot be.
func (s State) check() error {
	switch {
	case !(s.VoltageRatio > 0 && s.VoltageRatio <= MaxVoltageRatio):
		return fmt.Errorf("voltage ratio %g: must be above 0 and at most %d (1 is the voltage at which energies were tuned)", s.VoltageRatio, MaxVoltageRatio)
	case !(s.TemperatureFactor > 0 && s.TemperatureFactor <= MaxTemperatureFactor):
		return fmt.Errorf("temperature factor %g: must be above 0 and at most %d (1 is 65 C)", s.TemperatureFactor, MaxTemperatureFactor)
	}
	return nil
}
