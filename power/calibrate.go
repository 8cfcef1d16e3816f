package power

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// The fit. At given knee and rise of the voltage the model is linear in what is
// left: constant power of each board, power of a working and of an idle SM, and a
// factor for each group of events. So the knee and the rise are searched on a grid,
// and for each pair a quadratic program finds the rest, nothing below zero. What is
// made small is the sum of squares of relative errors, each board with the same
// weight, beside the squares of how far factors are from AccelWattch's: a group that
// no run exercises keeps its energy, and one that runs tell apart from the others
// hardly feels it. What is left of the prior's width says which it was.

// The widths of the prior and of the error that runs are taken to have, relative.
const (
	keptSD     = 1e-3 // of a factor that is to stay
	factorSD   = 1    // an energy may be off by itself: [ours]
	residualSD = 0.05 // NVML's own error: nvidia-smi's manual, power.draw
)

// runsOfBoard is how many independent runs a board's are taken to be worth: clocks
// and sizes of one benchmark are not independent ([ours]).
const runsOfBoard = 100

// familyPlan says which boards a family is fitted to.
type familyPlan struct {
	name   string
	nodeNM float64
	// prior is the factor on Volta's energies that its technology suggests:
	// AccelWattch's 0.82/0.77 for 16 nm; 2 for 28 nm is a guess ([ours]), which the
	// runs replace where they say something.
	prior  float64
	boards []string
	memory string
	// gbPerS is the bandwidth of the first board's memory at the clock of the runs.
	gbPerS float64
}

var familyPlans = []familyPlan{
	{"Volta", 12, 1, []string{"V100", "Titan V"}, "HBM2", 900},
	{"Kepler", 28, 2, []string{"Tesla K40c"}, "GDDR5", 288},
	{"Maxwell", 28, 2, []string{"GTX Titan X", "GTX 980"}, "GDDR5", 336.5},
	{"Pascal", 16, 0.82 / gv100CV2, []string{"Titan Xp"}, "GDDR5X", 547.6},
	{"Turing", 12, 1, []string{"Quadro RTX 8000"}, "GDDR6", 672},
}

// boardSources say who measured the boards.
var boardSources = map[string]string{
	"V100": "NV-DVFS-Benchmark (blackjack2015): NVML power, locked clocks", "Quadro RTX 8000": "NV-DVFS-Benchmark (blackjack2015): NVML power, locked clocks",
	"Titan V": gpupowermodel, "Titan Xp": gpupowermodel, "GTX Titan X": gpupowermodel, "GTX 980": gpupowermodel, "Tesla K40c": gpupowermodel,
}

const gpupowermodel = "gpupowermodel (hpc-ulisboa): NVML power, nvprof utilisations"

// Calibrate fits the families of which there are runs; source says what was read.
func Calibrate(runs []*MicroRun, source string) (*Calibration, error) {
	c := &Calibration{Source: source}
	for i := range familyPlans {
		p := &familyPlans[i]
		var own []*MicroRun
		for _, r := range runs {
			if slices.Contains(p.boards, r.Board) {
				own = append(own, r)
			}
		}
		if own == nil {
			continue
		}
		var near *familyLaw
		if c.Families != nil {
			near = c.Families[0]
		}
		f, err := newFitting(p, own, near).family()
		if err != nil {
			return nil, err
		}
		if near == nil {
			near = f
		}
		f.floor(p, near)
		if !slices.ContainsFunc(own, func(r *MicroRun) bool { return r.Idle }) {
			f.IdleW = near.IdleW // nobody measured this family at rest
		}
		c.Families = append(c.Families, f)
		c.remember(&memoryPower{Type: p.memory, Factor: f.Factors[groupDRAMName], ConstantWPerGBPerS: f.Boards[0].ConstantW / p.gbPerS, Board: f.Boards[0].Board})
	}
	if c.Families == nil {
		return nil, errors.New("there are no runs of a board that a family is fitted to")
	}
	return c, nil
}

// tunedMHz is the clock at which AccelWattch's energies were tuned (spec, section 3).
const tunedMHz = 1447

// moving are the groups whose energy goes by the data that are moved.
var moving = []string{"l1", "shared", "l2", groupDRAMName}

