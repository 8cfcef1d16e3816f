package power

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// One family's fit. Rows of the linear problem are runs, columns the unknowns: constant
// power of each board, an SM with and without work, and a factor for each group of
// events. Runs at one clock share their voltage, so that their normal equations are
// summed once, and a voltage curve to be tried only weighs them.

// fitting is a family's runs as a linear problem at a voltage curve.
type fitting struct {
	plan *familyPlan
	// priors are the factors that are expected by group, sds how far from them.
	priors, sds []float64
	runs        []*MicroRun
	weight      []float64 // of each run: what its relative error is multiplied by
	// watts are what groups draw at factor 1 and low voltage.
	watts [][]float64
}

// The columns of a fitting: those of boards first, then these two, then the groups.
const fixedColumns = 2

func (p *familyPlan) columns() int { return len(p.boards) + fixedColumns + len(eventGroups) }

// mostSteady is the share of a run's power that arithmetic may take, as its prior has
// it, where operands do not change: beyond that the run is left out ([ours]).
const mostSteady = 0.15

// newFitting prepares the runs of a family; near is the family from which energies are
// expected, nil for AccelWattch's own.
func newFitting(p *familyPlan, runs []*MicroRun, near *familyLaw) *fitting {
	f := &fitting{plan: p}
	f.expect(runs, near)
	energies := sassSim.energies()
	of := map[string]int{}
	for _, r := range runs {
		w := make([]float64, len(eventGroups))
		for g, group := range eventGroups {
			for _, c := range group.counters {
				w[g] += r.Rates[c] * energies.perEventJ[c]
			}
		}
		if arithmetic := 0.0; r.Steady {
			for g, group := range eventGroups {
				if slices.Contains(executing, group.name) {
					arithmetic += w[g] * f.priors[g]
				}
			}
			if arithmetic > mostSteady*r.PowerW {
				continue
			}
		}
		of[r.Board]++
		f.runs, f.watts = append(f.runs, r), append(f.watts, w)
	}
	for _, r := range f.runs {
		f.weight = append(f.weight, math.Sqrt(runsOfBoard/float64(of[r.Board]))/residualSD)
	}
	return f
}

// row returns what run i draws by column where each unknown is 1, at the low voltage:
// what goes with the square of the voltage, and what does not.
func (f *fitting) row(i int) (switched, fixed []float64) {
	r, n := f.runs[i], len(f.plan.boards)
	switched, fixed = make([]float64, f.plan.columns()), make([]float64, f.plan.columns())
	fixed[slices.Index(f.plan.boards, r.Board)] = 1
	sms := r.SMs * r.ClockMHz / 1000
	if r.Idle {
		switched[n+1] = sms
		return switched, fixed
	}
	switched[n] = sms
	for g, group := range eventGroups {
		if group.name == groupDRAMName {
			fixed[n+fixedColumns+g] = f.watts[i][g]
		} else {
			switched[n+fixedColumns+g] = f.watts[i][g]
		}
	}
	return switched, fixed
}

// sums are the normal equations of the runs at one clock. With u, the square of the
// voltage, a row is fixed + u switched, so that they are a square in u.
type sums struct {
	h       [3]*mat.SymDense
	l       [2]*mat.VecDense
	squares float64
}

// sums returns the sums by clock without the runs that leave reports.
func (f *fitting) sums(leave func(*MicroRun) bool) map[float64]*sums {
	by := map[float64]*sums{}
	n := f.plan.columns()
	for i, r := range f.runs {
		if leave != nil && leave(r) {
			continue
		}
		s := by[r.ClockMHz]
		if s == nil {
			s = &sums{h: [3]*mat.SymDense{mat.NewSymDense(n, nil), mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)}, l: [2]*mat.VecDense{mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)}}
			by[r.ClockMHz] = s
		}
		switched, fixed := f.row(i)
		w := f.weight[i] / r.PowerW
		q, p := mat.NewVecDense(n, switched), mat.NewVecDense(n, fixed)
		s.h[0].SymRankOne(s.h[0], w*w, p)
		s.h[1].RankTwo(s.h[1], w*w, p, q)
		s.h[2].SymRankOne(s.h[2], w*w, q)
		s.l[0].AddScaledVec(s.l[0], w*f.weight[i], p)
		s.l[1].AddScaledVec(s.l[1], w*f.weight[i], q)
		s.squares += f.weight[i] * f.weight[i]
	}
	return by
}

