package power

import (
	"fmt"
	"strconv"
	"strings"
)

// A sum of tuned energies knows no ceiling: charged in too short a time, a launch can
// come to 900 W on a board of 250. A model that cut that off would hide its own
// mistake, so figures stay as they are and the row says which limit they break.

// implausible says which bounds of the hardware a row's figures exceed, and
// what exceeds them: nothing is clamped.
func (m *Model) implausible(r *Row) string {
	var why []string
	if w := m.beyondBoard(r.PowerW.X); w != "" {
		if _, group, uj := r.dynamic(); uj > 0 {
			w += fmt.Sprintf(" (most: %s %.0f W)", groupTitles[group], uj/r.TimeUs.X)
		}
		why = append(why, w)
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
