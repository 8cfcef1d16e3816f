package main

import (
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/power"
)

// What hyptx power says. A row has a figure or the reason why it has none, and both
// go into every form: the CSV file has the columns missing and implausible, the
// table a mark and the reason below, standard error the remarks. Figures that no
// board draws are marked and not clamped: a clamped figure hides the wrong count or
// time that made it.

// shown are the rows that are written: those of the sweep, or of launches with
// or without totals.
func (r *powerResult) shown(f *powerFlags) []*power.Row {
	if !f.noTotal {
		return r.rows
	}
	return slices.DeleteFunc(slices.Clone(r.rows), func(r *power.Row) bool { return r.Kind != analysis.KindLaunch })
}

// writePower writes the rows in every form that was asked for; a table if -o was
// not, and nothing else goes to standard output.
func (a *app) writePower(r *powerResult, f *powerFlags) error {
	onStdout, failed := a.writeOutputs(f.outputs)
	r.notes = append(r.notes, power.OverTimeSummary(r.overTime)...)
	if power.VoltageUnknown(r.sweep) {
		r.notes = append(r.notes, "voltage is taken to go with the clock (AccelWattch's equation 3); a real board stops at a least voltage")
	}
	switch {
	case f.toFile():
		a.noteAll(slices.Concat(power.Headlines(r.rows), power.SweepSummary(r.sweep), r.notes))
		noteRemarks(a, "implausible", r.rows, func(row *power.Row) []string { return missing(row.Kind, row.Implausible) })
		noteRemarks(a, "implausible", r.sweep, func(row *power.SweepRow) []string { return []string{row.Implausible} })
		noteRemarks(a, "missing", r.rows, func(row *power.Row) []string { return missing(row.Kind, row.Missing) })
		noteRemarks(a, "assumed_inputs", r.rows, func(row *power.Row) []string { return assumed(row.Kind, row.AssumedInputs) })
	case !onStdout:
		a.tablePower(r, r.shown(f), f)
	}
	return failed
}

// tablePower writes readable tables: the rows that were asked for, the hottest instructions, and on
// what they rest.
func (a *app) tablePower(r *powerResult, rows []*power.Row, f *powerFlags) {
	w, width := a.text, a.columns()
	if f.clocks != nil {
		power.WriteSweepTable(w, r.sweep, width)
		a.say("\n%s", strings.Join(power.SweepSummary(r.sweep), "\n"))
	} else {
		power.WriteTable(w, rows, width)
		a.say("")
		power.WriteSummary(w, r.rows)
		if len(r.hot) > 0 && !f.hot.asked() {
			a.say("\nThe instructions with most dynamic energy; memory is shared out by sectors, instruction cache and pipeline" +
				" by warp instructions:")
			power.WriteHotTable(w, r.hot, width)
			power.WriteClassTable(w, r.class, width)
		}
	}
	a.say("")
	for _, n := range r.notes {
		a.say("%s", n)
	}
	a.say("This is a model: AccelWattch (MICRO 2021); `hyptx power validate` says how well it meets measurements.")
}
