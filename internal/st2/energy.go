package st2

import (
	"hyptx/internal/adder"
	"hyptx/internal/number"
)

// EnergyRow is a row of st2_energy.csv: what the chosen design saves of a kernel's energy.
type EnergyRow struct {
	Kernel     string      `csv:"kernel" json:"kernel" doc:"the kernel"`
	System     Joules      `csv:"sys_energy_J" json:"sys_energy_J" doc:"energy of the GPU with its DRAM, by the power model, and the part of ALUs, FPUs and DPUs"`
	Share      number.Real `csv:"alu_fpu_share" json:"alu_fpu_share" doc:"^"`
	Saving     number.Real `csv:"adder_saving" json:"adder_saving" doc:"what the design saves of their energy: the paper's figure"`
	ST2        Joules      `csv:"st2_energy_J" json:"st2_energy_J" doc:"energy with it, and what is saved in percent, of the system and of the chip without DRAM"`
	SystemPct  number.Real `csv:"sys_saving_pct" json:"sys_saving_pct" doc:"^"`
	ChipPct    number.Real `csv:"chip_saving_pct" json:"chip_saving_pct" doc:"^"`
	CRFRead    Joules      `csv:"crf_read_J" json:"crf_read_J" doc:"reading and writing the carry register file, at the energy of the register file for each bit"`
	CRFWrite   Joules      `csv:"crf_write_J" json:"crf_write_J" doc:"^"`
	Dynamic    Joules      `csv:"shifter_dynamic_J" json:"shifter_dynamic_J" doc:"level shifters: for bits that change; if every bit of every addition did; at all times"`
	Worst      Joules      `csv:"shifter_dynamic_worst_J" json:"shifter_dynamic_worst_J" doc:"^"`
	Static     Joules      `csv:"shifter_static_J" json:"shifter_static_J" doc:"^"`
	Recompute  Joules      `csv:"recompute_J" json:"recompute_J" doc:"slices that compute a second time"`
	Net        number.Real `csv:"net_adder_saving" json:"net_adder_saving" doc:"what our reconstruction saves of the adders' energy, the register file counted"`
	ModelPct   number.Real `csv:"modelled_sys_saving_pct" json:"modelled_sys_saving_pct" doc:"what that saves of the system's energy, in percent, less that of level shifters"`
	FixedJ     Joules      `csv:"constant_static_J" json:"constant_static_J" doc:"energy by part: constant and static, register file, ALUs and FPUs, L1 and shared memory, L2 and NoC, DRAM, others"`
	RegistersJ Joules      `csv:"regfile_J" json:"regfile_J" doc:"^"`
	UnitsJ     Joules      `csv:"alu_fpu_J" json:"alu_fpu_J" doc:"^"`
	L1J        Joules      `csv:"l1_shared_J" json:"l1_shared_J" doc:"^"`
	L2J        Joules      `csv:"l2_noc_J" json:"l2_noc_J" doc:"^"`
	DRAMJ      Joules      `csv:"dram_J" json:"dram_J" doc:"^"`
	OthersJ    Joules      `csv:"others_J" json:"others_J" doc:"^"`
	Missing    string      `csv:"missing" json:"missing" doc:"why there is no figure"`
	Network    string      `csv:"program" json:"program" doc:"the program"`
	Assumed    string      `csv:"assumed_inputs" json:"assumed_inputs" doc:"as in st2_designs.csv"`
}

// Energies returns the rows of all kernels, and the mean where there are several.
func (s *Suite) Energies() (rows []*EnergyRow) {
	for _, k := range s.Kernels {
		rows = append(rows, s.energy(k))
	}
	if len(rows) < 2 {
		return rows
	}
	mean := &EnergyRow{Kernel: Mean}
	for _, field := range []func(*EnergyRow) *number.Real{
		func(r *EnergyRow) *number.Real { return &r.Share }, func(r *EnergyRow) *number.Real { return &r.Saving },
		func(r *EnergyRow) *number.Real { return &r.SystemPct }, func(r *EnergyRow) *number.Real { return &r.ChipPct },
		func(r *EnergyRow) *number.Real { return &r.Net }, func(r *EnergyRow) *number.Real { return &r.ModelPct },
	} {
		*field(mean) = meanOf(rows, field)
	}
	return append(rows, mean)
}

