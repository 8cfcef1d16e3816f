package power

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"hyptx/internal/gpu"
	"hyptx/internal/strictjson"
)

// A tuned model is kept in the GPU's file, whole: static power of all categories and a
// factor for each counter, none by default. A file that lacks a factor is refused; an
// event that is free by oversight is not seen in any figure.

// block is a power model in a GPU's file, under the key power_model: what
// hyptx power tune writes and --gpu FILE reads.
type block struct {
	// Model is "accelwattch".
	Model string `json:"model"`
	// Variant says which counts the factors belong to.
	Variant Variant `json:"variant"`
	// Source says which measurements it was fitted to.
	Source    string  `json:"source"`
	ConstantW float64 `json:"constant_w"`
	// MemControllerW is a constant part of the memory controller's power.
	MemControllerW float64 `json:"mem_controller_w"`
	IdleSMW        float64 `json:"idle_sm_w"`
	// Static is by category, for StaticSMs active SMs.
	Static    map[string]LanePower `json:"static"`
	StaticSMs int                  `json:"static_sms"`
	// Factors are on McPAT's energies, by counter.
	Factors map[string]float64 `json:"factors"`
	// ClockMHz is where it was tuned; it holds from LowMHz to HighMHz.
	ClockMHz float64 `json:"clock_mhz"`
	LowMHz   float64 `json:"low_mhz"`
	HighMHz  float64 `json:"high_mhz"`
	// Sweeps are the cubic fits behind the constants, if there are any.
	Sweeps []*Sweep `json:"sweeps,omitempty"`
}

// blockModel is the only model that there is.
const blockModel = "accelwattch"

// newBlock returns the block of a chip with tuned factors.
func newBlock(c *Chip, f coefficients, source string, clockMHz, lowMHz, highMHz float64, sweeps []*Sweep) *block {
	b := &block{
		Model: blockModel, Variant: c.Variant, Source: source, ConstantW: c.ConstantW, MemControllerW: c.MemControllerW, IdleSMW: c.IdleSMW,
		Static: map[string]LanePower{}, StaticSMs: c.StaticSMs, Factors: map[string]float64{}, ClockMHz: clockMHz, LowMHz: lowMHz, HighMHz: highMHz, Sweeps: sweeps,
	}
	for i, p := range c.Static {
		b.Static[categoryNames[i]] = p
	}
	for i, x := range f {
		b.Factors[counterNames[i]] = x
	}
	return b
}

// readBlock reads the block of a GPU's file strictly.
func readBlock(g *gpu.GPU) (*block, error) {
	b := &block{}
	where := cmp.Or(g.File, "GPU "+g.Name)
	if err := strictjson.Into(g.PowerModel, "power_model", b); err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	if err := b.check(); err != nil {
		return nil, fmt.Errorf("%s: power_model.%w", where, err)
	}
	return b, nil
}

func (b *block) check() error {
	if b.Model != blockModel {
		return fmt.Errorf("model is %q: must be %q", b.Model, blockModel)
	}
	if _, err := parseVariant(string(b.Variant)); err != nil {
		return fmt.Errorf("variant: %w", err)
	}
	for _, f := range []struct {
		name string
		x    float64
	}{{"constant_w", b.ConstantW}, {"idle_sm_w", b.IdleSMW}, {"static_sms", float64(b.StaticSMs)}, {"clock_mhz", b.ClockMHz}, {"low_mhz", b.LowMHz}, {"high_mhz", b.HighMHz}} {
		if !(f.x > 0) || math.IsInf(f.x, 0) {
			return fmt.Errorf("%s is %g: must be positive", f.name, f.x)
		}
	}
	if b.LowMHz > b.HighMHz {
		return fmt.Errorf("low_mhz is %g: must not be above high_mhz, %g", b.LowMHz, b.HighMHz)
	}
	if !(b.MemControllerW >= 0) {
		return fmt.Errorf("mem_controller_w is %g: must not be negative", b.MemControllerW)
	}
	if err := exactKeys("static", b.Static, categoryNames[:]); err != nil {
		return err
	}
	for name, p := range b.Static {
		if !(p.FirstW >= 0) || !(p.AddW >= 0) {
			return fmt.Errorf("static.%s: %g and %g must not be negative", name, p.FirstW, p.AddW)
		}
	}
	if err := exactKeys("factors", b.Factors, counterNames[:]); err != nil {
		return err
	}
	for name, x := range b.Factors {
		if !(x >= 0) {
			return fmt.Errorf("factors.%s is %g: must not be negative", name, x)
		}
	}
	return nil
}

// exactKeys fails unless a map has exactly these keys.
func exactKeys[T any](path string, have map[string]T, want []string) error {
	for _, k := range want {
		if _, ok := have[k]; !ok {
			return fmt.Errorf("%s lacks the key %q", path, k)
		}
	}
	for k := range have {
		if !slices.Contains(want, k) {
			return fmt.Errorf("%s.%s: unknown key; known here: %s", path, k, strings.Join(want, ", "))
		}
	}
	return nil
}

// chip returns the chip that a block describes.
func (b *block) chip(g *gpu.GPU) (*Chip, error) {
	sms, err := gpu.Need(g, "sms", g.SMs)
	if err != nil {
		return nil, err
	}
	c := &Chip{
		Name: g.Label(), SMs: sms, ConstantW: b.ConstantW, MemControllerW: b.MemControllerW, IdleSMW: b.IdleSMW, StaticSMs: b.StaticSMs,
		Variant: b.Variant, Basis: "tuned", StaticBasis: staticTuned, ClockMHz: b.ClockMHz, LowMHz: b.LowMHz, HighMHz: b.HighMHz,
		Notes: []string{"tuned: " + b.Source},
	}
	for i, name := range categoryNames {
		c.Static[i] = b.Static[name]
	}
	var f coefficients
	for i, name := range counterNames {
		f[i] = b.Factors[name]
	}
	c.Energies = newEnergies(f)
	return c, nil
}
