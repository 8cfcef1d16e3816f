package accelwattch

import (
	"hyptx/internal/number"
	"hyptx/power"
)

// KernelRow is a kernel of a published sheet: what was modelled, by component, and what was
// measured.
type KernelRow struct {
	Sheet     string      `csv:"sheet" json:"sheet" doc:"the GPU and the variant of the model"`
	Kernel    string      `csv:"kernel" json:"kernel" doc:"^"`
	PowerW    number.Real `csv:"power_w" json:"power_w" doc:"modelled power"`
	MeasuredW number.Real `csv:"measured_w" json:"measured_w" doc:"measured power"`
	ErrorPct  number.Real `csv:"error_pct" json:"error_pct" doc:"how far the model is off"`
	power.GroupPower
}

// Kernels returns the kernels of all sheets.
func Kernels() (rows []*KernelRow) {
	for _, sheet := range power.Published() {
		for i := range sheet.Kernels {
			k := &sheet.Kernels[i]
			rows = append(rows, &KernelRow{Sheet: sheet.Title, Kernel: k.Kernel, PowerW: number.Ratio(k.TotalW), MeasuredW: number.Ratio(k.MeasuredW),
				ErrorPct: number.Ratio(100 * (k.TotalW/k.MeasuredW - 1)), GroupPower: k.Groups()})
		}
	}
	return rows
}

// of returns the rows of a sheet.
func of(sheet string) (rows []*KernelRow) {
	for _, r := range Kernels() {
		if r.Sheet == sheet {
			rows = append(rows, r)
		}
	}
	return rows
}