// meanOf returns the arithmetic mean of what is known of a column.
func meanOf[T any](rows []T, field func(T) *number.Real) number.Real {
	sum, n := 0.0, 0
	for _, r := range rows {
		if x := field(r); x.Known {
			sum += x.X
			n++
		}
	}
	if n == 0 {
		return number.Real{}
	}
	return number.Ratio(sum / float64(n))
}

func (s *Suite) energy(k *Kernel) *EnergyRow {
	r := &EnergyRow{Kernel: k.Name, Network: k.Network, Missing: k.missing(), Assumed: k.assumedInputs()}
	if k.Failed != "" {
		return r
	}
	point, ok := s.chosen()
	if !ok {
		r.Missing = "the design " + adder.Chosen + " with update onmiss was not asked for"
		return r
	}
	width := s.Model.Widths[0]
	c, w, slices := k.sum(point, 0, width, every)
	if slices == 0 {
		r.Missing = "it adds nothing"
		return r
	}
	e := adder.EnergyOf(width).Energy
	read := float64(w.Warps) * adder.CRFReadPJ(width, 1) * pico
	write := float64(c.Mispredicted) * adder.CRFWritePJ(width, 1) * pico
	recomputed := float64(c.Recomputed) / float64(slices)
	r.CRFRead, r.CRFWrite = joules(read), joules(write)
	r.Dynamic, r.Worst = joules(adder.ShifterJ(w.Flips)), joules(adder.ShifterJ(k.worstFlips()))
	reference := k.addJ()
	net := adder.Saving(width, recomputed, (read+write)/reference)
	r.Net, r.Saving = number.Ratio(net), number.Ratio(adder.PublishedSaving)
	if !k.hasEnergy() {
		return r
	}
	all, units := k.energy.total(), k.energy.units
	share, dram := units/all, k.energy.dram/all
	r.System, r.Share = joules(all), number.Ratio(share)
	r.ST2 = joules(all - units*adder.PublishedSaving)
	r.SystemPct = number.Ratio(100 * adder.SystemSaving(share, adder.PublishedSaving))
	r.ChipPct = number.Ratio(100 * adder.ChipSaving(share, adder.PublishedSaving, dram))
	static := adder.TitanV.ShifterW() * k.timeUs / 1e6 * float64(s.Model.SMs) / float64(adder.TitanV.SMs)
	r.Static, r.Recompute = joules(static), joules(units*e*recomputed)
	r.ModelPct = number.Ratio(100 * (units*net - r.Dynamic.X - static) / all)
	r.FixedJ, r.RegistersJ, r.UnitsJ = joules(k.energy.fixed), joules(k.energy.registers), joules(units)
	r.L1J, r.L2J, r.DRAMJ, r.OthersJ = joules(k.energy.l1), joules(k.energy.l2), joules(k.energy.dram), joules(k.energy.others)
	return r
}

const pico = 1e-12

// worstFlips is how many bits would change if every one of every addition did.
func (k *Kernel) worstFlips() (n uint64) {
	for kind, w := range k.Adds.Work[0] {
		n += adder.WorstFlips(adder.Kind(kind)) * w.Adds
	}
	return n
}

// addJ is what the reference adder takes for the kernel's additions: AccelWattch's
// energy of an integer addition, by the bits of the adder [ours].
func (k *Kernel) addJ() (joules float64) {
	for kind, w := range k.Adds.Work[0] {
		joules += adder.AddPJ(adder.Kind(kind)) * float64(w.Adds) * pico
	}
	return joules
}
