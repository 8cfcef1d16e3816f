package calibrate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"hyptx/internal/gpu"
)

// The GPU's file. Three sources meet in it: documents, the driver and measurements.
// Measured rates of units and of memory stand beside the documented ones; a number
// of the driver fills a gap, or replaces a documented one that differs; and every
// number says in its source which of the three it is. What none of them
// gives stays null.

// products are the names under which drivers know GPUs that hyptx has a file of.
var products = map[string]string{
	"NVIDIA H200": "h200", "NVIDIA H100 80GB HBM3": "h100-sxm", "NVIDIA H100 PCIe": "h100-pcie",
	"NVIDIA A100-SXM4-40GB": "a100-sxm-40gb", "NVIDIA A100-SXM4-80GB": "a100-sxm-80gb", "NVIDIA A100-PCIE-40GB": "a100-pcie-40gb", "NVIDIA A100 80GB PCIe": "a100-pcie-80gb",
	"NVIDIA B200": "b200", "NVIDIA L4": "l4", "Tesla T4": "t4", "Quadro GV100": "gv100", "NVIDIA TITAN V": "titan-v", "TITAN V": "titan-v",
	"Tesla V100-SXM2-16GB": "v100-sxm2", "Tesla V100-PCIE-16GB": "v100-pcie", "Tesla V100S-PCIE-32GB": "v100s",
	"NVIDIA GeForce RTX 3090": "rtx-3090", "NVIDIA GeForce RTX 4090": "rtx-4090", "NVIDIA GeForce RTX 2060 SUPER": "rtx-2060-super",
	"NVIDIA GeForce RTX 2080 Ti": "rtx-2080-ti", "GeForce RTX 2080 Ti": "rtx-2080-ti", "NVIDIA GeForce GTX 1080 Ti": "gtx-1080-ti", "GeForce GTX 1080 Ti": "gtx-1080-ti",
	"Quadro RTX 8000": "rtx-8000", "NVIDIA RTX A4000": "rtx-a4000", "NVIDIA RTX A6000": "rtx-a6000", "NVIDIA A10": "a10", "Tesla K80": "tesla-k80", "Tesla P4": "p4", "Tesla P100-PCIE-16GB": "p100-pcie",
}

// Base returns the file that documents what no measurement gives: that of the
// product, if the driver's name is known and SMs and compute capability agree,
// else one that has what belongs to the compute capability alone. note says
// which.
func Base(s *Subject) (base *gpu.GPU, note string) {
	cc := fmt.Sprintf("%d.%d", s.Major, s.Minor)
	if name, ok := products[s.Name]; ok {
		g, err := gpu.Get(name)
		if err == nil && g.ComputeCapability.Known() && g.ComputeCapability.Value == cc && g.SMs.Known() && g.SMs.Value == s.SMs {
			return g, "documented facts are those of " + name
		}
	}
	g := &gpu.GPU{Title: s.Name, Vendor: "NVIDIA", Architecture: "compute capability " + cc}
	for _, name := range gpu.Names() {
		like, err := gpu.Get(name)
		if err != nil || !like.ComputeCapability.Known() || like.ComputeCapability.Value != cc {
			continue
		}
		g.Architecture, g.Units, g.Issue, g.Registers, g.Shared, g.Limits = like.Architecture, like.Units, like.Issue, like.Registers, like.Shared, like.Limits
		g.L1 = like.L1
		g.L1.MeasuredBytesPerClock, g.L1.MeasuredLoadsPerClock = nil, nil
		return g, fmt.Sprintf("documented facts of compute capability %s are as in %s; of this product none are known (option gpu NAME takes a product's)", cc, name)
	}
	return g, "of this GPU no documented facts are known: what is not measured is null (option gpu NAME takes a product's)"
}

