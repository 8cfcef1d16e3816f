package power

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// Tuning. Nobody can measure the energy of one addition, but the power of a kernel
// that does little else can be measured, and it is linear in the energies. With M
// measured runs and the columns of tunecolumns.go,
//
//	P_est X = P_meas             (M x N) (N) = (M)               (equation 13)
//
// is a system of equations for corrections X of a start: entry (i, j) is what run i
// draws in column j by the start's energies. Constant, static and idle power were
// determined before, from sweeps over clocks, lanes and SMs (cubic.go, static.go,
// idle.go), so that they are taken off the measured power first: fitted along with
// the rest they would soak up whatever the counts do not explain.
//
// Runs are noisy and no benchmark does one thing alone; plain least squares would
// give some units a negative energy. So the solution is the X that minimises
// |P_est X - P_meas|^2 under bounds and under orders that no circuit escapes, as
// that a double-precision addition takes no less than a single-precision one
// (equation 14).

// Run is a measured execution of a micro-benchmark.
type Run struct {
	Name      string
	Activity  Activity
	MeasuredW float64
}

// The starting points of tuning.
const (
	StartFermi = "fermi" // GPUWattch's factors of a GTX 480: the one that was adopted
	startOnes  = "ones"  // McPAT's energies as they are
)

// StartPoint returns the factors that tuning starts from: a starting point of
// the paper, or a tuned variant. GPUWattch has none for tensor cores: 1.
func StartPoint(name string) (coefficients, error) {
	var c coefficients
	switch name {
	case startOnes:
		for i := range c {
			c[i] = 1
		}
		return c, nil
	case StartFermi:
		c = Variant(fermi).coefficients()
		c[Tensor] = 1
		return c, nil
	}
	v, err := parseVariant(name)
	if err != nil {
		return c, fmt.Errorf("unknown start %q: must be %s, %s or a variant", name, StartFermi, startOnes)
	}
	return v.coefficients(), nil
}

// Tuned are energies fitted to measurements.
type Tuned struct {
	Coefficients coefficients
	// Corrections are by column: factors on the start's.
	Corrections map[string]float64
	// Equalities name the constraints that hold as such.
	Equalities []string
	// Unused are the columns that no run exercises: they keep the start's
	// factors as far as the constraints allow.
	Unused []string
	// Rank is how many combinations of the exercised columns the runs tell
	// apart, of Exercised ones. What they do not stays near the start.
	Rank, Exercised int
	Residuals       []residual
	Accuracy        Accuracy
}

// residual is how far a run is from the tuned model.
type residual struct {
	Run       string  `csv:"run" json:"run"`
	MeasuredW float64 `csv:"measured_w" json:"measured_w"`
	// FixedW is constant, static and idle power, which is not tuned.
	FixedW   float64 `csv:"fixed_w" json:"fixed_w"`
	ModelW   float64 `csv:"model_w" json:"model_w"`
	ErrorW   float64 `csv:"error_w" json:"error_w"`
	ErrorPct float64 `csv:"error_pct" json:"error_pct"`
}

// tuneRounds bounds how often a solution becomes the next start.
const tuneRounds = 20

// Tune fits the factors of chip's energies to runs: equations 12 to 14, by
// constrained least squares in W. Constant, static and idle power are the
// chip's. Counters in absent were not counted: they get no energy. Under the
// rules of the release, whose bounds on corrections are narrow, the solution
// becomes the next start until the error stops shrinking.
func Tune(chip *Chip, start coefficients, runs []Run, absent CounterSet, rules Rules) (*Tuned, error) {
	for c := range NumCounters {
		if absent.Has(c) {
			start[c] = 0
		}
	}
	t, err := tuneOnce(chip, start, runs, rules)
	for range tuneRounds {
		if err != nil || !rules.set().tuneOnEnergies {
			break
		}
		next, again := tuneOnce(chip, t.Coefficients, runs, rules)
		if again != nil || !(next.squaredError() < 0.999*t.squaredError()) {
			break
		}
		for name, x := range t.Corrections {
			next.Corrections[name] *= x
		}
		t = next
	}
	return t, err
}

func (t *Tuned) squaredError() (sum float64) {
	for _, r := range t.Residuals {
		sum += r.ErrorW * r.ErrorW
	}
	return sum
}

func tuneOnce(chip *Chip, start coefficients, runs []Run, rules Rules) (*Tuned, error) {
	a, rest, err := tuneMatrix(chip, start, runs)
	if err != nil {
		return nil, err
	}
	t := &Tuned{Corrections: map[string]float64{}}
	if err := t.examine(a, len(runs)); err != nil {
		return nil, err
	}
	limits := constraints(newEnergies(start), rules)
	x, active, err := leastSquares(a, rest, limits)
	if err != nil {
		return nil, fmt.Errorf("tuning: %w", err)
	}
	for _, i := range active {
		t.Equalities = append(t.Equalities, limits[i].name)
	}
	slices.Sort(t.Equalities)
	for j, c := range columns {
		t.Corrections[c.name] = x[j]
	}
	for c := range NumCounters {
		t.Coefficients[c] = start[c] * x[columnOf[c]]
	}
	t.compare(a, x, rest, runs)
	return t, nil
}

