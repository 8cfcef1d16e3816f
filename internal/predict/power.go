package predict

import (
	"errors"
	"fmt"
	"slices"

	"hyptx/analysis"
	"hyptx/internal/roofline"
	"hyptx/internal/table"
	"hyptx/power"
)

// PowerModel returns the power model of a GPU in its reference state, by the variant that it has by
// default and the rules of the paper.
// energyScale is as in [power.ChipOptions].
func PowerModel(d *roofline.Device, energyScale float64) (*power.Model, error) {
	if d.Spec == nil {
		return nil, fmt.Errorf("GPU %s is known by its rates alone: the power model needs a GPU's file", d.Name)
	}
	v, err := power.DefaultVariant(d.Spec, false)
	if err != nil {
		return nil, err
	}
	chip, err := power.ChipOf(d.Spec, power.ChipOptions{Variant: v, EnergyScale: energyScale})
	if err != nil {
		return nil, err
	}
	return &power.Model{GPU: d.Spec, Chip: chip, State: power.Reference}, nil
}

// Timed are the launches of a profile, which shows the model's GPU, with the
// counts that are charged (power.CountsPTX or power.CountsMachine) and times of
// a time model.
func Timed(p *analysis.Profile, m *power.Model, counts string, o roofline.Options) ([]power.Timed, error) {
	timed, err := untimed(p, m, counts)
	if err != nil {
		return nil, err
	}
	return timed, modelled(p, m, timed, o)
}

// TimedBy is Timed with measured times by launch; file is where they come from,
// for messages. If PTX is charged, the time model says how long that takes
// against its machine code.
func TimedBy(times map[string]roofline.Time, file string, p *analysis.Profile, m *power.Model, counts string, o roofline.Options) ([]power.Timed, error) {
	timed, err := untimed(p, m, counts)
	if err != nil {
		return nil, err
	}
	if len(timed) > 0 && m.ChargesPTX(timed[0].Launch) {
		if err := modelled(p, m, timed, o); err != nil {
			return nil, fmt.Errorf("counts of PTX need the time model, also with measured times (option counts machine does not): %w", err)
		}
	}
	clock, err := m.GPU.ClockMHz()
	for i := range timed {
		if timed[i].Launch.Error != "" {
			continue
		}
		name := timed[i].Launch.Name()
		t, ok := times[name]
		if !ok {
			timed[i].Err = fmt.Errorf("no time: %s has no launch %s", file, name)
			continue
		}
		if t.ClockMHz == 0 {
			if err != nil {
				return nil, fmt.Errorf("%s: clock_mhz is missing: %w", file, err)
			}
			t.ClockMHz = clock
		} else if err := power.CheckMeasuredClock(m.GPU, t.ClockMHz); err != nil {
			return nil, fmt.Errorf("%s: launch %s: %w", file, name, err)
		}
		m.Measure(&timed[i], t)
	}
	return timed, nil
}

// untimed are the launches without times; those that failed have the reason for
// which they get none.
func untimed(p *analysis.Profile, m *power.Model, counts string) ([]power.Timed, error) {
	launches, err := power.FromProfile(p, counts, m.Rules)
	if err != nil {
		return nil, err
	}
	timed := make([]power.Timed, len(launches))
	for i, l := range launches {
		if timed[i].Launch = l; l.Error != "" {
			timed[i].Err = errors.New(l.Error)
		}
	}
	return timed, nil
}

// modelled gives launches the times of a time model: that of the machine code, and
// that of the PTX if it is charged.
func modelled(p *analysis.Profile, m *power.Model, timed []power.Timed, o roofline.Options) error {
	device, err := roofline.NewDevice(m.GPU)
	if err != nil {
		return err
	}
	if _, err := m.GPU.ClockMHz(); err != nil {
		return err
	}
	machine, err := roofline.FromProfile(p, roofline.Machine)
	if err != nil {
		return err
	}
	for i, l := range machine {
		if l.Failed == "" {
			timed[i].Predict(m, l, device, o)
		}
	}
	return nil
}

// Networks splits the launches of a profile into those of its networks.
func Networks(timed []power.Timed) (of [][]power.Timed) {
	return slices.Collect(table.Runs(timed, func(a, b power.Timed) bool { return a.Launch.Network == b.Launch.Network }))
}
