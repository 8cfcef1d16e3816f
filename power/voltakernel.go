package power

import (
	"slices"

	"hyptx/internal/number"
)

// voltaKernel is a kernel whose power was measured on a Quadro GV100, with what each
// published variant of AccelWattch makes of it and what hardware counted of it. A sheet
// that lacks the kernel leaves its figure unknown.
type voltaKernel struct {
	Kernel    string
	MeasuredW float64
	// SASSSimW, PTXSimW, HWW and HybridW are the totals of the published sheets.
	SASSSimW, PTXSimW, HWW, HybridW number.Real
	// Us is the time of Nsight's cycles at the clock of the tables; the counts are of
	// warps' machine instructions and of DRAM's sectors of 32 bytes.
	Us, WarpInstructions, DRAMSectors number.Real
}

// VoltaKernels returns the kernels of the validation on a GV100, in the order of the
// sheets.
func VoltaKernels() []voltaKernel {
	sheets := map[string]*published{}
	for i := range publishedTables[:4] { // those of Volta
		sheets[publishedTables[i].file] = publishedTables[i].read()
	}
	total := func(sheet, kernel string) number.Real {
		for _, k := range sheets[sheet].Kernels {
			if k.Kernel == kernel {
				return number.Ratio(k.TotalW)
			}
		}
		return number.Real{}
	}
	counted := HWKernels()
	var out []voltaKernel
	for _, k := range sheets["volta_sass_sim"].Kernels {
		v := voltaKernel{Kernel: k.Kernel, MeasuredW: k.MeasuredW, SASSSimW: number.Ratio(k.TotalW), PTXSimW: total("volta_ptx_sim", k.Kernel),
			HWW: total("volta_hw", k.Kernel), HybridW: total("volta_hybrid", k.Kernel)}
		if i := slices.IndexFunc(counted, func(c measuredKernel) bool { return c.Kernel == k.Kernel }); i >= 0 {
			a := &counted[i].Activity
			v.Us, v.WarpInstructions = number.Ratio(a.Cycles/a.ClockMHz), number.Ratio(a.Counts[TotInst])
			v.DRAMSectors = number.Ratio(a.Counts[DRAMRead] + a.Counts[DRAMWrite])
		}
		out = append(out, v)
	}
	return out
}
