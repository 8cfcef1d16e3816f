package analysis

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"hyptx/internal/number"
)

// model counts what a kernel's warps do, as a test works it out by hand.
type model struct {
	warp, thread, on             uint64
	class                        map[string]uint64 // by column, without inst_
	branches, divergent, targets uint64
	conditional, condDivergent   uint64
	barriers, divergentBarriers  uint64
	spAdd, spMul, spFma          uint64
	exactness                    string
	computeIssues, computeLanes  uint64
	ctas, divergentInCTA         uint64
}

func newModel() *model { return &model{class: map[string]uint64{}, exactness: "exact"} }

// run counts instructions without guard: what is a list of classes, "integer*3
// misc", each issued so often and by so many lanes altogether.
func (m *model) run(issues, lanes uint64, what string) { m.guarded(issues, lanes, lanes, what) }

// guarded counts instructions whose guard holds for on lanes.
func (m *model) guarded(issues, lanes, on uint64, what string) {
	for _, w := range strings.Fields(what) {
		name, times, ok := strings.Cut(w, "*")
		n := uint64(1)
		if ok {
			n, _ = strconv.ParseUint(times, 10, 64)
		}
		switch name {
		case "fadd":
			name, m.spAdd = "fp_32", m.spAdd+n*on
		case "fmul":
			name, m.spMul = "fp_32", m.spMul+n*on
		case "fma":
			name, m.spFma = "fp_32", m.spFma+n*on
		case "bar":
			name, m.barriers = "barrier", m.barriers+n*issues
		}
		m.warp += n * issues
		m.thread += n * lanes
		m.on += n * on
		m.class[name] += n * on
		switch name {
		case "fp_32", "integer", "bit_convert", "special":
			m.computeIssues += n * issues
			m.computeLanes += n * lanes
		}
	}
}

// jump counts an unguarded bra.
func (m *model) jump(issues, lanes uint64) {
	m.run(issues, lanes, "control")
	m.branches += issues
	m.targets += issues
}

// branch counts a guarded bra: taken by so many lanes, divergent so often.
func (m *model) branch(issues, lanes, taken, divergent uint64) {
	m.guarded(issues, lanes, taken, "control")
	m.branches += issues
	m.conditional += issues
	m.divergent += divergent
	m.condDivergent += divergent
	m.targets += issues + divergent
}

// columns are the columns that a model gives.
func (m *model) columns() map[string]float64 {
	c := map[string]float64{
		"warp_instructions": float64(m.warp), "thread_instructions": float64(m.thread), "thread_instructions_pred_on": float64(m.on),
		"branches": float64(m.branches), "divergent_branches": float64(m.divergent), "conditional_branches": float64(m.conditional),
		"barriers_executed": float64(m.barriers), "divergent_barriers": float64(m.divergentBarriers),
		"flop_count_sp": float64(m.spAdd + m.spMul + 2*m.spFma), "flop_count_sp_add": float64(m.spAdd),
		"flop_count_sp_mul": float64(m.spMul), "flop_count_sp_fma": float64(m.spFma),
		"branch_efficiency_pct":                 percent(m.branches-m.divergent, m.branches),
		"conditional_branch_efficiency_pct":     percent(m.conditional-m.condDivergent, m.conditional),
		"branch_targets_uniform_pct":            percent(m.branches-m.divergent, m.targets),
		"warp_execution_efficiency_pct":         percent(m.thread, 32*m.warp),
		"warp_nonpred_execution_efficiency_pct": percent(m.on, 32*m.warp),
		"divergent_branches_per_cta_mean":       float64(m.divergent) / float64(m.ctas),
	}
	if m.divergentInCTA > 0 {
		c["divergent_branches_per_cta_max"] = float64(m.divergentInCTA)
	}
	if m.computeIssues > 0 {
		c["exec_active_lanes_mean"] = float64(m.computeLanes) / float64(m.computeIssues)
	}
	for _, name := range []string{"fp_16", "fp_32", "fp_64", "special", "integer", "bit_convert", "control", "compute_ld_st",
		"atomic", "texture", "inter_thread_communication", "barrier", "tensor", "misc"} {
		c["inst_"+name] = float64(m.class[name])
	}
	return c
}

func percent(a, b uint64) float64 {
	if b == 0 {
		return 100
	}
	return 100 * float64(a) / float64(b)
}

// numbersOf returns a row's numbers by column.
func numbersOf(r *Row) map[string]float64 {
	out := map[string]float64{}
	v := reflect.ValueOf(r).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("csv")
		switch x := v.Field(i).Interface().(type) {
		case number.Int:
			if x.Known {
				out[name] = float64(x.N)
			}
		case number.Real:
			if x.Known {
				out[name] = x.X
			}
		}
	}
	return out
}

// check compares a row with the model.
func (m *model) check(t *testing.T, what string, r *Row) {
	t.Helper()
	if m.ctas == 0 {
		m.ctas = r.CTAs.N
	}
	got := numbersOf(r)
	for name, want := range m.columns() {
		if x, ok := got[name]; !ok || math.Abs(x-want) > 1e-9*math.Abs(want) {
			t.Errorf("%s: %s is %s, by hand it is %v", what, name, shown(x, ok), want)
		}
	}
	if r.Exactness != m.exactness {
		t.Errorf("%s: exactness %s, not %s", what, r.Exactness, m.exactness)
	}
}

func shown(x float64, ok bool) string {
	if !ok {
		return "empty"
	}
	return fmt.Sprint(x)
}
