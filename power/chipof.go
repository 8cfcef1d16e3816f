package power

import (
	"cmp"
	"fmt"
	"math"

	"hyptx/internal/gpu"
)

// Energies were published for one GPU, the Quadro GV100, and factors for two more.
// All other chips are a GV100 that is moved: its dynamic energies by the technology
// node (technology.go), its idle and static power by the number of SMs, its constant
// power replaced by the idle power that the vendor or a measurement gives. Nothing
// of that is as good as tuning, so each row of a report says which of it was done:
// energy_basis and static_basis. Where there is no published factor there is no
// figure, unless the user gives one.

// ChipOptions say how a chip without tuned energies is filled in.
type ChipOptions struct {
	Variant Variant
	Rules   Rules
	// EnergyScale multiplies a GV100's energies for a chip without tuned ones, in
	// the place of its technology node's published factor; 0 if none was given.
	EnergyScale float64
}

// The published cases, by name of the GPU.
var cases = map[string]func(Variant, Rules) *Chip{"gv100": GV100, "titan-x-pascal": titanX, "rtx-2060-super": rtx2060S}

// ChipOf returns the power model of a GPU: its own, if its file has one; the
// published ones; else the GV100's, scaled ([ours], spec section 2): energies by
// the node's published factor or the user's, static and idle power by SM.
func ChipOf(g *gpu.GPU, o ChipOptions) (*Chip, error) {
	if s := o.EnergyScale; s != 0 && !(s > 0 && !math.IsInf(s, 0)) {
		return nil, fmt.Errorf("energy scale %g: must be positive", s)
	}
	if len(g.PowerModel) > 0 {
		b, err := readBlock(g)
		if err != nil {
			return nil, err
		}
		if b.Variant != o.Variant {
			return nil, fmt.Errorf("%s: its power model is of variant %s, not %s: option variant %s", g.Name, b.Variant, o.Variant, b.Variant.remedy(o.Variant))
		}
		c, err := b.chip(g)
		if err == nil {
			c.noteUnused(o)
		}
		return c, err
	}
	switch o.Variant {
	case calibrated:
		return calibratedChip(g, o)
	case gpuWattch:
		return gpuWattchChip(g)
	}
	if published, ok := cases[g.Name]; ok {
		c := published(o.Variant, o.Rules)
		c.Name = g.Label()
		c.noteUnused(o)
		return c, c.ownNumbers(g)
	}
	sms, err := gpu.Need(g, "sms", g.SMs)
	if err != nil {
		return nil, err
	}
	c := GV100(o.Variant, o.Rules)
	c.Name, c.SMs, c.Basis = g.Label(), sms, "extrapolated"
	if err := c.scale(g, o); err != nil {
		return nil, err
	}
	if c.ConstantW, err = gpu.Need(g, "power.idle_w", g.Power.IdleW); err != nil {
		return nil, fmt.Errorf("no constant power: %w", err)
	}
	c.Notes = append(c.Notes, fmt.Sprintf("constant power %g W is the idle power: %s", c.ConstantW, g.Power.IdleW.Source))
	return c, nil
}

// differs reports whether a number of a copy is another than what it was copied from has.
func differs(a, b *gpu.Float) bool { return a.Known() && (!b.Known() || a.Value != b.Value) }

// ownNumbers are those of a GPU that has the name of a published case but is a copy
// of it with other numbers: a GV100 of 160 SMs, or one that draws more at rest.
func (c *Chip) ownNumbers(g *gpu.GPU) error {
	published, err := gpu.Get(g.Name)
	if err != nil || published == g {
		return err
	}
	if c.SMs, err = gpu.Need(g, "sms", g.SMs); err != nil {
		return err
	}
	if w := g.Power.IdleW; differs(w, published.Power.IdleW) {
		c.ConstantW = w.Value
		c.Notes = append(c.Notes, fmt.Sprintf("constant power %g W is the idle power: %s", w.Value, w.Source))
	}
	nm, was := g.ProcessNM, published.ProcessNM
	if nm == nil || was == nil || nm.Value == was.Value {
		return nil
	}
	from, err := nodeOf(was.Value)
	if err != nil {
		return err
	}
	to, err := nodeOf(nm.Value)
	if err != nil {
		return fmt.Errorf("%s: %w", g.Label(), err)
	}
	c.Basis, c.StaticBasis = "extrapolated", to.staticBasis
	c.Notes = append(c.Notes, fmt.Sprintf("energies of a %s x %.4g for %g nm", published.Name, to.energy()/from.energy(), nm.Value))
	c.move(to.energy()/from.energy(), to.idle/from.idle, to.static/from.static)
	return nil
}

// remedy says how a power model of variant v is used, or one that was asked for
// is made.
func (v Variant) remedy(asked Variant) string {
	use := string(v) + " uses it"
	if v.FromHardware() {
		use = string(v) + " option counters FILE.csv uses it with hardware counters"
	}
	return use + ", `hyptx power tune --variant " + string(asked) + "` makes one from runs that count so"
}

// OwnVariant returns the variant of the power model in a GPU's file, "" if there
// is none in it.
func OwnVariant(g *gpu.GPU) (Variant, error) {
	if len(g.PowerModel) == 0 {
		return "", nil
	}
	b, err := readBlock(g)
	if err != nil {
		return "", err
	}
	return b.Variant, nil
}

// noteUnused notes a factor that a chip with energies of its own has no use for.
func (c *Chip) noteUnused(o ChipOptions) {
	if o.EnergyScale != 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("the energy scale %g is not used: this GPU's energies were published or measured", o.EnergyScale))
	}
}

// scale moves a GV100's energies to the GPU's technology node, by the user's
// factor or the published one.
func (c *Chip) scale(g *gpu.GPU, o ChipOptions) error {
	nm, unknown := gpu.Need(g, "process_nm", g.ProcessNM)
	at, err := nodeOf(nm)
	energy := cmp.Or(o.EnergyScale, at.energy())
	switch {
	case o.EnergyScale != 0:
		c.Notes = append(c.Notes, fmt.Sprintf("energies of a GV100 x %g, as given", energy))
	case unknown != nil:
		return fmt.Errorf("%w; option energy-scale X gives a factor", unknown)
	case err != nil:
		return fmt.Errorf("%s: %w; option energy-scale X gives one", g.Name, err)
	default:
		c.Notes = append(c.Notes, fmt.Sprintf("energies of a GV100 x %.4g for %g nm", energy, nm))
	}
	if c.StaticBasis = at.staticBasis; c.StaticBasis == staticUnscaled {
		c.Notes = append(c.Notes, "static and idle power of an SM are a GV100's (12 nm) as they are: no factor was published for this node")
	}
	c.move(energy, at.idle, at.static)
	return nil
}

// move multiplies energies, the power of an idle SM and static power.
func (c *Chip) move(energy, idle, static float64) {
	c.Energies = c.Energies.scaled(energy)
	c.MemControllerW *= energy
	c.IdleSMW *= idle
	for i := range c.Static {
		c.Static[i].FirstW *= static
		c.Static[i].AddW *= static
	}
}
