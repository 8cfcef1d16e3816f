package power

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"hyptx/internal/gpu"
)

// Untuned returns the chip that tuning starts from: constant power is the given
// one, or the GPU's idle power; static and idle power are those of a GV100's SM
// until measurements replace them.
func Untuned(g *gpu.GPU, v Variant, constantW float64) (*Chip, error) {
	sms, err := gpu.Need(g, "sms", g.SMs)
	if err != nil {
		return nil, err
	}
	c := GV100(v, Release)
	c.Name, c.SMs = g.Name, sms
	switch {
	case constantW > 0:
		c.ConstantW = constantW
	case cases[g.Name] != nil:
		c.ConstantW = cases[g.Name](v, Release).ConstantW
	default:
		w, err := gpu.Need(g, "power.idle_w", g.Power.IdleW)
		if err != nil {
			return nil, fmt.Errorf("no constant power: %w; option constant W gives one", err)
		}
		c.ConstantW = w
	}
	for i := range c.Static { // tuning takes the whole chip's
		c.Static[i].FirstW *= float64(sms) / gv100SMs
		c.Static[i].AddW *= float64(sms) / gv100SMs
	}
	c.StaticSMs = sms
	return c, nil
}

// TunedGPU returns a GPU's file with a power model of tuned energies. name may
// be empty. The model holds at the clocks of the sweeps, or of the runs.
func TunedGPU(g *gpu.GPU, c *Chip, t *Tuned, runs []Run, sweeps []*Sweep, name, source string) (*gpu.GPU, error) {
	low, high := math.Inf(1), 0.0
	for _, s := range sweeps {
		low, high = min(low, s.Fit.LowMHz), max(high, s.Fit.HighMHz)
	}
	for _, r := range runs {
		low, high = min(low, r.Activity.ClockMHz), max(high, r.Activity.ClockMHz)
	}
	b := newBlock(c, t.Coefficients, source, runs[0].Activity.ClockMHz, low, high, sweeps)
	if err := b.check(); err != nil {
		return nil, fmt.Errorf("the tuned model is not valid: %w", err)
	}
	text, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	mine := *g
	mine.PowerModel, mine.Aliases = text, []string{}
	if mine.Name = name; name == "" {
		mine.Name = g.Name + "-tuned"
	}
	return &mine, nil
}

// Columns returns the names of the columns that were exercised, in order.
func (t *Tuned) Columns() (names []string) {
	for _, c := range columns {
		if !slices.Contains(t.Unused, c.name) {
			names = append(names, c.name)
		}
	}
	return names
}

// Worst returns the n runs that the model misses most.
func (t *Tuned) Worst(n int) []residual {
	list := slices.Clone(t.Residuals)
	slices.SortFunc(list, func(a, b residual) int { return cmp.Compare(math.Abs(b.ErrorPct), math.Abs(a.ErrorPct)) })
	return list[:min(n, len(list))]
}