// tuneMatrix returns the power of each run by column at the start's factors,
// and what the measured power leaves for them.
func tuneMatrix(chip *Chip, start coefficients, runs []Run) (*mat.Dense, []float64, error) {
	if len(runs) == 0 {
		return nil, nil, fmt.Errorf("no runs to tune to")
	}
	energies := newEnergies(start)
	base := *chip
	base.Energies = &Energies{}
	a, rest := mat.NewDense(len(runs), len(columns), nil), make([]float64, len(runs))
	for i, r := range runs {
		if !(r.MeasuredW > 0) || math.IsInf(r.MeasuredW, 0) {
			return nil, nil, fmt.Errorf("%s: measured power %g W: must be positive", r.Name, r.MeasuredW)
		}
		// Tuning took the released program's static model.
		e, err := base.Estimate(&r.Activity, Release, Reference)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		rest[i] = r.MeasuredW - e.TotalW()
		for c, joules := range energies.perEventJ {
			events := r.Activity.Counts[c] / r.Activity.seconds()
			if Counter(c) == Duty {
				events = r.Activity.Duty * float64(chip.SMs) * r.Activity.ClockMHz * 1e6
			}
			j := columnOf[c]
			a.Set(i, j, a.At(i, j)+events*joules)
		}
	}
	return a, rest, nil
}

// examine counts what the runs exercise and what they can tell apart.
func (t *Tuned) examine(a *mat.Dense, runs int) error {
	var used []string
	scaled, norms := unitColumns(a)
	for j, c := range columns {
		switch norm := norms[j]; {
		case math.IsNaN(norm) || math.IsInf(norm, 0):
			return fmt.Errorf("the power of %s is too large to reckon with: look at the runs' counts and cycles", c.name)
		case mat.Max(a.ColView(j)) == 0:
			t.Unused = append(t.Unused, c.name)
		default:
			used = append(used, c.name)
		}
	}
	t.Exercised = len(used)
	if runs < t.Exercised {
		return fmt.Errorf("%d runs cannot determine %d unknown energies (%s): at least as many runs are needed", runs, t.Exercised, strings.Join(used, ", "))
	}
	var svd mat.SVD
	if !svd.Factorize(scaled, mat.SVDNone) {
		return fmt.Errorf("the matrix of powers cannot be decomposed")
	}
	for _, v := range svd.Values(nil) {
		if v > 1e-9 {
			t.Rank++
		}
	}
	return nil
}

// unitColumns returns a with each column divided by its length, and these lengths:
// watts of DRAM and of a rare division are then of one size, and 1e-9 of it means
// the same for all. A column of zeros stays, its length is taken as 1.
func unitColumns(a *mat.Dense) (*mat.Dense, []float64) {
	_, n := a.Dims()
	norms := make([]float64, n)
	for j := range norms {
		if norms[j] = mat.Norm(a.ColView(j), 2); norms[j] == 0 {
			norms[j] = 1
		}
	}
	scaled := mat.DenseCopyOf(a)
	scaled.Apply(func(_, j int, v float64) float64 { return v / norms[j] }, a)
	return scaled, norms
}

// leastSquares minimises |Ax-b|^2 under constraints. Where the runs tell nothing
// x stays near 1, the start: a proximal term holds it there and is taken back
// step by step elsewhere, so that the result is the least-squares solution.
func leastSquares(a *mat.Dense, b []float64, limits []constraint) (x []float64, active []int, err error) {
	scaled, norms := unitColumns(a)
	n := len(norms)
	var gram mat.SymDense
	gram.SymOuterK(1, scaled.T())
	var right mat.VecDense
	right.MulVec(scaled.T(), mat.NewVecDense(len(b), b))
	const hold = 1e-10
	for j := range n {
		gram.SetSym(j, j, gram.At(j, j)+hold)
	}
	q := &quadratic{h: &gram}
	for _, c := range limits {
		row := make([]float64, n)
		for j, v := range c.row {
			row[j] = v / norms[j]
		}
		q.rows, q.low = append(q.rows, row), append(q.low, c.low)
	}
	y := slices.Clone(norms) // x = 1
	for range 50 {
		q.f = make([]float64, n)
		for j := range n {
			q.f[j] = -right.AtVec(j) - hold*y[j]
		}
		next, act, err := q.solve()
		if err != nil {
			return nil, nil, err
		}
		moved := 0.0
		for j := range y {
			moved = max(moved, math.Abs(next[j]-y[j])/max(math.Abs(y[j]), norms[j]))
		}
		y, active = slices.Clone(next), act
		if moved < 1e-13 {
			break
		}
	}
	for j := range y {
		y[j] /= norms[j]
	}
	return y, active, nil
}

// compare fills the residuals.
func (t *Tuned) compare(a *mat.Dense, x, rest []float64, runs []Run) {
	var dynamic mat.VecDense
	dynamic.MulVec(a, mat.NewVecDense(len(x), x))
	var modelled, measured []float64
	for i, r := range runs {
		fixed := r.MeasuredW - rest[i]
		w := fixed + dynamic.AtVec(i)
		t.Residuals = append(t.Residuals, residual{r.Name, r.MeasuredW, fixed, w, w - r.MeasuredW, 100 * (w - r.MeasuredW) / r.MeasuredW})
		modelled, measured = append(modelled, w), append(measured, r.MeasuredW)
	}
	t.Accuracy = compare(modelled, measured)
}
