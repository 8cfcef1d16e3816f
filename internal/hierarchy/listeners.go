package hierarchy

import (
	"errors"
	"slices"

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

// Chosen returns the CTAs of a launch of so many that samples see on some GPU, ascending;
// nil where all have to run, as one sees them all, or none can run the launch.
func (l Listeners) Chosen(cta gpu.CTA, ctas int64) (chosen []int64, err error) {
	var samples []*waveSample
	for _, h := range l {
		launch, err := Resident(h.GPU, cta)
		if limit := (*gpu.LimitError)(nil); errors.As(err, &limit) {
			continue
		} else if err != nil {
			return nil, err
		}
		w := h.choice.newWaveSample(ctas, int64(h.config.SMs*launch.CTAsPerSM))
		if w == nil {
			return nil, nil
		}
		samples = append(samples, w)
	}
	for i := range ctas {
		if slices.ContainsFunc(samples, func(w *waveSample) bool { return w.sees(i) }) {
			chosen = append(chosen, i)
		}
	}
	if int64(len(chosen)) == ctas {
		return nil, nil
	}
	return chosen, nil
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
func (l Listeners) End(footprint *traffic.Footprint, localBytes uint64) (moved []Result) {
	for _, h := range l {
		moved = append(moved, h.End(footprint, localBytes))
	}
	return moved
}
