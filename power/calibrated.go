package power

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"hyptx/internal/gpu"
)

// A chip of the calibrated model: a GPU with the numbers of its family, or, where its
// architecture was not measured, of the nearest one, with energies moved to its
// technology. The voltage curve is one of clocks, not of shares of a board's highest
// clock: chips of a family are made alike.

// mhzPerGHz: power of SMs is given for each GHz.
const mhzPerGHz = 1000

// clockLaw is how power goes with the clock.
type clockLaw struct {
	// ActiveSMW is the power of an SM with work for each GHz at the low voltage.
	ActiveSMW float64
	// Up to kneeMHz the voltage is the least, beyond it rises by that share a GHz.
	kneeMHz, risePerGHz float64
	// Where offsetMHz is not 0, clocks other than ownMHz have the voltage of that one
	// ([gpu.Clock.SetByOffset]).
	offsetMHz, ownMHz float64
	basis, voltage    string // the columns calibration and voltage
}

// switching returns (V/V_low)^2 at a clock, 1 without a law.
func (l *clockLaw) switching(mhz float64) float64 {
	if l == nil {
		return 1
	}
	if l.offsetMHz > 0 && mhz != l.ownMHz {
		mhz = l.offsetMHz
	}
	v := voltageAt(mhz, l.kneeMHz, l.risePerGHz)
	return v * v
}

// ratio returns the voltage at a clock over the least one.
func (l *clockLaw) ratio(mhz float64) float64 { return math.Sqrt(l.switching(mhz)) }

// What is known of a board's voltage: the column voltage of a sweep.
const (
	voltageMeasured = "measured"
	voltageOfFile   = "GPU file"
	voltageLike     = "family not measured"
	voltageUnknown  = "unknown"
)

// voltageBasis says where the voltage at a clock is from.
func (m *Model) voltageBasis() string {
	if m.Chip.Law == nil {
		return voltageUnknown
	}
	return m.Chip.Law.voltage
}

func (l *clockLaw) said() string {
	if l == nil {
		return ""
	}
	return l.basis
}

// Bases of a calibrated chip's energies, beside "extrapolated".
const basisCalibrated = "calibrated"

// DefaultVariant returns the model that a GPU's predictions are made by if nobody
// chooses: its own tuned one; else the calibrated one, where there is a family for it; else
// AccelWattch's of PTX. That charges instructions as they are written, so that two compilers'
// code of one kernel draws up to 6.5 % apart, and its times were a simulator's. For GPUs that
// AccelWattch was published for it stays the default where asked says that something of AccelWattch's is
// asked for: its counters or its program's rules.
func DefaultVariant(g *gpu.GPU, asked bool) (Variant, error) {
	own, err := OwnVariant(g)
	if own != "" || err != nil {
		return own, err
	}
	if f, _ := embeddedCalibration().familyOf(g); f != nil && !(asked && cases[g.Name] != nil) {
		return calibrated, nil
	}
	return PTXSim, nil
}

// calibratedChip returns the calibrated model of a GPU.
func calibratedChip(g *gpu.GPU, o ChipOptions) (*Chip, error) {
	f, measured := embeddedCalibration().familyOf(g)
	if f == nil {
		return nil, fmt.Errorf("%s: no family of architectures that was measured is near %s: option variant %s has energies of a GV100", g.Name, cmp.Or(g.Architecture, "its architecture"), PTXSim)
	}
	sms, err := gpu.Need(g, "sms", g.SMs)
	if err != nil {
		return nil, err
	}
	kind, assumed, err := memoryType(g)
	if err != nil {
		return nil, err
	}
	memory, ownMemory := embeddedCalibration().memory(kind), true
	if memory == nil {
		memory, ownMemory = embeddedCalibration().memory(likes[kind]), false
	}
	if memory == nil {
		return nil, fmt.Errorf("%s: no memory that was measured is near %s", g.Name, kind)
	}
	c := GV100(sassSim, Paper)
	c.Name, c.SMs, c.Variant, c.Basis, c.StaticBasis = g.Label(), sms, calibrated, basisCalibrated, basisCalibrated
	c.Law = f.law(g, measured)
	c.Law.basis = f.said(g, measured, kind, memory, ownMemory)
	if assumed != "" {
		c.Notes = append(c.Notes, assumed)
	}
	c.IdleSMW = f.IdleW
	c.ownSMs(&g.Power)
	factors := map[string]float64{}
	for name, x := range f.Factors {
		factors[name] = x.X
	}
	if err := c.moveFamily(g, f, measured, o, factors); err != nil {
		return nil, err
	}
	factors[groupDRAMName] = memory.Factor.X
	c.Energies.products(g)
	c.Energies = c.Energies.byGroup(factors)
	if c.ConstantW, err = c.constant(g, memory); err != nil {
		return nil, err
	}
	return c, nil
}

