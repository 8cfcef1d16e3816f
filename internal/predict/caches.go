package predict

import (
	"errors"

	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
	"hyptx/internal/roofline"
)

// Modelled returns the GPUs of the devices whose caches can be modelled, and
// calls lacking for each other one of which a figure is unknown: its DRAM
// traffic is the footprint. A device that is known by its rates alone has no
// caches.
func Modelled(devices []*roofline.Device, lacking func(d *roofline.Device, why *gpu.UnknownError)) (gpus []*gpu.GPU, err error) {
	for _, d := range devices {
		if d.Spec == nil {
			continue
		}
		err := hierarchy.Check(d.Spec)
		if unknown := (*gpu.UnknownError)(nil); errors.As(err, &unknown) {
			lacking(d, unknown)
			continue
		}
		if err != nil {
			return nil, err
		}
		gpus = append(gpus, d.Spec)
	}
	return gpus, nil
}
