package predict

import (
	"errors"

	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
	"hyptx/internal/roofline"
)

// CachesOf returns the GPU of a device whose caches can be modelled. It calls lacking for
// one of which a figure is unknown: its DRAM traffic is the footprint. A device that is
// known by its rates alone has no caches.
func CachesOf(d *roofline.Device, lacking func(d *roofline.Device, why *gpu.UnknownError)) ([]*gpu.GPU, error) {
	if d.Spec == nil {
		return nil, nil
	}
	err := hierarchy.Check(d.Spec)
	if unknown := (*gpu.UnknownError)(nil); errors.As(err, &unknown) {
		lacking(d, unknown)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []*gpu.GPU{d.Spec}, nil
}