// memoryType returns the type of a GPU's memory, where its file lacks it that of its compute capability, as
// the simulated time has it: assumed says so.
func memoryType(g *gpu.GPU) (kind, assumed string, err error) {
	if g.DRAM.Type.Known() {
		return g.DRAM.Type.Value, "", nil
	}
	t, err := g.Timing()
	if err != nil || t.DRAM.Type == "" {
		_, err = gpu.Need(g, "dram.type", g.DRAM.Type)
		return "", "", err
	}
	return t.DRAM.Type, fmt.Sprintf("memory is taken to be %s, as others of compute capability %s have: the file lacks dram.type", t.DRAM.Type, t.Capability), nil
}

// products replaces the energy of matrix products, of which no run says anything. SASS SIM's was
// tuned to times that a simulator gave, in which AccelWattch's cudaTensor takes 3.78 ms, where
// hardware took 2.68: a V100 that makes the 62.5e12 multiply-adds a second of its data sheet would
// draw 250 W for them alone. HYBRID's was tuned to the hardware's. It is one HMMA's of Volta, of 8x8x4
// products of 16 bits on each of four quads; what one of later GPUs multiplies, Turing's 16x8x8
// and 16x8x16 since Ampere, whatever the type is of as many bits ([ours]: as much for each bit).
func (e *Energies) products(g *gpu.GPU) {
	volta := 1.0
	switch sm := g.SM(); {
	case sm >= 80:
		volta = 8
	case sm >= 75:
		volta = 4
	}
	e.perEventJ[Tensor] = 0
	of := hybrid.energies()
	for i, t := range e.terms {
		if t.counter == Tensor {
			e.terms[i].joules = volta * of.terms[i].joules
			e.perEventJ[Tensor] += e.terms[i].joules
		}
	}
}

// ownSMs takes what SMs draw from the GPU's file, where it says so, not from the family's boards.
// Of a GV100, and of its board, who measured one says it (71 W; a V100's would draw 86).
func (c *Chip) ownSMs(p *gpu.Power) {
	if !p.ActiveSMW.Known() || !p.IdleSMW.Known() || !p.SMMHz.Known() {
		return
	}
	ghz := p.SMMHz.Value / mhzPerGHz * c.Law.switching(p.SMMHz.Value) // at the low voltage
	c.IdleSMW, c.Law.ActiveSMW = p.IdleSMW.Value/ghz, p.ActiveSMW.Value/ghz
	c.Notes = append(c.Notes, "power of SMs: "+p.ActiveSMW.Source)
}

