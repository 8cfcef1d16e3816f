package accelwattch

import (
	"hyptx/internal/number"
	"hyptx/power"
)

// Lanes and SMs. Equation 10 of the paper without its dynamic part: constant power, that of
// idle SMs, and static power, which goes with the lanes that are active in a warp by
// equation 4, or 5 where one kind of unit works in two halves of a warp. Of two kinds the
// paper says that one drifts into the other, with no formula; the mean of both is drawn
// ([ours]).
//
// The model spreads static power evenly over SMs. The paper measured otherwise (section
// 4.3): the first SM costs 47 times a later one, because it wakes what all SMs share. With
// a part g for the chip and a for each SM, g + a = 47 a and g + N a the power of all N, that
// is the other reading, *gated*: of all SMs both are equal.

// LaneRow is what a GV100 draws with some SMs and lanes active, but for dynamic power.
type LaneRow struct {
	Mix      string      `csv:"mix" json:"mix" doc:"which instructions: as static_category of power.csv"`
	Lanes    int         `csv:"lanes" json:"lanes" doc:"active lanes of each warp"`
	SMs      int         `csv:"sms" json:"sms" doc:"SMs with CTAs; 0 is a GPU without any work"`
	Equation string      `csv:"equation" json:"equation" doc:"of the paper: 4, 5, or 'mean of 4 and 5' of two kinds of units"`
	ConstW   number.Real `csv:"const_w" json:"const_w" doc:"constant power"`
	IdleSMW  number.Real `csv:"idle_sm_w" json:"idle_sm_w" doc:"power of idle SMs"`
	StaticW  number.Real `csv:"static_w" json:"static_w" doc:"static power, spread evenly over SMs, as the model has it"`
	PowerW   number.Real `csv:"power_w" json:"power_w" doc:"their sum"`
	GatedW   number.Real `csv:"gated_static_w" json:"gated_static_w" doc:"static power where the first SM costs 47 times a later one (section 4.3)"`
}

// firstSM is how many times the first SM costs what a later one does (section 4.3).
const firstSM = 47

// mixes of figures 3 to 5: one kind of units, two, and three.
var mixes = []struct {
	category power.Category
	equation string
	watts    func(p power.LanePower, lanes float64) float64
}{
	{power.IntMulOnly, "5", power.LanePower.HalfWarp},
	{power.IntFP, "mean of 4 and 5", func(p power.LanePower, y float64) float64 { return (p.Linear(y) + p.HalfWarp(y)) / 2 }},
	{power.IntFPSFU, "4", power.LanePower.Linear},
}

// lanesAndSMs are those that the figures show: all lanes on all SMs, and the lanes of
// figure 3 on some.
func lanesAndSMs(all int) (of [][2]int) {
	for y := 1; y <= 32; y++ {
		of = append(of, [2]int{y, all})
	}
	for _, y := range []int{1, 8, 32} {
		for k := range all {
			of = append(of, [2]int{y, k})
		}
	}
	return of
}

// Lanes returns the rows of all mixes.
func Lanes() (rows []*LaneRow) {
	chip := power.GV100(power.PTXSim, power.Paper)
	for _, m := range mixes {
		for _, of := range lanesAndSMs(chip.SMs) {
			r := &LaneRow{Mix: m.category.String(), Lanes: of[0], SMs: of[1], Equation: m.equation, ConstW: number.Ratio(chip.ConstantW)}
			active, all := float64(r.SMs), float64(chip.SMs)
			whole := m.watts(chip.Static[m.category], float64(r.Lanes))
			idle, gated := chip.IdleSMW*(all-active), 0.0
			if r.SMs > 0 {
				gated = gatedW(whole, active, all)
			}
			static := whole * active / all
			r.IdleSMW, r.StaticW, r.GatedW = number.Ratio(idle), number.Ratio(static), number.Ratio(gated)
			r.PowerW = number.Ratio(chip.ConstantW + idle + static)
			rows = append(rows, r)
		}
	}
	return rows
}

// gatedW is static power of active SMs of all, if all of them draw whole.
func gatedW(whole, active, all float64) float64 {
	each := whole / (firstSM - 1 + all)
	return each * (firstSM - 1 + active)
}
