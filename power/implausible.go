package power

import (
	"fmt"
	"strconv"
	"strings"
)

// implausible says which bounds of the hardware a row's figures exceed, and
// what exceeds them: nothing is clamped.
func (m *Model) implausible(r *Row) string {
	var why []string
	if w := m.beyondBoard(r.PowerW.X); w != "" {
		why = append(why, w+most(r))
	}
	if w := m.beyondIssue(r); w != "" {
		why = append(why, w)
	}
	return strings.Join(why, "; ")
}

// beyondBoard says why a board cannot draw a power in W.
func (m *Model) beyondBoard(watts float64) string {
	if tdp := m.GPU.Power.TDPW; tdp.Known() && watts > tdp.Value {
		return fmt.Sprintf("%s W is above the limit of %g W", apart(watts, tdp.Value), tdp.Value)
	}
	if idle := m.GPU.Power.IdleW; idle.Known() && watts < idle.Value {
		return fmt.Sprintf("%s W is below idle, %g W", apart(watts, idle.Value), idle.Value)
	}
	return ""
}

// apart writes a power with as many decimals as tell it from a bound.
func apart(watts, bound float64) string {
	for decimals := 0; ; decimals++ {
		s := strconv.FormatFloat(watts, 'f', decimals, 64)
		if x, err := strconv.ParseFloat(s, 64); err != nil || x > bound == (watts > bound) && x < bound == (watts < bound) {
			return s
		}
	}
}

// most names the group that takes most of a row's dynamic energy.
func most(r *Row) string {
	g, uj := r.mostDynamic()
	if uj == 0 {
		return ""
	}
	return fmt.Sprintf(" (most: %s %.0f W)", groupTitles[g], uj/r.TimeUs.X)
}

// beyondIssue says if more warp instructions are charged in a launch's time
// than the SMs can issue in it: never in a time of the time model, which holds
// that limit for what is charged, but in a time that was given.
func (m *Model) beyondIssue(r *Row) string {
	width := m.GPU.Issue.WarpsPerClock
	if !r.WarpIPC.Known || !width.Known() || r.WarpIPC.X <= float64(width.Value)*(1+1e-9) {
		return ""
	}
	return fmt.Sprintf("%.1f warp instructions a clock and SM are charged, more than the %d that it can issue in the time given", r.WarpIPC.X, width.Value)
}