// law returns how power goes with the clock on a GPU: by the voltages of its file, if
// it has the highest clock of the least one and the clock of the highest one, else by
// its family's.
func (f *familyLaw) law(g *gpu.GPU, measured bool) *clockLaw {
	l := &clockLaw{ActiveSMW: f.ActiveW, kneeMHz: f.KneeMHz, risePerGHz: f.RisePerGHz, voltage: voltageMeasured}
	p := g.Power
	switch {
	case p.MinVoltageV.Known() && p.MinVoltageMHz.Known() && p.MaxVoltageV.Known() && p.MaxVoltageMHz.Known() && p.MaxVoltageMHz.Value > p.MinVoltageMHz.Value:
		l.kneeMHz, l.voltage = p.MinVoltageMHz.Value, voltageOfFile
		l.risePerGHz = (p.MaxVoltageV.Value/p.MinVoltageV.Value - 1) * mhzPerGHz / (p.MaxVoltageMHz.Value - l.kneeMHz)
	case !measured:
		l.voltage = voltageLike
	}
	if o := g.Clock.SetByOffset; o.Known() && o.Value && p.MaxVoltageMHz.Known() {
		l.offsetMHz = p.MaxVoltageMHz.Value
		l.ownMHz, _ = g.ClockMHz()
		if published, err := gpu.Get(g.Name); err == nil {
			l.ownMHz, _ = published.ClockMHz()
		}
	}
	return l
}

// moveFamily moves factors to a technology that the family was not measured in.
func (c *Chip) moveFamily(g *gpu.GPU, f *familyLaw, measured bool, o ChipOptions, factors map[string]float64) error {
	if measured && o.EnergyScale == 0 {
		c.moveNode(g, f, factors)
		return nil
	}
	by := o.EnergyScale
	if by == 0 {
		c.Basis, c.StaticBasis = "extrapolated", "extrapolated"
		to, err := gpu.Need(g, "process_nm", g.ProcessNM)
		if err != nil {
			return fmt.Errorf("%w; option energy-scale X gives a factor", err)
		}
		by, _ = c.between(f, to)
	}
	if measured {
		c.Notes = append(c.Notes, fmt.Sprintf("the energy scale %g is not used: energies of this architecture were measured", by))
		return nil
	}
	c.Notes = append(c.Notes, fmt.Sprintf("energies and SMs of %s x %.3g: no micro-benchmarks of %s were measured", f.Name, by, g.Architecture))
	c.times(by, factors)
	return nil
}

// moveNode moves factors of a family that was measured to the technology of a GPU that is a copy
// of one of its boards in another.
func (c *Chip) moveNode(g *gpu.GPU, f *familyLaw, factors map[string]float64) {
	if g.ProcessNM == nil || g.ProcessNM.Value == f.NodeNM {
		return
	}
	by, published := c.between(f, g.ProcessNM.Value)
	if !published {
		return
	}
	c.Basis, c.StaticBasis = "extrapolated", "extrapolated"
	c.Notes = append(c.Notes, fmt.Sprintf("energies and SMs of %s x %.3g for %g nm", f.Name, by, g.ProcessNM.Value))
	c.times(by, factors)
}

// between returns the factor on energies from a family's technology to another, and whether one was
// published; else it is 1, which is noted.
func (c *Chip) between(f *familyLaw, nm float64) (by float64, published bool) {
	from, errFrom := nodeOf(f.NodeNM)
	to, errTo := nodeOf(nm)
	if errFrom != nil || errTo != nil {
		c.Notes = append(c.Notes, fmt.Sprintf("energies of %s as they are: no factor was published from %g to %g nm", f.Name, f.NodeNM, nm))
		return 1, false
	}
	return to.energy() / from.energy(), true
}

// times multiplies factors and what SMs draw.
func (c *Chip) times(by float64, factors map[string]float64) {
	for name := range factors {
		factors[name] *= by
	}
	c.IdleSMW *= by
	c.Law.ActiveSMW *= by
}

