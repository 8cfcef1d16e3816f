package accelwattch

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/figure"
	"hyptx/power"
)

// Figure 6: how much of a kernel's dynamic power each component has. The paper draws it of its
// micro-benchmarks, to show that each component is what some benchmark is about; here it is of
// any run.

// ShareRow is a kernel's share of a component.
type ShareRow struct {
	Bench     string  `csv:"bench" doc:"the kernel, with its program where there are several"`
	GPU       string  `csv:"gpu" doc:"as in power.csv"`
	Component string  `csv:"component" doc:"a component of dynamic power, as the columns of power.csv call it"`
	Share     float64 `csv:"share" doc:"of the energy that all components took in the kernel's launches, from 0 to 1"`
}

// energies are a row's energies by component, in the order of power.csv, and their names.
func energies(r *power.Row) (names []string, uj []float64) {
	of := reflect.ValueOf(r.ComponentEnergy)
	for i := range of.NumField() {
		tag, _, _ := strings.Cut(of.Type().Field(i).Tag.Get("csv"), ",")
		names = append(names, strings.TrimSuffix(tag, "_uj"))
		uj = append(uj, of.Field(i).FieldByName("X").Float())
	}
	return names, uj
}

// Shares are the rows of a run: of each kernel on each GPU, the launches together. What has no
// figure is left out.
func Shares(rows []*power.Row) (list []*ShareRow) {
	programs := map[string]bool{}
	for _, r := range rows {
		programs[r.Network] = true
	}
	type bench struct{ name, gpu string }
	var order []bench
	sums := map[bench][]float64{}
	var names []string
	for _, r := range rows {
		if r.Kind != analysis.KindLaunch || !r.EnergyUJ.Known {
			continue
		}
		of := bench{analysis.ShortKernel(r.Kernel), r.GPU}
		if len(programs) > 1 {
			of.name = r.Network + ": " + of.name
		}
		var uj []float64
		if names, uj = energies(r); sums[of] == nil {
			order, sums[of] = append(order, of), make([]float64, len(uj))
		}
		for i, x := range uj {
			sums[of][i] += x
		}
	}
	for _, of := range order {
		all := 0.0
		for _, x := range sums[of] {
			all += x
		}
		for i, x := range sums[of] {
			if all > 0 {
				list = append(list, &ShareRow{of.name, of.gpu, names[i], x / all})
			}
		}
	}
	return list
}

// PlotShares draws figure 6 of a run.
func PlotShares(list []*ShareRow, look figure.Look) ([]byte, error) {
	if len(list) == 0 {
		return nil, errors.New("no launch has a figure of its components")
	}
	h := figure.Heat{Title: "Share of dynamic power by component [%]"}
	several := slices.ContainsFunc(list, func(r *ShareRow) bool { return r.GPU != list[0].GPU })
	if !several {
		h.Title = "Share of dynamic power by component, " + list[0].GPU + " [%]"
	}
	for _, r := range list {
		name := r.Bench
		if several {
			name += ", " + r.GPU
		}
		if i := len(h.Rows) - 1; i < 0 || h.Rows[i] != name {
			h.Rows, h.Shares = append(h.Rows, name), append(h.Shares, nil)
		}
		if !slices.Contains(h.Columns, r.Component) {
			h.Columns = append(h.Columns, r.Component)
		}
		i := len(h.Rows) - 1
		h.Shares[i] = append(h.Shares[i], r.Share)
	}
	return h.Draw(look)
}

// Unstressed are the components of which no kernel of a run takes anything.
func Unstressed(list []*ShareRow) (names []string) {
	most := map[string]float64{}
	for _, r := range list {
		if _, met := most[r.Component]; !met {
			names = append(names, r.Component)
		}
		most[r.Component] = max(most[r.Component], r.Share)
	}
	return slices.DeleteFunc(names, func(name string) bool { return most[name] > 0 })
}
