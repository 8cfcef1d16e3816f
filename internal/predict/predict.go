package predict

import (
	"context"
	"errors"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/roofline"
	"hyptx/power"
)

// Prediction is what is predicted of a program.
type Prediction struct {
	// Profile is what it executes, with the caches of the first GPU.
	Profile *analysis.Profile
	// GPUs are those that were asked for, in order.
	GPUs []*OnGPU
}

// OnGPU is what is predicted of a program on one GPU. The last row of times and
// of power is the program's total.
type OnGPU struct {
	// Name is the GPU's.
	Name string
	// Profile is the program's with the caches of this GPU; without them, where
	// Lacks says what is not known of them.
	Profile *analysis.Profile
	Lacks   error
	Time    []*roofline.Row
	// Power has no rows where PowerErr says why there is no power model.
	Power    []*power.Row
	PowerErr error
}

// Run emulates a program once, and predicts its times and power on all devices.
// open opens the program with the options that it is given. What is complete is
// returned beside an error, without totals.
func Run(ctx context.Context, devices []*roofline.Device, o analysis.Options, open func(analysis.Options) ([]*analysis.Session, error)) (*Prediction, error) {
	lacks := map[*roofline.Device]error{}
	o.Mode = analysis.Control
	sessions, err := open(o)
	if err != nil {
		return nil, err
	}
	if err := (Choice{}).Prepare(sessions, devices, func(d *roofline.Device, why *gpu.UnknownError) { lacks[d] = why }); err != nil {
		return nil, err
	}
	p, failed := analysis.ProfileAll(ctx, sessions)
	of, err := LaunchesOn(p, devices, roofline.Machine)
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	rows, err := of.Times(ctx, devices, roofline.DefaultOptions(), !p.Complete())
	out := &Prediction{Profile: p}
	for _, d := range devices {
		on := &OnGPU{Name: d.Name, Profile: p.On(d.Spec), Lacks: lacks[d]}
		for _, r := range rows {
			if r.GPU == d.Name {
				on.Time = append(on.Time, r)
			}
		}
		on.PowerErr = on.power(d, !p.Complete())
		out.GPUs = append(out.GPUs, on)
	}
	return out, errors.Join(failed, err)
}

// Again simulates the launches that [Run] has simulated once more, as many of their
// instructions, on another GPU; nil if their times were not simulated.
func Again(ctx context.Context, devices []*roofline.Device, on *gpu.GPU, o analysis.Options, open func(analysis.Options) ([]*analysis.Session, error)) (*analysis.Profile, error) {
	o.Mode = analysis.Control
	sessions, err := open(o)
	if err != nil {
		return nil, err
	}
	if err := (Choice{}).Prepare(sessions, devices, func(*roofline.Device, *gpu.UnknownError) {}); err != nil {
		return nil, err
	}
	for _, s := range sessions {
		if len(s.Options.Simulate) == 0 {
			return nil, nil
		}
		s.Options.Simulate = []*gpu.GPU{on}
	}
	p, err := analysis.ProfileAll(ctx, sessions)
	return p.On(on), err
}

// power fills the rows of power.
func (on *OnGPU) power(d *roofline.Device, partial bool) error {
	m, err := PowerModel(d, 0)
	if err != nil {
		return err
	}
	timed, err := Timed(on.Profile, m, power.CountsOf(m.Chip.Variant), roofline.DefaultOptions())
	if err != nil {
		return err
	}
	for _, network := range Networks(timed) {
		rows := m.Report(network, 1)
		if partial {
			rows = power.WithoutTotal(rows)
		}
		on.Power = append(on.Power, rows...)
	}
	return nil
}
