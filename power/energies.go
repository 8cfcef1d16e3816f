package power

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Variant is a tuned model of AccelWattch: which tool counts the events.
type Variant string

// The variants. PTXSim counts PTX instructions, sassSim machine instructions,
// both with simulated caches; hw takes the hardware's counters, hybrid these
// but for L2 and NoC. The Alt ones were tuned from factors that are all 1.
const (
	PTXSim     Variant = "ptx_sim"
	sassSim    Variant = "sass_sim"
	hw         Variant = "hw"
	hybrid     Variant = "hybrid"
	ptxSimAlt  Variant = "ptx_sim_alt"
	sassSimAlt Variant = "sass_sim_alt"
	// calibrated are sass_sim's energies with factors by family and type of memory,
	// at any clock (calibration.go).
	calibrated Variant = "calibrated"
)

// variants lists the variants, the default first.
var variants = []Variant{PTXSim, sassSim, hw, hybrid, ptxSimAlt, sassSimAlt}

// column is where the factors of a variant stand in energies.tsv.
func (v Variant) column() string {
	switch v {
	case calibrated:
		return string(sassSim)
	case gpuWattch:
		return fermi
	}
	return string(v)
}

// parseVariant returns the variant of that name.
func parseVariant(s string) (Variant, error) {
	if v := Variant(s); slices.Contains(variants, v) {
		return v, nil
	}
	names := make([]string, len(variants))
	for i, v := range variants {
		names[i] = string(v)
	}
	return "", fmt.Errorf("unknown variant %q: must be %s", s, strings.Join(names, ", "))
}

// FromHardware reports whether the variant takes hardware counters: then the
// duty cycle is not capped and lanes come from traces (section 3 of the paper).
func (v Variant) FromHardware() bool { return v == hw || v == hybrid }

// Energies. The energy of an event is a start, which McPAT works out from the
// layout of the circuit, times a factor that was tuned to measured power (x in
// equation 12, E = E_McPAT x). Both stand in energies.tsv: one row for each pair of
// a counter and a component that it costs energy in, since a miss of the L1 costs
// in the L1 and in the memory controller, too. The released program gets there
// through all of McPAT; it was shown to be linear in the counts to 1e-11, so that
// this table replaces it.

// Energies are what events cost: joules for each event by counter and component.
type Energies struct {
	terms []term
	// PerEventJ is the sum over components.
	perEventJ [NumCounters]float64
}

// term is what one event of a counter costs in one component.
type term struct {
	counter   Counter
	component Component
	joules    float64
}

// coefficients are the tuned factors of a model: McPAT's energy of an event at
// factor 1 times the factor is its effective energy.
type coefficients [NumCounters]float64

// energyRow is a row of energies.tsv.
type energyRow struct {
	counter   Counter
	component Component
	baseJ     float64
	factors   map[string]float64
}

// energyRows are the rows of energies.tsv.
var energyRows = sync.OnceValue(func() []energyRow {
	t := readTable("energies.tsv")
	rows := make([]energyRow, len(t.rows))
	for i := range t.rows {
		c, counterErr := parseCounter(t.text(i, "counter"))
		m, componentErr := parseComponent(t.text(i, "component"))
		if err := cmp.Or(counterErr, componentErr); err != nil {
			panic("BUG: energies.tsv: " + err.Error())
		}
		rows[i] = energyRow{c, m, t.number(i, "base_J"), map[string]float64{}}
		for _, v := range append([]Variant{fermi}, variants...) {
			if t.text(i, string(v)) != "-" {
				rows[i].factors[string(v)] = t.number(i, string(v))
			}
		}
	}
	return rows
})

// coefficients returns the tuned factors of a variant.
func (v Variant) coefficients() (out coefficients) {
	for _, r := range energyRows() {
		out[r.counter] = r.factors[v.column()]
	}
	if v == gpuWattch {
		out[Tensor] = PTXSim.coefficients()[Tensor]
	}
	return out
}

// energies returns what events cost on a GV100 in a variant.
func (v Variant) energies() *Energies { return newEnergies(v.coefficients()) }

// newEnergies returns the energies that belong to factors.
func newEnergies(f coefficients) *Energies {
	e := &Energies{}
	for _, r := range energyRows() {
		j := r.baseJ * f[r.counter]
		e.terms = append(e.terms, term{r.counter, r.component, j})
		e.perEventJ[r.counter] += j
	}
	return e
}

// perEventPJ returns what one event costs in all components, in pJ. For Duty it
// is the energy of one SM in one cycle at duty 1.
func (e *Energies) perEventPJ(c Counter) float64 { return e.perEventJ[c] * 1e12 }

// scaled returns the energies multiplied by x.
func (e *Energies) scaled(x float64) *Energies {
	out := &Energies{terms: slices.Clone(e.terms), perEventJ: e.perEventJ}
	for i := range out.terms {
		out.terms[i].joules *= x
	}
	for i := range out.perEventJ {
		out.perEventJ[i] *= x
	}
	return out
}

// needs returns the counters that cost anything.
func (e *Energies) needs() (s CounterSet) {
	for c, j := range e.perEventJ {
		if j != 0 {
			s = s.with(Counter(c))
		}
	}
	return s
}
