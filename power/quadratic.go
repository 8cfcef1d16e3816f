package power

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// The tuning problem is a quadratic program of 28 unknowns and some 70 constraints:
// small, but it must end on constraints exactly, as the published energies do (those
// of HW have INT = FP, and five units at 5.719 pJ), and say which ones hold. Methods
// that go through the interior come only close to them.

// quadratic is a strictly convex quadratic program: minimise x'Hx/2 + f'x with
// rows x >= low.
type quadratic struct {
	h    *mat.SymDense
	f    []float64
	rows [][]float64
	low  []float64
}

// errInfeasible says that no x meets the constraints.
var errInfeasible = errors.New("no solution meets all constraints")

// solve returns the minimum and the constraints that hold as equalities there.
// It is the dual active-set method of Goldfarb and Idnani (Mathematical
// Programming 27, 1983): it starts at the unconstrained minimum and takes in
// the most violated constraint until there is none, so that it ends on
// equalities exactly, and no feasible start is needed.
func (q *quadratic) solve() (x []float64, active []int, err error) {
	s := &dualSolver{q: q}
	if !s.chol.Factorize(q.h) {
		return nil, nil, errors.New("the matrix is not positive definite")
	}
	n := len(q.f)
	s.x = mat.NewVecDense(n, nil)
	if err := s.chol.SolveVecTo(s.x, mat.NewVecDense(n, q.f)); err != nil {
		return nil, nil, fmt.Errorf("the matrix is ill-conditioned: %w", err)
	}
	s.x.ScaleVec(-1, s.x)
	for range 100 * (len(q.rows) + 1) { // each round adds a constraint to a larger minimum; finite
		p := s.mostViolated()
		if p < 0 {
			return s.x.RawVector().Data, s.active, nil
		}
		if err := s.add(p); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, errors.New("the solver does not settle")
}

// dualSolver is the state of a solution.
type dualSolver struct {
	q      *quadratic
	chol   mat.Cholesky
	x      *mat.VecDense
	active []int
	dual   []float64 // multipliers of the active constraints
}

// slack returns how far constraint i is met; negative if it is violated.
func (s *dualSolver) slack(i int) float64 {
	return mat.Dot(s.row(i), s.x) - s.q.low[i]
}

func (s *dualSolver) row(i int) *mat.VecDense { return mat.NewVecDense(len(s.q.f), s.q.rows[i]) }

// tolerance is by how much, relative to the size of its terms, a constraint may
// be missed: some units in the last place of a sum of 31 products.
const tolerance = 1e-12

func (s *dualSolver) mostViolated() int {
	worst, at := 0.0, -1
	for i, row := range s.q.rows {
		size := math.Abs(s.q.low[i])
		for j, r := range row {
			size += math.Abs(r * s.x.AtVec(j))
		}
		if v := -s.slack(i) / max(size, math.SmallestNonzeroFloat64); v > max(worst, tolerance) && !slices.Contains(s.active, i) {
			worst, at = v, i
		}
	}
	return at
}

// add makes constraint p active, and drops those that it makes superfluous.
func (s *dualSolver) add(p int) error {
	u := 0.0 // the multiplier of p
	for {
		z, r := s.directions(p)
		// How far the multipliers allow to go, and which one stops.
		t1, drop := math.Inf(1), -1
		for k, rk := range r {
			if rk > 0 && s.dual[k]/rk < t1 {
				t1, drop = s.dual[k]/rk, k
			}
		}
		t2 := math.Inf(1)
		row := s.row(p)
		if slope := mat.Dot(z, row); slope > 1e-14*s.curvature(row) {
			t2 = -s.slack(p) / slope
		}
		t := min(t1, t2)
		if math.IsInf(t, 1) {
			return errInfeasible
		}
		if !math.IsInf(t2, 1) {
			s.x.AddScaledVec(s.x, t, z)
		}
		for k := range s.dual {
			s.dual[k] -= t * r[k]
		}
		u += t
		if t == t2 {
			s.active, s.dual = append(s.active, p), append(s.dual, u)
			return nil
		}
		s.active, s.dual = slices.Delete(s.active, drop, drop+1), slices.Delete(s.dual, drop, drop+1)
	}
}

// curvature is row' H^-1 row.
func (s *dualSolver) curvature(row *mat.VecDense) float64 {
	var y mat.VecDense
	s.chol.SolveVecTo(&y, row)
	return mat.Dot(&y, row)
}

// directions returns the step z towards constraint p that keeps the active
// ones, and the change r of their multipliers.
func (s *dualSolver) directions(p int) (z *mat.VecDense, r []float64) {
	n, k := len(s.q.f), len(s.active)
	row := s.row(p)
	z = mat.NewVecDense(n, nil)
	if k == 0 {
		s.chol.SolveVecTo(z, row)
		return z, nil
	}
	columns := mat.NewDense(n, k, nil)
	for j, a := range s.active {
		columns.SetCol(j, s.q.rows[a])
	}
	var hn, m mat.Dense
	s.chol.SolveTo(&hn, columns) // H^-1 N
	m.Mul(columns.T(), &hn)      // N' H^-1 N
	var right, rv mat.VecDense
	right.MulVec(hn.T(), row)
	if err := rv.SolveVec(&m, &right); err != nil {
		var c mat.Condition
		if !errors.As(err, &c) {
			return z, make([]float64, k)
		}
	}
	var rest mat.VecDense
	rest.MulVec(columns, &rv)
	rest.SubVec(row, &rest)
	s.chol.SolveVecTo(z, &rest)
	return z, rv.RawVector().Data
}