// constant returns the power that a board draws whatever runs: what its file says, unless it is
// a copy of another that draws otherwise at rest; of the board that was measured, its own; else what it draws at
// rest, less its idle SMs at the clock that it rests at, the highest one if that is unknown; where
// nobody published what it draws, what the measured board with this memory draws for each GB/s.
// That it goes with the memory's clock was measured on GDDR5X.
func (c *Chip) constant(g *gpu.GPU, m *memoryPower) (w float64, err error) {
	bandwidth, err := gpu.Need(g, "dram.bandwidth_gb_per_s", g.DRAM.BandwidthGBPerS)
	if err != nil {
		return 0, err
	}
	own := embeddedCalibration().boardOf(g)
	said, idle := g.Power.ConstantW, g.Power.IdleW
	switch {
	case said.Known() && !onlyRestDiffers(g):
		c.Notes = append(c.Notes, fmt.Sprintf("constant power %.3g W: %s", said.Value, said.Source))
		return said.Value, nil
	case own != nil:
		w = own.ConstantW
		c.Notes = append(c.Notes, fmt.Sprintf("constant power %.3g W: fitted to micro-benchmarks of a %s", w, own.Board))
	case idle.Known():
		mhz, err := g.ClockMHz()
		if err != nil {
			return 0, err
		}
		if published, err := gpu.Get(g.Name); err == nil && published.Clock.BoostMHz.Known() {
			mhz = published.Clock.BoostMHz.Value
		}
		if at := g.Power.IdleMHz; at.Known() {
			mhz = at.Value
		}
		v := voltageAt(mhz, c.Law.kneeMHz, c.Law.risePerGHz) // nobody sets the clock of a board at rest
		w = max(0, idle.Value-float64(c.SMs)*c.IdleSMW*mhz/mhzPerGHz*v*v)
		c.Notes = append(c.Notes, fmt.Sprintf("constant power %.3g W is the idle power less that of idle SMs at %g MHz: %s", w, mhz, idle.Source))
	default:
		w = m.ConstantWPerGBPerS * bandwidth
		c.Notes = append(c.Notes, fmt.Sprintf("constant power %.3g W is a guess: that of a %s for each GB/s of memory", w, m.Board))
		return w, nil
	}
	if published, err := gpu.Get(g.Name); err == nil && published.DRAM.BandwidthGBPerS.Known() {
		w -= m.ConstantWPerGBPerS * (published.DRAM.BandwidthGBPerS.Value - bandwidth)
	}
	return max(w, 0), nil
}

// onlyRestDiffers reports whether a copy of a GPU that hyptx has says of the power beside SMs
// nothing but another one at rest.
func onlyRestDiffers(g *gpu.GPU) bool {
	published, err := gpu.Get(g.Name)
	if err != nil {
		return false
	}
	return differs(g.Power.IdleW, published.Power.IdleW) && !differs(g.Power.ConstantW, published.Power.ConstantW)
}

// BoardGPUs are the GPUs of boards that were measured, as the tables name them.
var BoardGPUs = map[string]string{"V100": "v100-pcie", "Quadro RTX 8000": "rtx-8000", "Titan V": "titan-v"}

func (c *Calibration) boardOf(g *gpu.GPU) *boardPower {
	for _, f := range c.Families {
		for _, b := range f.Boards {
			if BoardGPUs[b.Board] == g.Name {
				return b
			}
		}
	}
	return nil
}

// said is the column calibration.
func (f *familyLaw) said(g *gpu.GPU, measured bool, kind string, m *memoryPower, ownMemory bool) string {
	var boards []string
	for _, b := range f.Boards {
		boards = append(boards, b.Board)
	}
	s := fmt.Sprintf("%s (%s; %.1f %%)", f.Name, strings.Join(boards, ", "), f.FitMAPEPct)
	if !measured {
		s += ", " + g.Architecture + " not measured"
	}
	if s += ", " + m.Type; !ownMemory {
		s += ", " + kind + " not measured"
	}
	return s
}

// byGroup returns the energies with a factor for each group of events.
func (e *Energies) byGroup(factors map[string]float64) *Energies {
	out := e.scaled(1)
	of := map[Counter]float64{}
	for _, g := range eventGroups {
		for _, counter := range g.counters {
			of[counter] = factors[g.name]
		}
	}
	for i := range out.terms {
		out.terms[i].joules *= of[out.terms[i].counter]
	}
	for i := range out.perEventJ {
		out.perEventJ[i] *= of[Counter(i)]
	}
	return out
}
