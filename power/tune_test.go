package power

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestFact14Idle(t *testing.T) {
	w, err := IdleSMPower([]IdleRun{{"a", 80, 120}, {"a", 40, 90}}, 80, 32.5)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "idle SM", w, 0.34375, 1e-12)
	// A second benchmark whose idle SMs take 0.25 W each.
	w, err = IdleSMPower([]IdleRun{{"a", 80, 120}, {"a", 40, 90}, {"b", 80, 120}, {"b", 40, 32.5 + 1.09375*40 + 10}}, 80, 32.5)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "geometric mean", w, 0.293151, 1e-6)
}

func TestFact15Cubic(t *testing.T) {
	const beta, tau, constant = 2e-9, 0.03, 32.5
	var f, p []float64
	for x := 500.0; x <= 1500; x += 100 {
		f, p = append(f, x), append(p, beta*x*x*x+tau*x+constant)
	}
	c, err := fitCubic(f, p)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "beta", c.Beta/beta, 1, 1e-9)
	near(t, "tau", c.Tau/tau, 1, 1e-9)
	near(t, "constant", c.ConstantW/constant, 1, 1e-9)
	near(t, "P(1447)", c.at(1447), 81.9695, 1e-4)
	if err := c.checkClock(1447); err != nil {
		t.Error(err)
	}
	if err := c.checkClock(1600); err == nil || !strings.Contains(err.Error(), "outside the fitted range, 500 to 1500 MHz") {
		t.Errorf("a clock outside the range: %v", err)
	}
}

// TestFact21Solver: the solver returns the solution that made b, wherever it
// lies, and its multipliers meet the conditions of an optimum.
func TestFact21Solver(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, rules := range []Rules{Paper, Release} {
		limits := constraints(sassSim.energies(), rules)
		for range 20 {
			a := mat.NewDense(102, len(columns), nil)
			a.Apply(func(_, j int, _ float64) float64 { return r.Float64() * math.Pow(10, float64(j%5)-2) }, a)
			want := feasible(r, limits)
			var b mat.VecDense
			b.MulVec(a, mat.NewVecDense(len(want), want))
			got, _, err := leastSquares(a, b.RawVector().Data, limits)
			if err != nil {
				t.Fatal(err)
			}
			for j := range want {
				near(t, rules.String()+" "+columns[j].name, got[j]/want[j], 1, 1e-7)
			}
		}
	}
}

// feasible returns a random point that meets all constraints.
func feasible(r *rand.Rand, limits []constraint) []float64 {
	for {
		x := make([]float64, len(columns))
		for j := range x {
			x[j] = 0.2 + 5*r.Float64()
		}
		x[columnOf[Int]], x[columnOf[FPMul]] = 0.12, 0.13
		x[columnOf[DP]] = 50 * x[columnOf[FP]]
		if slices.IndexFunc(limits, func(c constraint) bool { return dot(c.row, x) < c.low }) < 0 {
			return x
		}
	}
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// TestOptimum: on random problems whose free minimum is infeasible, no feasible
// step from the solution makes the error smaller.
func TestOptimum(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	limits := constraints(sassSim.energies(), Release)
	for range 20 {
		a := mat.NewDense(60, len(columns), nil)
		a.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, a)
		b := make([]float64, 60)
		for i := range b {
			b[i] = 10 * r.NormFloat64()
		}
		x, active, err := leastSquares(a, b, limits)
		if err != nil {
			t.Fatal(err)
		}
		if len(active) == 0 {
			t.Fatal("no constraint is active")
		}
		for _, i := range active {
			near(t, limits[i].name, dot(limits[i].row, x), limits[i].low, 1e-9*max(1, math.Abs(limits[i].low)))
		}
		best := squares(a, x, b)
		for range 500 {
			y := slices.Clone(x)
			for j := range y {
				y[j] += 1e-3 * r.NormFloat64()
			}
			if slices.IndexFunc(limits, func(c constraint) bool { return dot(c.row, y) < c.low }) >= 0 {
				continue
			}
			if s := squares(a, y, b); s < best-1e-9 {
				t.Fatalf("a feasible point has %g, the solution %g", s, best)
			}
		}
	}
}

func squares(a *mat.Dense, x, b []float64) float64 {
	var y mat.VecDense
	y.MulVec(a, mat.NewVecDense(len(x), x))
	y.SubVec(&y, mat.NewVecDense(len(b), b))
	return mat.Dot(&y, &y)
}

// measured are the kernels of the HW variant as runs to tune to.
func measured(twice bool) (runs []Run) {
	for _, k := range HWKernels() {
		runs = append(runs, Run{k.Kernel, k.Activity, k.MeasuredW})
		if twice {
			runs = append(runs, Run{k.Kernel + " again", k.Activity, k.MeasuredW})
		}
	}
	return runs
}

// hwAbsent are what hardware has no counters for.
var hwAbsent = uncounted

// TestTuneHW tunes to real measurements: with the constraint set of the release
// integer and single-precision energies end equal, as in the released HW model.
func TestTuneHW(t *testing.T) {
	chip := GV100(hw, Release)
	for _, name := range []string{StartFermi, startOnes} {
		start, err := StartPoint(name)
		if err != nil {
			t.Fatal(err)
		}
		tuned, err := Tune(chip, start, measured(true), hwAbsent, Release)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %+v, rank %d of %d, unused %v, equal %v", name, tuned.Accuracy, tuned.Rank, tuned.Exercised, tuned.Unused, tuned.Equalities)
		if !slices.Contains(tuned.Equalities, "INT = FP") {
			t.Errorf("%s: INT and FP do not end equal", name)
		}
		e := newEnergies(tuned.Coefficients)
		near(t, "INT / FP", compared(e, Int)/compared(e, FP), 1, 1e-9)
	}
}

// TestTuneReturns: powers that the HW model itself makes give the HW model back.
func TestTuneReturns(t *testing.T) {
	chip := GV100(hw, Release)
	runs := measured(true)
	for i := range runs {
		runs[i].MeasuredW = estimate(t, chip, &runs[i].Activity, Release, Reference).TotalW()
	}
	tuned, err := Tune(chip, hw.coefficients(), runs, hwAbsent, Release)
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range tuned.Corrections {
		near(t, name, x, 1, 2e-5) // the released factors of EXP and FP_MUL miss their order by 1.3e-5
	}
	near(t, "error", tuned.Accuracy.MaxPct, 0, 1e-5)
}

func TestTuneTooFewRuns(t *testing.T) {
	start, _ := StartPoint(StartFermi)
	_, err := Tune(GV100(hw, Release), start, measured(false)[:10], hwAbsent, Release)
	if err == nil || !strings.Contains(err.Error(), "10 runs cannot determine") {
		t.Errorf("ten runs: %v", err)
	}
}

// TestTuneTooLarge: powers beyond reckoning are an error, no panic.
func TestTuneTooLarge(t *testing.T) {
	for _, bad := range []float64{math.Inf(1), math.NaN(), 1e308} {
		a := mat.NewDense(40, len(columns), nil)
		a.Apply(func(i, j int, _ float64) float64 { return float64((i*7+j*3)%11) * bad }, a)
		if err := new(Tuned).examine(a, 40); err == nil {
			t.Errorf("%g was taken", bad)
		}
	}
}