// floor raises factors to AccelWattch's. The buffers of the micro-benchmarks hold
// zeros ([recalled] mixbench and gpumembench clear them), so that few wires switch:
// what they say of moving data is a lower bound. AccelWattch's energies were tuned on
// the chip of the first family with its memory, at the voltage of one clock, volta's;
// of what moves data they stand where they are higher, and of all that no run says.
func (f *familyLaw) floor(p *familyPlan, volta *familyLaw) {
	v := volta.voltage(tunedMHz)
	for name, x := range f.Factors {
		least := p.prior / (v * v)
		if name == groupDRAMName {
			least = 1
		}
		if x.Basis == "prior" && volta == f || x.X < least && slices.Contains(moving, name) {
			x.X, x.Basis = least, "accelwattch"
		}
		f.Factors[name] = x
	}
}

// remember keeps what a type of memory draws, of two boards that of the later.
func (c *Calibration) remember(m *memoryPower) {
	c.Memories = slices.DeleteFunc(c.Memories, func(old *memoryPower) bool { return old.Type == m.Type })
	c.Memories = append(c.Memories, m)
}

// family fits a family, and says how well it is known.
func (f *fitting) family() (*familyLaw, error) {
	law, s, err := f.best(f.sums(nil))
	if err != nil {
		return nil, err
	}
	n := len(f.plan.boards)
	law.Name, law.NodeNM, law.ActiveW, law.IdleW = f.plan.name, f.plan.nodeNM, s.x[n], s.x[n+1]
	for b, name := range f.plan.boards {
		sum, k := f.mape(law, s, func(r *MicroRun) bool { return r.Board == name })
		if k > 0 {
			law.Boards = append(law.Boards, &boardPower{Board: name, Source: boardSources[name], ConstantW: s.x[b], Runs: k, MAPEPct: sum / float64(k)})
		}
	}
	if law.Factors, err = f.factors(s); err != nil {
		return nil, err
	}
	sum, k := f.mape(law, s, func(*MicroRun) bool { return true })
	law.FitMAPEPct = sum / float64(k)
	if law.WithoutBenchmarkPct, err = f.without(func(r *MicroRun) string { return r.Board + r.Benchmark }, func(by map[float64]*sums) (*familyLaw, *solution, error) {
		s, err := f.solve(law, by)
		return law, s, err
	}); err != nil {
		return nil, err
	}
	law.WithoutClockPct, err = f.without(func(r *MicroRun) string { return fmt.Sprint(r.ClockMHz) }, f.best)
	return law, err
}

// without returns the mean error of runs that were left out, one kind after another.
func (f *fitting) without(kind func(*MicroRun) string, fit func(map[float64]*sums) (*familyLaw, *solution, error)) (float64, error) {
	var kinds []string
	for _, r := range f.runs {
		kinds = append(kinds, kind(r))
	}
	slices.Sort(kinds)
	sum, n := 0.0, 0
	for _, k := range slices.Compact(kinds) {
		of := func(r *MicroRun) bool { return kind(r) == k }
		law, s, err := fit(f.sums(of))
		if err != nil {
			return 0, err
		}
		x, m := f.mape(law, s, of)
		sum, n = sum+x, n+m
	}
	return sum / float64(n), nil
}

// factors are those of the groups, with what is left of their prior's width.
func (f *fitting) factors(s *solution) (map[string]factor, error) {
	var inverse mat.Dense
	if err := inverse.Inverse(s.hessian); err != nil {
		var c mat.Condition
		if !errors.As(err, &c) {
			return nil, err
		}
	}
	out := map[string]factor{}
	first := len(f.plan.boards) + fixedColumns
	for g, group := range eventGroups {
		prior, width := f.prior(first + g)
		sd := math.Sqrt(max(0, inverse.At(first+g, first+g)))
		basis := "measured"
		switch left := sd / width; {
		case width == keptSD:
			sd, basis = factorSD*prior, "prior"
		case left > 0.9:
			basis = "prior"
		case left > 0.4:
			basis = "weak"
		}
		out[group.name] = factor{X: s.x[first+g], Fitted: s.x[first+g], SD: cmp.Or(sd, 0), Prior: prior, Basis: basis}
	}
	return out, nil
}
