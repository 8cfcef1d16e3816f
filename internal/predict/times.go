package predict

import (
	"context"
	"slices"

	"hyptx/analysis"
	"hyptx/internal/roofline"
	"hyptx/internal/table"
)

// Launches are the launches of a program on each GPU, of the same order as the
// devices: alike but for what their caches do.
type Launches [][]*roofline.Launch

// LaunchesOn returns a profile's launches as the time models see them on each of
// the devices.
func LaunchesOn(p *analysis.Profile, devices []*roofline.Device, c roofline.Counting) (of Launches, err error) {
	for _, d := range devices {
		list, err := roofline.FromProfile(p.On(d.Spec), c)
		if err != nil {
			return nil, err
		}
		of = append(of, list)
	}
	return of, nil
}

// Everywhere are the same launches on each of the devices.
func Everywhere(list []*roofline.Launch, devices []*roofline.Device) (of Launches) {
	for range devices {
		of = append(of, list)
	}
	return of
}

// Times returns the rows of time of a program, a network at a time: those of
// each device, then their total. Of a program that did not end there is no total,
// and no measured time of it to scale others by. If the context ends, its error
// comes with the rows that are complete.
func (l Launches) Times(ctx context.Context, devices []*roofline.Device, o roofline.Options, partial bool) (rows []*roofline.Row, err error) {
	if partial {
		o.Reference = roofline.Reference{}
	}
	for _, network := range l.networks() {
		list, err := roofline.Report(ctx, func(d *roofline.Device) (of []*roofline.Launch) {
			for _, launch := range l[slices.Index(devices, d)] {
				if launch.Network == network {
					of = append(of, launch)
				}
			}
			return of
		}, devices, o)
		for _, r := range list {
			if r.Launch != roofline.Total || r.GPU != "" && !partial {
				rows = append(rows, r)
			}
		}
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// networks are the names of the networks, in order.
func (l Launches) networks() []string {
	return table.Distinct(slices.Concat(l...), func(launch *roofline.Launch) string { return launch.Network })
}
