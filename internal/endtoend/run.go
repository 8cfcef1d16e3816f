package endtoend

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/number"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
	"hyptx/power"
)

// Plan says how the rows are predicted.
type Plan struct {
	Analysis analysis.Options
	// Models are the time models, Variants the power model's.
	Models   []*roofline.Model
	Variants []power.Variant
	// Open opens a manifest.
	Open func(path string, o analysis.Options) (*analysis.Session, error)
}

// board is the GPU that was measured.
const board = "gv100"

// Run predicts the kernels from the manifests in a folder: by each time model those of
// each variant. A kernel that fails has the reason in its rows.
func (p *Plan) Run(ctx context.Context, dir string) (rows []*Row, err error) {
	g, err := gpu.Get(board)
	if err != nil {
		return nil, err
	}
	measured := power.VoltaKernels()
	for _, model := range p.Models {
		sessions := map[string]*ran{}
		for _, v := range p.Variants {
			for i := range measured {
				k := &measured[i]
				is := programs[k.Kernel]
				r := &Row{Kernel: k.Kernel, Variant: string(v), TimeModel: model.Name, Missing: is.without, MeasuredW: number.Ratio(k.MeasuredW),
					SASSSimW: k.SASSSimW, PTXSimW: k.PTXSimW, HWW: k.HWW, HybridW: k.HybridW,
					MeasuredUs: k.Us, MeasuredInstructions: k.WarpInstructions, MeasuredDRAM: k.DRAMSectors}
				rows = append(rows, r)
				if is.program == "" {
					continue
				}
				if sessions[is.program] == nil {
					sessions[is.program] = p.emulate(ctx, g, model, filepath.Join(dir, is.program+".json"))
				}
				r.Program = is.program + " " + is.kernel
				if err := r.predict(g, v, model, is.kernel, sessions[is.program]); err != nil {
					r.Missing = strings.ReplaceAll(err.Error(), "\n", "; ")
				}
			}
		}
		if ctx.Err() != nil {
			return rows, context.Cause(ctx)
		}
	}
	return rows, nil
}

// ran is a program that was emulated, or why it was not.
type ran struct {
	profile *analysis.Profile
	err     error
}

// emulate runs a program for a time model.
func (p *Plan) emulate(ctx context.Context, g *gpu.GPU, model *roofline.Model, path string) *ran {
	s, err := p.Open(path, p.Analysis)
	if err != nil {
		return &ran{err: err}
	}
	c := predict.Choice{Model: model, Simulated: p.Analysis.SimulatedInstructions}
	devices := []*roofline.Device{{Name: g.Label(), Spec: g}}
	if err := c.Prepare([]*analysis.Session{s}, devices, func(*roofline.Device, *gpu.UnknownError) {}); err != nil {
		return &ran{err: err}
	}
	profile, err := analysis.ProfileAll(ctx, []*analysis.Session{s})
	return &ran{profile, err}
}

// predict fills a row from the launches of a kernel.
func (r *Row) predict(g *gpu.GPU, v power.Variant, model *roofline.Model, kernel string, of *ran) error {
	if of.err != nil {
		return of.err
	}
	chip, err := power.ChipOf(g, power.ChipOptions{Variant: v})
	if err != nil {
		return err
	}
	m := &power.Model{GPU: g, Chip: chip, State: power.Reference, FixedClock: true}
	o := roofline.DefaultOptions()
	o.Model = model
	profile := of.profile.On(g)
	all, err := predict.Timed(profile, m, power.CountsOf(v), o)
	if err != nil {
		return err
	}
	var timed []power.Timed
	for i, lp := range profile.Launches {
		if lp.KernelName == kernel {
			timed = append(timed, all[i])
			r.counted(lp, &all[i].Time)
		}
	}
	if len(timed) == 0 {
		return errors.New("the program launches no kernel " + kernel)
	}
	r.mean(len(timed))
	r.PowerW, r.Missing = meanPower(m, timed)
	r.ErrorPct = number.ErrorPct(r.PowerW, r.MeasuredW)
	if !r.MeasuredUs.Known || !r.PowerW.Known {
		return nil
	}
	for i := range timed { // the launches of a kernel differ by as much as ours do
		t := &timed[i].Time
		m.Measure(&timed[i], roofline.Measured(r.MeasuredUs.X*t.Us.X/(r.TimeUs.X+r.LaunchUs.X), t.ClockMHz))
	}
	var missing string
	r.TimedW, missing = meanPower(m, timed)
	r.TimedPct, r.Missing = number.ErrorPct(r.TimedW, r.MeasuredW), cmp.Or(r.Missing, missing)
	return nil
}

// counted adds what a launch counted and took.
func (r *Row) counted(lp *analysis.LaunchProfile, t *roofline.Time) {
	r.Launches++
	for _, c := range []struct {
		to *number.Real
		x  float64
	}{
		{&r.TimeUs, t.Us.X - t.LaunchUs.X}, {&r.LaunchUs, t.LaunchUs.X},
		{&r.Instructions, lp.Facts.X(analysis.EstWarpInstructions)},
		{&r.DRAM, (lp.Facts.X(analysis.DRAMReadBytes) + lp.Facts.X(analysis.DRAMWriteBytes)) / sectorBytes},
	} {
		*c.to = number.Ratio(c.to.X + c.x)
	}
}

// sectorBytes are the bytes of a sector, in which Nsight counts DRAM's traffic.
const sectorBytes = 32

// mean makes means of sums.
func (r *Row) mean(n int) {
	for _, x := range []*number.Real{&r.TimeUs, &r.LaunchUs, &r.Instructions, &r.DRAM} {
		x.X /= float64(n)
	}
}

// meanPower is the mean power of launches, each of which counts the same, or why it is
// unknown.
func meanPower(m *power.Model, timed []power.Timed) (number.Real, string) {
	rows := power.WithoutTotal(m.Report(timed, 1))
	sum := 0.0
	for _, row := range rows {
		if !row.PowerW.Known {
			return number.Real{}, row.Missing
		}
		sum += row.PowerW.X
	}
	return number.Ratio(sum / float64(len(rows))), ""
}
