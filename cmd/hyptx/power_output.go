package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/accelwattch"
	"hyptx/internal/table"
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

// withoutPower is an error that names the GPUs on which no launch has a figure, and the
// reason: a run that says nothing of what was asked for has failed, as `hyptx roofline` has.
func (r *powerResult) withoutPower() (failed error) {
	reason, figures := map[string]string{}, map[string]bool{}
	var gpus []string
	hear := func(gpu, missing string) {
		if !slices.Contains(gpus, gpu) {
			gpus = append(gpus, gpu)
		}
		if figures[gpu] = figures[gpu] || missing == ""; reason[gpu] == "" {
			reason[gpu] = missing
		}
	}
	for _, row := range r.rows {
		if row.Kind == analysis.KindLaunch {
			hear(row.GPU, row.Missing)
		}
	}
	for _, row := range r.sweep {
		hear(row.GPU, row.Missing)
	}
	for _, g := range gpus {
		if !figures[g] {
			failed = errors.Join(failed, fmt.Errorf("no launch has a power on %s: %s", g, reason[g]))
		}
	}
	return failed
}

// writePower writes the rows in every form that was asked for; a table if -o was
// not, and nothing else goes to standard output.
func (a *app) writePower(r *powerResult, f *powerFlags) error {
	onStdout, failed := a.writeOutputs(f.outputs)
	r.notes = append(r.notes, power.OverTimeSummary(r.overTime)...)
	if f.shares.asked() || f.plotShares.asked() {
		if idle := accelwattch.Unstressed(accelwattch.Shares(r.rows)); len(idle) > 0 {
			r.notes = append(r.notes, "no kernel of these takes anything of "+strings.Join(idle, ", "))
		}
	}
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
		a.say("")
		for _, line := range power.SweepSummary(r.sweep) {
			a.sayFolded("%s", line)
		}
	} else {
		power.WriteTable(w, rows, width)
		a.say("")
		var summary strings.Builder
		power.WriteSummary(&summary, r.rows)
		fmt.Fprint(w, table.Narrow(summary.String(), width))
		if len(r.hot) > 0 && !f.hot.asked() {
			a.say("")
			a.sayFolded("The instructions with most dynamic energy; memory is shared out by sectors (a line of its own where these were" +
				" not counted one by one: --time-model analytic counts them), instruction cache and pipeline by warp instructions:")
			power.WriteHotTable(w, r.hot, width)
			power.WriteClassTable(w, r.class, width)
		}
	}
	a.say("")
	for _, n := range r.notes {
		a.sayFolded("%s", n)
	}
	if i := slices.IndexFunc(r.rows, func(row *power.Row) bool { return row.AssumedInputs != "" }); i >= 0 {
		a.sayFolded("assumed: %s", analysis.BriefAssumptions(r.rows[i].AssumedInputs))
	}
	a.sayFolded("This is a model: `hyptx validate silicon` holds it against measurements, `hyptx power validate` AccelWattch's against its own.")
}
