package hierarchy

import (
	"fmt"
	"math"
	"strconv"

	"hyptx/internal/cache"
)

// Sample says how much of each launch the cache model sees: a share of its
// waves, or about so many CTAs; everything if both are zero.
type Sample struct {
	Share float64 // above 0, below 1
	CTAs  int64
}

// ParseSample reads a share, as 0.1, or a number of CTAs, as 20000.
func ParseSample(text string) (Sample, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err == nil && n == 1:
		return Sample{}, fmt.Errorf("%q: one CTA, or all of them? Without a sample the caches see all; a number of CTAs is at least 2, and two waves more than the first and the last are seen in any case", text)
	case err == nil && n > 1:
		return Sample{CTAs: n}, nil
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil && x > 0 && x < 1 {
		return Sample{Share: x}, nil
	}
	return Sample{}, fmt.Errorf("%q: must be a share of the waves between 0 and 1, as 0.1, or a number of CTAs, as 20000", text)
}

// waveSample is a systematic sample of a launch's waves (Cochran, Sampling
// Techniques, chapters 6 and 8): a wave is as many CTAs as the GPU holds. The
// first wave, which finds cold caches, and the last, which may be smaller, are
// always seen; of those between, every so many-th, and what these did stands
// for the others. Each wave that is seen starts when the one before has ended,
// in the caches that this left.
type waveSample struct {
	size, waves int64 // CTAs a wave; waves of the launch
	chosen      int64 // of the waves between
	first, last cache.Counters
	seen        []cache.Counters // between
	// writtenBack are the sectors that the waves which were seen wrote to DRAM.
	writtenBack uint64
}

// minSampled waves say how much waves differ.
const minSampled = 2

// newWaveSample returns the sample of a launch, nil if all of it is to be seen.
func (p Sample) newWaveSample(ctas, size int64) *waveSample {
	if p == (Sample{}) {
		return nil
	}
	w := &waveSample{size: size, waves: (ctas + size - 1) / size}
	between := w.waves - 2
	n := math.Ceil(p.Share * float64(between))
	if p.CTAs > 0 {
		n = math.Ceil(float64(p.CTAs)/float64(size)) - 2
	}
	if w.chosen = max(int64(n), minSampled); w.chosen >= between {
		return nil
	}
	return w
}

// sees reports whether a CTA's wave is in the sample.
func (w *waveSample) sees(cta int64) bool {
	wave := cta / w.size
	between := w.waves - 2
	if wave == 0 || wave == w.waves-1 {
		return true
	}
	// Number k stands for the k-th part of the waves and lies in its middle; a
	// part need not begin with a whole wave.
	k := (wave - 1) * w.chosen / between
	return wave-1 == w.middle(k) || wave-1 == w.middle(k+1)
}

// middle returns the wave between in the middle of the k-th part of them.
func (w *waveSample) middle(k int64) int64 { return (2*k + 1) * (w.waves - 2) / (2 * w.chosen) }

// endsWith reports whether a CTA is its wave's last.
func (w *waveSample) endsWith(cta, ctas int64) bool { return (cta+1)%w.size == 0 || cta+1 == ctas }

// complete reports whether there is a sample, all of which was seen.
func (w *waveSample) complete() bool { return w != nil && int64(len(w.seen)) == w.chosen }

// add takes what the wave of a CTA did. Waves that are left out would have
// pushed out what this one wrote: what it makes dirty counts as written to
// DRAM, until all is known (see written).
func (w *waveSample) add(cta int64, c cache.Counters) {
	w.writtenBack += c.DRAMWriteSectors
	c.DRAMWriteSectors = c.DirtiedSectors
	switch {
	case w.between(cta):
		w.seen = append(w.seen, c)
	case cta < w.size:
		w.first = c
	default:
		w.last = c
	}
}

// between reports whether a CTA's wave is neither the first nor the last one.
func (w *waveSample) between(cta int64) bool { return cta >= w.size && cta/w.size < w.waves-1 }

// sum returns what all waves did, each one between those that were seen as
// these on average, with all sectors that became dirty as written, and the
// variance of its DRAM sectors: that of the ratio estimator, here of sectors a
// wave, over the sampled waves (expand).
func (w *waveSample) sum() (between, all cache.Counters, variance float64) {
	waves := float64(w.waves - 2)
	sectors := make([]float64, len(w.seen))
	for i, c := range w.seen {
		between.Add(c)
		sectors[i] = dramSectors(c)
	}
	_, variance = expand(sectors, waves)
	between = between.Scaled(waves / float64(len(w.seen)))
	all = between
	all.Add(w.first)
	all.Add(w.last)
	return between, all, variance
}

func dramSectors(c cache.Counters) float64 { return float64(c.DRAMReadSectors + c.DRAMWriteSectors) }