// solution is a fit at a voltage curve.
type solution struct {
	x       []float64
	squares float64
	hessian *mat.SymDense
}

// solve fits the linear unknowns at a voltage curve.
func (f *fitting) solve(law *familyLaw, by map[float64]*sums) (*solution, error) {
	n := f.plan.columns()
	h, l, squares := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil), 0.0
	for _, mhz := range slices.Sorted(maps.Keys(by)) {
		s, v := by[mhz], law.voltage(mhz)
		u := v * v
		for k, times := range []float64{1, u, u * u} {
			var part mat.SymDense
			part.ScaleSym(times, s.h[k])
			h.AddSym(h, &part)
		}
		l.AddScaledVec(l, -1, s.l[0])
		l.AddScaledVec(l, -u, s.l[1])
		squares += s.squares
	}
	q := &quadratic{h: h, f: l.RawVector().Data}
	for j := range n {
		prior, sd := f.prior(j)
		h.SetSym(j, j, h.At(j, j)+1/(sd*sd))
		q.f[j] -= prior / (sd * sd)
		squares += prior * prior / (sd * sd)
		row := make([]float64, n)
		row[j] = 1
		q.rows, q.low = append(q.rows, row), append(q.low, 0)
	}
	x, _, err := q.solve()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.plan.name, err)
	}
	v := mat.NewVecDense(n, x)
	return &solution{x, mat.Inner(v, h, v) + 2*mat.Dot(v, l) + squares, h}, nil
}

// prior returns where a column's unknown is expected, and how far from it; watts of
// boards and SMs are free, but for a width beyond every chip.
func (f *fitting) prior(j int) (x, sd float64) {
	if j -= len(f.plan.boards) + fixedColumns; j < 0 {
		return 0, 1000
	}
	return f.priors[j], f.sds[j]
}

// expect sets the priors: AccelWattch's energies for the first family, the first
// family's in the technology of the others. Of DRAM each type is for itself. Where no
// operands change, arithmetic keeps its prior.
func (f *fitting) expect(runs []*MicroRun, near *familyLaw) {
	steady := !slices.ContainsFunc(runs, func(r *MicroRun) bool { return !r.Steady && !r.Idle })
	for _, group := range eventGroups {
		x := f.plan.prior
		if near != nil {
			x *= near.Factors[group.name].X
		}
		if group.name == groupDRAMName {
			x = 1
		}
		sd := factorSD * max(x, f.plan.prior)
		if steady && slices.Contains(executing, group.name) {
			sd = keptSD
		}
		f.priors, f.sds = append(f.priors, x), append(f.sds, sd)
	}
}

// The grid of voltage curves: knees in MHz, rises by GHz.
const (
	kneeLow, kneeHigh, kneeStep = 500, 1600, 25
	riseHigh, riseStep          = 2.0, 0.05
)

// best searches the voltage curve with the least squares.
func (f *fitting) best(by map[float64]*sums) (law *familyLaw, s *solution, err error) {
	for knee := float64(kneeLow); knee <= kneeHigh; knee += kneeStep {
		for rise := 0.0; rise <= riseHigh+riseStep/2; rise += riseStep {
			try := &familyLaw{KneeMHz: knee, RisePerGHz: math.Round(rise*100) / 100}
			t, err := f.solve(try, by)
			if err != nil {
				return nil, nil, err
			}
			if s == nil || t.squares < s.squares*(1-1e-9) {
				law, s = try, t
			}
		}
	}
	return law, s, nil
}

// predict returns what a fit says of run i.
func (f *fitting) predict(i int, law *familyLaw, s *solution) (w float64) {
	switched, fixed := f.row(i)
	v := law.voltage(f.runs[i].ClockMHz)
	for j, x := range s.x {
		w += (fixed[j] + switched[j]*v*v) * x
	}
	return w
}

// mape is the mean error of the runs that are chosen, in percent.
func (f *fitting) mape(law *familyLaw, s *solution, of func(*MicroRun) bool) (sum float64, n int) {
	for i, r := range f.runs {
		if of(r) {
			sum += 100 * math.Abs(f.predict(i, law, s)/r.PowerW-1)
			n++
		}
	}
	return sum, n
}
