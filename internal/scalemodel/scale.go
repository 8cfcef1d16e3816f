package scalemodel

import (
	"fmt"
	"math"
	"strconv"

	"hyptx/internal/gpu"
	"hyptx/internal/number"
)

// Shared is what SMs share, of one size of a GPU.
type Shared struct {
	SMs                int         `csv:"sms" doc:"SMs"`
	Factor             float64     `csv:"factor" doc:"how many times the target has of each shared resource"`
	LLCMB              number.Real `csv:"llc_mb" doc:"capacity of the last-level cache in MB, as the paper counts them"`
	LLCSlices          number.Real `csv:"llc_slices" doc:"its slices"`
	NoCGBPerS          number.Real `csv:"noc_gb_per_s" doc:"bisection bandwidth of the network between SMs and last-level cache; empty of GPUs whose network is a link for each SM, which goes with the SMs"`
	DRAMGBPerS         number.Real `csv:"dram_gb_per_s" doc:"theoretical bandwidth of DRAM"`
	MemoryControllers  number.Real `csv:"memory_controllers" doc:"memory controllers"`
	InterChipletGBPerS number.Real `csv:"inter_chiplet_gb_per_s" doc:"bandwidth between chiplets; empty where there is one chip"`
	NotWhole           string      `csv:"not_whole" doc:"what of these is no whole number and has to be rounded to be built"`
}

// shared makes one of figures in the order of the fields; 0 is unknown.
func shared(sms int, llc, slices, noc, dram, controllers, interChiplet float64) Shared {
	known := func(x float64) number.Real { return number.Real{X: x, Known: x > 0} }
	return Shared{SMs: sms, Factor: 1, LLCMB: known(llc), LLCSlices: known(slices), NoCGBPerS: known(noc),
		DRAMGBPerS: known(dram), MemoryControllers: known(controllers), InterChipletGBPerS: known(interChiplet)}
}

// PaperTarget is the GPU of the paper's tables I and III; PaperChiplets that of its table
// V, 16 chiplets of 64 SMs.
var (
	PaperTarget   = shared(128, 34, 64, 2696, 2320, 16, 0)
	PaperChiplets = shared(16*64, 16*18, 16*64, 16*1700, 16*1200, 16*8, 16*900)
)

// Scale returns the scale model of so many SMs: what SMs share has the factor less.
func (target Shared) Scale(sms int) (Shared, error) {
	if sms < 1 || sms > target.SMs {
		return Shared{}, fmt.Errorf("%d SMs: a scale model has from 1 to the target's %d", sms, target.SMs)
	}
	f := float64(target.SMs) / float64(sms)
	s := shared(sms, target.LLCMB.X/f, target.LLCSlices.X/f, target.NoCGBPerS.X/f, target.DRAMGBPerS.X/f, target.MemoryControllers.X/f, target.InterChipletGBPerS.X/f)
	s.Factor, s.NotWhole = f, notWhole([]part{{"LLC slices", s.LLCSlices.X}, {"memory controllers", s.MemoryControllers.X}})
	return s, nil
}

// SharedOf is what the SMs of a scale model of a GPU share.
func SharedOf(g, target *gpu.GPU) *Shared {
	number := func(f *gpu.Int) float64 {
		if f == nil {
			return 0
		}
		return float64(f.Value)
	}
	bandwidth := 0.0
	if b := g.DRAM.BandwidthGBPerS; b != nil {
		bandwidth = b.Value
	}
	s := shared(g.SMs.Value, number(g.L2.Bytes)/1e6, number(g.L2.Slices), 0, bandwidth, number(g.DRAM.Channels), 0)
	s.Factor = float64(target.SMs.Value) / float64(g.SMs.Value)
	return &s
}

// part is a number of things.
type part struct {
	name string
	n    float64
}

// notWhole names what is no whole number.
func notWhole(parts []part) (text string) {
	for _, p := range parts {
		if p.n != math.Trunc(p.n) {
			if text != "" {
				text += ", "
			}
			text += strconv.FormatFloat(p.n, 'g', 5, 64) + " " + p.name
		}
	}
	return text
}

// rate is a rate of the whole GPU.
type rate struct {
	path string
	fact *gpu.Float
}

// ctaRate is how many CTAs begin a cycle, of a GPU.
const ctaRate = "timing.launch.ctas_per_cycle"

// rates are those that the scale models have a part of. The CTAs that begin are among them:
// ours is a rate of the whole GPU, and what all SMs share has the factor less (the paper's
// section III). In the paper's simulator each SM starts its own, which is the same.
func rates(g *gpu.GPU) []rate {
	list := []rate{{"l2.measured_bytes_per_clock", g.L2.MeasuredBytesPerClock}, {"dram.bandwidth_gb_per_s", g.DRAM.BandwidthGBPerS}}
	t, err := g.Timing()
	if err != nil {
		return list
	}
	if t.L2.DRAMBytesPerCycle > 0 {
		list = append(list, rate{"timing.l2.dram_bytes_per_cycle", &gpu.Float{Value: t.L2.DRAMBytesPerCycle}})
	}
	return append(list, rate{ctaRate, &gpu.Float{Value: t.Launch.CTAsPerCycle}})
}

// GPU returns the scale model of a GPU that hyptx knows, with what SMs share scaled:
// the L2 with its slices and what it gives a cycle, and DRAM with its channels. What a
// scale model cannot have a part of is rounded, and said. The network of these GPUs is
// one link for each SM and each TPC, which goes with the SMs of itself; what an SM has
// and all latencies stay.
func GPU(g *gpu.GPU, sms int) (scaled *gpu.GPU, rounded string, err error) {
	all, err := gpu.Need(g, "sms", g.SMs)
	if err != nil {
		return nil, "", err
	}
	if sms < 1 {
		return nil, "", fmt.Errorf("%d SMs: a scale model has at least 1", sms)
	}
	l2, err := g.L2Shape()
	if err != nil {
		return nil, "", err
	}
	by := float64(sms) / float64(all)
	changes := []string{"sms=" + strconv.Itoa(sms)}
	set := func(path string, v float64) {
		changes = append(changes, path+"="+strconv.FormatFloat(v, 'f', -1, 64))
	}
	var parts []part
	count := func(path, name string, f *gpu.Int) {
		if f != nil {
			parts = append(parts, part{name, float64(f.Value) * by})
			set(path, max(math.Round(float64(f.Value)*by), 1))
		}
	}
	count("l2.slices", "L2 slices", g.L2.Slices)
	count("dram.channels", "DRAM channels", g.DRAM.Channels)
	way := l2.Ways * l2.LineBytes
	parts = append(parts, part{fmt.Sprintf("sets of L2 (%d bytes each)", way), float64(l2.Bytes/way) * by})
	set("l2.bytes", max(math.Round(float64(l2.Bytes)*by/float64(way)), 1)*float64(way))
	if f := g.L2.BytesPerClock; f != nil {
		set("l2.bytes_per_clock", math.Round(float64(f.Value)*by))
	}
	for _, r := range rates(g) {
		if r.fact != nil {
			set(r.path, r.fact.Value*by)
		}
	}
	scaled, err = g.Like(changes, fmt.Sprintf("scale model: %d of the %d SMs of %s", sms, all, g.Label()))
	if err != nil {
		return nil, "", err
	}
	scaled.Name, scaled.Title, scaled.Aliases = fmt.Sprintf("%s-%dsm", g.Name, sms), fmt.Sprintf("scale model of %d SMs of %s", sms, g.Title), []string{}
	return scaled, notWhole(parts), nil
}
