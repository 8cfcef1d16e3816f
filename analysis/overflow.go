package analysis

import (
	"fmt"

	"hyptx/internal/manifest"
	"hyptx/internal/strictjson"
)

// The largest counts of a launch, and its most threads, so that the totals of
// a network of many launches still fit 64 bits: 2^60 instructions keep the
// fastest GPU busy for a day.
const (
	maxCount   = 1 << 60
	maxThreads = 1 << 48
)

// largest bounds every counter of what was executed from above. A packed fma is
// the most that a lane counts at once: four operations.
func (f *Facts) largest() float64 {
	return max(4*f.X(ThreadInstructions), f.X(FlopTensor), f.X(OpTensorInt))
}

// largest bounds every count of a launch from above.
func (lp *LaunchProfile) largest() (n float64) {
	o := lp.outcome
	for i, res := range o.results {
		for _, c := range res.Classes {
			f := newExecuted(o.partOf(i), c.Counts)
			n += f.largest() * float64(c.CTAs) * float64(o.partOf(i).weight)
		}
	}
	return max(n, o.largestTraffic()) * float64(lp.plan.launch.Count) / float64(o.repeats)
}

// checkCounts fails for a launch whose counts might not fit 64 bits; largest
// is the largest of them, in floating point.
func (l *launchPlan) checkCounts(m *manifest.Manifest, largest float64) error {
	if largest < maxCount {
		return nil
	}
	return m.Errorf(strictjson.KeyPath(l.launch.Path, "grid"), "%s execute about %.0e thread instructions or operations; at most %.0e can be counted",
		l.shape(), largest, float64(maxCount))
}

// checkSize fails for a launch of more threads than can be counted.
func (l *launchPlan) checkSize(m *manifest.Manifest) error {
	threads := float64(l.launch.Count) * float64(l.threads())
	for _, n := range l.grid {
		threads *= float64(n)
	}
	if threads >= maxThreads {
		return m.Errorf(strictjson.KeyPath(l.launch.Path, "grid"), "%s are %.0e threads; at most %.0e can be counted", l.shape(), threads, float64(maxThreads))
	}
	instructions := 0.0
	for _, f := range l.kernel.Closure() {
		instructions += float64(f.End - f.First)
	}
	return l.checkCounts(m, threads*instructions)
}

// shape describes the launch's threads for a message.
func (l *launchPlan) shape() string {
	s := fmt.Sprintf("%dx%dx%d CTAs of %d threads", l.grid[0], l.grid[1], l.grid[2], l.threads())
	if l.launch.Count > 1 {
		s += fmt.Sprintf(", %d times,", l.launch.Count)
	}
	return s
}
