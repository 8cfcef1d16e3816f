package hierarchy

import (
	"hyptx/internal/gpu"
	"hyptx/internal/traffic"
	"hyptx/internal/traffic/stream"
)

// Listeners are the hierarchies of several GPUs that listen to one run. Each of
// them reads the same streams, which none changes; a CTA's is used again when the
// last one has done with it.
type Listeners []*Hierarchy

// Begin starts a launch of so many CTAs on all GPUs.
func (l Listeners) Begin(cta gpu.CTA, ctas int64) error {
	for _, h := range l {
		if err := h.Begin(cta, ctas); err != nil {
			return err
		}
	}
	return nil
}

// Listening reports whether a GPU can run the launch.
func (l Listeners) Listening() bool {
	for _, h := range l {
		if h.unfit == nil {
			return true
		}
	}
	return false
}

// Take gives all of them the next CTA of the launch.
func (l Listeners) Take(c *stream.CTA) error {
	for _, h := range l {
		if err := h.Take(c); err != nil {
			return err
		}
	}
	return nil
}

// Drop ends a launch that failed: what its CTAs have asked for by then has been
// there, and nobody asks how much it was.
func (l Listeners) Drop() {
	for _, h := range l {
		h.model.Drain()
	}
}

// End ends the launch and returns what moved on each GPU.
func (l Listeners) End(touched *traffic.Footprint, localBytes uint64) (moved []Result) {
	for _, h := range l {
		moved = append(moved, h.End(touched, localBytes))
	}
	return moved
}