// File makes a GPU's file: a name, documented facts, facts of the driver, and
// what was measured; notes say what of it was left out. No rate that was
// measured on another board stays among Measured.
func File(name string, l *Log, base *gpu.GPU, r *Rates) (file *gpu.GPU, notes []string, err error) {
	g := *base
	s := l.Subject
	g.Name, g.Title, g.Aliases, g.PowerModel = name, s.Name, []string{}, nil
	from := fmt.Sprintf("the driver on %s, %s", s.Name, l.driver())
	g.ComputeCapability = &gpu.Text{Value: fmt.Sprintf("%d.%d", s.Major, s.Minor), Source: from}
	g.SMs = driverInt(s.SMs, from, g.SMs)
	g.Registers.PerSM = driverInt(s.RegistersPerSM, from, g.Registers.PerSM)
	g.Shared.PerSMBytes = driverInt(s.SharedBytesPerSM, from, g.Shared.PerSMBytes)
	g.Shared.PerCTAMaxBytes = driverInt(s.SharedBytesPerBlockOptin, from, g.Shared.PerCTAMaxBytes)
	g.Limits.Threads = driverInt(s.MaxThreadsPerSM, from, g.Limits.Threads)
	g.Limits.WarpThreads = driverInt(s.WarpSize, from, g.Limits.WarpThreads)
	if s.MemoryBytes > 0 {
		g.DRAM.Bytes = cmp.Or(g.DRAM.Bytes, &gpu.Int{Value: int(s.MemoryBytes), Source: from + ": what programs can have"})
	}
	g.L2.Bytes = driverInt(s.L2Bytes, from, g.L2.Bytes)
	if w, line := g.L2.Ways, g.L2.LineBytes; w != nil && line != nil && g.L2.Bytes != nil && g.L2.Bytes.Value%(w.Value*line.Value) != 0 {
		g.L2.Ways = nil // of another size
	}
	if g.Clock.BoostMHz == nil && s.ClockKHz > 0 {
		g.Clock.BoostMHz = &gpu.Float{Value: float64(s.ClockKHz) / 1e3, Source: from + ": the highest SM clock"}
	}
	if g.DRAM.BandwidthGBPerS == nil && s.MemoryClockKHz > 0 && s.MemoryBusBits > 0 {
		g.DRAM.BandwidthGBPerS = &gpu.Float{Value: digits(2 * float64(s.MemoryClockKHz) * float64(s.MemoryBusBits) / 8 / 1e6),
			Source: from + fmt.Sprintf(": 2 x memory clock %d kHz x %d bits", s.MemoryClockKHz, s.MemoryBusBits)}
	}
	if s.LimitW > 0 {
		g.Power.TDPW = cmp.Or(g.Power.TDPW, &gpu.Float{Value: s.LimitW, Source: "NVML: the power limit in force"})
	}
	g.Measured = r.Measured
	g.LaunchOverheadUs = cmp.Or(r.LaunchOverheadUs, g.LaunchOverheadUs)
	g.Power.IdleW = cmp.Or(r.IdleW, g.Power.IdleW)
	g.L1.MeasuredBytesPerClock, notes = reached("L1", r.L1BytesPerClock, g.L1.MeasuredBytesPerClock, g.L1.BytesPerClock, notes)
	g.L2.MeasuredBytesPerClock, notes = reached("L2", r.L2BytesPerClock, g.L2.MeasuredBytesPerClock, g.L2.BytesPerClock, notes)
	return &g, append(notes, beyond(&g)...), valid(&g)
}

// reached takes a measured rate of a cache, unless it is beyond the theoretical
// one: then the clock was another one than the sensors said.
func reached(what string, measured, documented *gpu.Float, theoretical *gpu.Int, notes []string) (*gpu.Float, []string) {
	switch {
	case measured == nil:
		return documented, notes
	case theoretical != nil && measured.Value > float64(theoretical.Value):
		return documented, append(notes, fmt.Sprintf("%s: %g bytes a clock were measured, more than the theoretical %d: left out, the clock was not what the sensors said", what, measured.Value, theoretical.Value))
	}
	return measured, notes
}

// beyond says which measured rates are above what documents allow at the GPU's
// clock: then it ran faster, or its compiler does more in one instruction than
// the PTX says. They stay as measured.
func beyond(g *gpu.GPU) (notes []string) {
	paper := *g
	paper.Measured = gpu.Measured{}
	rates, err := paper.Rates()
	if err != nil {
		return nil // nothing is known to compare with
	}
	m := &g.Measured
	for _, x := range []struct {
		name     string
		measured *gpu.Float
		paper    gpu.Rate
	}{
		{"t_sp_gflops", m.TSPGFLOPS, rates.SPGFLOPS}, {"t_dp_gflops", m.TDPGFLOPS, rates.DPGFLOPS}, {"t_int_giops", m.TIntGIOPS, rates.IntGIOPS},
		{"t_add_giops", m.TAddGIOPS, rates.AddGIOPS}, {"t_ldst_gops", m.TLdstGOPS, rates.LdstGOPS}, {"b_mem_gb_per_s", m.BMemGBPerS, rates.MemGBPerS},
	} {
		if x.measured != nil && x.measured.Value > beyondPaper*x.paper.Value {
			notes = append(notes, fmt.Sprintf("measured.%s: %g is more than documents allow, %.5g: look at the machine code and the clock", x.name, x.measured.Value, x.paper.Value))
		}
	}
	return notes
}

// beyondPaper is how far clocks may be off.
const beyondPaper = 1.02

// driverInt takes the driver's number where it has one; an equal one keeps its
// document.
func driverInt(v int, source string, documented *gpu.Int) *gpu.Int {
	if v <= 0 || documented != nil && documented.Value == v {
		return documented
	}
	return &gpu.Int{Value: v, Source: source}
}

// valid holds a file against the checks of every GPU's file.
func valid(g *gpu.GPU) error {
	text, err := json.Marshal(g)
	if err != nil {
		return err
	}
	if _, err = gpu.Read(g.Name, text); err != nil {
		return fmt.Errorf("the GPU's file would not be valid: %w", err)
	}
	return nil
}

// NameOf makes a GPU's name of a file's stem.
func NameOf(stem string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, stem), "-")
}
