package roofline

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"hyptx/internal/gpu"
	"hyptx/internal/roofline/thesis"
)

// Six rates are all that the thesis asks of a GPU (table 4.3): T_SP, T_DP and T_int in
// 1e9 operations a second, of which a multiply-add is two; T_add and T_ldst in 1e9
// instructions; B_mem in GB/s. Measured ones come before those of a data sheet, which
// no program reaches: B_mem is 73 to 90 % of the bus on the thesis' GPUs.

// Device is a GPU as the models see it.
type Device struct {
	Name  string
	Rates thesis.Rates
	// Basis says where the rates come from: "measured", "datasheet", or
	// "datasheet, measured B_mem", which names those that were measured; "given"
	// by the toolkit's CSV, which does not say.
	Basis string
	// Spec is the GPU's file; nil for one that is known by its rates alone.
	Spec *gpu.GPU
	// Timer is whose times are predicted.
	Timer Timer
	// timing is what a simulation needs of the GPU; nil if not all of it is known. It is resolved once,
	// as that takes as long as a hundred predictions.
	timing *gpu.Timing
}

// NewDevice returns a GPU of package gpu.
func NewDevice(g *gpu.GPU) (*Device, error) {
	r, err := g.Rates()
	if err != nil {
		return nil, err
	}
	d := &Device{Name: g.Label(), Spec: g, Rates: thesis.Rates{
		SPGFLOPS: r.SPGFLOPS.Value, DPGFLOPS: r.DPGFLOPS.Value, IntGIOPS: r.IntGIOPS.Value,
		AddGIOPS: r.AddGIOPS.Value, LdStGOPS: r.LdstGOPS.Value, DRAMGBps: r.MemGBPerS.Value,
	}}
	d.Basis = basisOf(r)
	if t, err := g.Timing(); err == nil {
		d.timing = t
	}
	return d, nil
}

// basisOf says where rates come from.
func basisOf(r gpu.Rates) string {
	all := []struct {
		name string
		rate gpu.Rate
	}{{"T_SP", r.SPGFLOPS}, {"T_DP", r.DPGFLOPS}, {"T_int", r.IntGIOPS}, {"T_add", r.AddGIOPS}, {"T_ldst", r.LdstGOPS}, {"B_mem", r.MemGBPerS}}
	var measured []string
	for _, x := range all {
		if x.rate.Provenance == gpu.FromMeasurement {
			measured = append(measured, x.name)
		}
	}
	switch len(measured) {
	case 0:
		return gpu.FromDataSheet
	case len(all):
		return gpu.FromMeasurement
	}
	return gpu.FromDataSheet + ", measured " + strings.Join(measured, " ")
}

// shape is what the extended model needs of a GPU besides its rates.
type shape struct {
	sms      float64
	clockMHz float64
	issue    float64 // warps a clock and SM
}

// uneven is by how much the SM with the most CTAs has more of them than the mean.
func (s shape) uneven(l *Launch) float64 { return math.Ceil(l.CTAs/s.sms) / (l.CTAs / s.sms) }

// bandwidth returns the GB/s of DRAM for what a launch reads and writes. No program reaches
// those of the bus: where nobody measured what one does on this GPU, it is the share that reads,
// writes, or both half and half reached on GPUs with such a memory.
func (d *Device) bandwidth(l *Launch) float64 {
	t, read := d.timing, l.Traffic.DRAMRead.X
	if r, err := d.Spec.Rates(); t == nil || err != nil || r.MemGBPerS.Provenance == gpu.FromMeasurement || l.Traffic.DRAM().X == 0 {
		return d.Rates.DRAMGBps
	}
	share, part := t.DRAM.ReadShare, 2*read/l.Traffic.DRAM().X-1
	if part < 0 {
		share, part = t.DRAM.WriteShare, -part
	}
	return d.Rates.DRAMGBps * (t.DRAM.CopyShare + part*(share-t.DRAM.CopyShare))
}

// shape collects it; what is unknown is an error.
func (d *Device) shape() (shape, error) {
	if d.Spec == nil {
		return shape{}, fmt.Errorf("GPU %s is known by its rates alone: the extended time model needs SMs, clocks and latencies (a GPU's file); time model thesis does not", d.Name)
	}
	var s shape
	sms, err := gpu.Need(d.Spec, "sms", d.Spec.SMs)
	if err != nil {
		return s, err
	}
	issue, err := gpu.Need(d.Spec, "issue.warps_per_clock", d.Spec.Issue.WarpsPerClock)
	if err != nil {
		return s, err
	}
	s.sms, s.issue = float64(sms), float64(issue)
	if s.clockMHz, err = d.Spec.ClockMHz(); err != nil {
		return s, err
	}
	return s, nil
}

// plainKinds are what every kernel of integers, fp32 and loads waits for.
var plainKinds = [numKinds]bool{fp32: true, integer: true, constant: true, memory: true}

// lacksForExtended returns what the extended model needs of a GPU for every
// kernel of integers, fp32 and loads, and nobody knows.
func (d *Device) lacksForExtended() error {
	_, err := d.shape()
	if err != nil {
		return err
	}
	g := d.Spec
	_, overhead := d.overheadUs()
	latencies := d.latencies(Traffic{}).need(plainKinds)
	_, occupancy := g.Occupy(gpu.CTA{Threads: 1})
	return errors.Join(overhead, latencies, occupancy)
}

// StandIns names what a time of such a kernel rests on that the GPU's file does not say, but its
// compute capability does.
func (d *Device) StandIns() (paths []string) {
	if d.guessesOverhead() {
		paths = append(paths, overheadPath)
	}
	of := d.latencies(Traffic{})
	return append(paths, of.standIns(plainKinds)...)
}

// wrongTarget warns of PTX that is for a later architecture than the GPU's.
// PTX runs on the architecture that it is for and on later ones; with a letter
// (sm_90a) on that one alone (PTX ISA 11.1.2).
func (d *Device) wrongTarget(target string) []string {
	if d.Spec == nil || d.Spec.ComputeCapability == nil || target == "" {
		return nil
	}
	digits := strings.TrimPrefix(target, "sm_")
	number := strings.TrimRight(digits, "af")
	want, err := strconv.Atoi(number)
	have, err2 := strconv.Atoi(strings.ReplaceAll(d.Spec.ComputeCapability.Value, ".", ""))
	if err != nil || err2 != nil || want <= have && digits == number || want == have {
		return nil
	}
	return []string{fmt.Sprintf("the PTX is for %s and does not run on compute capability %s", target, d.Spec.ComputeCapability.Value)}
}
